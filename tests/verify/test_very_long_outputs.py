"""What was left out of an output that is too long to keep is never taken for good."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pytest

from trueup.decide.task import CheckSpec
from trueup.evidence.failure import CUT_OFF
from trueup.evidence.report import CheckStatus, SeenBy
from trueup.verify.runners import report_files

PYTHON = f"{sys.executable} -S"
LINT = """
    for number in range(1, 12_001):
        print(f"src/m{number}.py:{number}:1: X100 unused", "name" * 100)
    raise SystemExit(1)
"""
LOG = """
    for number in range(12_001):
        print(f"not ok {number} - shop" if number == 6_000 else "request was handled " * 20)
    raise SystemExit(1)
"""


def test_complaints_that_were_left_out_are_told_in_one_more_failure(lab: Any) -> None:
    result = lab.check({"lint.py": LINT}, f"{PYTHON} lint.py")
    *listed, last = result.failures
    assert last.subject == CUT_OFF
    assert 9_000 < len(listed) < 12_000
    assert {failure.kind for failure in listed} == {"X100"}


def test_a_long_log_around_a_failure_is_no_failure_of_its_own(lab: Any) -> None:
    (only,) = lab.check({"log.py": LOG}, f"{PYTHON} log.py").failures
    assert only.subject == "shop"


def test_what_a_linter_answers_counts_also_where_its_text_was_left_out(lab: Any) -> None:
    """A complaint is left aside only when the whole text is there and does not speak of its file."""
    home = lab.base / "bin"
    home.mkdir()
    places = [{"filename": f"m{n}.py", "location": {"row": 1, "column": 1}, "code": "X100", "message": "unused"} for n in (1, 2, 3)]  # fmt: skip
    (home / "answer").write_text(json.dumps(places))
    flood = "".join(f"m2.py:1:1: X100 unused\n{'x' * 999}\n" if n == 3_000 else f"{'x' * 999}\n" for n in range(6_000))
    (home / "text").write_text(f"m1.py:1:1: X100 unused\n{flood}m3.py:1:1: X100 unused\n")
    (home / "ruff").write_text(
        f'#!/bin/sh\ncase "$*" in *json*) cat {home}/answer ;; *) cat {home}/text ;; esac\nexit 1\n'
    )
    (home / "ruff").chmod(0o755)
    env = {**lab.env, "PATH": os.pathsep.join((str(home), lab.env["PATH"]))}
    result = lab.check({f"m{n}.py": "import os\n" for n in (1, 2, 3)}, "ruff check .", env=env)
    assert result.seen_by is SeenBy.STRUCTURE
    assert [failure.file for failure in result.failures] == ["m1.py", "m2.py", "m3.py"]


def test_more_report_files_than_can_be_read_are_no_pass(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "write.py": """
            for name in "ab":
                with open(f"{name}.xml", "w") as file:
                    file.write("<testsuite><testcase classname='a' name='one'/></testsuite>")
        """
    }
    spec = CheckSpec(name="tests", run=(sys.executable, "-S", "write.py"), report="junit:*.xml")
    assert lab.report(files, spec).results[0].status is CheckStatus.PASSED
    monkeypatch.setattr(report_files, "_MOST_FILES", 1)
    (result,) = lab.report(files, spec).results
    assert (result.status, result.reason) == (
        CheckStatus.ERROR,
        "more than 1 report files match *.xml: not all can be read",
    )
