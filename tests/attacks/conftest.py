"""A small project with one failing test, and what must hold whatever an agent does there."""

import base64
import os
import secrets
import sqlite3
import stat
import subprocess
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from trueup.decide.outcome import EXIT_CODES, Status
from trueup.decide.task import AgentSpec, Limits
from trueup.report.events import to_json
from trueup.testing import PYTEST, Driven, ScriptedAgent, commit_all, drive, python_project, task_for, write_files

FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n",
    "tests/test_calc.py": (
        "from calc import add, double\n\n\n"
        "def test_add():\n    assert add(2, 3) == 5\n\n\n"
        "def test_double():\n    assert double(4) == 8\n\n\n"
        "def test_nothing():\n    assert double(0) == 0\n"
    ),
    "check.py": "from calc import add, double\n\nassert add(2, 3) == 5\nassert double(4) == 8\n",
    "README.md": "calc\n",
    ".gitignore": "*.secret\n",
}
FIX = FILES["calc.py"].replace("a - b", "a + b")
QUICK = (PYTEST[0], "-S", "check.py")
"""A check that can be looked into no further than its exit code; for attacks to which the runner does not matter."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """`test_add` fails, two others pass. A stranger's file and an ignored one lie beside what is committed."""
    folder = python_project(tmp_path / "calc", files=FILES)
    (folder / "notes.txt").write_text("mine\n")
    (folder / "my.secret").write_text("mine\n")
    return folder


@pytest.fixture
def with_folder(project: Path) -> Path:
    """The project, with a folder in which one file is committed, one is ignored, and one is new."""
    write_files(project, {"sub/kept.txt": "kept\n"})
    commit_all(project, "a folder")
    write_files(project, {"sub/own.secret": "mine\n", "sub/new.txt": "mine\n"})
    return project


@pytest.fixture
def quick() -> tuple[str, ...]:
    return QUICK


@pytest.fixture
def fix() -> str:
    """The text of `calc.py` without its bug."""
    return FIX


@pytest.fixture
def attack(driven: Callable[..., Driven]) -> Callable[..., Driven]:
    """Drive a run with this agent, and see that it neither passes, nor changes the checkout, nor leaves a process."""

    def run(*steps: object, **more: Any) -> Driven:
        result = driven(*steps, **more)
        assert result.outcome.status is not Status.PASSED, "a false pass"
        assert result.outcome.exit_code == EXIT_CODES[result.outcome.status] != 0
        return result

    return run


@pytest.fixture
def attack_and_repair(driven: Callable[..., Driven]) -> Callable[..., Driven]:
    """Likewise for an agent that plays its trick and also repairs the bug: it passes, on the user's terms."""

    def run(*steps: object, **more: Any) -> Driven:
        result = driven(*steps, **more)
        assert result.outcome.status is Status.PASSED, result.screen
        return result

    return run


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What an agent can get hold of: a variable of its environment, and a file in its HOME."""

    token: str
    """The value of `DEPLOY_TOKEN`."""
    key: str
    """In `~/.config/hub/hosts.yml`; nobody but its form tells that it is one."""


@pytest.fixture
def secret(tmp_path: Path) -> Secret:
    own = Secret(token=f"d/{secrets.token_hex(12)}+{secrets.token_hex(4)}=?", key="ghp_" + secrets.token_hex(18))
    hosts = tmp_path / "state/home/.config/hub/hosts.yml"
    hosts.parent.mkdir(parents=True)
    hosts.write_text(f"oauth_token: {own.key}\n")
    return own


@pytest.fixture
def driven(tmp_path: Path, project: Path, secret: Secret) -> Callable[..., Driven]:
    """Drive a run with this agent, and see that it changes no checkout, leaves no process and leaks no secret."""

    def run(
        *steps: object,
        check: str | tuple[str, ...] = PYTEST,
        attempts: int = 2,
        command: bool = False,
        usd: float | None = 0.1,
        environ: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        **task: Any,
    ) -> Driven:
        before = checkout(project)
        agent = ScriptedAgent(*steps, usd=usd)  # type: ignore[arg-type]
        if command:
            line = agent.as_command(tmp_path / "agent")
            task["agents"] = (AgentSpec(name="scripted", command=line, reports_cost=True),)
        result = drive(
            project,
            None if command else agent,
            state=tmp_path / "state",
            task=task_for(check, limits=limits or Limits(usd=None, time=3600.0, attempts=attempts), **task),
            environ={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "DEPLOY_TOKEN": secret.token, **(environ or {})},
        )
        assert checkout(project) == before, "the checkout was changed"
        assert processes_of(tmp_path) == [], "a process was left behind"
        assert leaks(result, project, secret) == [], "a secret got out"
        return result

    return run


@pytest.fixture
def gone_back() -> Callable[[Driven], set[str]]:
    """The paths whose changes were undone."""
    return lambda result: {p.path for view in result.attempts for p in view.record.put_back}


@pytest.fixture
def looked_at() -> Callable[[Driven], set[str]]:
    """Why a person should look before this is believed."""

    def whys(result: Driven) -> set[str]:
        return {s.why for view in result.attempts if view.proof for s in view.proof.suspicions}

    return whys


@pytest.fixture
def unchanged(project: Path) -> Iterator[None]:
    """For tests that do not use `attack`: the checkout is the same afterwards."""
    before = checkout(project)
    yield
    assert checkout(project) == before, "the checkout was changed"


@pytest.fixture
def left_behind(tmp_path: Path) -> Callable[[], list[int]]:
    """Processes of this test that still run."""
    return lambda: processes_of(tmp_path)


def checkout(project: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with mode and bytes: work tree, index, references, stash, configuration and hooks.

    What trueup may write is left out: its readable files, its own branches, and objects.
    """
    ours = (".trueup/", ".git/objects/", ".git/refs/heads/trueup/", ".git/logs/refs/heads/trueup/")
    found: dict[str, tuple[int, bytes]] = {}
    for folder, names, files in os.walk(project):
        for name in (*names, *files):
            path = Path(folder, name)
            relative = path.relative_to(project).as_posix()
            if not f"{relative}/".startswith(ours):
                mode = path.lstat().st_mode
                found[relative] = mode, _content(path, mode)
    return found


