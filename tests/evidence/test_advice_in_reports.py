"""What built-in verifiers add to a report: advice that never counts, and answers that do not apply."""

from __future__ import annotations

import pytest

from trueup.errors import InvariantError
from trueup.evidence.failure import Failure
from trueup.evidence.report import BUILTIN, CheckResult, CheckStatus, Report


def failure(check: str) -> Failure:
    return Failure(check=check, subject="a.py kind", kind="kind", message="odd", file="a.py", test=False)


def result(check: str, status: CheckStatus = CheckStatus.PASSED, **more: object) -> CheckResult:
    shape: dict[str, object] = {"exit_code": 0} if status is CheckStatus.PASSED else {}
    return CheckResult(check=check, status=status, tool=BUILTIN, **{**shape, **more})  # type: ignore[arg-type]


def test_advice_is_told_and_never_counts() -> None:
    adviser = result("imports", CheckStatus.FAILED, failures=(failure("imports"),), exit_code=1)
    report = Report(tree="t", results=(result("syntax", advice=(failure("syntax"),)),), advisers=(adviser,))

    assert [f.check for f in report.advice] == ["syntax", "imports"]
    assert report.failures == ()
    assert report.all_passed


def test_what_does_not_apply_is_left_aside_unless_nothing_applies() -> None:
    skipped = result("browser", CheckStatus.SKIPPED, reason="no page", applies=False)

    assert Report(tree="t", results=(result("syntax"), skipped)).all_passed
    assert not Report(tree="t", results=(skipped,)).all_passed
    assert skipped.builtin


def test_only_what_was_skipped_can_fail_to_apply() -> None:
    with pytest.raises(InvariantError, match="does not apply"):
        result("syntax", applies=False)
