"""Commands that give a variable of ours a value of their own: the tests are seen all the same, and see just that value."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from trueup.evidence.report import CheckStatus, SeenBy

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")

SEES = {
    "src/product.py": "X = 1\n",
    "test_a.py": """
        import os
        import product

        def test_path():
            assert os.environ["PYTHONPATH"] == os.environ.get("EXPECTED", "src")

        def test_options():
            assert os.environ.get("PYTEST_ADDOPTS") == os.environ.get("OPTIONS")

        def test_programs():
            assert "programs" not in os.environ["PATH"]
        """,
    "Makefile": "check:\n\tPYTHONPATH=src pytest -q\n",
    "check.sh": "export PYTHONPATH=src\npython -m pytest -q\n",
}


@pytest.mark.parametrize(
    "command",
    [
        "PYTHONPATH=src pytest -q",
        "env PYTHONPATH=src pytest -q",
        "PYTHONPATH=src python -m pytest -q",
        "PYTHONPATH=src PYTEST_ADDOPTS=-x OPTIONS=-x pytest -q",
        "EXPECTED=src:$PWD PYTHONPATH=src:$PWD pytest -q",
        "sh check.sh",
        pytest.param("make check", marks=pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")),
    ],
)
def test_pytest_with_a_path_of_its_own_is_seen_and_has_that_path(lab: Any, command: str) -> None:
    result = lab.check(SEES, command)
    assert (result.status, result.seen_by, len(result.passed)) == (CheckStatus.PASSED, SeenBy.STRUCTURE, 3)


def test_unittest_with_a_path_of_its_own_is_seen_and_has_that_path(lab: Any) -> None:
    files = {
        "src/product.py": "X = 1\n",
        "test_u.py": """
            import os, unittest
            import product

            class T(unittest.TestCase):
                def test_path(self): self.assertEqual(os.environ["PYTHONPATH"], "src")
            """,
    }
    result = lab.check(files, "PYTHONPATH=src python -m unittest -q test_u")
    assert (result.status, result.passed) == (CheckStatus.PASSED, ("test_u.py::T::test_path",))


@needs_node
def test_node_with_options_of_its_own_is_seen_and_has_those_options(lab: Any) -> None:
    files = {
        "a.test.mjs": """
            import test from 'node:test'
            import assert from 'node:assert'
            test('options', () => assert.equal(process.env.NODE_OPTIONS, '--no-warnings'))
            test('programs', () => assert.ok(!process.env.PATH.includes('programs')))
            """
    }
    result = lab.check(files, "NODE_OPTIONS=--no-warnings node --test a.test.mjs")
    assert (result.status, len(result.passed)) == (CheckStatus.PASSED, 2)
