"""The tool behind a command is seen, whatever starts it; and where it is not, its text is read and that is said."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from trueup.evidence.report import CheckStatus, SeenBy
from trueup.report.seen import less_seen, seen_words
from trueup.verify.runners.base import RunContext

TESTED = {
    "test_a.py": "def test_good():\n    assert 1\n\ndef test_bad():\n    assert 1 == 2\n",
    "test_u.py": (
        "import unittest\n\nclass T(unittest.TestCase):\n"
        "    def test_good(self): pass\n    def test_bad(self): self.assertEqual(1, 2)\n"
    ),
    "Makefile": "all: inner\ninner:\n\tpytest -q test_a.py\nunit:\n\tpython -m unittest test_u\n",
    "check.sh": "set -e\npytest -q test_a.py\n",
    "alone.sh": "unset PYTHONPATH PYTEST_ADDOPTS\npytest -q test_a.py\n",
    "a.test.js": (
        "const { test, describe } = require('node:test');\n"
        "describe('outer', () => {\n  test('good', () => {});\n  test('bad', () => { throw new Error('no'); });\n});\n"
    ),
    "package.json": '{"name": "demo", "scripts": {"test": "node --test a.test.js", "py": "make unit"}}',
}


def _behind(lab: Any, command: str, *programs: str) -> Any:
    """Checked with these programs on the PATH, wherever they are installed."""
    found = [shutil.which(program) for program in programs]
    if not all(found):
        pytest.skip(f"{', '.join(programs)} is not installed")
    folders = dict.fromkeys([str(Path(f).parent) for f in found if f])
    path = os.pathsep.join((lab.env["PATH"], *folders))
    return lab.check(TESTED, command, env={**lab.env, "PATH": path})


@pytest.mark.parametrize(
    ("command", "tool", "ids"),
    [
        ("make", "pytest", ("test_a.py::test_good", "test_a.py::test_bad")),
        ("make unit", "unittest", ("test_u.py::T::test_bad", "test_u.py::T::test_good")),
        ("sh check.sh", "pytest", ("test_a.py::test_good", "test_a.py::test_bad")),
        ("sh -c 'cd . && make -s inner | cat'", "pytest", ("test_a.py::test_good", "test_a.py::test_bad")),
    ],
)
def test_python_tests_are_seen_one_by_one_behind_make_and_shells(
    lab: Any, command: str, tool: str, ids: tuple[str, ...]
) -> None:
    result = lab.check(TESTED, command)
    assert (result.status, result.tool, result.seen_by) == (CheckStatus.FAILED, tool, SeenBy.STRUCTURE)
    assert (result.inventory, [f.subject for f in result.failures]) == (ids, [i for i in ids if "bad" in i])
    assert seen_words(result) == f"{tool}, test by test"
    chosen = lab.check(TESTED, command, select={"tests": (ids[0],)})
    assert (result.selects, chosen.inventory) == (True, ids[:1])


@pytest.mark.parametrize("command", ["npm test", "npm run test --silent", "sh -c 'npm t'"])
def test_javascript_tests_are_seen_one_by_one_behind_npm(lab: Any, command: str) -> None:
    result = _behind(lab, command, "npm", "node")
    assert (result.tool, result.seen_by) == ("node:test", SeenBy.STRUCTURE)
    assert result.inventory == ("a.test.js::outer > good", "a.test.js::outer > bad")


def test_python_tests_are_seen_one_by_one_behind_npm_and_make(lab: Any) -> None:
    result = _behind(lab, "npm run py", "npm", "node")
    assert (result.tool, result.seen_by, len(result.inventory)) == ("unittest", SeenBy.STRUCTURE, 2)


def test_python_tests_are_seen_one_by_one_behind_uv(lab: Any) -> None:
    result = _behind(lab, "uv run --no-project --offline python -m unittest test_u", "uv")
    assert (result.tool, result.seen_by, len(result.inventory)) == ("unittest", SeenBy.STRUCTURE, 2)


def test_where_the_tool_is_not_reached_its_text_is_read_under_the_same_names_and_that_is_said(lab: Any) -> None:
    report = lab.report(TESTED, "sh alone.sh")
    (result,) = report.results
    assert (result.status, result.tool, result.seen_by) == (CheckStatus.FAILED, "pytest", SeenBy.TEXT)
    assert (result.inventory, [f.subject for f in result.failures]) == (None, ["test_a.py::test_bad"])
    assert list(less_seen(report)) == [
        "sh alone.sh: pytest, read from its text; its tests could not be seen one by one"
    ]
    passing = lab.report({**TESTED, "test_a.py": "def test_good(): pass\n"}, "sh alone.sh")
    assert (passing.results[0].tool, seen_words(passing.results[0])) == ("pytest", "pytest, by its exit code alone")


def test_other_commands_have_no_tool_and_are_not_spoken_of(lab: Any) -> None:
    report = lab.report(TESTED, "true")
    assert (report.results[0].tool, seen_words(report.results[0]), list(less_seen(report))) == ("", "", [])


def test_of_a_tool_that_says_nothing_the_written_command_tells_the_name(lab: Any) -> None:
    silent = "unset PYTHONPATH PYTEST_ADDOPTS\npytest -q test_a.py > /dev/null\n"
    result = lab.check({**TESTED, "alone.sh": silent}, "sh alone.sh")
    assert (result.tool, result.seen_by, len(result.failures)) == ("pytest", SeenBy.TEXT, 1)


def test_a_command_shows_what_is_written_behind_it(tmp_path: Path) -> None:
    run = RunContext(
        check="t",
        argv=("make",),
        folder=tmp_path,
        scratch=tmp_path,
        nonce="",
        checkout=tmp_path,
        env={},
        sources=lambda _: None,
        behind=(("make",), ("go", "test", "./...")),
    )
    assert run.shows(re.compile(r"\bgo test\b"))
    assert not run.shows(re.compile("cargo"))
