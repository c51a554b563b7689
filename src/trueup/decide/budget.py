"""May the next attempt or review begin, what is reserved for it, and what is it charged?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueup.decide.moves import AgentStatus, AskReview, Attempted, RunAttempt, TreeReviewed
from trueup.decide.state import AttemptView, State
from trueup.decide.task import AgentSpec

UNCHARGED = frozenset({AgentStatus.CREDENTIALS, AgentStatus.RATE_LIMITED, AgentStatus.OVERLOADED, AgentStatus.MISSING})
"""The work never began: nothing is charged unless the agent itself reports a cost."""
PROOF_FACTOR = 3.0
"""A proof runs the checks on a fresh checkout, once more with failing bodies, and in part on the start."""
LEAST_AGENT_SECONDS = 5.0
A_ROUNDING = 1e-6
"""Dollars; thirds of a budget do not add up exactly."""
MOST_USD = 1_000_000.0
"""No attempt costs more: a larger figure is no amount, and no sum of amounts may grow beyond all numbers."""
STOPPED_BY_US = frozenset({AgentStatus.INTERRUPTED, AgentStatus.CANCELLED})
CONFIRM_FACTOR = 1.0
FOCUS_FACTOR = 0.5
"""Long checks begin with what failed before, if that takes at most this part of them."""
LONG_SUITE = 300.0
"""Seconds; checks that take longer are verified under the conditions of a proof at once, and not run twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    limit: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    reserve_usd: float | None
    seconds: float


def charge(
    spec: AgentSpec, move: RunAttempt, record: Attempted, *, before: float = 0.0, paid: float = 0.0
) -> tuple[float | None, str]:
    """What an attempt costs, and why it is not what the agent says. Charged once, never given back.

    `before` is what the same session had cost already, for agents that report the session's total; `paid` was charged
    since for attempts of the session that told no total: this one's total holds them, too.
    """
    claim, problem = believable(record, before) if spec.reports_cost else (None, "")
    if claim is not None and record.total_usd is not None:
        claim = max(claim - paid, 0.0)
    if never_began(move, record):
        return claim or (0.0 if spec.reports_cost or spec.usd_per_attempt is not None else None), ""
    if spec.reports_cost:
        if claim is not None:
            return claim, ""
        return _unbelieved(move.reserve_usd, _least(record, before + paid), problem)
    if spec.usd_per_attempt is not None:
        return spec.usd_per_attempt, "the configured price of one attempt"
    return None, ""


def charge_review(spec: AgentSpec | None, move: AskReview, record: TreeReviewed) -> float | None:
    """What asking a reviewer costs. An answer without a believable bill costs what was reserved."""
    if spec is None or not record.began:
        return None
    if not spec.reports_cost:
        return spec.usd_per_attempt
    claim = record.claimed_usd
    if record.claim_problem or claim is None or not 0 <= claim <= MOST_USD or (claim == 0 and record.tokens):
        return _unbelieved(move.reserve_usd, record.least_usd, record.claim_problem)[0]
    return claim


def _unbelieved(reserved: float | None, least: float, problem: str) -> tuple[float | None, str]:
    """What was reserved; but an unknown cost is never cheaper than what was known of it."""
    if least > (reserved or 0.0):
        return least, f"{problem}: charged the most that it had reported"
    return reserved, f"{problem}: charged what was reserved" if reserved is not None else problem


def _least(record: Attempted, before: float) -> float:
    figures = (record.least_usd, (record.least_total_usd or 0.0) - before)
    return max((figure for figure in figures if 0 <= figure <= MOST_USD), default=0.0)


def never_began(move: RunAttempt, record: Attempted) -> bool:
    """Refused before any work was done. Changed files or a model's answer are work, even if it was refused later."""
    return not record.began or (record.agent in UNCHARGED and record.raw == move.origin and not record.worked)


def believable(record: Attempted, before: float = 0.0) -> tuple[float | None, str]:
    """A reported cost is a claim. Returns it, or None and what is wrong with it."""
    total = record.total_usd
    claim = record.claimed_usd if total is None else total - before
    if record.claim_problem:
        return None, record.claim_problem
    if claim is None:
        return None, "the agent reported no cost"
    if total is not None and 0 <= total < before - A_ROUNDING:
        return None, f"the reported cost of the session fell from ${before:.2f} to ${total:.2f}"
    if not -A_ROUNDING <= claim <= MOST_USD:  # no number lies between nan and another
        return None, f"the agent reported a cost of {claim if total is None else total}"
    if claim <= 0 and (record.tokens or 0) > 0:
        return None, "the agent reported no cost although it used tokens"
    return max(claim, 0.0), ""


def session_total(state: State, move: RunAttempt, record: Attempted) -> float:
    """What this attempt's session had cost before it, by the agent's own word; 0 for a session that is new."""
    return max(
        (
            v.record.total_usd
            for v in state.attempts
            if v.record.total_usd is not None
            and 0 <= v.record.total_usd <= MOST_USD
            and v.move.agent == move.agent
            and v.record.session == record.session
        ),
        default=0.0,
    )


