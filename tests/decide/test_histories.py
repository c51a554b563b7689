"""Recorded histories: the class that each attempt must get by the judging table."""

import json
from pathlib import Path
from typing import Any

import pytest

from trueup.decide import ladder
from trueup.decide.fold import step
from trueup.decide.moves import RunAttempt, Rung
from trueup.decide.needs import Need, assess
from trueup.decide.state import Class, State
from trueup.decide.task import Goal, GoalKind
from trueup.testing.world import Effort, Verdict, World, simple_task

HISTORIES = json.loads((Path(__file__).parent / "data" / "judging_histories.json").read_text())
NOT_TESTS = frozenset({"build", "mod", "c1", "c2", "L", "F401:a", "timeout"})
HIDING = frozenset({"build", "mod", "c1", "c2"})


def verdict(raw: dict[str, Any]) -> Verdict:
    kinds = {s: next(p for p in raw["fingerprints"] if p.startswith(s)) for s in raw["failing"]}
    kinds = {s: k.partition("*")[0] for s, k in kinds.items()}
    return Verdict(
        tree=raw["tree"],
        failing=raw["failing"],
        kinds=kinds,
        passing=frozenset(raw["passing"]),
        stage=raw["stage"],
        hiding=HIDING if raw["build_or_collect_failures"] else frozenset(),
        not_tests=NOT_TESTS,
        ran=raw["check_ran"],
    )


def goal(raw: str | list[str]) -> Goal:
    if isinstance(raw, list):
        return Goal(kind=GoalKind.TARGETS, targets=tuple(raw))
    return Goal(kind=GoalKind(raw))


def attempt(state: State, number: int) -> RunAttempt:
    return RunAttempt(
        number=number,
        rung=Rung.NORMAL,
        nudge=False,
        agent=0,
        fresh_session=False,
        origin=state.tip,
        reserve_usd=None,
        seconds=60,
        max_files=None,
    )


def run_through(history: dict[str, Any]) -> tuple[list[Class], State]:
    """Feed each attempt with the evidence it asks for; keep going where a real run would have stopped."""
    task = simple_task(goal=goal(history["goal"]))
    efforts = [Effort(verdict=verdict(a)) for a in history["attempts"]]
    world = World(start=verdict(history["start"]), efforts=iter(efforts), control=history["control_run_works"])
    state = State(task=task, limits=task.limits)
    from trueup.decide.moves import TakeBaseline

    state = step(state, TakeBaseline(), world.perform(TakeBaseline()))
    classes = []
    for number, _ in enumerate(efforts, 1):
        move = attempt(state, number)
        state = step(state, move, world.perform(move))
        while state.current is not None:
            need = assess(state, state.current)
            assert isinstance(need, Need)
            state = step(state, need.move, world.perform(need.move))
        judgement = state.attempts[-1].judgement
        assert judgement is not None
        classes.append(judgement.kind)
    return classes, state


@pytest.mark.parametrize("history", HISTORIES, ids=[h["name"] for h in HISTORIES])
def test_each_attempt_gets_the_class_of_the_table(history: dict[str, Any]) -> None:
    classes, state = run_through(history)
    assert [str(c) for c in classes] == [a["expect"] for a in history["attempts"]]
    assert (ladder.end(state) is not None) == history["stopped_by_ladder"]
