"""JUnit files that real tools write: pytest from inside a wrapper that hides it, and node's own test runner."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.task import CheckSpec
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckStatus, SeenBy

NODE = shutil.which("node")
CALC = "def add(a, b):\n    return a - b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_fine():\n    assert add\n"
PROJECT = {
    "calc.py": CALC,
    "test_calc.py": TEST,
    "conftest.py": "",
    "run.sh": f"env -i PATH=/usr/bin:/bin {sys.executable} -m pytest -q -p no:cacheprovider --junitxml=out/a.xml\n",
}


@pytest.fixture
def check(plain_lab: Callable[..., Any]) -> Any:
    lab = plain_lab(str(Path(sys.executable).parent))

    def run(files: dict[str, str], command: str = "sh run.sh", **more: object) -> Any:
        spec = CheckSpec(name="tests", run=command, report="junit:out/*.xml")
        return lab.check(files, command, **{"checks": (spec,), **more})

    run.lab = lab  # type: ignore[attr-defined]
    return run


def test_fails_shifts_fails_otherwise_and_is_fixed(check: Any) -> None:
    first = check(PROJECT)
    assert (first.status, first.seen_by, [f.subject for f in first.failures]) == (
        CheckStatus.FAILED,
        SeenBy.REPORT,
        ["test_calc::test_add"],
    )
    assert first.passed == ("test_calc::test_fine",)
    shifted = check({**PROJECT, "test_calc.py": TEST.replace("def test_add", "# more\n\n\ndef test_add")}).failures[0]
    assert fingerprint(shifted) == fingerprint(first.failures[0])
    other = check({**PROJECT, "calc.py": "def add(a, b):\n    return a + unknown\n"}).failures[0]
    assert fingerprint(other) != fingerprint(first.failures[0])
    fixed = check({**PROJECT, "calc.py": CALC.replace("-", "+")})
    assert (fixed.status, len(fixed.passed)) == (CheckStatus.PASSED, 2)


def test_a_broken_import_no_tests_and_an_early_end_have_names(check: Any) -> None:
    broken = check({**PROJECT, "calc.py": "def add(:\n"})
    assert [(f.phase.value, f.test) for f in broken.failures] == [("collect", False)]
    empty = check({**PROJECT, "test_calc.py": "\n"})
    assert empty.status is not CheckStatus.PASSED
    early = check({**PROJECT, "calc.py": "import os\n\ndef add(a, b):\n    os._exit(0)\n"})
    assert early.status is CheckStatus.ERROR
    assert "no report file" in early.reason


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_junit_file_of_node(check: Any) -> None:
    script = (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "test('adds', () => { assert.strictEqual(1 - 2, 3); });\ntest('fine', () => {});\n"
    )
    command = "mkdir out && node --test --test-reporter=junit --test-reporter-destination=out/a.xml"
    env = {"PATH": os.pathsep.join((str(Path(str(NODE)).parent), "/usr/bin", "/bin")), "NODE_OPTIONS": ""}
    result = check({"a.test.js": script}, f"sh -c '{command}'", env=env)
    if not any((check.lab.bench.folder / "out").glob("*.xml")):
        pytest.skip("this node writes no JUnit")
    assert result.status is CheckStatus.FAILED
    assert any("adds" in f.subject for f in result.failures)
