"""A small project with one failing test, and what must hold whatever an agent does there."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.outcome import EXIT_CODES, Status
from trueup.decide.task import AgentSpec, Limits
from trueup.testing import PYTEST, Driven, ScriptedAgent, drive, python_project, task_for

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
def quick() -> tuple[str, ...]:
    return QUICK


@pytest.fixture
def attack(tmp_path: Path, project: Path) -> Callable[..., Driven]:
    """Drive a run with this agent, and see that it neither passes, nor changes the checkout, nor leaves a process."""

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
            environ={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(environ or {})},
        )
        assert result.outcome.status is not Status.PASSED, "a false pass"
        assert result.outcome.exit_code == EXIT_CODES[result.outcome.status] != 0
        assert checkout(project) == before, "the checkout was changed"
        assert processes_of(tmp_path) == [], "a process was left behind"
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
