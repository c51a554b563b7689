"""What is remembered of a work item follows the journal, wherever a run was killed; it is whole, or as it was before."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trueup.decide.memory import RunMemory
from trueup.decide.state import Class
from trueup.remember import workitems

if TYPE_CHECKING:
    from tests.chaos.conftest import Calm, NewStage, Stage

Each = Callable[[Any, Callable[[Any], None]], None]


def remembered(stage: Stage, *, taken_in: bool) -> tuple[RunMemory, ...]:
    with stage.shelf() as shelf:
        if taken_in:
            assert workitems.absorb(shelf.db, "work") == ()
        memory = workitems.read(shelf.db, "work")
        return memory.runs if memory else ()


def test_a_run_that_was_killed_after_any_line_is_remembered_as_far_as_it_went(
    calm: Calm, stage_of: NewStage, each: Each
) -> None:
    undisturbed = calm("second-try")

    def kill_after(number: int) -> None:
        stage = stage_of("second-try")
        assert stage.start(kill_row=number).died == signal.SIGKILL
        assert remembered(stage, taken_in=False) == (), "it had no time to write anything"
        (run,) = remembered(stage, taken_in=True)
        rows = undisturbed.rows[:number]
        assert run.entries == number
        assert run.attempts == rows.count(("record", "Attempted"))
        assert run.status == ("passed" if rows[-1] == ("record", "RunFinished") else "")
        assert run.base == undisturbed.end.start
        assert [t.kind for t in run.tried] in (
            [],
            [""],
            [Class.PROGRESS],
            [Class.PROGRESS, ""],
            [Class.PROGRESS, Class.GREEN],
        )

    each(range(1, len(undisturbed.rows) + 1), kill_after)


def test_a_kill_at_any_statement_of_its_writing_leaves_all_or_nothing_and_loses_nothing(
    calm: Calm, stage_of: NewStage, each: Each
) -> None:
    undisturbed = calm("second-try")
    assert undisturbed.statements >= 3

    def kill_at(statement: int) -> None:
        stage = stage_of("second-try")
        assert stage.start(kill_memory=statement).died == signal.SIGKILL
        assert stage.entries() == undisturbed.rows, "the journal is complete"
        assert stage.shown() == "passed"
        assert remembered(stage, taken_in=False) == ()
        (run,) = remembered(stage, taken_in=True)
        assert (run.status, run.branch, run.entries) == ("passed", undisturbed.branch, len(undisturbed.rows))

    each(range(1, undisturbed.statements + 1), kill_at)


def test_a_kill_while_a_second_run_is_written_down_keeps_what_was_remembered_of_the_first(stage_of: NewStage) -> None:
    stage = stage_of("stuck")
    assert stage.start().end.status == "stuck"
    (first,) = remembered(stage, taken_in=False)
    assert stage.start(kill_memory=2).died == signal.SIGKILL
    assert remembered(stage, taken_in=False) == (first,)
    both = remembered(stage, taken_in=True)
    assert both[0] == first
    assert [run.status for run in both] == ["stuck", "stuck"]


def test_the_next_run_after_a_killed_one_knows_what_was_tried(calm: Calm, stage_of: NewStage) -> None:
    """Nobody resumed it: a new run on the same item."""
    stage, undisturbed = stage_of("second-try"), calm("second-try")
    judged = undisturbed.rows.index(("move", "RunAttempt"), undisturbed.rows.index(("record", "Attempted")))
    assert stage.start(kill_row=judged).died == signal.SIGKILL
    told = stage.start()
    assert told.end.status == "passed"
    prompt = (stage.kept / "runs" / told.run / "scratch" / "attempt-1" / "prompt.md").read_text()
    assert "# Prior attempts\nEarlier runs of this work item: 1, with 1 attempt; the latest was cut short." in prompt
    assert [run.status for run in remembered(stage, taken_in=False)] == ["", "passed"]
    assert replace(told.end, seconds=0).tree == undisturbed.end.tree
