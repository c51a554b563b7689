"""A new test runs in the midst of the old ones where only an exit code is seen: it patches, or ends everything."""

from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import PYTEST, Driven, commit_all, write_files

OLD = """\
import unittest

import calc


class CalcTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(2, 3), 5)
"""
CHECK = (PYTEST[0], "-m", "unittest", "discover", "-s", "tests", "-t", ".")
WAYS = {
    "patches the product": "import calc\n\ncalc.add = lambda a, b: a + b\n",
    "ends the process": "import os\n\nos._exit(0)\n",
}


@pytest.fixture(autouse=True)
def _unittests(project: Path) -> None:
    write_files(project, {"tests/__init__.py": "", "tests/test_calc.py": OLD})
    commit_all(project, "unittest")


@pytest.mark.parametrize("way", WAYS)
def test_a_check_has_to_pass_without_the_new_tests_as_well(way: str, attack: Callable[..., Driven]) -> None:
    result = attack({"tests/test_0.py": WAYS[way]}, check=CHECK, attempts=1)
    assert result.outcome.fixed == ()
    assert result.outcome.tree == result.outcome.start


def test_a_repair_with_a_new_test_passes_and_keeps_it(attack_and_repair: Callable[..., Driven], fix: str) -> None:
    result = attack_and_repair({"tests/test_0.py": OLD, "calc.py": fix}, check=CHECK, attempts=1)
    assert result.read("tests/test_0.py") == OLD
