"""How it was found out what a check says is told in a few words."""

from __future__ import annotations

import pytest

from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Report, SeenBy
from trueup.report.seen import decision_words, ignored_decisions, less_seen, seen_words

ONE = ("a::one",)
BROKEN = (Failure(check="t", subject="a.py E1", kind="E1", message="no", test=False),)


def _passed(tool: str, seen_by: SeenBy, inventory: tuple[str, ...] | None) -> CheckResult:
    return CheckResult(
        check="t",
        status=CheckStatus.PASSED,
        exit_code=0,
        command="make test",
        tool=tool,
        seen_by=seen_by,
        inventory=inventory,
        passed=inventory or (),
    )


@pytest.mark.parametrize(
    ("tool", "seen_by", "inventory", "words"),
    [
        ("pytest", SeenBy.STRUCTURE, ONE, "pytest, test by test"),
        ("cargo", SeenBy.TEXT, ONE, "cargo, test by test, read from its text"),
        ("", SeenBy.REPORT, ONE, "from its report file"),
        ("ruff", SeenBy.STRUCTURE, None, "ruff, finding by finding"),
        ("jest", SeenBy.TEXT, None, "jest, by its exit code alone"),
        ("", SeenBy.TEXT, None, ""),
    ],
)
def test_a_passed_check_says_how_it_was_seen(
    tool: str, seen_by: SeenBy, inventory: tuple[str, ...] | None, words: str
) -> None:
    assert seen_words(_passed(tool, seen_by, inventory)) == words


def test_a_failure_that_was_read_from_text_says_so_and_a_check_that_did_not_run_says_nothing() -> None:
    failed = CheckResult(check="t", status=CheckStatus.FAILED, exit_code=1, failures=BROKEN)
    assert seen_words(failed) == "read from its text"
    assert seen_words(CheckResult(check="t", status=CheckStatus.SKIPPED, reason="not run")) == ""
    late = CheckResult(check="t", status=CheckStatus.TIMEOUT, reason="late", failures=BROKEN, tool="pytest")
    assert seen_words(late) == "pytest, read from its text"


def test_only_a_tool_that_could_have_told_more_is_worth_a_line_at_the_start() -> None:
    results = (
        _passed("jest", SeenBy.TEXT, None),
        _passed("pytest", SeenBy.STRUCTURE, ONE),
        _passed("rspec", SeenBy.TEXT, None),
        _passed("", SeenBy.TEXT, None),
    )
    assert list(less_seen(Report(tree="t", results=results))) == [
        "make test: jest, by its exit code alone; its tests could not be seen one by one"
    ]


# --- what a check decided itself -----------------------------------------------------------------------------


def decided(decision: str, status: CheckStatus) -> CheckResult:
    failures = BROKEN if status is CheckStatus.FAILED else ()
    return CheckResult(check="t", status=status, failures=failures, exit_code=0, decision=decision, reason="no word")


def test_what_a_check_decided_is_told_and_what_outweighs_it() -> None:
    passed, failed, error = CheckStatus.PASSED, CheckStatus.FAILED, CheckStatus.ERROR
    assert decision_words(decided("", passed)) == ""
    assert decision_words(decided("pass (d.json)", passed)) == "decision: pass (d.json)"
    assert decision_words(decided("pass (d.json)", failed)) == "decision: pass (d.json); what failed outweighs it"
    assert decision_words(decided("fail, 1 reason (d.json)", failed)) == "decision: fail, 1 reason (d.json)"
    assert decision_words(decided("none: no nonce", error)) == "decision: none: no nonce"


def test_an_ignored_decision_stands_beside_the_failure_and_not_twice() -> None:
    results = (
        decided("pass (d.json)", CheckStatus.PASSED),
        decided("none: no nonce", CheckStatus.FAILED),
        decided("none: no nonce", CheckStatus.ERROR),
    )
    assert list(ignored_decisions(Report(tree="t", results=results))) == ["t: decision: none: no nonce"]
