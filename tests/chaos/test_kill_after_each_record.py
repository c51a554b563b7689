"""Killed after any line of its journal, a run goes on as if nothing had happened."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

import pytest

from trueup.decide.moves import Move, Record

if TYPE_CHECKING:
    from tests.chaos.conftest import Calm, NewStage, Scenario

Each = Callable[[Any, Callable[[Any], None]], None]


def test_a_kill_after_any_line_of_the_journal_changes_nothing(
    scenario: Scenario, calm: Calm, stage_of: NewStage, each: Each
) -> None:
    """The lines are those of the undisturbed run: a new kind of move or record is covered by itself."""
    undisturbed = calm(scenario.name)
    lines = list(enumerate(undisturbed.rows, 1))

    def kill_after(line: tuple[int, tuple[str, str]]) -> None:
        number, (_, kind) = line
        stage = stage_of(scenario.name)
        assert stage.start(kill_row=number).died == signal.SIGKILL
        stage.no_process_is_left()
        stage.the_checkout_is_untouched()
        assert stage.entries() == undisturbed.rows[:number]
        if kind == "RunFinished" and scenario.sittings == 1:
            assert stage.shown() == str(undisturbed.end.status)
            return
        ends = 1 + (kind == "RunFinished") + (scenario.reviewer == "person")
        stage.holds(undisturbed, stage.rest(), ends=ends)

    each(lines, kill_after)


def test_a_kill_after_any_line_that_a_persons_word_adds_changes_nothing(
    calm: Calm, stage_of: NewStage, each: Each
) -> None:
    """The word itself comes first: whoever resumes the run then need not say it again."""
    undisturbed = calm("person")
    lines = [type(record).__name__ for _, record in undisturbed.history]
    assert lines[-3:] == ["PersonDecided", "RunResumed", "RunFinished"]

    def kill_after(number: int) -> None:
        stage = stage_of("person")
        assert stage.start().end.reason == "review"
        assert stage.approve(kill_row=number).died == signal.SIGKILL
        stage.no_process_is_left()
        stage.the_checkout_is_untouched()
        if number < 4:  # the line of `RunFinished` is the last
            stage.holds(undisturbed, stage.resume(), ends=2)
        assert stage.shown() == "passed"

    each(range(1, 5), kill_after)


@pytest.mark.parametrize("name", ["second-try", "worse", "cancelled"])
def test_a_second_kill_right_after_the_resumption_changes_nothing(name: str, calm: Calm, stage_of: NewStage) -> None:
    undisturbed, stage = calm(name), stage_of(name)
    middle = len(undisturbed.rows) // 2
    assert stage.start(kill_row=middle).died == signal.SIGKILL
    assert stage.resume(kill_row=1).died == signal.SIGKILL
    assert stage.entries()[-1] == ("record", "RunResumed")
    assert stage.resume(kill_row=2).died == signal.SIGKILL
    stage.holds(undisturbed, stage.resume())


def test_a_killed_run_is_listed_as_crashed_and_its_resumption_is_offered(stage_of: NewStage) -> None:
    """The same on the command line."""
    stage = stage_of("second-try")
    assert stage.trueup(*stage.run_argv(), kill_row=6).died == signal.SIGKILL
    listed = stage.trueup("runs")
    assert listed.code == 0
    assert "crashed" in listed.said
    assert "trueup resume" in listed.said
    resumed = stage.trueup("resume")
    assert resumed.code == 0, resumed.said
    again = stage.trueup("runs").said
    assert "passed" in again
    assert "crashed" not in again
    assert [kind for _, kind in stage.entries()].count("RunFinished") == 1
    stage.the_checkout_is_untouched()
    stage.nothing_is_left()


def test_every_kind_of_move_and_record_occurs_in_a_scenario(calm: Calm, scenarios: tuple[str, ...]) -> None:
    """So that each of them is followed by a kill somewhere."""
    played = [calm(name) for name in scenarios]
    moves = {type(move) for told in played for move, _ in told.history}
    records = {type(record) for told in played for _, record in told.history}
    assert set(get_args(Move)) - moves == set()
    assert set(get_args(Record)) - records == set()
