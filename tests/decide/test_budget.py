"""Money and time: what is reserved, what is charged, and when the next attempt may not begin."""

import math
from dataclasses import replace

import pytest

from trueup.decide.budget import charge, never_began
from trueup.decide.fold import fold
from trueup.decide.moves import AgentStatus, Attempted, RunAttempt, RunFinished, Rung
from trueup.decide.outcome import Outcome, Status
from trueup.decide.task import AgentSpec, Limits
from trueup.testing.world import Effort, Verdict, World, play, simple_task

START = Verdict(tree="t0", failing={"A": 1}, passing=frozenset("pq"))
GREEN = Verdict(tree="t9", passing=frozenset("Apq"))
PRICED = AgentSpec(name="priced", reports_cost=True)
MOVE = RunAttempt(
    number=1,
    rung=Rung.NORMAL,
    nudge=False,
    agent=0,
    fresh_session=True,
    origin="t0",
    reserve_usd=2.0,
    seconds=60,
    max_files=None,
)


def record(**changes: object) -> Attempted:
    fields: dict[str, object] = {"number": 1, "agent": AgentStatus.DONE, "raw": "t1", "candidate": "t1"}
    return Attempted(**(fields | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claim", "usd"),
    [
        ({"claimed_usd": 0.3}, 0.3),
        ({"claimed_usd": 99.0}, 99.0),
        ({"claimed_usd": 0.0}, 0.0),
        ({"claimed_usd": 0.0, "tokens": 5000}, 2.0),
        ({"claimed_usd": math.nan}, 2.0),
        ({"claimed_usd": math.inf}, 2.0),
        ({"claimed_usd": -1.0}, 2.0),
        ({"claimed_usd": None}, 2.0),
        ({"claimed_usd": 0.1, "claim_problem": "two results"}, 2.0),
        ({"claimed_usd": 0.4, "agent": AgentStatus.INTERRUPTED}, 0.4),
        ({"claimed_usd": None, "agent": AgentStatus.INTERRUPTED}, 2.0),
        ({"claimed_usd": None, "agent": AgentStatus.CREDENTIALS, "raw": "t0"}, 0.0),
        ({"claimed_usd": None, "agent": AgentStatus.CREDENTIALS, "raw": "t1"}, 2.0),
        ({"claimed_usd": 0.2, "agent": AgentStatus.RATE_LIMITED}, 0.2),
        ({"agent": AgentStatus.RATE_LIMITED, "raw": "t0", "worked": True}, 2.0),
        ({"claim_problem": "two results", "least_usd": 30.0}, 30.0),
        ({"claim_problem": "two results", "least_usd": 1.0}, 2.0),
        ({"claim_problem": "two results", "least_usd": math.nan}, 2.0),
        ({"claim_problem": "two results", "least_usd": math.inf}, 2.0),
        ({"claim_problem": "two results", "least_total_usd": 30.0}, 30.0),
        ({"claim_problem": "two results", "least_usd": -1.0, "least_total_usd": -1.0}, 2.0),
    ],
)
def test_a_cost_that_cannot_be_believed_is_charged_as_reserved(claim: dict[str, object], usd: float) -> None:
    assert charge(PRICED, MOVE, record(**claim))[0] == usd


def test_an_agent_without_a_price_has_no_known_cost_and_a_configured_price_is_charged_each_time() -> None:
    assert charge(AgentSpec(name="free"), MOVE, record(claimed_usd=1.0)) == (None, "")
    assert charge(AgentSpec(name="flat", usd_per_attempt=0.5), MOVE, record())[0] == 0.5
    refused = record(agent=AgentStatus.MISSING)
    assert charge(AgentSpec(name="free"), MOVE, refused)[0] is None


def test_a_cost_that_is_not_believed_and_not_reserved_is_unknown() -> None:
    usd, note = charge(PRICED, replace(MOVE, reserve_usd=None), record())
    assert usd is None
    assert note == "the agent reported no cost"


def test_an_unknown_cost_is_never_cheaper_than_what_was_known_of_it() -> None:
    twice = record(claim_problem="two results", least_total_usd=30.0, least_usd=4.0)
    assert charge(PRICED, MOVE, twice, before=10.0, paid=5.0) == (
        15.0,
        "two results: charged the most that it had reported",
    )
    assert charge(PRICED, replace(MOVE, reserve_usd=None), twice, before=29.0)[0] == 4.0


def test_who_worked_and_was_refused_later_has_used_up_an_attempt() -> None:
    refused = {"agent": AgentStatus.RATE_LIMITED, "raw": "t0", "candidate": "t0"}
    assert never_began(MOVE, record(**refused))
    assert not never_began(MOVE, record(**refused, worked=True))
    assert never_began(MOVE, record(**refused, worked=True, began=False))


def spend(prices: list[float], *, usd: float, per_attempt: float | None = None) -> tuple[Outcome, list[float | None]]:
    tries = [
        Effort(verdict=Verdict(tree=f"s{n}", failing={"A": 1}, passing=frozenset("pq")), usd=p)
        for n, p in enumerate(prices)
    ]
    limits = Limits(usd=usd, time=None, attempts=100, max_usd_per_attempt=per_attempt)
    task = simple_task(agents=(PRICED,), limits=limits, patience=50)
    history = play(task, World(start=START, efforts=iter([*tries, Effort(verdict=GREEN, usd=0.0)])))
    last = history[-1][1]
    assert isinstance(last, RunFinished)
    return last.outcome, [v.move.reserve_usd for v in fold(task, history).attempts]


def test_the_first_reservation_is_a_third_of_the_budget_and_later_ones_the_dearest_attempt() -> None:
    _, reserved = spend([1.0, 4.0, 1.0], usd=12.0)
    assert reserved == [4.0, 4.0, 4.0, 4.0]


def test_the_next_attempt_is_refused_when_what_is_left_cannot_hold_the_dearest_so_far() -> None:
    result, reserved = spend([3.0, 3.0, 3.0], usd=8.0)
    assert (result.status, result.limit, result.usd) == (Status.OUT_OF_BUDGET, "usd", 6.0)
    assert len(reserved) == 2


def test_the_next_attempt_is_refused_when_what_is_left_cannot_hold_the_cap_per_attempt() -> None:
    result, reserved = spend([0.5, 0.5, 0.5], usd=2.0, per_attempt=1.5)
    assert (result.status, result.limit) == (Status.OUT_OF_BUDGET, "usd")
    assert reserved == [1.5, 1.5]


def test_an_attempt_that_overran_its_cap_is_still_verified_and_passes() -> None:
    task = simple_task(agents=(PRICED,), limits=Limits(usd=0.01, time=None, attempts=5))
    history = play(task, World(start=START, efforts=iter([Effort(verdict=GREEN, usd=99.0)])))
    last = history[-1][1]
    assert isinstance(last, RunFinished)
    assert (last.outcome.status, last.outcome.usd) == (Status.PASSED, 99.0)


def test_an_attempt_that_overran_and_failed_ends_out_of_budget() -> None:
    result, reserved = spend([99.0, 0.0], usd=0.01)
    assert (result.status, result.limit, result.usd) == (Status.OUT_OF_BUDGET, "usd", 99.0)
    assert len(reserved) == 1


def test_three_reservations_of_a_third_fit_into_the_budget() -> None:
    result, reserved = spend([math.nan, math.nan, math.nan, 0.0], usd=5.0)
    assert len(reserved) == 3
    assert result.status is Status.OUT_OF_BUDGET
    assert result.usd == pytest.approx(5.0)
