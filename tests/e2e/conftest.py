"""Small real projects, and a folder for trueup's state beside them."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from trueup.act.agents.base import AgentFunction
from trueup.act.bytecode import Bytecode
from trueup.decide.task import Task
from trueup.testing import Driven, ScriptedAgent, drive, python_project

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIXED = CALC.replace("a - b", "a + b")
TESTS = (
    "from calc import add, double\n\n\n"
    "def test_add():\n    assert add(2, 3) == 5\n\n\n"
    "def test_double():\n    assert double(4) == 8\n"
)
FILES = {"calc.py": CALC, "tests/test_calc.py": TESTS, "conftest.py": "", "README.md": "calc\n"}


def _portrait(root: Path) -> dict[str, object]:
    """Everything of a checkout that must not change: files with their modes, index, refs, stash, configuration."""
    seen: dict[str, object] = {}
    for here, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not (Path(here) == root and f == ".trueup")]
        for name in names + [f for f in folders if Path(here, f).is_symlink()]:
            path = Path(here, name)
            relative = path.relative_to(root).as_posix()
            if _is_ours(relative):
                continue
            content: object = os.readlink(path) if path.is_symlink() else path.read_bytes()
            seen[relative] = (path.lstat().st_mode, content)
    return seen


def _is_ours(path: str) -> bool:
    """New objects, and the one branch that a run may make."""
    inside = path.partition(".git/")[2]
    return inside.startswith(("objects/", "refs/heads/trueup/", "logs/refs/heads/trueup/"))


@pytest.fixture
def portrait() -> Callable[[Path], dict[str, object]]:
    return _portrait


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    """Two tests; test_add fails."""
    return python_project(tmp_path / "calc", files=FILES)


@pytest.fixture
def go(tmp_path: Path, compiled_pytest: Bytecode) -> Callable[..., Driven]:
    def run(
        project: Path,
        agent: AgentFunction | ScriptedAgent | None,
        task: Task | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Driven:
        quick = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(environ or {})}
        return drive(project, agent, state=tmp_path / "state", task=task, environ=quick, compiled=compiled_pytest)

    return run