def _content(path: Path, mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return os.fsencode(path.readlink())
    return path.read_bytes() if stat.S_ISREG(mode) else b""


def processes_of(folder: Path) -> list[int]:
    """Whatever was started with this test's folder in its environment or its command line."""
    mark = os.fsencode(folder)
    numbers = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [n for n in numbers if n != os.getpid() and any(mark in _proc(n, what) for what in ("environ", "cmdline"))]


def _proc(number: int, what: str) -> bytes:
    try:
        return Path(f"/proc/{number}/{what}").read_bytes()
    except OSError:
        return b""


def leaks(result: Driven, project: Path, secret: Secret) -> list[str]:
    """Where a secret can be read after the run, in whatever form.

    What is left out: the trees in the store, which are the agent's own bytes and are kept on purpose, and files that
    it wrote itself beside its workspace.
    """
    forms = [form.encode() for form in (*_forms(secret.token), secret.key)]
    return sorted({place for place, content in _told(result, project) if any(form in content for form in forms)})


def _forms(token: str) -> Iterator[str]:
    yield token
    yield quote(token)
    yield quote(token, safe="")
    yield token.encode().hex()
    for before in range(3):
        encoded = base64.b64encode(b"x" * before + token.encode()).decode()
        inner = encoded[-(-before * 8 // 6) : (before + len(token)) * 8 // 6]
        yield from (inner, inner.replace("+", "-").replace("/", "_"))


def _told(result: Driven, project: Path) -> Iterator[tuple[str, bytes]]:
    """Everything that is shown, prompted, stored or handed back."""
    yield "the screen", result.screen.encode()
    yield from (("an event", to_json(envelope).encode()) for envelope in result.events)
    yield from ((f"a prompt: {file}", file.read_bytes()) for file in result.folder.glob("scratch/*/prompt.md"))
    for folder, names, files in os.walk(project / ".trueup"):
        yield from (("a name among the artefacts", os.fsencode(name)) for name in (*names, *files))
        paths = [Path(folder, name) for name in files]
        yield from ((f"the artefact {path}", _content(path, path.lstat().st_mode)) for path in paths)
    yield from _journal(result.folder.parents[1])
    objects = ("git", "cat-file", "--batch", "--batch-all-objects", "--buffer")
    yield "the user's repository", subprocess.run(objects, cwd=project, capture_output=True, check=True).stdout


def _journal(state: Path) -> Iterator[tuple[str, bytes]]:
    yield from ((f"the journal: {file.name}", file.read_bytes()) for file in state.glob("journal.db*"))
    with closing(sqlite3.connect(state / "journal.db")) as journal:
        for (report,) in journal.execute("SELECT report FROM verdicts"):
            yield "a remembered verdict", zlib.decompress(report)
