"""Law 5 on thousands of invented histories: reserved before it is spent, charged once, never given back."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from trueup.decide.budget import (
    A_ROUNDING,
    LEAST_AGENT_SECONDS,
    counted_attempts,
    never_began,
    verification_seconds,
)
from trueup.decide.fold import fold, step
from trueup.decide.moves import (
    AgentStatus,
    Attempted,
    BaselineTaken,
    FinishRun,
    History,
    Move,
    Record,
    RunAttempt,
    RunFinished,
    RunResumed,
)
from trueup.decide.policy import next_move
from trueup.decide.state import Class, State
from trueup.decide.task import AgentSpec, Limits, Task
from trueup.testing.world import Effort, Verdict, World, play, simple_task

T = TypeVar("T")
SUBJECTS = "ABC"
relaxed = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MOVES_OF_ONE_ATTEMPT = 60
"""Checks, controls, looks, proofs, and the refusals and waits that may come before it."""

amounts = st.one_of(
    st.none(),
    st.sampled_from([0.0, 0.01, 0.5, 2.0, 99.0, math.nan, math.inf, -math.inf, -1.0, 1e6, 1e7, 1e308]),
    st.floats(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one attempt says about its cost, and how long things took."""

    usd: float | None = None
    total: float | None = None
    tokens: int | None = None
    problem: str = ""
    session: str = ""
    began: bool = True
    seconds: float = 1.0


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    usd, total = draw(amounts), draw(st.one_of(st.none(), amounts))
    return Claim(
        usd=usd if total is None else None,
        total=total,
        tokens=draw(st.sampled_from([None, 0, 7])),
        problem=draw(st.sampled_from(["", "", "", "two results"])),
        session=draw(st.sampled_from(["s1", "s1", "s2"])),
        began=draw(st.sampled_from([True] * 9 + [False])),
        seconds=draw(st.floats(0, 400)),
    )


