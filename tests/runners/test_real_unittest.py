"""Real unittest through all it can do: one test file, changed step by step."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckStatus, SeenBy

PYTHON = shutil.which("python3")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="python3 is not on the PATH")

CALC = "def add(a, b):\n    return a - b\n"
TEST = """\
import unittest
from calc import add


class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_other(self):
        self.assertTrue(add)
"""
PROJECT = {"calc.py": CALC, "test_calc.py": TEST}
ADD = "test_calc.py::AddTest::test_add"
COMMAND = "python3 -m unittest"


def _pythons() -> Iterator[str]:
    """Every Python 3 that the PATH or pyenv has: the hook has to work in each."""
    own = Path.home() / ".pyenv" / "versions"
    for minor in range(8, 16):
        installed = sorted(str(path) for path in own.glob(f"*/bin/python3.{minor}"))
        found = installed[-1] if installed else shutil.which(f"python3.{minor}")
        if found:
            yield found


@pytest.fixture
def lab(plain_lab: Callable[..., Any]) -> Any:
    return plain_lab(str(Path(str(PYTHON)).parent))


def test_fails_shifts_fails_otherwise_and_is_fixed(lab: Any) -> None:
    first = lab.check(PROJECT, COMMAND)
    assert (first.status, first.seen_by, [f.subject for f in first.failures]) == (
        CheckStatus.FAILED,
        SeenBy.STRUCTURE,
        [ADD],
    )
    shifted = lab.check({**PROJECT, "test_calc.py": TEST.replace("class", "# more\n\n\nclass")}, COMMAND)
    assert shifted.failures[0].line == first.failures[0].line + 3
    assert fingerprint(shifted.failures[0]) == fingerprint(first.failures[0])
    other = lab.check({**PROJECT, "calc.py": "def add(a, b):\n    return a + unknown\n"}, COMMAND)
    assert other.failures[0].kind == "NameError"
    assert fingerprint(other.failures[0]) != fingerprint(first.failures[0])
    fixed = lab.check({**PROJECT, "calc.py": CALC.replace("-", "+")}, COMMAND)
    assert (fixed.status, len(fixed.passed)) == (CheckStatus.PASSED, 2)


def test_a_broken_import_no_tests_no_tool_and_an_early_end_have_names(lab: Any) -> None:
    broken = lab.check({**PROJECT, "calc.py": "def add(:\n"}, COMMAND)
    assert [(f.subject, f.phase.value, f.kind) for f in broken.failures] == [("test_calc.py", "collect", "SyntaxError")]
    empty = lab.check({"calc.py": CALC}, COMMAND)
    assert (empty.status, empty.reason) == (CheckStatus.ERROR, "no tests were collected")
    missing = lab.check(PROJECT, COMMAND, env={"PATH": "/nowhere"})
    assert missing.status is CheckStatus.ERROR
    early = lab.check({**PROJECT, "calc.py": "import os\n\ndef add(a, b):\n    os._exit(0)\n"}, COMMAND)
    assert [(f.subject, f.kind) for f in early.failures] == [(ADD, "crash")]


def test_killed_by_time(lab: Any) -> None:
    endless = {**PROJECT, "calc.py": "import time\n\ndef add(a, b):\n    time.sleep(600)\n"}
    late = lab.check(endless, COMMAND, timeouts={"tests": 15.0})
    assert late.status is CheckStatus.TIMEOUT
    assert ADD in late.reason


@pytest.mark.parametrize("python", list(_pythons()), ids=lambda path: Path(path).name)
def test_every_python_on_the_path_is_listened_to(lab: Any, python: str) -> None:
    env = {"PATH": os.pathsep.join((str(Path(python).parent), "/usr/bin", "/bin")), "HOME": str(lab.base)}
    result = lab.check(PROJECT, f"{python} -m unittest", env=env)
    if "not found" in lab.output() or result.exit_code == 127:
        pytest.skip(f"{python} does not start")
    assert [f.subject for f in result.failures] == [ADD]
    assert result.passed == ("test_calc.py::AddTest::test_other",)
