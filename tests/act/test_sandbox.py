"""What a sandboxed command sees and reaches. Real bubblewrap; without it the tests that need it are skipped."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from trueup.act.process import Completed, Processes, quick
from trueup.act.programs import needed_places
from trueup.act.project import find_project
from trueup.act.sandbox import Bubblewrap, Reach, Sandbox, View, Walls, find_bubblewrap, make_sandbox, mounts
from trueup.act.sandbox_trial import try_sandbox
from trueup.errors import UsageError
from trueup.testing import python_project

HANG = 60.0
CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)"
TALK = (
    "import socket; s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname());"
    "s.accept()[0].send(b'hello'); print(c.recv(9))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A home, a checkout, trueup's state, and a folder that the command may write to."""

    base: Path
    processes: Processes
    environ: dict[str, str]

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def checkout(self) -> Path:
        return self.base / "shop"

    @property
    def work(self) -> Path:
        return self.base / "state" / "work"

    def sandbox(self, **more: tuple[str, ...]) -> Sandbox:
        return make_sandbox(find_project(self.checkout), self.environ, state=self.base / "state", **more)

    def run(
        self,
        *argv: str,
        sandbox: Sandbox | None = None,
        reach: Reach | None = None,
        timeout: float = HANG,
        env: dict[str, str] | None = None,
    ) -> Completed:
        walls = (sandbox or self.sandbox()).around(reach or Reach(writable=(self.work,)))
        return self.processes.confined(walls).run(argv, cwd=self.work, env=env or self.environ, timeout=timeout)

    def sh(self, script: str, *, sandbox: Sandbox | None = None, reach: Reach | None = None) -> str:
        return self.run("/bin/sh", "-c", script, sandbox=sandbox, reach=reach).stdout.text()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    try:
        find_bubblewrap(environ)
    except UsageError as error:
        pytest.skip(f"no sandbox here: {error.why}")
    python_project(tmp_path / "shop", files={"shop.py": "x = 1\n"})
    for folder in ("home/.ssh", "state/work", "state/store"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "home/.ssh/id").write_text("a private key")
    (tmp_path / "state/store/secret").write_text("a verdict")
    with Processes() as processes:
        yield World(base=tmp_path, processes=processes, environ=environ)


