"""What a start is worth: one that cannot be measured, and one whose failures do not last."""

from dataclasses import replace

from trueup.decide.fold import fold, step
from trueup.decide.moves import BaselineTaken, FinishRun, TakeBaseline
from trueup.decide.outcome import Status
from trueup.decide.policy import next_move
from trueup.decide.state import State
from trueup.decide.task import Goal, GoalKind
from trueup.evidence.failure import make_key
from trueup.evidence.report import Observation, Report, Seen
from trueup.testing.world import LATE, Verdict, report_of, simple_task

RED = Verdict(tree="t0", failing={"A": 1, "B": 1}, passing=frozenset("C"))


def begun(report: Report, *seen: Observation, **task: object) -> State:
    taken = BaselineTaken(tree="t0", report=report, observations=seen)
    return step(fold(simple_task(**task), ()), TakeBaseline(), taken)


def test_a_start_whose_check_cannot_run_ends_the_run_before_anything_is_paid() -> None:
    state = begun(report_of(replace(RED, ran=False)))
    move = next_move(state)
    assert isinstance(move, FinishRun)
    assert (move.outcome.status, move.outcome.reason) == (Status.UNVERIFIABLE, "baseline")
    assert "took too long" in move.outcome.detail


def test_a_failure_that_passes_at_the_second_look_is_not_tolerated_as_an_old_one() -> None:
    """A goal that tolerates what failed at the start: B was only flaky there, so that breaking it counts."""
    again = Observation(key=make_key(LATE, "B"), seen=Seen.PASSED)
    goal = Goal(kind=GoalKind.NO_NEW_FAILURES)
    state = begun(report_of(RED), again, goal=goal)
    assert state.start_snapshot is not None
    assert set(state.start_snapshot.failing) == {make_key(LATE, "A")}
    steady = begun(report_of(RED), goal=goal)
    assert steady.start_snapshot is not None
    assert set(steady.start_snapshot.failing) == {make_key(LATE, "A"), make_key(LATE, "B")}


def test_everything_passed_only_if_nothing_failed_and_nothing_was_written_meanwhile() -> None:
    green = report_of(replace(RED, failing={}, passing=frozenset("ABC")))
    assert green.all_passed
    assert not report_of(RED).all_passed
    assert not replace(green, void="a file was written meanwhile").all_passed
