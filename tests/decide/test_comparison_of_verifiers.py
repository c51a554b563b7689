"""Against a base: a verifier that does not apply is neither a gap there nor here."""

from __future__ import annotations

from trueup.decide.comparison import compare
from trueup.evidence.report import CheckResult, CheckStatus, Report


def report(*, applies: bool) -> Report:
    passed = CheckResult(check="syntax", status=CheckStatus.PASSED, exit_code=0)
    other = CheckResult(check="smoke", status=CheckStatus.SKIPPED, reason="why", applies=applies)
    return Report(tree="t", results=(passed, other))


def test_what_does_not_apply_leaves_nothing_open() -> None:
    comparison = compare(report(applies=False), report(applies=False))

    assert (comparison.inconclusive, comparison.uncompared) == ((), ())


def test_what_was_not_run_does() -> None:
    comparison = compare(report(applies=True), report(applies=True))

    assert (comparison.inconclusive, comparison.uncompared) == (("smoke",), ("smoke",))
