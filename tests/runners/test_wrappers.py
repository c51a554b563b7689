"""Real tox, nox, poetry, uv and just: the tests behind them are seen one by one, and see nothing of us."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.evidence.report import CheckStatus, SeenBy

TOOLS = Path(__file__).parents[2] / ".tools"
FILES = {
    "test_a.py": """
        import os, sys

        def test_good():
            assert 1

        def test_bad():
            assert 1 == 2

        def test_sees_nothing_of_ours():
            assert "probe" not in os.environ.get("PYTHONPATH", "") + os.environ.get("PYTEST_ADDOPTS", "")

        def test_has_the_path_it_was_given():
            assert os.environ.get("PYTHONPATH") == os.environ.get("EXPECTED")
        """,
    "test_u.py": """
        import os, unittest

        class T(unittest.TestCase):
            def test_good(self):
                self.assertEqual(os.environ.get("PYTHONPATH"), os.environ.get("EXPECTED"))

            def test_bad(self):
                self.assertEqual(1, 2)
        """,
    "tox.ini": """
        [tox]
        skipsdist = true
        [testenv]
        allowlist_externals = pytest
        commands = pytest -q -p no:cacheprovider test_a.py
        [testenv:unit]
        commands = python -m unittest test_u
        [testenv:path]
        setenv =
            PYTHONPATH = {toxinidir}
            EXPECTED = {toxinidir}
            PYTEST_ADDOPTS = -rA
        """,
    "noxfile.py": """
        import nox

        @nox.session(python=False)
        def tests(session):
            session.run("pytest", "-q", "-p", "no:cacheprovider", "test_a.py")

        @nox.session(venv_backend="venv")
        def unit(session):
            session.run("python", "-m", "unittest", "test_u")
        """,
    "justfile": """
        tests:
            pytest -q -p no:cacheprovider test_a.py

        unit: tests_are_here
            python3 -m unittest test_u

        tests_are_here:
            test -f test_u.py
        """,
    "pyproject.toml": """
        [project]
        name = "demo"
        version = "0.1"
        requires-python = ">=3.11"
        [tool.poetry]
        package-mode = false
        [tool.uv]
        package = false
        """,
}
PYTEST = (
    "test_a.py::test_good",
    "test_a.py::test_bad",
    "test_a.py::test_sees_nothing_of_ours",
    "test_a.py::test_has_the_path_it_was_given",
)
UNITTEST = ("test_u.py::T::test_bad", "test_u.py::T::test_good")


@pytest.fixture
def wrapped(plain_lab: Callable[..., Any]) -> Callable[..., Any]:
    """`wrapped(command)`: its result, with the programs of `.tools/python` on the PATH."""
    programs = TOOLS / "python" / "bin"
    assert programs.is_dir(), f"{programs} is missing: run `make test-runners`"
    lab = plain_lab(str(programs))

    def check(command: str, **more: Any) -> Any:
        path = os.pathsep.join((str(programs), "/usr/bin", "/bin"))
        env = {"PATH": path, "HOME": str(lab.base), "LANG": "C.UTF-8", **more.pop("env", {})}
        return lab.check(FILES, command, env=env, **more)

    return check


@pytest.mark.parametrize(
    ("command", "tool", "ids"),
    [
        ("tox -q -e py", "pytest", PYTEST),
        ("tox -q -e path", "pytest", PYTEST),
        ("tox -q -e unit", "unittest", UNITTEST),
        ("nox -s tests", "pytest", PYTEST),
        ("nox -s unit", "unittest", UNITTEST),
        ("just tests", "pytest", PYTEST),
        ("just unit", "unittest", UNITTEST),
        ("poetry run pytest -q -p no:cacheprovider test_a.py", "pytest", PYTEST),
        ("uv run --no-project --offline python -m unittest test_u", "unittest", UNITTEST),
        ("uv run --isolated --no-project --offline python -m unittest test_u", "unittest", UNITTEST),
    ],
)
def test_tests_are_seen_one_by_one_and_see_nothing_of_us(
    wrapped: Callable[..., Any], command: str, tool: str, ids: tuple[str, ...]
) -> None:
    result = wrapped(command)
    assert (result.status, result.tool, result.seen_by) == (CheckStatus.FAILED, tool, SeenBy.STRUCTURE), result
    assert result.inventory == ids
    assert [f.subject for f in result.failures] == [i for i in ids if "bad" in i]


def test_one_test_can_be_looked_at_behind_tox(wrapped: Callable[..., Any]) -> None:
    chosen = wrapped("tox -q -e py", select={"tests": PYTEST[1:2]})
    assert (chosen.inventory, len(chosen.failures)) == (PYTEST[1:2], 1)


def test_what_tox_keeps_from_its_commands_stays_kept(wrapped: Callable[..., Any]) -> None:
    result = wrapped("tox -q -e py", env={"PYTHONPATH": "/somewhere/else", "PYTEST_ADDOPTS": "-k nothing_is_called_so"})
    assert "test_a.py::test_has_the_path_it_was_given" in result.passed
    assert len(result.inventory) == len(PYTEST)
