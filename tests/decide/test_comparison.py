from __future__ import annotations

from dataclasses import replace
from typing import Any

from trueup.decide.comparison import Newness, compare, findings, wavering
from trueup.evidence.failure import CUT_OFF, Failure, Phase
from trueup.evidence.report import CheckResult, CheckStatus, Report


def lint(message: str) -> Failure:
    return Failure(check="lint", subject="a.py E1", kind="E1", message=message, test=False, phase=Phase.BUILD)


def broken(subject: str, line: str = "assert f() == 1") -> Failure:
    return Failure(check="tests", subject=subject, kind="AssertionError", source_line=line)


def result(*failures: Failure, check: str = "tests", **more: Any) -> CheckResult:
    status = CheckStatus.FAILED if failures else CheckStatus.PASSED
    made = CheckResult(check=check, status=status, failures=failures, exit_code=1 if failures else 0)
    return replace(made, **more)


def error(check: str = "tests") -> CheckResult:
    return CheckResult(check=check, status=CheckStatus.ERROR, reason="no such program")


def late(check: str = "tests") -> CheckResult:
    failure = Failure(check=check, subject="", kind="timeout", test=False)
    return CheckResult(check=check, status=CheckStatus.TIMEOUT, failures=(failure,), reason="too slow")


def report(*results: CheckResult, void: str = "") -> Report:
    return Report(tree="t", results=results, void=void)


def test_a_failure_is_known_changed_or_new() -> None:
    before = report(result(broken("a"), broken("b")))
    now = report(result(broken("a"), broken("b", "assert g() == 2"), broken("c")))
    said = compare(before, now)
    assert [f.failure.subject for f in said.known] == ["a"]
    assert [f.failure.subject for f in said.changed] == ["b"]
    assert [f.failure.subject for f in said.new] == ["c"]


def test_equal_complaints_are_counted() -> None:
    before = report(result(lint("x"), lint("x"), check="lint"))
    now = report(result(lint("x"), lint("y"), lint("z"), check="lint"))
    assert [f.newness for f in compare(before, now).found] == [Newness.KNOWN, Newness.CHANGED, Newness.NEW]
    assert compare(now, before).new == ()


def test_a_report_that_stands_alone_has_failures_that_are_neither_new_nor_known() -> None:
    (only,) = findings(report(result(broken("a"))))
    assert only.newness is None
    assert only.print.startswith("f1:")


def test_a_test_that_is_gone_or_newly_skipped_has_vanished() -> None:
    before = report(result(passed=("a", "b", "c"), skipped=("d",), inventory=("a", "b", "c", "d")))
    now = report(result(passed=("a",), skipped=("b", "d"), inventory=("a", "b", "d")))
    assert compare(before, now).vanished == ("tests b", "tests c")


def test_a_test_that_now_fails_has_not_vanished() -> None:
    before = report(result(passed=("a",), inventory=("a",)))
    now = report(result(broken("a"), inventory=()))
    assert compare(before, now).vanished == ()


def test_a_check_that_stopped_telling_its_tests_has_lost_them() -> None:
    before = report(result(passed=("a",), inventory=("a",)))
    assert compare(before, report(result())).vanished == ("tests a",)


def test_fixed_means_seen_passing_and_for_what_is_no_test_that_its_check_ran_without_it() -> None:
    before = report(result(broken("a"), broken("b"), inventory=("a", "b")), result(lint("x"), check="lint"))
    now = report(result(passed=("a",), inventory=("a",)), result(check="lint"))
    assert compare(before, now).fixed == ("tests a", "lint a.py E1")
    assert compare(before, report(error(), result(lint("x"), check="lint"))).fixed == ()


def test_a_check_that_cannot_run_is_no_comparison() -> None:
    said = compare(report(error()), report(result(broken("a"))))
    assert said.uncompared == ("tests",)
    assert [f.failure.subject for f in said.new] == ["a"]
    said = compare(report(result(passed=("a",), inventory=("a",))), report(error()))
    assert (said.inconclusive, said.vanished, said.new) == (("tests",), (), ())


def test_a_void_report_excuses_nothing() -> None:
    said = compare(report(result(broken("a")), void="written"), report(result(broken("a"))))
    assert [f.newness for f in said.found] == [Newness.NEW]
    assert said.uncompared == ("tests",)


def test_a_time_out_is_new_unless_there_was_one_before_which_hides_what_is_new() -> None:
    said = compare(report(result()), report(late()))
    assert (len(said.new), said.inconclusive) == (1, ())
    said = compare(report(late()), report(late()))
    assert (len(said.known), said.inconclusive) == (1, ("tests",))
    assert compare(report(result(check="other")), report(late())).inconclusive == ()


def test_failures_of_new_test_files_are_new() -> None:
    extra = result(broken("new"), inventory=("new",))
    said = compare(report(result(broken("new"))), report(result(extra=(extra,))))
    assert [(f.failure.subject, f.from_new_test) for f in said.new] == [("new", True)]


def test_what_was_not_read_is_new_each_time() -> None:
    """A list that was cut off before excuses nothing that is cut off now."""
    more = Failure(check="tests", subject=CUT_OFF, kind="cut off", test=False)
    said = compare(report(result(broken("a"), more)), report(result(broken("a"), more)))
    assert [(f.failure.subject, f.newness) for f in said.found] == [("a", Newness.KNOWN), (CUT_OFF, Newness.NEW)]


def test_what_passes_once_and_fails_once_on_the_same_files_wavers_whichever_came_first() -> None:
    one = report(result(broken("a"), broken("c"), lint("x"), passed=("b", "d")))
    other = report(result(broken("b"), broken("c"), passed=("a", "d")))
    assert wavering(one, other) == wavering(other, one) == {broken("a").key, broken("b").key}


def test_a_void_report_shows_nobody_wavering() -> None:
    one, other = report(result(broken("a"))), report(result(passed=("a",)))
    assert wavering(one, other)
    assert not wavering(replace(one, void="written meanwhile"), other)
    assert not wavering(one, replace(other, void="written meanwhile"))