def session_paid(state: State, move: RunAttempt, record: Attempted) -> float:
    """What was charged for attempts of this very session after it last told its total; without a name there is none."""
    paid = 0.0
    for view in state.attempts:
        if view.move.agent != move.agent or view.record.session != record.session:
            continue
        paid = paid + (view.charged_usd or 0.0) if view.record.total_usd is None else 0.0
    return 0.0 if move.fresh_session or record.total_usd is None or not record.session else paid


def verification_seconds(state: State) -> float:
    """What verifying, confirming and proving one attempt is expected to take, from the baseline."""
    focus = FOCUS_FACTOR if state.baseline_seconds >= state.task.focus_above else 0.0
    return state.baseline_seconds * (focus + 1.0 + CONFIRM_FACTOR + PROOF_FACTOR)


def is_long(state: State) -> bool:
    return state.baseline_seconds > LONG_SUITE


def least_seconds(state: State) -> float:
    """What one attempt needs at the very least."""
    return LEAST_AGENT_SECONDS + verification_seconds(state)


def grant(state: State, agent: AgentSpec) -> Grant | Refusal:
    """Reserve money and time for one attempt with its verification and proof, or say which limit forbids it."""
    if counted_attempts(state) >= state.limits.attempts:
        return Refusal(limit="attempts", detail=f"the limit of {state.limits.attempts} attempts is reached")
    money = _money(state, agent)
    return money if isinstance(money, Refusal) else _time(state, money)


def counted_attempts(state: State) -> int:
    """Refused credentials, rate limits and outages consume no attempt, nor does what trueup itself cut short."""
    return sum(not _is_free(view) for view in state.attempts)


def _is_free(view: AttemptView) -> bool:
    """What is cut short again and again is a strike, and counts."""
    strike = view.judgement is not None and view.judgement.strike
    return never_began(view.move, view.record) or (view.record.agent in STOPPED_BY_US and not strike)


def _money(state: State, agent: AgentSpec) -> float | Refusal | None:
    """min(what is left, max(the dearest so far, the cap or price of one attempt)); by default a third of the budget."""
    cap = state.limits.usd
    if cap is None:
        return None
    left = cap - state.spent_usd
    dearest = max((v.charged_usd or 0.0 for v in state.attempts), default=0.0)
    known = [usd for usd in (state.limits.max_usd_per_attempt, _price(agent)) if usd is not None]
    needed = max(dearest, *known, 0.0)
    if left <= 0 or left + A_ROUNDING < needed:
        return Refusal(
            limit="usd", detail=f"${max(left, 0):.2f} of ${cap:.2f} is left, the next attempt may need ${needed:.2f}"
        )
    return min(left, needed if known else max(dearest, cap / 3))


def grant_review(state: State, reviewer: AgentSpec | None) -> Grant | Refusal:
    """Reserve money and time for one review, or say which limit forbids it. A person costs neither."""
    if reviewer is None:
        return Grant(reserve_usd=None, seconds=0.0)
    money = _review_money(state, reviewer)
    if isinstance(money, Refusal):
        return money
    cap = state.limits.time
    left = math.inf if cap is None else cap - state.active_seconds
    if left < LEAST_AGENT_SECONDS:
        return Refusal(limit="time", detail="proven, but no time is left for the review")
    return Grant(reserve_usd=money, seconds=min(state.task.agent_timeout, left))


def _review_money(state: State, reviewer: AgentSpec) -> float | Refusal | None:
    cap = state.limits.usd
    if cap is None:
        return None
    left = cap - state.spent_usd
    known = [usd for usd in (state.limits.max_usd_per_attempt, _price(reviewer)) if usd is not None]
    needed = max(state.dearest_review, *known, 0.0)
    if left <= 0 or left + A_ROUNDING < needed:
        return Refusal(
            limit="usd",
            detail=f"proven, but ${max(left, 0):.2f} of ${cap:.2f} is left, the review may need ${needed:.2f}",
        )
    return min(left, needed if known else max(state.dearest_review, cap / 3))


def _price(agent: AgentSpec) -> float | None:
    return None if agent.reports_cost else agent.usd_per_attempt


def _time(state: State, money: float | None) -> Grant | Refusal:
    cap = state.limits.time
    if cap is None:
        return Grant(reserve_usd=money, seconds=state.task.agent_timeout)
    left = cap - state.active_seconds - verification_seconds(state)
    if left < LEAST_AGENT_SECONDS:
        rest = max(cap - state.active_seconds, 0)
        detail = f"{rest:.0f} s of {cap:.0f} s are left, an attempt with its checks needs {least_seconds(state):.0f} s"
        return Refusal(limit="time", detail=detail)
    return Grant(reserve_usd=money, seconds=min(state.task.agent_timeout, left))
