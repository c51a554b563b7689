"""An exit code that the failures of the start do not explain is a failure; one that they may explain is none."""

from __future__ import annotations

import pytest

from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus
from trueup.verify.unexplained import with_unexplained_end


def ended(code: int | None, *subjects: str, status: CheckStatus = CheckStatus.FAILED) -> CheckResult:
    failures = tuple(Failure(check="t", subject=s, kind="AssertionError") for s in subjects)
    reason = "" if status is CheckStatus.FAILED else "late"
    return CheckResult(check="t", status=status, failures=failures, exit_code=code, reason=reason)


@pytest.mark.parametrize(
    ("start", "now"),
    [
        (ended(0, "a"), ended(1, "a")),
        (ended(0, "a", "b"), ended(1, "a")),
        (ended(1, "a"), ended(3, "a")),
        (ended(1, "a"), ended(127, "a")),
    ],
)
def test_something_unseen_failed_when_the_old_failures_end_otherwise(start: CheckResult, now: CheckResult) -> None:
    more = with_unexplained_end(now, start).failures[len(now.failures) :]
    assert [(f.subject, f.kind, f.test) for f in more] == [("", "exit", False)]
    assert more[0].message == f"exit code {now.exit_code}, and {start.exit_code} with the same failures before"


@pytest.mark.parametrize(
    ("start", "now"),
    [
        (None, ended(3, "a")),
        (ended(1, "a"), ended(1, "a")),
        (ended(1, "a"), ended(0, "a")),
        (ended(0, "a"), ended(1, "a", "b")),
        (ended(0, "a"), ended(1, "a", "a")),
        (ended(2, "a"), ended(1, "a")),
        (ended(3, "a", "b", "c"), ended(2, "a", "b")),
        (ended(0, "a"), ended(None, "a", status=CheckStatus.TIMEOUT)),
        (ended(None, "a", status=CheckStatus.TIMEOUT), ended(1, "a")),
    ],
)
def test_what_new_or_fewer_failures_may_explain_is_no_failure_of_its_own(
    start: CheckResult | None, now: CheckResult
) -> None:
    assert with_unexplained_end(now, start) == now
