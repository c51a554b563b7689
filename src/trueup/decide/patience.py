"""How long is a provider waited for that refuses for now, and when is it enough?"""

from __future__ import annotations

from trueup.decide.completion import outcome
from trueup.decide.moves import AgentStatus, FinishRun, Move, Wait
from trueup.decide.outcome import Status
from trueup.decide.state import State

BACK_OFFS = (15.0, 60.0, 180.0, 300.0)
"""Seconds to wait after a rate limit or an outage; then a person is needed."""
FOR_NOW = frozenset({AgentStatus.RATE_LIMITED, AgentStatus.OVERLOADED})
"""Refusals that pass by themselves."""


def back_off(state: State, why: AgentStatus, detail: str, *, then_needed: float) -> Move:
    """Wait, or end the run: too many refusals in a row, or no time for what comes after (`then_needed` seconds)."""
    if state.waits > len(BACK_OFFS):
        return _blocked(state, why, detail or "the provider keeps refusing")
    seconds = BACK_OFFS[max(state.waits - 1, 0)]
    if state.limits.time is not None and state.active_seconds + seconds + then_needed > state.limits.time:
        return _blocked(state, why, "no time is left to wait for the provider")
    return Wait(seconds=seconds, why=why)


def _blocked(state: State, why: AgentStatus, detail: str) -> Move:
    return FinishRun(outcome=outcome(state, Status.BLOCKED, str(why), detail))
