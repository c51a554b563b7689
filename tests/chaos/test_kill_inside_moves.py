"""Killed in the middle of a move, while an agent, a check or trueup itself is at work, nothing is lost or done twice."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from trueup.decide.moves import AgentStatus, Attempted, ReviewStatus, TreeReviewed

if TYPE_CHECKING:
    from tests.chaos.conftest import Calm, NewStage, Stage, Told

Each = Callable[[Any, Callable[[Any], None]], None]

RESERVED = 20 / 3
COST = 0.25
"""Of one call that comes to its end."""
REPORTED = 1.5
"""What the agent says it cost before it is cut short."""
SPOTS, SPOTS_BESIDE_CHECKS = 3, 2
"""In each kind of move; fewer in those that run checks, which are killed during the checks as well."""
RUN_CHECKS = {"TakeBaseline", "FocusTree", "VerifyTree", "RunControl", "ConfirmKeys", "ProveTree"}
NAMES = ("second-try", "worse", "flaky", "rate-limited", "focused", "reviewed")


@pytest.mark.parametrize("name", ["second-try", "worse", "rate-limited"])
def test_a_kill_while_an_agent_works_keeps_what_it_did_and_repeats_the_attempt(
    name: str, calm: Calm, stage_of: NewStage, each: Each
) -> None:
    undisturbed = calm(name)
    attempts = [r for _, r in undisturbed.history if isinstance(r, Attempted)]

    def kill_in_call(number: int) -> None:
        stage, paid = stage_of(name), number % 2 == 0
        if paid:
            (stage.chaos / "paid").touch()
        stage.deadly(call=number)
        assert stage.start().died == signal.SIGKILL
        stage.no_process_is_left()
        stage.the_checkout_is_untouched()
        told = stage.resume()
        stage.holds_with_an_interruption(undisturbed, told, charge=REPORTED if paid else RESERVED)
        (cut,) = (r for _, r in told.history if isinstance(r, Attempted) and r.agent is AgentStatus.INTERRUPTED)
        assert stage.stored(cut.raw, "half.txt") == b"half\n"
        assert stage.stored(told.end.tree, "half.txt") is None

    each(range(1, len(attempts) + 1), kill_in_call)


def test_a_kill_while_the_reviewer_reads_charges_it_and_asks_again(calm: Calm, stage_of: NewStage, each: Each) -> None:
    undisturbed = calm("reviewed")

    def kill_in_review(number: int) -> None:
        stage, paid = stage_of("reviewed"), number % 2 == 0
        if paid:
            (stage.chaos / "paid").touch()
        stage.deadly(review=number)
        assert stage.start().died == signal.SIGKILL
        stage.no_process_is_left()
        stage.the_checkout_is_untouched()
        (stage.chaos / "paid").unlink(missing_ok=True)
        told = stage.resume()
        stage.holds_with_a_review_more(undisturbed, told, charge=REPORTED if paid else RESERVED)

    each([1, 2], kill_in_review)


def test_a_kill_while_a_check_runs_changes_nothing(calm: Calm, stage_of: NewStage, each: Each) -> None:
    """The first and the last check of each kind of move that runs any."""

    def kill_in_check(point: tuple[str, str, int]) -> None:
        name, _, look = point
        stage = stage_of(name)
        stage.deadly(look=look)
        assert stage.start().died == signal.SIGKILL
        stage.no_process_is_left()
        stage.the_checkout_is_untouched()
        stage.holds(calm(name), stage.resume())

    points = list(looks_of({name: calm(name) for name in NAMES}))
    each(points, kill_in_check)
    kinds = {kind for _, kind, _ in points}
    assert kinds == RUN_CHECKS


def looks_of(runs: dict[str, Told]) -> Iterator[tuple[str, str, int]]:
    """Scenario, kind of move, and number of the check."""
    known: set[str] = set()
    for name, told in runs.items():
        rows = [kind for _, kind in told.rows]
        for at, (before, after) in enumerate(zip(told.looks, told.looks[1:], strict=False)):
            if after > before and rows[at] not in known:
                known.add(rows[at])
                yield from ((name, rows[at], look) for look in sorted({before + 1, after}))


def test_a_kill_at_any_step_of_a_move_loses_nothing(calm: Calm, stage_of: NewStage, each: Each) -> None:
    """A few steps (a file opened, renamed, a program started) of each kind of move, and of the opening of a run."""

    def kill_at(point: tuple[str, str, int]) -> None:
        name, kind, step = point
        stage, undisturbed = stage_of(name), calm(name)
        assert stage.start(kill_touch=((kind, 1), step)).died == signal.SIGKILL
        stage.no_process_is_left()
        stage.the_checkout_is_untouched()
        stage.an_hour_passes()
        if not any_run(stage):
            stage.holds(undisturbed, stage.start())
            return
        called, asked = stage.calls(), stage.calls("reviews")
        told = stage.resume()
        if any(isinstance(r, TreeReviewed) and r.status is ReviewStatus.INTERRUPTED for _, r in told.history):
            assert kind == "AskReview"
            charge = COST if told.end.usd and told.end.usd - (undisturbed.end.usd or 0.0) < 1 else RESERVED
            stage.holds_with_a_review_more(undisturbed, told, charge=charge)
            return
        assert kind != "AskReview" or not asked, "the reviewer was asked, and that was forgotten"
        cut = [r for _, r in told.history if isinstance(r, Attempted) and r.agent is AgentStatus.INTERRUPTED]
        if cut:
            assert kind == "RunAttempt"
            stage.holds_with_an_interruption(undisturbed, told, charge=told.charges[cut[0].number - 1] or 0.0)
        else:
            assert kind != "RunAttempt" or not called, "the agent was called, and the attempt was forgotten"
            stage.holds(undisturbed, told)

    points = list(steps_of({name: calm(name) for name in NAMES}))
    each(points, kill_at)


def steps_of(runs: dict[str, Told]) -> Iterator[tuple[str, str, int]]:
    known: set[str] = set()
    for name, told in runs.items():
        for (kind, which), count in told.touches.items():
            if which == 1 and kind not in known:
                known.add(kind)
                spots = SPOTS_BESIDE_CHECKS if kind in RUN_CHECKS else SPOTS
                steps = {max(1, count * part // (spots + 1)) for part in range(1, spots + 1)}
                yield from ((name, kind, step) for step in sorted(steps))


@pytest.mark.parametrize(
    "lock", ["runs/*/workspace/project.index", "runs/*/checkout.index", "store.git/refs/trueup/*/attempt-1/candidate"]
)
def test_the_lock_of_a_git_command_that_was_killed_too_is_not_in_the_way(
    lock: str, calm: Calm, stage_of: NewStage
) -> None:
    """A machine that goes down, or a container that is stopped, takes git along as well."""
    stage, undisturbed = stage_of("second-try"), calm("second-try")
    assert stage.start(kill_row=undisturbed.rows.index(("record", "Attempted")) + 1).died == signal.SIGKILL
    (locked,) = stage.kept.glob(lock)
    locked.with_name(f"{locked.name}.lock").touch()
    stage.holds(undisturbed, stage.resume())


def any_run(stage: Stage) -> bool:
    with stage.shelf() as shelf:
        return bool(shelf.db.query("SELECT 1 FROM runs"))
