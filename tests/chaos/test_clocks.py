"""The wall clock may jump: what was spent, how long it took, and which run is meant does not depend on it."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from trueup.decide.moves import Attempted
from trueup.decide.outcome import Status

if TYPE_CHECKING:
    from tests.chaos.conftest import Calm, NewStage, Told

HOUR, YEARS = 3600.0, 5 * 365 * 24 * 3600.0


def durations_are_sane(told: Told) -> None:
    assert all(0 <= record.duration < 600 for _, record in told.history)
    assert 0 < told.active < 600
    assert 0 < told.end.seconds < 600


@pytest.mark.parametrize("jump", [-HOUR, HOUR, YEARS], ids=["an-hour-back", "an-hour-ahead", "years-ahead"])
def test_a_clock_that_jumps_during_a_run_changes_nothing(jump: float, stage_of: NewStage, calm: Calm) -> None:
    """It jumps before the second attempt, and back before the proof."""
    stage, undisturbed = stage_of("second-try"), calm("second-try")
    rows = [kind for _, kind in undisturbed.rows]
    told = stage.start(clock={rows.index("TreeVerified") + 1: jump, rows.index("KeysConfirmed") + 1: 0.0})
    stage.holds(undisturbed, told)
    durations_are_sane(told)


@pytest.mark.parametrize("jump", [-HOUR, HOUR, YEARS], ids=["an-hour-back", "an-hour-ahead", "years-ahead"])
def test_a_clock_that_jumps_between_two_sittings_changes_nothing(jump: float, stage_of: NewStage, calm: Calm) -> None:
    stage = stage_of("second-try")
    assert stage.start(kill_row=9).died == signal.SIGKILL
    told = stage.resume(skew=jump)
    stage.holds(calm("second-try"), told)
    durations_are_sane(told)


def test_time_spent_in_an_attempt_that_was_cut_short_is_at_most_what_it_was_granted(
    stage_of: NewStage, calm: Calm
) -> None:
    """When it was killed is not known. A clock that went on for years does not use up the whole budget."""
    stage = stage_of("second-try")
    stage.deadly(call=1)
    assert stage.start().died == signal.SIGKILL
    told = stage.resume(skew=YEARS)
    stage.holds_with_an_interruption(calm("second-try"), told, charge=20 / 3)
    cut = next((m, r) for m, r in told.history if isinstance(r, Attempted))
    assert cut[1].duration <= cut[0].seconds


def test_the_latest_run_is_the_one_that_was_at_work_last_whatever_the_clock_said(stage_of: NewStage) -> None:
    stage = stage_of("stuck")
    first = stage.start(skew=YEARS)
    assert first.end.status is Status.STUCK
    assert stage.start(kill_row=4).died == signal.SIGKILL
    told = stage.resume(skew=-HOUR)
    assert told.run != first.run
    assert told.end.status is Status.STUCK
    assert stage.shown() == "stuck"


def test_a_deadline_is_one_of_the_wall_clock_and_does_not_outlive_its_sitting(stage_of: NewStage) -> None:
    """A clock that jumps beyond `--until` ends the run; one that had passed before a resume no longer counts."""
    stage = stage_of("second-try")
    task = replace(stage.scenario.task, until=time.time() + HOUR)
    told = stage.start(task=task, clock={2: 2 * HOUR})
    assert (told.end.status, told.end.reason) == (Status.OUT_OF_BUDGET, "until")
    assert stage.calls() == 0
    assert told.end.usd in {None, 0.0}
    again = stage.resume(skew=2 * HOUR)
    assert again.end.status is Status.PASSED
    stage.the_checkout_is_untouched()
