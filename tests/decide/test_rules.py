"""Rules come before anybody is paid, and again after each attempt; what they make is judged like any other work."""

from __future__ import annotations

from dataclasses import replace

from trueup.decide.fold import fold
from trueup.decide.moves import (
    AgentStatus,
    FinishRun,
    History,
    ProveTree,
    RestoreTree,
    RunAttempt,
    TakeBaseline,
    TreeProved,
    TryRemedies,
    VerifyTree,
)
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import GoalKind, Limits, OnGreen
from trueup.testing.world import Effort, Verdict, World, efforts, forever, play, simple_task

START = Verdict(tree="start", failing={"a": 1, "b": 1}, passing=frozenset({"c"}))
HALF = Verdict(tree="half", failing={"b": 1}, passing=frozenset({"a", "c"}))
GREEN = Verdict(tree="green", passing=frozenset({"a", "b", "c"}))
WORSE = Verdict(tree="worse", failing={"a": 1, "b": 1, "c": 1})
TASK = simple_task(fix_first=True)


def kinds(history: History) -> list[type]:
    return [type(move) for move, _ in history]


def status(history: History) -> Status:
    move = history[-1][0]
    assert isinstance(move, FinishRun)
    return move.outcome.status


def test_a_rule_alone_can_make_the_goal_hold_proven_as_always() -> None:
    world = World(start=START, efforts=iter(()), rules=lambda tree: GREEN if tree == "start" else None)
    history = play(TASK, world)
    assert kinds(history)[:2] == [TakeBaseline, TryRemedies]
    assert RunAttempt not in kinds(history)
    assert {VerifyTree, ProveTree} <= set(kinds(history))
    assert status(history) is Status.PASSED
    state = fold(TASK, history)
    assert (state.best, state.spent_usd, state.attempts[0].record.agent) == ("green", 0.0, AgentStatus.RULES)


def test_what_rules_made_is_where_the_agent_begins() -> None:
    world = World(start=START, efforts=efforts(GREEN), rules=lambda tree: HALF if tree == "start" else None)
    history = play(TASK, world)
    (attempt,) = [move for move, _ in history if isinstance(move, RunAttempt)]
    assert (attempt.origin, attempt.number, attempt.fresh_session) == ("half", 2, True)
    assert RestoreTree(tree="half") in [move for move, _ in history]
    assert status(history) is Status.PASSED


def test_rules_that_find_nothing_cost_the_agent_nothing() -> None:
    history = play(TASK, World(start=START, efforts=efforts(GREEN)))
    attempts = [move for move, _ in history if isinstance(move, RunAttempt)]
    assert [(a.origin, a.number) for a in attempts] == [("start", 1)]
    assert kinds(history).count(TryRemedies) == 2


def test_what_rules_made_of_an_attempt_is_its_candidate() -> None:
    left = Verdict(tree="left", failing={"a": 1, "b": 1}, passing=frozenset({"c"}))
    world = World(start=START, efforts=efforts(left), rules=lambda tree: GREEN if tree == "left" else None)
    history = play(TASK, world)
    state = fold(TASK, history)
    assert status(history) is Status.PASSED
    assert (state.attempts[0].record.raw, state.attempts[0].record.candidate) == ("left", "green")
    assert [move.tree for move, _ in history if isinstance(move, VerifyTree)] == ["green"]


def test_rules_that_make_an_attempt_what_it_began_with_leave_a_no_op() -> None:
    broken = Verdict(tree="broken", failing={"a": 1})
    world = World(start=START, efforts=efforts(broken, GREEN), rules=lambda tree: START if tree == "broken" else None)
    state = fold(TASK, play(TASK, world))
    assert state.attempts[0].judgement is not None
    assert state.attempts[0].judgement.kind is Class.NO_OP


def test_what_rules_made_worse_is_let_go_without_a_strike() -> None:
    world = World(start=START, efforts=efforts(GREEN), rules=lambda tree: WORSE if tree == "start" else None)
    history = play(TASK, world)
    (attempt,) = [move for move, _ in history if isinstance(move, RunAttempt)]
    assert (attempt.origin, str(attempt.rung)) == ("start", "normal")
    assert status(history) is Status.PASSED


def test_a_suspicious_fix_is_let_go_and_the_agent_is_asked() -> None:
    from trueup.decide.moves import Suspicion

    def suspicious(proof: TreeProved) -> TreeProved:
        odd = Suspicion(path="a", line=1, text="x", why="odd")
        return replace(proof, suspicions=(odd,)) if proof.tree == "green" else proof

    other = replace(GREEN, tree="other")
    world = World(
        start=START, efforts=efforts(other), proof=suspicious, rules=lambda tree: GREEN if tree == "start" else None
    )
    history = play(TASK, world)
    assert status(history) is Status.PASSED
    assert fold(TASK, history).best == "other"


def test_rules_use_up_no_attempt() -> None:
    task = replace(TASK, limits=Limits(usd=None, time=None, attempts=1))
    world = World(start=START, efforts=efforts(GREEN), rules=lambda tree: HALF if tree == "start" else None)
    assert status(play(task, world)) is Status.PASSED


def test_without_them_nothing_changes() -> None:
    assert TryRemedies not in kinds(play(simple_task(), World(start=START, efforts=efforts(GREEN))))


def test_where_nothing_fails_no_rule_is_asked_at_the_start() -> None:
    task = replace(TASK, on_green=OnGreen.WORK)
    history = play(task, World(start=GREEN, efforts=forever([replace(GREEN, tree="other")])), most=50)
    first = kinds(history)
    assert TryRemedies not in first[: first.index(RunAttempt)]


def test_an_agent_that_is_refused_is_not_followed_by_rules() -> None:
    refused = Effort(verdict=START, agent=AgentStatus.CREDENTIALS)
    history = play(TASK, World(start=START, efforts=iter([refused])))
    assert kinds(history).count(TryRemedies) == 1
    assert status(history) is Status.BLOCKED


def test_goals_count_as_usual() -> None:
    goal = replace(TASK.goal, kind=GoalKind.NO_NEW_FAILURES)
    task = replace(TASK, goal=goal)
    assert status(play(task, World(start=START, efforts=iter(())))) is Status.NOTHING_TO_DO
