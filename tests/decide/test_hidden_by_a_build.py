"""A build that breaks says nothing about the failures that it hides: they are not fixed."""

from trueup.decide.judge import Case, judge, required, signature
from trueup.decide.snapshot import Lens, take
from trueup.decide.state import Class, Judgement, Snapshot
from trueup.decide.task import Goal, GoalKind
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.testing import task_for

GOAL = Goal(kind=GoalKind.GREEN)


def failed(subject: str, phase: Phase = Phase.RUN) -> Failure:
    return Failure(check="tests", subject=subject, phase=phase, kind="error", message=subject, test=False)


def snapshot(*failures: Failure) -> Snapshot:
    result = CheckResult(check="tests", status=CheckStatus.FAILED, failures=failures, exit_code=1)
    return take(Report(tree="t", results=(result,)), task_for(check=("true",)), Lens(looks={}))


def judged(best: Snapshot, now: Snapshot) -> Judgement:
    return judge(
        Case(
            goal=GOAL,
            start=best,
            best=best,
            best_required=required(GOAL, best, best),
            best_prints=best.prints,
            origin_signature=signature(best.prints),
            now=now,
            tests=frozenset(),
            universe=frozenset(),
            may_vanish=False,
            earlier=(),
            free_moves=0,
        )
    )


BUILD, OTHER = failed("calc.rb", Phase.BUILD), failed("other.rb", Phase.BUILD)
ADDS, HALVES = failed("adds"), failed("halves")


def test_red_tests_are_not_fixed_by_a_build_that_breaks() -> None:
    found = judged(snapshot(ADDS, HALVES), snapshot(BUILD))
    assert (found.kind, found.fixed) == (Class.WORSE, ())
    assert set(found.required) == {"tests adds", "tests halves", "tests calc.rb"}


def test_a_build_error_that_is_gone_is_fixed_although_another_one_came() -> None:
    found = judged(snapshot(BUILD), snapshot(OTHER))
    assert (found.kind, found.fixed) == (Class.MIXED, ("tests calc.rb",))


def test_what_a_broken_build_did_not_hide_before_is_fixed_when_it_is_gone() -> None:
    found = judged(snapshot(BUILD, ADDS, HALVES), snapshot(BUILD, ADDS))
    assert (found.kind, found.fixed) == (Class.PROGRESS, ("tests halves",))