def program(path: Path, text: str = "#!/bin/sh\necho ran\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def is_running(words: str) -> bool:
    return any(words in _command(p) for p in Path("/proc").glob("[0-9]*/cmdline"))


def _command(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


# --- the file system -----------------------------------------------------------------------------------------------


def test_files_in_the_home_folder_are_not_there(world: World) -> None:
    assert "a private key" not in world.sh(f"cat {world.home}/.ssh/id; ls -A ~; cat ~/.ssh/id")


def test_what_is_written_to_the_home_folder_is_gone_afterwards(world: World) -> None:
    said = world.sh("mkdir -p ~/.local/bin && echo evil > ~/.local/bin/pytest && cat ~/.local/bin/pytest")
    assert said == "evil\n"
    assert not (world.home / ".local").exists()


def test_the_checkout_cannot_be_written_read_or_deleted(world: World) -> None:
    said = world.sh(f"cd {world.checkout} && cat shop.py; rm -rf .git; touch shop.py || echo refused")
    assert "x = 1" not in said
    assert "refused" in said
    assert (world.checkout / "shop.py").read_text() == "x = 1\n"
    assert find_project(world.checkout).head is not None


def test_trueups_own_state_is_hidden_except_the_given_folder(world: World) -> None:
    said = world.sh(f"cat ../store/secret; echo x > ../planted; echo mine > file; ls {world.base}/state")
    assert "a verdict" not in said
    assert said.endswith("work\n")
    assert (world.work / "file").read_text() == "mine\n"
    assert not (world.base / "state" / "planted").exists()


def test_the_system_is_read_only_and_temporary_folders_are_private(world: World) -> None:
    said = world.sh("touch /usr/trueup-was-here; touch /tmp/trueup-was-here /var/tmp/trueup-was-here && ls /tmp /run")
    assert "Read-only file system" in said
    assert not Path("/tmp/trueup-was-here").exists()
    assert not Path("/var/tmp/trueup-was-here").exists()


def test_git_in_a_copy_finds_the_history_of_the_checkout(world: World) -> None:
    """Also when the checkout itself borrows its history from another repository."""
    borrowing = world.base / "borrowing"
    quick(["git", "clone", "--quiet", "--shared", str(world.checkout), str(borrowing)])
    quick(["git", "clone", "--quiet", "--shared", str(borrowing), str(world.work / "copy")])
    sandbox = make_sandbox(find_project(borrowing), world.environ, state=world.base / "state")
    assert "start" in world.sh("git -C copy log --oneline", sandbox=sandbox)
    assert "start" not in world.sh("git -C copy log --oneline", sandbox=replace(sandbox, parts=()))


def test_installed_packages_of_the_checkout_are_read_only_and_their_tools_caches_are_private(world: World) -> None:
    modules = world.checkout / "node_modules"
    (modules / ".cache").mkdir(parents=True)
    (modules / "left-pad.js").write_text("pad\n")
    sandbox = world.sandbox(dependencies=("node_modules",))
    script = f"cd {modules} && cat left-pad.js && touch .cache/new && ls .cache; echo x > left-pad.js; echo x > new.js"
    assert world.sh(script, sandbox=sandbox).startswith("pad\nnew\n")
    assert sorted(p.name for p in modules.iterdir()) == [".cache", "left-pad.js"]
    assert not list((modules / ".cache").iterdir())


def test_what_is_readable_inside_a_writable_folder_stays_as_it_is(world: World) -> None:
    packages = world.work / ".venv"
    packages.mkdir()
    reach = Reach(writable=(world.work,), readable=(packages,))
    assert "Read-only" in world.sh("touch ok && touch .venv/planted.pth", reach=reach)
    assert (world.work / "ok").exists()


def test_what_is_shared_with_the_agent_is_written_by_the_agent_alone(world: World) -> None:
    own = world.home / ".agent"
    own.mkdir()
    (own / "key").write_text("its key\n")
    sandbox = world.sandbox(share=("~/.agent",))
    script = "cat ~/.agent/key; echo session > ~/.agent/session"
    assert "its key" not in world.sh(script, sandbox=sandbox)
    assert "its key" in world.sh(script, sandbox=sandbox, reach=Reach(writable=(world.work,), agent=True))
    assert (own / "session").read_text() == "session\n"


def test_what_the_user_lets_through_is_read_by_all_and_written_by_none(world: World) -> None:
    (world.home / "data").mkdir()
    (world.home / "data" / "rows").write_text("rows\n")
    said = world.sh("cat ~/data/rows; echo x > ~/data/rows", sandbox=world.sandbox(read=("~/data",)))
    assert said.startswith("rows\n")
    assert (world.home / "data" / "rows").read_text() == "rows\n"


@pytest.mark.parametrize(
    "path", ["~/", "/", "~/nothing-here", "{base}/shop", "{base}/shop/shop.py", "{base}/state/store"]
)
def test_nothing_can_be_let_through_that_would_open_what_the_sandbox_hides(world: World, path: str) -> None:
    with pytest.raises(UsageError, match="cannot be let through"):
        world.sandbox(share=(path.format(base=world.base),))


def test_a_state_folder_behind_a_link_in_the_home_folder_works(world: World) -> None:
    elsewhere = world.base / "disk"
    elsewhere.mkdir()
    (world.home / "state").symlink_to(elsewhere)
    linked = world.home / "state" / "work"
    linked.mkdir()
    walls = make_sandbox(find_project(world.checkout), world.environ, state=world.home / "state")
    inside = world.processes.confined(walls.around(Reach(writable=(linked,))))
    done = inside.run(("/bin/sh", "-c", "pwd; echo x > file"), cwd=linked, env=world.environ, timeout=HANG)
    assert (done.exit_code, done.stdout.text()) == (0, f"{linked}\n")
    assert (elsewhere / "work" / "file").exists()


# --- programs ------------------------------------------------------------------------------------------------------


def test_programs_in_the_home_folder_run_and_what_lies_beside_them_is_hidden(world: World) -> None:
    program(world.home / ".tools/node/bin/node", "#!/bin/sh\ncat ~/.tools/node/lib/code\n")
    (world.home / ".tools/node/lib").mkdir()
    (world.home / ".tools/node/lib/code").write_text("node ran\n")
    program(world.home / ".fly/bin/fly")
    (world.home / ".fly/config.yml").write_text("a token")
    (world.home / ".local/bin").mkdir(parents=True)
    (world.home / ".local/bin/node").symlink_to("../../.tools/node/bin/node")
    world.environ["PATH"] = f"{world.home}/.local/bin:{world.home}/.fly/bin:{os.environ['PATH']}"
    said = world.sh("node; fly; cat ~/.fly/config.yml; ls -A ~")
    assert said.startswith("node ran\nran\n")
    assert "a token" not in said
    assert ".ssh" not in said


def test_a_virtual_environment_of_the_checkout_works_with_its_interpreter_in_the_home_folder(world: World) -> None:
    base = world.home / ".pythons/3/bin"
    base.mkdir(parents=True)
    (world.home / ".pythons/3/lib").mkdir()
    program(base / "python3", "#!/bin/sh\necho interpreter of home\n")
    venv = world.checkout / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text(f"home = {base}\n")
    (venv / "bin/python").symlink_to(base / "python3")
    done = world.run(str(venv / "bin/python"), sandbox=world.sandbox(dependencies=(".venv",)))
    assert done.stdout.text() == "interpreter of home\n"


def test_only_the_installation_of_a_program_is_needed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    program(home / ".cargo/bin/cargo")
    (home / ".cargo/registry").mkdir()
    (home / ".cargo/credentials.toml").write_text("a token")
    program(home / ".pyenv/shims/python")
    (home / ".pyenv/versions").mkdir()
    program(home / "bin/mine", f"#!{home}/.conda/bin/python -u\n")
    program(home / ".conda/bin/python")
    (home / ".conda/conda-meta").mkdir()
    (home / "bin/script").symlink_to(home / "script.sh")
    program(home / "script.sh")
    (home / "bin/key").symlink_to(home / ".ssh/id")
    (home / ".ssh").mkdir()
    (home / ".ssh/id").touch()
    folders = [f"{home}/{name}" for name in (".cargo/bin", ".pyenv/shims", "bin", "")]
    found = needed_places(folders, [], [], [str(home)])
    names = [".cargo/bin", ".cargo/registry", ".conda", ".pyenv", "bin", "script.sh"]
    assert list(found) == [f"{home}/{name}" for name in names]


def test_a_file_that_a_command_names_is_shown_without_its_folder(tmp_path: Path) -> None:
    data, tool = tmp_path / "notes/agent.py", program(tmp_path / "tool/run")
    data.parent.mkdir()
    data.touch()
    assert needed_places([], [str(data), str(tool)], [], [str(tmp_path)]) == (str(data), str(tool))


def test_an_environment_of_the_project_shows_an_interpreter_and_nothing_else(tmp_path: Path) -> None:
    """It may come with the repository: links in it must not open the home folder."""
    home, venv = tmp_path / "home", tmp_path / "shop/.venv"
    program(home / ".pythons/3/bin/python3")
    (home / ".pythons/3/lib").mkdir()
    program(home / "other/bin/tool")
    (home / "other/lib").mkdir()
    (home / ".netrc").touch()
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/tool").symlink_to(home / "other/bin/tool")
    (venv / "bin/python").symlink_to(home / ".netrc")
    (venv / "pyvenv.cfg").write_text(f"home = {home}/other/bin\n")
    assert needed_places([], [], [str(venv)], [str(home)]) == ()
    (venv / "pyvenv.cfg").write_text(f"home = {home}/.pythons/3/bin\n")
    assert needed_places([], [], [str(venv)], [str(home)]) == (f"{home}/.pythons/3",)


def test_a_program_that_the_sandbox_hides_is_named_as_such(world: World) -> None:
    hidden = program(world.checkout / "bin/tool")
    world.environ["PATH"] = f"{hidden.parent}:{os.environ['PATH']}"
    assert world.run("tool").not_started == f"{hidden} is not visible in the sandbox"
    assert world.run("no-such-tool").not_started == "no-such-tool: command not found"


# --- other processes, network, variables ---------------------------------------------------------------------------


def test_no_other_process_is_seen_or_reached(world: World) -> None:
    said = world.sh(
        f"ls /proc | grep -c '^[0-9]*$'; kill -9 {os.getppid()} {os.getpid()}; cat /proc/{os.getpid()}/environ"
    )
    assert int(said.splitlines()[0]) <= 5
    assert "PYTEST_CURRENT_TEST" not in said


def test_what_the_first_process_inside_shows_is_nothing_that_the_command_was_not_given(world: World) -> None:
    env = {
        **world.environ,
        "SSH_AUTH_SOCK": "/run/agent",
        "DISPLAY": ":0",
        "DBUS_SESSION_BUS_ADDRESS": "unix:x",
        "KEPT": "1",
    }
    done = world.run("/bin/sh", "-c", "env; tr '\\0' '\\n' < /proc/1/environ; ls /proc/self/fd", env=env)
    said = done.stdout.text()
    assert said.count("KEPT=1") == 2
    assert not any(name in said for name in ("SSH_AUTH_SOCK", "DISPLAY", "DBUS_SESSION"))
    assert "9\n" not in said, "the descriptor for bubblewrap's own notes"


def test_a_check_reaches_no_server_of_the_host_but_its_own(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        alone = world.run(sys.executable, "-I", "-S", "-c", CONNECT, port)
        connected = world.run(
            sys.executable, "-I", "-S", "-c", CONNECT, port, reach=Reach(writable=(world.work,), network=True)
        )
    assert alone.exit_code == 1
    assert "refused" in alone.stdout.text()
    assert connected.exit_code == 0, connected.stdout.text()
    assert world.run(sys.executable, "-I", "-S", "-c", TALK).stdout.text() == "b'hello'\n"


# --- how it ends ---------------------------------------------------------------------------------------------------


def test_exit_codes_pass_through_and_signals_as_a_shell_tells_them(world: World) -> None:
    assert world.run("/bin/sh", "-c", "exit 3").exit_code == 3
    assert world.run("/bin/sh", "-c", "kill -SEGV $$").exit_code == 128 + signal.SIGSEGV


def test_a_command_that_talks_like_bubblewrap_is_still_a_command_that_failed(world: World) -> None:
    done = world.run("/bin/sh", "-c", "echo 'bwrap: execvp /bin/sh: No such file' >&2; exit 1")
    assert (done.exit_code, done.not_started) == (1, "")


def test_a_sandbox_that_cannot_be_built_is_no_result_of_the_command(world: World) -> None:
    sandbox = world.sandbox()
    broken = replace(sandbox, bubblewrap=replace(sandbox.bubblewrap, options=("--no-such-option",)))
    done = world.run("/bin/true", sandbox=broken)
    assert done.exit_code is None
    assert "the sandbox could not be built" in done.not_started
    assert "no-such-option" in done.not_started
    assert done.argv == ("/bin/true",)


def test_a_daemon_ends_with_the_command(world: World) -> None:
    done = world.run("/bin/sh", "-c", "setsid sleep 86423 >/dev/null 2>&1 & sleep 0.1; echo done")
    assert done.stdout.text() == "done\n"
    assert not is_running("sleep 86423")


def test_at_the_deadline_the_command_may_say_good_bye_and_then_all_of_it_is_gone(world: World) -> None:
    script = (
        "trap 'sleep 0.3; echo bye; exit 0' INT; (trap '' INT TERM; setsid sleep 86424) & while :; do sleep 0.05; done"
    )
    done = world.run("/bin/sh", "-c", script, timeout=1.0)
    assert done.timed_out
    assert done.stdout.text() == "bye\n"
    assert not is_running("sleep 86424")


def test_a_cancel_ends_what_runs_inside(world: World) -> None:
    def stop(_: bytes) -> None:
        world.processes.cancel()

    inside = world.processes.confined(world.sandbox().around(Reach(writable=(world.work,))))
    done = inside.run(
        ("/bin/sh", "-c", "echo on; exec sleep 86425"), cwd=world.work, env=world.environ, timeout=HANG, on_output=stop
    )
    assert done.cancelled
    assert inside.cancelled
    assert not is_running("sleep 86425")


# --- is there one? -------------------------------------------------------------------------------------------------


def test_without_bubblewrap_it_is_said_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        find_bubblewrap({"PATH": str(tmp_path)})
    assert "not found" in refused.value.why
    assert "apt-get install bubblewrap" in refused.value.do


def test_a_kernel_that_refuses_is_quoted(tmp_path: Path) -> None:
    program(tmp_path / "bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    with pytest.raises(UsageError) as refused:
        find_bubblewrap({"PATH": str(tmp_path)})
    assert "No permissions to create new namespace" in refused.value.why
    assert "userns" in refused.value.do


def test_a_machine_without_user_namespaces_for_root_is_used_without_them(tmp_path: Path) -> None:
    program(tmp_path / "bwrap", '#!/bin/sh\ncase "$*" in *--unshare-user*) exit 1;; esac\n')
    found = find_bubblewrap({"PATH": str(tmp_path)})
    assert "--unshare-user" not in found.options
    assert {"--unshare-pid", "--cap-drop", "--die-with-parent"} <= set(found.options)


def test_a_home_folder_that_is_the_whole_system_is_refused(world: World) -> None:
    world.environ["HOME"] = "/"
    with pytest.raises(UsageError, match="cannot hide the home folder"):
        world.sandbox()


def test_a_project_that_holds_the_system_is_refused(world: World) -> None:
    project = replace(find_project(world.checkout), root=Path("/"))
    with pytest.raises(UsageError, match="cannot be hidden"):
        make_sandbox(project, world.environ, state=world.base / "state")


def test_outer_folders_are_mounted_first_and_what_changes_nothing_is_left_out(tmp_path: Path) -> None:
    names = ("home", "home/tools", "home/tools/inner", "home/shop", "home/shop/work", "open")
    for name in names:
        (tmp_path / name).mkdir()
    home, tools, inner, shop, work, free = (str(tmp_path / name) for name in names)
    views = {
        work: View.WRITABLE,
        inner: View.READABLE,
        tools: View.READABLE,
        shop: View.HIDDEN,
        home: View.PRIVATE,
        free: View.READABLE,
        f"{home}/missing": View.HIDDEN,
    }
    words = list(mounts(views))[7:]
    hidden = ["--perms", "0700", "--tmpfs"]
    assert words == [
        *hidden, home, *hidden, shop, "--bind", work, work, "--ro-bind", tools, tools, "--remount-ro", shop,
    ]  # fmt: skip


def test_a_check_has_no_network_and_an_agent_has(tmp_path: Path) -> None:
    bubblewrap = Bubblewrap(program="/bin/bwrap", options=("--unshare-pid",))
    for network in (True, False):
        walls = Walls(bubblewrap=bubblewrap, views={}, network=network)
        argv, _ = walls.enclosed(("pytest", "-q"), cwd=tmp_path, env={}, status=tmp_path / "status")
        assert ("--unshare-net" in argv) is not network
        assert argv[-3:] == ("--", "pytest", "-q")


# --- the doctor's trial --------------------------------------------------------------------------------------------


def test_what_is_tried_in_the_sandbox_does_not_work_and_leaves_nothing_behind(world: World) -> None:
    before = sorted(world.home.iterdir())
    trials = try_sandbox(world.sandbox(), world.processes, world.environ, world.checkout)
    assert [trial.holds for trial in trials] == [True] * 4
    assert sorted(world.home.iterdir()) == before


def test_a_sandbox_with_holes_is_noticed(world: World) -> None:
    sandbox = world.sandbox()
    options = tuple(o for o in sandbox.bubblewrap.options if o != "--unshare-pid")
    holed = replace(
        sandbox,
        bubblewrap=replace(sandbox.bubblewrap, options=options),
        homes=(str(world.home),),
        shared=(str(world.home),),
        needed=(*sandbox.needed, str(world.home)),
        hidden=(),
    )
    found = try_sandbox(holed, world.processes, world.environ, world.checkout)
    trials = {t.tried: t.holds for t in found}
    assert "to run a program inside" not in trials, found[0].text
    assert trials["to see other processes"] is False
    assert trials["a read in the home folder"] is False
    broken = replace(sandbox, bubblewrap=replace(sandbox.bubblewrap, program="/bin/false"))
    assert [t.holds for t in try_sandbox(broken, world.processes, world.environ, world.checkout)] == [False]
