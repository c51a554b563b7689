"""A list of failures that was cut off: fewer are progress, and no goal is met by what was not read."""

from __future__ import annotations

from trueup.decide.fold import fold
from trueup.decide.moves import RunFinished
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import Goal, GoalKind
from trueup.evidence.failure import CUT_OFF
from trueup.testing.world import Verdict, World, efforts, play, simple_task

LINT = ("a.py F401", "b.py F401")


def lint(tree: str, *counts: int, cut: bool = False) -> Verdict:
    failing = {subject: count for subject, count in zip(LINT, counts, strict=True) if count}
    return Verdict(
        tree=tree,
        failing=failing | ({CUT_OFF: 1} if cut else {}),
        passing=frozenset(),
        not_tests=frozenset((*LINT, CUT_OFF)),
    )


def played(goal: GoalKind, *verdicts: Verdict) -> tuple[Status, list[Class]]:
    start, *tries = verdicts
    task = simple_task(goal=Goal(kind=goal))
    history = play(task, World(start=start, efforts=efforts(*tries)))
    ended = history[-1][1]
    assert isinstance(ended, RunFinished)
    return ended.outcome.status, [a.judgement.kind for a in fold(task, history).attempts if a.judgement]


def test_six_thousand_and_then_five_thousand_five_hundred_is_progress() -> None:
    _, classes = played(GoalKind.GREEN, lint("t0", 3_000, 3_000), lint("t1", 2_500, 3_000), lint("t2", 0, 0))
    assert classes == [Class.PROGRESS, Class.GREEN]


def test_a_list_that_is_whole_again_is_progress() -> None:
    _, classes = played(GoalKind.GREEN, lint("t0", 9, 9, cut=True), lint("t1", 9, 9), lint("t2", 0, 0))
    assert classes == [Class.PROGRESS, Class.GREEN]


def test_the_part_that_was_not_read_may_hold_new_failures_whatever_the_start_was() -> None:
    """Without it the goal would hold at the start: nothing exceeds it."""
    whole, _ = played(GoalKind.NO_NEW_FAILURES, lint("t0", 9, 9))
    cut, classes = played(
        GoalKind.NO_NEW_FAILURES, lint("t0", 9, 9, cut=True), lint("t1", 8, 9, cut=True), lint("t2", 8, 9)
    )
    assert whole is Status.NOTHING_TO_DO
    assert cut is Status.PASSED
    assert classes[-1] is Class.GREEN
    assert Class.GREEN not in classes[:-1]