@dataclass(slots=True)
class Market(World):
    """A world in which every agent also names a price."""

    prices: Iterator[Claim] = field(default_factory=lambda: iter(()))

    def perform(self, move: Move) -> Record:
        record = World.perform(self, move)
        if not isinstance(record, Attempted):
            return record
        claim = next(self.prices)
        return replace(
            record,
            claimed_usd=claim.usd,
            total_usd=claim.total,
            tokens=claim.tokens,
            claim_problem=claim.problem,
            session=claim.session,
            began=claim.began or record.raw != record.candidate,
            duration=claim.seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that a market is made of; two markets of one plan are the same."""

    start: Verdict
    efforts: tuple[Effort, ...]
    claims: tuple[Claim, ...]

    def market(self) -> Market:
        return Market(start=self.start, efforts=_endless(self.efforts), prices=_endless(self.claims))


def _endless(items: Sequence[T]) -> Iterator[T]:
    while True:
        yield from items


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    failing = draw(st.dictionaries(st.sampled_from(SUBJECTS), st.just(1), max_size=3))
    kinds = {s: draw(st.sampled_from([s, f"{s}2"])) for s in failing}
    passing = frozenset(SUBJECTS) - failing.keys() | {"p"}
    return Verdict(tree=f"t{draw(st.integers(1, 7))}", failing=failing, kinds=kinds, passing=passing)


@st.composite
def plans(draw: st.DrawFn, statuses: Sequence[AgentStatus] = tuple(AgentStatus)) -> Plan:
    start = Verdict(tree="t0", failing=dict.fromkeys(SUBJECTS, 1), passing=frozenset("p"))
    known = {start.tree: start}
    efforts = []
    for verdict in draw(st.lists(verdicts(), min_size=1, max_size=8)):
        known.setdefault(verdict.tree, verdict)
        status = draw(st.sampled_from([AgentStatus.DONE] * 6 + list(statuses)))
        left = start if status in REFUSED and draw(st.booleans()) else known[verdict.tree]
        efforts.append(Effort(verdict=left, agent=status))
    return Plan(start=start, efforts=tuple(efforts), claims=tuple(draw(st.lists(claims(), min_size=1, max_size=8))))


REFUSED = (AgentStatus.RATE_LIMITED, AgentStatus.OVERLOADED, AgentStatus.CREDENTIALS)
AGENTS = (
    AgentSpec(name="tells", reports_cost=True),
    AgentSpec(name="flat", usd_per_attempt=0.75),
    AgentSpec(name="silent"),
)


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    agents = draw(st.lists(st.sampled_from(AGENTS[:2]), min_size=1, max_size=2))
    limits = Limits(
        usd=draw(st.sampled_from([None, 0.01, 3.0, 10.0])),
        time=draw(st.sampled_from([None, 100.0, 2000.0])),
        attempts=draw(st.integers(1, 12)),
        max_usd_per_attempt=draw(st.sampled_from([None, None, 1.0])),
    )
    return simple_task(agents=tuple(agents), limits=limits, patience=draw(st.integers(1, 3)), agent_timeout=50.0)


def states(task: Task, history: History) -> Iterator[tuple[State, Move | None, Record, State]]:
    """Every fact with what was known before and after it."""
    state = fold(task, ())
    for move, record in history:
        before, state = state, step(state, move, record)
        yield before, move, record, state


@relaxed
@given(tasks(), plans())
def test_no_attempt_begins_whose_reservation_does_not_fit(task: Task, plan: Plan) -> None:
    limits = task.limits
    for before, move, _, _ in states(task, play(task, plan.market())):
        if not isinstance(move, RunAttempt):
            continue
        charged = [v.charged_usd or 0.0 for v in before.attempts]
        spec = task.agents[move.agent]
        if limits.usd is None:
            assert move.reserve_usd is None
        else:
            left = limits.usd - before.spent_usd
            known = [u for u in (limits.max_usd_per_attempt, spec.usd_per_attempt) if u is not None]
            wanted = max([*charged, *known, 0.0]) if known else max([*charged, limits.usd / 3])
            assert left > 0
            assert move.reserve_usd == min(left, wanted)
            assert max([*charged, *known, 0.0]) <= left + A_ROUNDING
        if limits.time is not None:
            assert LEAST_AGENT_SECONDS <= move.seconds <= task.agent_timeout
            assert move.seconds + verification_seconds(before) <= limits.time - before.active_seconds + 1e-6


@relaxed
@given(tasks(), plans())
def test_what_is_spent_is_the_sum_of_charges_and_only_grows(task: Task, plan: Plan) -> None:
    for before, _, _, state in states(task, play(task, plan.market())):
        charges = [v.charged_usd for v in state.attempts if v.charged_usd is not None]
        assert all(math.isfinite(usd) and usd >= 0 for usd in charges)
        assert math.isclose(state.spent_usd, math.fsum(charges), rel_tol=1e-9, abs_tol=1e-9)
        assert math.isfinite(state.spent_usd)
        assert state.spent_usd >= before.spent_usd
        assert [v.charged_usd for v in state.attempts[: len(before.attempts)]] == [
            v.charged_usd for v in before.attempts
        ]


@relaxed
@given(tasks(), plans())
def test_only_a_figure_of_the_agents_own_goes_beyond_the_limit(task: Task, plan: Plan) -> None:
    state = fold(task, play(task, plan.market()))
    if task.limits.usd is None:
        return
    overrun = math.fsum(
        max((v.charged_usd or 0.0) - (v.move.reserve_usd or 0.0), 0.0) for v in state.attempts if not v.charge_note
    )
    assert state.spent_usd <= task.limits.usd + overrun + A_ROUNDING
    for view in state.attempts:
        if view.charge_note.endswith("charged what was reserved"):
            assert view.charged_usd == view.move.reserve_usd


@relaxed
@given(plans())
def test_an_agent_without_a_price_never_has_a_known_cost(plan: Plan) -> None:
    task = simple_task(agents=AGENTS[2:], limits=Limits(usd=None, time=None, attempts=8))
    state = fold(task, play(task, plan.market()))
    assert (state.spent_usd, state.cost_known) == (0.0, False)


@relaxed
@given(tasks(), plans())
def test_time_is_the_sum_of_all_moves_but_the_baseline(task: Task, plan: Plan) -> None:
    history = play(task, plan.market())
    active = math.fsum(r.duration for _, r in history if not isinstance(r, BaselineTaken))
    assert math.isclose(fold(task, history).active_seconds, active, rel_tol=1e-9, abs_tol=1e-9)


@relaxed
@given(tasks(), plans())
def test_the_run_ends_after_a_bounded_number_of_moves_and_attempts(task: Task, plan: Plan) -> None:
    history = play(task, plan.market(), most=MOVES_OF_ONE_ATTEMPT * (task.limits.attempts + 1))
    state = fold(task, history)
    assert counted_attempts(state) <= task.limits.attempts
    free_in_a_row = 0
    for view in state.attempts:
        assert view.judgement is not None or state.finished is not None
        cut = view.record.agent is AgentStatus.INTERRUPTED and view.record.began
        free_in_a_row = free_in_a_row + 1 if cut and not (view.judgement and view.judgement.strike) else 0
        assert free_in_a_row <= 2


# --- kills -----------------------------------------------------------------------------------------------------------


def play_killed(task: Task, market: Market, kills: frozenset[int]) -> tuple[History, int]:
    """Killed while the moves with these numbers are under way, and resumed; how often an agent was cut short."""
    history: list[tuple[Move | None, Record]] = []
    state, cut, number = fold(task, ()), 0, 0

    def note(move: Move | None, record: Record) -> State:
        history.append((move, record))
        return step(state, move, record)

    while True:
        move = next_move(state)
        if number in kills:
            limits = state.limits
            again = RunResumed(after_end=False, usd=limits.usd, time=limits.time, attempts=limits.attempts)
            state = note(None, again)
            if isinstance(move, RunAttempt):
                cut += 1
                state = note(move, _half_done(move))
        else:
            record = market.perform(move)
            state = note(move, record)
            if isinstance(record, RunFinished):
                return tuple(history), cut
        number += 1


def _half_done(move: RunAttempt) -> Attempted:
    return Attempted(number=move.number, agent=AgentStatus.INTERRUPTED, raw="half", candidate="half", duration=1.0)


def ended(history: History) -> RunFinished:
    record = history[-1][1]
    assert isinstance(record, RunFinished)
    return record


WITHIN_OUR_HANDS = tuple(s for s in AgentStatus if s not in {AgentStatus.INTERRUPTED, AgentStatus.CANCELLED})


@relaxed
@given(plans(WITHIN_OUR_HANDS), st.frozensets(st.integers(0, 60), max_size=6), st.integers(1, 6), st.integers(1, 2))
def test_a_run_that_is_killed_anywhere_ends_alike_and_pays_for_what_was_cut_short(
    plan: Plan, kills: frozenset[int], attempts: int, agents: int
) -> None:
    assume(not any({n, n + 1, n + 2} <= kills for n in kills))  # three in a row count as an attempt
    limits = Limits(usd=1e8, time=None, attempts=attempts, max_usd_per_attempt=2.0)
    task = simple_task(agents=AGENTS[:1] * agents, limits=limits)
    plan = replace(plan, claims=tuple(replace(c, total=None, began=True) for c in plan.claims))
    calm = play(task, plan.market())
    disturbed, cut = play_killed(task, plan.market(), kills)
    one, other = ended(calm).outcome, ended(disturbed).outcome
    assert (one.status, one.reason, one.tree, one.fixed) == (other.status, other.reason, other.tree, other.fixed)
    assert other.attempts == one.attempts + cut
    made = [v for v in fold(task, disturbed).attempts if v.record.raw != "half"]
    same = fold(task, calm).attempts
    assert [(v.move.rung, v.move.nudge, v.move.agent, v.move.origin) for v in made] == [
        (v.move.rung, v.move.nudge, v.move.agent, v.move.origin) for v in same
    ]
    interrupted = math.fsum(v.charged_usd or 0.0 for v in fold(task, disturbed).attempts if v.record.raw == "half")
    assert one.usd is not None or not same
    assert math.isclose(other.usd or 0.0, (one.usd or 0.0) + interrupted, rel_tol=1e-9, abs_tol=1e-9)


@relaxed
@given(tasks(), plans(), st.integers(0, 200))
def test_a_prefix_of_the_journal_knows_exactly_what_was_charged_until_then(task: Task, plan: Plan, length: int) -> None:
    history = play(task, plan.market())
    whole = fold(task, history)
    state = fold(task, history[:length])
    until = whole.attempts[: len(state.attempts)]
    assert [v.charged_usd for v in state.attempts] == [v.charged_usd for v in until]
    assert math.isclose(state.spent_usd, math.fsum(v.charged_usd or 0.0 for v in until), rel_tol=1e-9, abs_tol=1e-9)
    if length < len(history):
        assert next_move(state) == history[length][0]


@relaxed
@given(tasks(), plans(), st.integers(1, 12), st.sampled_from([None, 5.0, 50.0]))
def test_limits_on_resume_are_new_totals_and_what_was_spent_stays_spent(
    task: Task, plan: Plan, attempts: int, usd: float | None
) -> None:
    market = plan.market()
    history = play(task, market)
    assume(ended(history).outcome.status.value not in {"passed", "nothing_to_do"})
    before = fold(task, history)
    again = RunResumed(after_end=True, usd=usd, time=None, attempts=attempts)
    state = step(before, None, again)
    assert (state.spent_usd, state.active_seconds) == (before.spent_usd, before.active_seconds)
    assert (state.limits.usd, state.limits.time, state.limits.attempts) == (usd, None, attempts)
    already = counted_attempts(state)
    for _ in range(MOVES_OF_ONE_ATTEMPT * (attempts + 1)):
        move = next_move(state)
        if isinstance(move, FinishRun):
            break
        if isinstance(move, RunAttempt):
            assert counted_attempts(state) < attempts
            assert usd is None or state.spent_usd < usd
        state = step(state, move, market.perform(move))
    else:
        raise AssertionError("the resumed run did not end")
    assert counted_attempts(state) <= max(attempts, already)
    assert state.spent_usd >= before.spent_usd


@relaxed
@given(tasks(), plans())
def test_what_never_began_consumes_no_attempt_and_is_no_strike(task: Task, plan: Plan) -> None:
    for before, move, record, state in states(task, play(task, plan.market())):
        if isinstance(move, RunAttempt) and isinstance(record, Attempted) and never_began(move, record):
            assert counted_attempts(state) == counted_attempts(before)
            refused = record.agent in REFUSED and record.candidate == move.origin
            assert not refused or state.attempts[-1].judgement is not None
            if refused and state.attempts[-1].judgement:
                assert state.attempts[-1].judgement.kind is Class.INTERRUPTED
                assert state.strikes == before.strikes
