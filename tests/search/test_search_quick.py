"""A test that needs no fixture is called without pytest around it; every other one is left to pytest."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import unittest

import pytest


def test_plain():
    assert 1 + 1 == 3


@pytest.mark.parametrize("given", [[1, 2]])
def test_with_a_list(given):
    given.append(3)
    assert given == [1, 2, 3]


class TestMethods:
    def test_method(self):
        assert self.__class__.__name__ == "TestMethods"


class Case(unittest.TestCase):
    def setUp(self):
        self.value = 4

    def test_case(self):
        self.assertEqual(self.value, 5)


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.value = 4

    def test_shared(self):
        self.assertEqual(self.value, 4)


@pytest.fixture
def doubled(request):
    return 2 * request.param


@pytest.mark.parametrize("doubled", [2], indirect=True)
def test_through_a_fixture(doubled):
    assert doubled == 4


def test_with_a_folder(tmp_path):
    assert tmp_path


@pytest.mark.xfail
def test_expected_to_fail():
    assert False


async def test_later():
    pass
"""

PLUGIN = """
from trueup.search.quick import quick_call, run_quickly


def pytest_runtestloop(session):
    for item in session.items:
        call = quick_call(item)
        told = [run_quickly(call, str(item.path)) for _ in range(2)] if call else None
        print("FOUND", item.name, told)
    return True
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("quick")
    (folder / "test_things.py").write_text(TESTS)
    (folder / "asking.py").write_text(PLUGIN)
    source = Path(__file__).parent.parent.parent / "src"
    env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": f"{folder}:{source}", "PATH": "/usr/bin:/bin"}
    argv = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "asking", "-p", "no:cacheprovider", "test_things.py"]
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120)
    found = dict(re.findall(r"^FOUND (\S+) (.*)$", done.stdout, re.MULTILINE))
    assert found, done.stdout + done.stderr
    return found


def test_a_failing_test_tells_its_exception_and_how_far_it_came(told: dict[str, str]) -> None:
    line = TESTS.split("\n").index("    assert 1 + 1 == 3") + 1
    assert told["test_plain"] == f"[(False, 'AssertionError', {line}), (False, 'AssertionError', {line})]"


def test_parameters_are_fresh_for_each_call(told: dict[str, str]) -> None:
    assert told["test_with_a_list[given0]"] == "[(True, '', 0), (True, '', 0)]"


def test_methods_are_called_on_a_new_object(told: dict[str, str]) -> None:
    assert told["test_method"] == "[(True, '', 0), (True, '', 0)]"


def test_a_test_case_is_set_up_and_tells_its_failure(told: dict[str, str]) -> None:
    assert told["test_case"].startswith("[(False, 'AssertionError', ")


@pytest.mark.parametrize(
    "name",
    ["test_shared", "test_through_a_fixture[2]", "test_with_a_folder", "test_expected_to_fail", "test_later"],
)
def test_what_needs_more_is_left_to_pytest(told: dict[str, str], name: str) -> None:
    assert told[name] == "None"
