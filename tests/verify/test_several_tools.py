"""One command that runs several tools, and tests that run tools themselves: nobody is hidden, nobody is overheard."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckStatus, SeenBy, Strength
from trueup.verify import reading
from trueup.verify.runners import Evidence

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="there is no go")
needs_clang = pytest.mark.skipif(shutil.which("clang") is None, reason="there is no clang")
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")

PYTEST = {"test_p.py": "def test_bad(): assert 0\ndef test_good(): pass\n"}
UNITTEST = {
    "check_u.py": """
        import unittest

        class T(unittest.TestCase):
            def test_bad(self): self.assertEqual(1, 2)
            def test_good(self): pass
        """
}
RUFF = {"product.py": "import os\n"}
NODE = {
    "a.test.mjs": """
        import test from 'node:test'
        test('bad', () => { throw new Error('x') })
        test('good', () => {})
        """
}
MAKEFILE = "check: lint python unit\nlint:\n\truff check product.py\npython:\n\tpytest -q\nunit:\n\tpython -m unittest check_u\n"


def subjects(result: Any) -> list[str]:
    return [f.subject for f in result.failures]


@needs_make
def test_what_one_tool_tells_hides_neither_failures_nor_tests_of_another(lab: Any) -> None:
    files = {**PYTEST, **UNITTEST, **RUFF, "Makefile": MAKEFILE}
    result = lab.check(files, "make -k check")
    assert subjects(result) == ["test_p.py::test_bad", "check_u.py::T::test_bad", "product.py F401"]
    assert result.passed == ("test_p.py::test_good", "check_u.py::T::test_good")
    assert (result.tool, result.seen_by) == ("pytest, unittest, ruff", SeenBy.STRUCTURE)


@needs_make
def test_a_recipe_that_fails_in_words_that_nobody_knows_is_a_failure_beside_the_others(lab: Any) -> None:
    makefile = "check: policy tests\npolicy:\n\t@echo 'that will not do'; exit 3\ntests:\n\t$(PYTHON) -m pytest -q\n"
    files = {**PYTEST, "Makefile": f"PYTHON = python\n{makefile}"}
    result = lab.check(files, "make -k check")
    assert [(f.subject, f.kind) for f in result.failures] == [
        ("test_p.py::test_bad", "AssertionError"),
        ("make policy", "exit"),
    ]
    assert subjects(lab.check(files, "make -k tests")) == ["test_p.py::test_bad"]


@needs_make
def test_recipes_of_one_tool_and_of_make_inside_make_are_told_by_their_tests(lab: Any) -> None:
    makefile = "check: one two inner\none:\n\tpytest -q\ntwo:\n\tpytest -q\ninner:\n\t$(MAKE) one\n"
    result = lab.check({**PYTEST, "Makefile": makefile}, "make -k check")
    assert subjects(result) == ["test_p.py::test_bad"]


def test_complaints_beside_failing_tests_are_failures_too(lab: Any) -> None:
    result = lab.check({**PYTEST, **RUFF}, "ruff check .; pytest -q")
    assert subjects(result) == ["test_p.py::test_bad", "product.py F401"]


def test_a_complaint_about_the_line_in_which_a_test_fails_is_one_more_failure(lab: Any) -> None:
    result = lab.check({"test_p.py": "def test_bad():\n    x = 1; assert 0\n"}, "ruff check .; pytest -q")
    assert subjects(result) == ["test_p.py::test_bad", "test_p.py F841"]


@pytest.mark.parametrize("forgiven", ["ruff check . || true", "ruff check . ||:", "(cd . && ruff check .) || true"])
def test_complaints_of_a_tool_that_may_fail_are_no_failures(lab: Any, forgiven: str) -> None:
    result = lab.check({**PYTEST, **RUFF}, f"{forgiven}; pytest -q")
    assert subjects(result) == ["test_p.py::test_bad"]


@pytest.mark.parametrize(
    "forgiven",
    [
        "which ruff || true",
        "pip --version ruff || true",
        "ruff format --check . || true",
        "echo 'ruff || true'",
    ],
)
def test_complaints_count_where_the_tool_may_fail_in_another_command_only(lab: Any, forgiven: str) -> None:
    result = lab.check({**PYTEST, **RUFF}, f"{forgiven}; ruff check .; pytest -q")
    assert subjects(result) == ["test_p.py::test_bad", "product.py F401"]


def test_who_may_fail_excuses_nobody_else(lab: Any) -> None:
    result = lab.check({**PYTEST, **RUFF}, "mypy . || true; ruff check .; pytest -q")
    assert subjects(result) == ["test_p.py::test_bad", "product.py F401"]


def test_what_only_text_tells_beside_a_tool_that_tells_its_tests_counts(lab: Any) -> None:
    files = {
        **PYTEST,
        "app.ts": "const x: number = 'a'\n",
        "complain": "echo \"app.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\"; exit 2\n",
    }
    result = lab.check(files, "chmod +x complain; ./complain; pytest -q")
    assert subjects(result) == ["test_p.py::test_bad", "app.ts TS2322"]


def test_cleaning_up_that_may_fail_excuses_no_tool_that_only_prints(lab: Any) -> None:
    files = {**PYTEST, "app.ts": "x\n", "complain": "echo 'app.ts(1,7): error TS2322: Type.'; exit 2\n"}
    result = lab.check(files, "rm out 2> /dev/null || true; chmod +x complain; ./complain; pytest -q")
    assert subjects(result) == ["test_p.py::test_bad", "app.ts TS2322"]


def test_a_test_that_fails_in_a_subfolder_is_told_once_beside_another_program(lab: Any) -> None:
    result = lab.check({f"sub/{name}": text for name, text in PYTEST.items()}, "false-alarm; cd sub && pytest")
    assert subjects(result) == ["sub/test_p.py::test_bad"]


def test_the_tests_of_a_tool_that_is_not_asked_for_run_all_when_others_are_chosen(lab: Any) -> None:
    """A pytest that finds nothing of its own would end the command before the other tool begins."""
    files = {"test_p.py": "def test_good(): pass\n", **UNITTEST}
    command = "pytest -q && python -m unittest check_u"
    result = lab.check(files, command, select={"tests": ("check_u.py::T::test_bad",)})
    assert subjects(result) == ["check_u.py::T::test_bad"]
    assert result.inventory == ("test_p.py::test_good", "check_u.py::T::test_bad")


INNER = {"inner/test_i.py": "def test_inner(): assert 0\n", "inner/i.mjs": NODE["a.test.mjs"]}


@needs_clang
@pytest.mark.parametrize("command", ["pytest -q test_o.py", "python -m unittest -q test_o"])
def test_a_compiler_that_a_test_starts_is_not_heard(lab: Any, command: str) -> None:
    files = {
        "bad.c": "int main( { return x; }\n",
        "test_o.py": """
            import subprocess, unittest

            class T(unittest.TestCase):
                def test_refused(self):
                    ended = subprocess.run(["clang", "-fsyntax-only", "bad.c"], capture_output=True)
                    self.assertEqual(ended.returncode, 1)

                def test_bad(self):
                    self.fail("bad.c")
            """,
    }
    assert subjects(lab.check(files, command)) == ["test_o.py::T::test_bad"]


@needs_node
def test_pytest_that_a_test_of_node_starts_is_not_heard(lab: Any) -> None:
    files = {
        **INNER,
        "a.test.mjs": """
            import test from 'node:test'
            import assert from 'node:assert'
            import { spawnSync } from 'node:child_process'
            test('outer', () => assert.equal(spawnSync('pytest', ['-q', 'inner/test_i.py']).status, 1))
            """,
    }
    result = lab.check(files, "node --test a.test.mjs")
    assert (result.status, result.tool, result.inventory) == (
        CheckStatus.PASSED,
        "node:test",
        ("a.test.mjs::outer",),
    )


@needs_node
@pytest.mark.parametrize("command", ["pytest -q test_o.py", "python -m unittest -q test_o"])
def test_node_that_a_test_of_python_starts_is_not_heard(lab: Any, command: str) -> None:
    files = {
        **INNER,
        "test_o.py": """
            import subprocess, unittest

            class T(unittest.TestCase):
                def test_outer(self):
                    ended = subprocess.run(["node", "--test", "inner/i.mjs"], capture_output=True)
                    self.assertEqual(ended.returncode, 1)
            """,
    }
    result = lab.check(files, command)
    assert (result.status, result.inventory) == (CheckStatus.PASSED, ("test_o.py::T::test_outer",))


@needs_go
def test_pytest_that_a_test_of_go_starts_is_not_heard(lab: Any) -> None:
    files = {
        **INNER,
        "go.mod": "module example.com/x\n\ngo 1.18\n",
        "x_test.go": """
            package x

            import (
                "os/exec"
                "testing"
            )

            func TestOuter(t *testing.T) {
                if exec.Command("pytest", "-q", "inner/test_i.py").Run() == nil {
                    t.Fatal("it passes")
                }
            }
            """,
    }
    result = lab.check(files, "go test ./...")
    assert (result.status, result.tool, result.inventory) == (CheckStatus.PASSED, "go", ("example.com/x.TestOuter",))


def test_a_test_that_another_tool_saw_failing_skipped_or_unfinished_has_not_passed() -> None:
    ids = ("a", "b", "c", "d")
    one = Evidence(passed=ids, inventory=ids, strength=Strength.INVENTORY, tool="jest", selects=True)
    bad = Failure(check="t", subject="a", kind="Error")
    other = Evidence(failures=(bad,), skipped=("b",), running=("c",), inventory=("a", "b", "c"), tool="vitest")
    joined = reading._joined([one, other])
    assert (joined.passed, joined.failures, joined.inventory) == (("d",), (bad,), ids)
    assert (joined.strength, joined.selects, joined.tool) == (Strength.EXIT_CODE, False, "jest, vitest")


def test_two_failures_without_a_place_are_two() -> None:
    crash = Failure(check="t", subject="", kind="crash", test=False)
    package = Failure(check="t", subject="example.com/x", kind="crash", test=False)
    one = Evidence(failures=(crash,), inventory=(), tool="pytest", seen_by=SeenBy.STRUCTURE)
    other = Evidence(failures=(package,), inventory=(), tool="go", seen_by=SeenBy.STRUCTURE)
    assert reading._joined([one, other]).failures == (crash, package)
