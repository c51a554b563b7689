"""Sessions, sittings and long checks: what is charged, repeated and looked at when a run goes on."""

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest

from trueup.decide.budget import LONG_SUITE, MOST_USD, believable, counted_attempts, session_paid
from trueup.decide.completion import outcome
from trueup.decide.fold import fold, step
from trueup.decide.moves import (
    AgentStatus,
    Attempted,
    BaselineTaken,
    ConfirmKeys,
    FinishRun,
    History,
    Move,
    MoveFailed,
    Record,
    RunAttempt,
    RunFinished,
    Rung,
    RunResumed,
    TakeBaseline,
    TreeProved,
    TreeVerified,
    Wait,
)
from trueup.decide.needs import proof_report
from trueup.decide.outcome import Outcome, Status
from trueup.decide.policy import next_move
from trueup.decide.state import State
from trueup.decide.task import AgentSpec, Limits, Task
from trueup.evidence.failure import Failure, Phase, make_key
from trueup.evidence.report import CheckResult, CheckStatus, Observation, Report, Seen
from trueup.testing.world import Effort, Verdict, World, play, simple_task

START = Verdict(tree="t0", failing={"A": 1}, passing=frozenset("pq"))
AGAIN = RunResumed(after_end=False, usd=None, time=None, attempts=1000)


def tried(tree: str, agent: AgentStatus = AgentStatus.DONE) -> Effort:
    return Effort(verdict=Verdict(tree=tree, failing={"A": 1}, passing=frozenset("pq")), agent=agent)


def attempted(**changes: object) -> Attempted:
    fields: dict[str, object] = {"number": 1, "agent": AgentStatus.DONE, "raw": "t1", "candidate": "t1"}
    return Attempted(**(fields | changes))  # type: ignore[arg-type]


def resumed(state: State, *, after_end: bool = False) -> State:
    return step(state, None, replace(AGAIN, after_end=after_end))


# --- sessions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("total", "charged"),
    [(0.5, 0.0), (0.5 - 1e-9, 0.0), (0.75, 0.25), (0.25, None), (math.nan, None), (-1.0, None), (2 * MOST_USD, None)],
)
def test_a_total_is_charged_as_the_difference_or_not_believed(total: float, charged: float | None) -> None:
    assert believable(attempted(total_usd=total, session="s"), before=0.5)[0] == charged


def test_an_attempt_of_the_session_that_told_nothing_is_not_charged_again_with_the_next_total() -> None:
    """0.50 told, then a reservation of 4.83 because nothing was told, then a total of 1.10 that holds both."""
    totals: list[float | None] = [0.5, None, 1.1, 9.0]
    given = iter(totals)

    class Told(World):
        def perform(self, move: Move) -> Record:
            record = World.perform(self, move)
            if not isinstance(record, Attempted):
                return record
            return replace(record, session="s", claimed_usd=None, total_usd=next(given))

    agents = (AgentSpec(name="one", reports_cost=True), AgentSpec(name="two", reports_cost=True))
    limits = Limits(usd=15.0, time=None, attempts=len(totals))
    task = simple_task(patience=9, agents=agents, limits=limits)
    state = fold(task, play(task, Told(start=START, efforts=iter([tried(f"t{n}") for n in range(1, 9)]))))
    charged = [v.charged_usd for v in state.attempts]
    reserved = state.attempts[1].move.reserve_usd
    assert charged[:3] == [0.5, reserved, 0.0]
    assert charged[3] == pytest.approx(9.0 - 1.1)
    other = replace(state.attempts[-1].move, agent=1, fresh_session=False)
    assert session_paid(state, other, attempted(total_usd=1.0)) == 0.0


@pytest.mark.parametrize(
    ("name", "total", "paid"), [("a", 0.5, 1.0), ("b", 0.5, 0.0), ("", 0.5, 0.0), ("a", None, 0.0)]
)
def test_what_another_session_was_charged_is_not_held_by_this_ones_total(
    name: str, total: float | None, paid: float
) -> None:
    task, world = sessions("a", "")
    state = fold(task, play(task, world))
    charged = replace(state, attempts=tuple(replace(view, charged_usd=1.0) for view in state.attempts))
    move = replace(state.attempts[-1].move, fresh_session=False)
    assert session_paid(charged, move, attempted(total_usd=total, session=name)) == paid
    assert session_paid(charged, replace(move, fresh_session=True), attempted(total_usd=total, session=name)) == 0.0


def test_a_total_that_did_not_grow_although_tokens_were_used_is_not_believed() -> None:
    assert believable(attempted(total_usd=0.5, session="s", tokens=9), before=0.5)[0] is None


