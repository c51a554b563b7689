"""Whole runs in the sandbox: what the promises of `--sandbox` are worth while a hostile agent is at work."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.act.project import find_project
from trueup.act.sandbox import find_bubblewrap
from trueup.decide.outcome import Status
from trueup.decide.task import AgentSpec, Limits, ReviewerSpec, Task
from trueup.errors import UsageError
from trueup.perform.digest import environment_digest
from trueup.perform.setting import Setting
from trueup.remember.codec import decode, encode
from trueup.testing import PYTEST, Driven, drive, drive_on, python_project, task_for

CHECK = (sys.executable, "-S", "check.py")
FILES = {"calc.py": "value = 1\n", "check.py": "from calc import value\nassert value == 2, value\n"}
FIX = "echo 'value = 2' > calc.py"
QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@pytest.fixture(autouse=True)
def _needs_bubblewrap() -> None:
    try:
        find_bubblewrap(os.environ)
    except UsageError as error:
        pytest.skip(f"no sandbox here: {error.why}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return python_project(tmp_path / "calc", files=FILES)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home folder that `drive` gives to the run."""
    folder = tmp_path / "state" / "home"
    folder.mkdir(parents=True)
    return folder


def sandboxed(script: str, check: str | tuple[str, ...] = CHECK, **changes: object) -> Task:
    agent = AgentSpec(name="shell", command=("/bin/sh", "-c", script))
    return replace(task_for(check), **{"sandbox": True, "agents": (agent,), **changes})  # type: ignore[arg-type]


def go(project: Path, task: Task, environ: dict[str, str] | None = None) -> Driven:
    return drive(project, state=project.parent / "state", task=task, environ={**QUICK, **(environ or {})})


def test_a_reviewer_in_the_sandbox_cannot_write_to_the_files_and_is_heard_all_the_same(project: Path) -> None:
    answer = '{\\"nonce\\": \\"$TRUEUP_REVIEW_NONCE\\", \\"approved\\": true}'
    script = f'echo mine > calc.py; touch new; echo "{answer}" > "$TRUEUP_REVIEW_FILE"'
    critic = ReviewerSpec(agent=AgentSpec(name="critic", command=("/bin/sh", "-c", script)))
    driven = go(project, sandboxed(FIX, reviewer=critic))
    assert driven.outcome.status is Status.PASSED, driven.screen
    assert "it cannot change anything: the sandbox lets it only read" in driven.screen
    assert "Read-only file system" in (
        (project / ".trueup" / "runs" / driven.run / "transcripts" / "review-1-1.txt").read_text()
    )


def transcript(driven: Driven, project: Path) -> str:
    files = sorted((project / ".trueup" / "runs" / driven.run / "transcripts").iterdir())
    return files[-1].read_text()


def test_a_hostile_agent_reaches_neither_checkout_nor_secrets_nor_us_and_its_fix_still_passes(
    tmp_path: Path, calc: Path, home: Path, portrait: Callable[[Path], dict[str, object]]
) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh/id").write_text("a private key")
    before = portrait(calc)
    script = f"""
        exec 2>&1
        echo evil > {calc}/calc.py; rm -rf {calc}/.git; git -C {calc} stash clear
        cat ~/.ssh/id {home}/.ssh/id
        find {tmp_path}/state -name '*.db' -o -name store.git
        kill -9 {os.getpid()} {os.getppid()}
        mkdir -p ~/.local/bin; cp /bin/true ~/.local/bin/pytest
        setsid sleep 86431 >/dev/null 2>&1 &
        git log --oneline
        sed -i 's/a - b/a + b/' calc.py
    """
    driven = go(calc, sandboxed(script, PYTEST))
    assert driven.outcome.status == "passed", driven.screen
    assert portrait(calc) == before
    said = transcript(driven, calc)
    assert "a private key" not in said
    assert "Read-only file system" in said
    assert "journal" not in said
    assert "store.git" not in said
    assert "start" in said, "the history can be read"
    assert not (home / ".local").exists()
    assert "sandboxed: it does not reach your checkout" in driven.screen
    assert not any("sleep 86431" in _command(p) for p in Path("/proc").glob("[0-9]*/cmdline"))


