"""Small real projects, a folder outside of them that stands for the rest of the world, and whole runs."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from trueup.act.agents.base import AgentFunction
from trueup.act.bytecode import Bytecode
from trueup.decide.task import Task
from trueup.testing import Driven, ScriptedAgent, drive, python_project

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
TESTS = (
    "from calc import add, double\n\n\n"
    "def test_add():\n    assert add(2, 3) == 5\n\n\n"
    "def test_double():\n    assert double(4) == 8\n"
)
CHECK = (
    "import os, sys\n"
    "from pathlib import Path\n"
    "from calc import add\n\n"
    'with open(Path(os.environ["CASE_OUTSIDE"], "seen"), "a") as seen:\n'
    '    print(repr(Path("calc.py").read_text()), file=seen)\n'
    'sys.exit("add(2, 3) is wrong" if add(2, 3) != 5 else 0)\n'
)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """What no tree holds: checks find it in the variable CASE_OUTSIDE."""
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def looks(outside: Path) -> Callable[[], list[str]]:
    """On which text of `calc.py` the plain check was run, each time."""

    def read() -> list[str]:
        seen = outside / "seen"
        return [str(eval(line)) for line in seen.read_text().splitlines()] if seen.exists() else []

    return read


@pytest.fixture
def plain(tmp_path: Path) -> Callable[..., Path]:
    """`calc.py`, whose `add` is wrong, and `check.py`, which says so; other files replace or join them."""

    def make(files: Mapping[str, str] | None = None, name: str = "calc") -> Path:
        return python_project(tmp_path / name, files={"calc.py": CALC, "check.py": CHECK, **(files or {})})

    return make


@pytest.fixture
def tested(tmp_path: Path) -> Callable[..., Path]:
    """`calc.py` with two tests for pytest, of which `test_add` fails; other files replace or join them."""

    def make(files: Mapping[str, str] | None = None) -> Path:
        own = {"calc.py": CALC, "conftest.py": "", "tests/test_calc.py": TESTS}
        return python_project(tmp_path / "calc", files={**own, **(files or {})})

    return make


@pytest.fixture
def go(tmp_path: Path, outside: Path, compiled_pytest: Bytecode) -> Callable[..., Driven]:
    """One whole run; every run of a test shares the state folder."""

    def run(
        where: Path,
        agent: AgentFunction | ScriptedAgent | None,
        task: Task | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Driven:
        own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CASE_OUTSIDE": str(outside), **(environ or {})}
        return drive(where, agent, state=tmp_path / "state", task=task, environ=own, compiled=compiled_pytest)

    return run