def sessions(*names: str) -> tuple[Task, World]:
    """One attempt with each of these sessions."""
    given = iter(names)

    class Named(World):
        def perform(self, move: Move) -> Record:
            record = World.perform(self, move)
            return replace(record, session=next(given)) if isinstance(record, Attempted) else record

    task = simple_task(patience=9, limits=Limits(usd=None, time=None, attempts=len(names)))
    return task, Named(start=START, efforts=iter([tried(f"t{n}") for n in range(1, len(names) + 1)]))


@pytest.mark.parametrize(("names", "known"), [(("a", "b"), "b"), (("a", ""), "a"), (("", ""), "")])
def test_an_agent_goes_on_with_the_latest_session_that_has_a_name(names: tuple[str, ...], known: str) -> None:
    task, world = sessions(*names)
    state = fold(task, play(task, world))
    assert state.session(0) == known
    assert state.session(1) == ""


def test_a_new_session_without_a_name_hides_the_one_before() -> None:
    task, world = sessions("a", "")
    state = fold(task, play(task, world))
    last = state.attempts[-1]
    fresh = replace(last, move=replace(last.move, fresh_session=True))
    assert replace(state, attempts=(*state.attempts[:-1], fresh)).session(0) == ""


def test_a_session_whose_context_is_full_is_not_gone_on_with() -> None:
    task, world = sessions("a", "b")
    state = fold(task, play(task, world))
    last = state.attempts[-1]
    full = replace(last, record=replace(last.record, agent=AgentStatus.CONTEXT_FULL))
    assert replace(state, attempts=(*state.attempts[:-1], full)).session(0) == ""


# --- what is cut short is made again in the same way ----------------------------------------------------------------

CUT = AgentStatus.INTERRUPTED


def moves(*tries: Effort, agents: int = 1, patience: int = 1) -> list[RunAttempt]:
    task = simple_task(agents=(AgentSpec(name="one"), AgentSpec(name="two"))[:agents], patience=patience)
    history = play(task, World(start=START, efforts=iter([*tries, *(tried(f"z{n}") for n in range(20))])))
    return [move for move, _ in history if isinstance(move, RunAttempt)]


def test_an_attempt_that_is_cut_short_is_made_again_with_its_nudge_its_agent_and_a_new_session() -> None:
    made = moves(tried("s1"), tried("s2", CUT), tried("s2"), tried("s3"), tried("s4", CUT), tried("s4"), agents=2)
    told = [(m.rung, m.nudge, m.agent, m.fresh_session) for m in made]
    assert told[1] == told[2] == (Rung.RETHINK, True, 0, False)
    assert told[4] == told[5] == (Rung.FRESH, True, 1, True)


def test_the_very_first_attempt_that_is_cut_short_begins_a_new_session_again() -> None:
    assert [m.fresh_session for m in moves(tried("s1", CUT), tried("s1"))][:3] == [True, True, False]


def test_the_next_agent_that_is_cut_short_after_two_idle_attempts_is_the_next_agent_again() -> None:
    made = moves(tried("t0"), tried("t0"), tried("s1", CUT), tried("s1"), agents=2)
    assert [(m.rung, m.agent) for m in made[2:4]] == [(Rung.FRESH, 1), (Rung.FRESH, 1)]


def test_what_is_cut_short_three_times_in_a_row_counts_and_goes_on_from_the_best() -> None:
    task = simple_task(patience=1)
    tries = [tried("s1"), *[tried(f"c{n}", CUT) for n in range(3)], tried("s2")]
    history = play(task, World(start=START, efforts=iter([*tries, *(tried(f"z{n}") for n in range(9))])))
    state = fold(task, history)
    assert [v.judgement.strike for v in state.attempts[:4] if v.judgement] == [True, False, False, True]
    assert [v.move.origin for v in state.attempts[:5]] == ["t0", "s1", "s1", "s1", "t0"]
    assert counted_attempts(state) == len(state.attempts) - 2


def test_waiting_for_a_provider_is_not_begun_anew_by_a_kill_but_by_a_resume_after_the_end() -> None:
    task = simple_task()
    refused = Effort(verdict=START, agent=AgentStatus.RATE_LIMITED)
    world = World(start=START, efforts=iter([refused] * 9))
    state = fold(task, ())
    waits: list[float] = []
    for _ in range(30):
        if isinstance(next_move(state), Wait):
            state = resumed(state)
        move = next_move(state)
        if isinstance(move, FinishRun):
            break
        waits += [move.seconds] if isinstance(move, Wait) else []
        state = step(state, move, world.perform(move))
    assert waits == [15.0, 60.0, 180.0, 300.0]
    assert isinstance(move, FinishRun)
    assert move.outcome.status is Status.BLOCKED
    ended = resumed(step(state, move, RunFinished(outcome=move.outcome)), after_end=True)
    assert ended.waits == 0


