"""A rule's fix stays only if its target is gone and nothing that passed fails now."""

from __future__ import annotations

from dataclasses import replace

from trueup.decide.remedying import STILL_THERE, is_gone, objection, vanished
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.report import CheckResult, CheckStatus, Report

TARGET = Failure(
    check="syntax",
    subject="a.py SyntaxError",
    phase=Phase.BUILD,
    kind="SyntaxError",
    message="bad",
    file="a.py",
    test=False,
)
OTHER = replace(TARGET, subject="b.py SyntaxError", file="b.py", message="other")


def failed(*failures: Failure, check: str = "syntax") -> CheckResult:
    return CheckResult(check=check, status=CheckStatus.FAILED, failures=failures)


def passed(check: str = "syntax", tests: tuple[str, ...] = ()) -> CheckResult:
    return CheckResult(check=check, status=CheckStatus.PASSED, exit_code=0, passed=tests, inventory=tests or None)


def silent(check: str, *, applies: bool = True) -> CheckResult:
    return CheckResult(check=check, status=CheckStatus.SKIPPED, reason="not run", applies=applies)


def report(*results: CheckResult, void: str = "") -> Report:
    return Report(tree="t", results=results, void=void)


def test_a_fix_that_removes_its_target_stays() -> None:
    assert objection(report(failed(TARGET)), report(passed()), TARGET) == ""
    assert objection(report(failed(TARGET, OTHER)), report(failed(OTHER)), TARGET) == ""


def test_a_target_that_is_still_there_was_not_fixed() -> None:
    assert objection(report(failed(TARGET)), report(failed(TARGET)), TARGET) == STILL_THERE
    assert objection(report(failed(TARGET, OTHER)), report(failed(TARGET)), TARGET) == STILL_THERE


def test_of_two_that_look_alike_one_fewer_is_enough() -> None:
    assert is_gone(report(failed(TARGET, TARGET)), report(failed(TARGET)), TARGET)


def test_a_check_that_comes_to_no_verdict_shows_nothing() -> None:
    for after in (report(silent("syntax")), report(passed("other"))):
        assert objection(report(failed(TARGET)), after, TARGET) == STILL_THERE
        assert vanished(report(failed(TARGET)), after) == ()


def test_that_nothing_of_its_kind_is_left_is_a_verdict() -> None:
    assert objection(report(failed(TARGET)), report(silent("syntax", applies=False)), TARGET) == ""


def test_a_report_that_is_no_evidence_keeps_nothing() -> None:
    assert objection(report(failed(TARGET)), report(passed(), void="written meanwhile"), TARGET) == "written meanwhile"


def test_a_test_that_passed_has_to_pass() -> None:
    before = report(failed(TARGET), passed("tests", ("t1", "t2")))
    assert "t2 passed before" in objection(before, report(passed(), passed("tests", ("t1",))), TARGET)


def test_a_check_that_came_to_a_verdict_has_to_come_to_one() -> None:
    before = report(failed(TARGET), passed("smoke"))
    assert "smoke came to a verdict before" in objection(before, report(passed(), silent("smoke")), TARGET)
    assert "smoke came to a verdict before" in objection(before, report(passed()), TARGET)


def test_what_a_later_stage_finds_is_unveiled() -> None:
    """It did not run before, so that nothing in it passed."""
    late = replace(TARGET, check="smoke", subject="m ImportError", file="b.py")
    before = report(failed(TARGET), silent("smoke"))
    assert objection(before, report(passed(), failed(late, check="smoke")), TARGET) == ""


def test_what_the_same_file_hid_is_unveiled_and_what_another_file_brings_is_harm() -> None:
    behind = replace(TARGET, check="imports", subject="a.py x", kind="undeclared", message="x", phase=Phase.RUN)
    before = report(failed(TARGET), passed("imports"))
    assert objection(before, report(passed(), failed(behind, check="imports")), TARGET) == ""
    beside = replace(behind, file="b.py", subject="b.py x")
    assert "it brings a failure: imports: x" in objection(
        before, report(passed(), failed(beside, check="imports")), TARGET
    )
    nowhere = replace(behind, file=None, message="")
    assert "undeclared" in objection(before, report(passed(), failed(nowhere, check="imports")), TARGET)


def test_in_its_own_check_only_a_line_that_was_there_can_have_been_hidden() -> None:
    second = replace(TARGET, subject="a.py other", kind="other", message="second", source_line="  y = (  ")
    before, after = report(failed(TARGET)), report(failed(second))
    assert objection(before, after, TARGET) == ""
    assert "second" in objection(before, after, TARGET, written={"y = ("})
    unknown = replace(second, source_line=None)
    assert "second" in objection(before, report(failed(unknown)), TARGET)


def test_a_target_that_hid_nothing_unveils_only_in_its_own_check() -> None:
    target = replace(TARGET, phase=Phase.RUN)
    second = replace(target, subject="a.py other", kind="other", message="second", source_line="y")
    assert objection(report(failed(target)), report(failed(second)), target) == ""
    elsewhere = replace(second, check="imports")
    before = report(failed(target), passed("imports"))
    assert "second" in objection(before, report(passed(), failed(elsewhere, check="imports")), target)


def test_only_what_is_really_gone_is_called_fixed() -> None:
    before = report(failed(TARGET, OTHER), failed(replace(OTHER, check="smoke"), check="smoke"))
    after = report(failed(OTHER), silent("smoke"))
    assert vanished(before, after) == (TARGET,)
