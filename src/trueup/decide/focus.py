"""Is it worth running the whole checks, or do the failures of before, run alone, already show that nothing moved?

Only one thing can be concluded from the failures alone: all of them fail as they did, so the attempt is stuck. In every
other case the whole checks are run. A run never ends on such a verdict: the last attempt is always checked wholly.
"""

from __future__ import annotations

from trueup.decide.budget import FOCUS_FACTOR, Refusal, grant
from trueup.decide.moves import AgentStatus, Rung
from trueup.decide.snapshot import Lens, observe, take
from trueup.decide.standing import standing
from trueup.decide.state import AttemptView, Class, Judgement, State
from trueup.decide.task import prerequisites
from trueup.evidence.failure import Key, check_of
from trueup.evidence.report import CheckResult, Observation, Seen


def keys_to_run(state: State, view: AttemptView) -> tuple[Key, ...]:
    """What failed where the attempt began, if running just that can save time; () = run the whole checks."""
    if view.focus is not None or view.verdict_void or _is_last(state, view) or _was_focused(state, view):
        return ()
    failing = tuple(sorted(standing(state, view.move.origin).required))
    if not failing or not all(_can_run_alone(state, key) for key in failing) or _flipped(state, failing):
        return ()
    return failing if _is_all_that_fails(state, view, failing) and _saves_time(state, failing) else ()


def _is_last(state: State, view: AttemptView) -> bool:
    """The run may end with it, by the ladder, the agent's time or a limit: then it has to be known wholly."""
    ladder = state.strikes + 1 >= len(Rung) * state.task.patience
    refused = isinstance(grant(state, state.task.agents[view.move.agent]), Refusal)
    return ladder or refused or view.record.agent is AgentStatus.TIMEOUT


def _was_focused(state: State, view: AttemptView) -> bool:
    """The agent insists on these files: now they are checked wholly."""
    return any(v.focus and v.record.candidate == view.record.candidate for v in state.attempts[:-1])


def _flipped(state: State, keys: tuple[Key, ...]) -> bool:
    return bool(state.flaky.intersection(keys))


def _can_run_alone(state: State, key: Key) -> bool:
    """A test of a tool that can select, or a complaint of a check that is quick as a whole."""
    result = _at_start(state, check_of(key))
    if result is None:
        return False
    return (result.selects and key in state.universe) or result.duration < state.task.focus_above


def _is_all_that_fails(state: State, view: AttemptView, keys: tuple[Key, ...]) -> bool:
    """A failure that the goal tolerates may be gone, too, and let others run: only the whole checks can see that."""
    known = (state.start_snapshot, state.best_snapshot, *(v.snapshot for v in state.attempts))
    about = [s for s in known if s is not None and s.tree in {view.move.origin, state.best}]
    return all(s.failing.keys() <= set(keys) for s in about)


def _saves_time(state: State, keys: tuple[Key, ...]) -> bool:
    """A long check is spared for the most part, and what has to run for that takes less than half of the whole."""
    whole = [r for c in state.task.checks if (r := _at_start(state, c.name))]
    cost = {r.check: _share(r, keys, state) * r.duration for r in whole}
    spared = any(r.duration >= state.task.focus_above and cost[r.check] < r.duration for r in whole)
    return spared and sum(cost.values()) <= FOCUS_FACTOR * sum(r.duration for r in whole)


def _share(result: CheckResult, keys: tuple[Key, ...], state: State) -> float:
    """How much of a check has to run for these keys: all of it where others need what it builds."""
    wanted = [key for key in keys if check_of(key) == result.check]
    checks = {check_of(key) for key in keys}
    if result.check in prerequisites(state.task.checks, checks) - checks or (wanted and not result.selects):
        return 1.0
    return len(wanted) / max(len(result.inventory or ()), 1)


def _at_start(state: State, check: str) -> CheckResult | None:
    report = state.baseline.report if state.baseline else None
    return report.result(check) if report else None


def observations(state: State, view: AttemptView) -> tuple[Observation, ...]:
    """What the failures of before do now. That one was not run says nothing: a tool may refuse to run it alone."""
    assert view.focus is not None
    look = observe(view.focus, state.universe)
    seen = {key: look(key) for key in sorted(standing(state, view.move.origin).required)}
    return tuple(Observation(key=k, seen=s) for k, s in seen.items() if s in {Seen.PASSED, Seen.FAILED})


def verdict(state: State, view: AttemptView) -> Judgement | None:
    """`stuck`, if all of them fail with the fingerprints that they had; None = the whole checks have to tell."""
    if view.focus is None or view.focus.void:
        return None
    before = standing(state, view.move.origin)
    lens = Lens(looks={}, universe=state.universe, may_vanish=True)
    now = take(view.focus, state.task, lens).prints
    if any(now.get(key) != before.prints.get(key) for key in before.required):
        return None
    best = standing(state, state.best).required
    return Judgement(
        kind=Class.STUCK, required=before.required, prints=before.prints, before=sum(best.values()), strike=True
    )