def test_a_problem_outlives_a_kill_and_is_over_after_an_end() -> None:
    state = step(fold(simple_task(), ()), TakeBaseline(), MoveFailed(move="TakeBaseline", problem="disk full"))
    assert isinstance(next_move(resumed(state)), FinishRun)
    assert isinstance(next_move(resumed(state, after_end=True)), TakeBaseline)


def test_a_wait_after_which_no_attempt_would_fit_is_not_begun() -> None:
    task = simple_task(limits=Limits(usd=None, time=24.0, attempts=9))  # 15 s to wait, and an attempt needs 10 s
    refused = Effort(verdict=START, agent=AgentStatus.OVERLOADED, seconds=0.0)
    history = play(task, World(start=START, efforts=iter([refused] * 9)))
    assert not any(isinstance(move, Wait) for move, _ in history)
    last = history[-1][1]
    assert isinstance(last, RunFinished)
    assert (last.outcome.status, last.outcome.reason) == (Status.BLOCKED, "overloaded")


# --- flips are told once -------------------------------------------------------------------------------------------


def test_what_flipped_is_new_only_until_the_run_ends() -> None:
    task = simple_task()
    flaky = make_key("late", "A")
    state = fold(task, play(task, World(start=START, efforts=iter([tried("t0"), tried("t0")])))[:1])
    base = state.baseline
    assert base is not None
    seen = replace(base, observations=(Observation(key=flaky, seen=Seen.PASSED),))
    state = step(fold(task, ()), TakeBaseline(), seen)
    assert state.flips == {("t0", flaky)}
    assert not state.flips_told
    end = RunFinished(outcome=_outcome(state))
    again = resumed(step(state, None, end), after_end=True)
    assert again.flips - again.flips_told == frozenset()


def _outcome(state: State) -> Outcome:
    return outcome(state, Status.STUCK, "ladder")


# --- checks that take long -----------------------------------------------------------------------------------------


class Slow:
    """One check that takes long and tells nothing but its exit code."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.task = simple_task()
        self.runs: list[str] = []

    def report(self, tree: str, *, ok: bool) -> Report:
        wrong = Failure(check="late", subject="x.c", phase=Phase.RUN, kind="E", message="wrong", test=False)
        late = CheckResult(
            check="late",
            status=CheckStatus.PASSED if ok else CheckStatus.FAILED,
            exit_code=0 if ok else 1,
            failures=() if ok else (wrong,),
        )
        early = CheckResult(check="early", status=CheckStatus.PASSED, exit_code=0)
        return Report(tree=tree, results=(early, late), duration=self.seconds)

    def history(self) -> Iterator[tuple[Move, Record]]:
        state = fold(self.task, ())
        red = Verdict(tree="t0", failing={"x.c": 1, "": 1})
        world = World(start=red, efforts=iter([Effort(verdict=Verdict(tree="t9"))]))
        while state.finished is None:
            move = next_move(state)
            record = self.perform(world, state, move)
            yield move, record
            state = step(state, move, record)

    def perform(self, world: World, state: State, move: Move) -> Record:
        record = world.perform(move)
        if isinstance(record, BaselineTaken):
            return replace(record, report=self.report("t0", ok=False))
        if isinstance(record, TreeVerified):
            self.runs.append("verified")
            return replace(record, report=self.report("t9", ok=True))
        if isinstance(move, ConfirmKeys):
            self.runs += ["looked at again"] * move.times
        if isinstance(record, TreeProved):
            assert state.current is not None
            known = proof_report(state, state.current)
            self.runs += [] if known else ["proven"]
            return replace(record, report=known or self.report("t9", ok=True))
        return record


@pytest.mark.parametrize(
    ("seconds", "runs"),
    [
        (LONG_SUITE, ["verified", "looked at again", "proven"]),
        (LONG_SUITE + 1, ["verified", "looked at again", "looked at again"]),
    ],
    ids=["short", "long"],
)
def test_three_of_three_are_three_whole_runs_where_a_check_cannot_be_looked_into(
    seconds: float, runs: list[str]
) -> None:
    slow = Slow(seconds)
    history: History = tuple(slow.history())
    last = history[-1][1]
    assert isinstance(last, RunFinished)
    assert last.outcome.status is Status.PASSED
    assert slow.runs == runs
    looks = fold(slow.task, history).seen("t9", make_key("late", ""))
    assert looks == (Seen.PASSED,) * 3