def _command(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_code_under_test_cannot_call_home_while_the_agent_may_use_the_network(project: Path) -> None:
    call = "import socket; socket.create_connection(('127.0.0.1', {port}), 5).send(b'{who}')"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        product = f"try:\n    {call.format(port=port, who='check')}\nexcept OSError:\n    pass\nvalue = 2\n"
        agent = f'{sys.executable} -S -c "{call.format(port=port, who="agent")}"\ncat > calc.py <<"END"\n{product}END\n'
        driven = go(project, sandboxed(agent))
        callers = _callers(listener)
    assert driven.outcome.status == "passed", driven.screen
    assert callers == [b"agent"]


def _callers(listener: socket.socket) -> list[bytes]:
    found: list[bytes] = []
    while True:
        try:
            connection, _ = listener.accept()
        except BlockingIOError:
            return found
        with connection:
            connection.setblocking(True)
            found.append(connection.recv(100))


def test_a_check_that_needs_a_server_of_the_host_fails_at_the_start_and_without_the_sandbox_it_does_not(
    project: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        connect = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        task = sandboxed("true", (sys.executable, "-S", "-c", connect))
        alone = go(project, replace(task, limits=Limits(usd=None, attempts=1)))
        open_ = go(project, replace(task, sandbox=False))
    assert open_.outcome.status == "nothing_to_do"
    assert "not sandboxed: it can do what you can do" in open_.screen
    assert alone.outcome.status == "out_of_budget"
    assert "tests seems to need a network or a server of this machine: the sandbox has neither" in alone.screen


def test_a_virtual_environment_of_the_checkout_serves_checks_and_cannot_be_written_by_them(project: Path) -> None:
    venv = project / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "lib").mkdir()
    (venv / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n")
    (venv / "bin/python").symlink_to(Path(sys.executable).resolve())
    plant = f"try:\n    open({str(venv / 'lib/planted.pth')!r}, 'w')\nexcept OSError:\n    value = 2\n"
    driven = go(project, sandboxed(f"cat > calc.py <<'END'\n{plant}END\n", (".venv/bin/python", "-S", "check.py")))
    assert driven.outcome.status == "passed", driven.screen
    assert not (venv / "lib/planted.pth").exists()


def test_a_set_up_command_installs_for_checks_that_cannot_write_to_what_it_installed(project: Path) -> None:
    (project / "install.sh").write_text("mkdir -p .venv && touch .venv/pyvenv.cfg && echo installed > .venv/package\n")
    check = "grep -q installed .venv/package && ! touch .venv/planted 2>/dev/null && grep -q 2 calc.py"
    driven = go(project, sandboxed(FIX, check, setup="sh install.sh"))
    assert driven.outcome.status == "passed", driven.screen


def test_a_set_up_command_that_misses_the_home_folder_says_how_to_let_paths_through(project: Path, home: Path) -> None:
    (home / ".toolrc").write_text("registry\n")
    with pytest.raises(Exception, match="sandbox_read lets paths through"):
        go(project, sandboxed(FIX, setup="cat ~/.toolrc"))
    driven = go(project, sandboxed(FIX, setup="cat ~/.toolrc", sandbox_read=("~/.toolrc",)))
    assert driven.outcome.status == "passed", driven.screen


def test_a_resumed_run_keeps_its_sandbox(project: Path, home: Path) -> None:
    (home / "secret").write_text("a secret")
    first = go(project, sandboxed("cat ~/secret; echo 'value = 3' > calc.py", limits=Limits(usd=None, attempts=1)))
    assert first.outcome.status == "out_of_budget"
    again = drive_on(
        project, state=project.parent / "state", environ=QUICK, limits=lambda old: replace(old, attempts=2)
    )
    assert "sandboxed: it does not reach your checkout" in again.screen
    assert len(again.attempts) == 2
    assert "a secret" not in transcript(again, project)


def test_without_bubblewrap_nothing_begins(project: Path, tmp_path: Path) -> None:
    """A run, and its resumption: never silently weaker."""
    first = go(project, sandboxed("true", limits=Limits(usd=None, attempts=1)))
    nowhere = tmp_path / "bin"
    nowhere.mkdir()
    for name in ("git", "sh"):
        (nowhere / name).symlink_to(shutil.which(name) or "")
    environ = {**QUICK, "PATH": str(nowhere)}
    spent = tmp_path / "spent"
    with pytest.raises(UsageError, match="no sandbox on this machine"):
        go(project, sandboxed(f"touch {spent}"), environ)
    with pytest.raises(UsageError, match="apt-get install bubblewrap"):
        drive_on(project, state=tmp_path / "state", run_id=first.run, environ=environ)
    assert not spent.exists()


def test_a_function_as_an_agent_is_refused_because_it_would_run_outside(project: Path) -> None:
    with pytest.raises(UsageError, match="cannot be sandboxed"):
        drive(project, lambda _: None, state=project.parent / "state", task=replace(task_for(CHECK), sandbox=True))


def test_a_verdict_of_the_sandbox_is_not_taken_for_one_without(project: Path) -> None:
    setting = Setting(project=find_project(project), environ=os.environ)
    task = sandboxed("true")
    tasks = (task, replace(task, sandbox=False), replace(task, sandbox_read=("/opt",)))
    assert len({environment_digest(setting, one, ()) for one in tasks}) == 3


def test_the_journal_keeps_what_was_asked_for() -> None:
    task = Task(sandbox=True, sandbox_read=("~/a",), sandbox_share=("~/b",))
    assert decode("Task", encode(task)) == task


def test_the_gate_alone_can_be_sandboxed_by_flag_variable_and_file(project: Path, home: Path) -> None:
    (home / "present").touch()
    environ = {k: v for k, v in os.environ.items() if not k.startswith("TRUEUP_")}
    environ |= {"HOME": str(home), "XDG_STATE_HOME": str(home.parent)}

    def check(*flags: str, **more: str) -> int:
        argv = [sys.executable, "-m", "trueup", "check", "-C", str(project), "--check", "test -e ~/present", *flags]
        return subprocess.run(argv, env=environ | more, check=False, capture_output=True).returncode

    assert check("--sandbox") == 1
    assert check(TRUEUP_SANDBOX="1") == 1
    (project / "trueup.toml").write_text("sandbox = true\n")
    assert check() == 1
    assert check("--no-sandbox") == 0
