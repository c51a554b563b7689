"""How does the next attempt differ from those that led nowhere, and when is it enough?

normal → rethink → minimal → fresh → stop. One episode is the attempts since the last new best; each strike goes one
step along (`patience` strikes a step), progress goes back to the first.
"""

from __future__ import annotations

from dataclasses import dataclass

from trueup.decide.moves import AgentStatus, Rung
from trueup.decide.state import AttemptView, Class, State

MOST_CYCLES = 2
IN_A_ROW = 2
MINIMAL_FILES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    rung: Rung
    nudge: bool
    agent: int
    fresh_session: bool
    max_files: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    reason: str
    detail: str


def end(state: State) -> End | None:
    """Why the ladder ends here; None while another attempt makes sense."""
    if state.cycles >= MOST_CYCLES:
        return End(reason="cycle", detail="the attempts go round in a circle")
    if state.strikes >= len(Rung) * state.task.patience:
        return End(reason="ladder", detail=f"{state.strikes} attempts in a row got no further")
    if _idle(state) and not _another_agent(state):
        return _idle_end(state)
    return None


def climb(state: State) -> Step:
    rung = Rung.FRESH if _idle(state) and _another_agent(state) else state.rung
    fresh = rung is Rung.FRESH
    return Step(
        rung=rung,
        nudge=rung is not Rung.NORMAL and not _tried(state, rung),
        agent=_agent(state, rung),
        fresh_session=fresh or not _made(state.episode_attempts),
        max_files=_file_budget(state, rung),
    )


def _made(attempts: tuple[AttemptView, ...]) -> tuple[AttemptView, ...]:
    """Without those that were refused or cut short, which are made again in the same way as if they had not been; and
    without what rules made."""
    asked = (v for v in attempts if not v.by_rules)
    return tuple(v for v in asked if v.judgement is None or v.judgement.kind is not Class.INTERRUPTED)


def _tried(state: State, rung: Rung) -> bool:
    return any(v.move.rung is rung for v in _made(state.episode_attempts))


def _latest_agent(state: State) -> int:
    made = _made(state.attempts)
    return made[-1].move.agent if made else 0


def _agent(state: State, rung: Rung) -> int:
    """The `fresh` rung moves down the list of agents; the last one stays."""
    latest = _latest_agent(state)
    if rung is not Rung.FRESH or _tried(state, rung):
        return latest
    return min(latest + 1, len(state.task.agents) - 1)


def _another_agent(state: State) -> bool:
    return _latest_agent(state) + 1 < len(state.task.agents) and not _tried(state, Rung.FRESH)


def _file_budget(state: State, rung: Rung) -> int | None:
    limits = [n for n in (state.task.max_changed_files, MINIMAL_FILES if rung is Rung.MINIMAL else None) if n]
    return min(limits, default=None)


def _idle(state: State) -> bool:
    """Two attempts in a row that changed nothing, or that ran out of time; or one that has nothing more to try."""
    latest = _made(state.episode_attempts)[-IN_A_ROW:]
    if latest and _exhausted(latest[-1]):
        return True
    return len(latest) == IN_A_ROW and (all(map(_changed_nothing, latest)) or all(map(_timed_out, latest)))


def _changed_nothing(view: AttemptView) -> bool:
    return view.judgement is not None and view.judgement.kind is Class.NO_OP


def _timed_out(view: AttemptView) -> bool:
    return view.record.agent is AgentStatus.TIMEOUT


def _exhausted(view: AttemptView) -> bool:
    return view.record.agent is AgentStatus.EXHAUSTED and _changed_nothing(view)


def _idle_end(state: State) -> End:
    latest = _made(state.episode_attempts)[-1]
    if _exhausted(latest):
        return End(reason="exhausted", detail=latest.record.detail or "the agent has nothing more to try")
    if all(map(_changed_nothing, _made(state.episode_attempts)[-IN_A_ROW:])):
        return End(reason="no_change", detail="two attempts in a row changed nothing")
    return End(reason="agent_timeout", detail="two attempts in a row ran out of time")
