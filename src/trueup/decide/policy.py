"""What is the next move? `decide(task, history)` reads recorded facts and nothing else."""

from __future__ import annotations

from trueup.decide import completion, ladder
from trueup.decide.budget import Refusal, grant, least_seconds
from trueup.decide.completion import ProofVerdict, outcome
from trueup.decide.fold import fold
from trueup.decide.judge import target_keys
from trueup.decide.moves import (
    AgentStatus,
    FinishRun,
    History,
    Move,
    RestoreTree,
    RunAttempt,
    TakeBaseline,
    TryRemedies,
)
from trueup.decide.needs import Need, assess, proof_verdict
from trueup.decide.outcome import Status
from trueup.decide.patience import back_off
from trueup.decide.review import repeated
from trueup.decide.state import AttemptView, Class, State
from trueup.decide.task import GoalKind, OnGreen, Task, stages
from trueup.errors import invariant
from trueup.evidence.report import CheckStatus, Report


def decide(task: Task, history: History) -> Move:
    return next_move(fold(task, history))


def next_move(state: State) -> Move:
    """The first question that has an answer."""
    return (
        _already_over(state)
        or _begin(state)
        or _open_attempt(state)
        or _end_of_attempt(state)
        or _end_of_ladder(state)
        or _next_attempt(state)
    )


def _finish(state: State, status: Status, reason: str, detail: str = "", *, limit: str = "") -> FinishRun:
    return FinishRun(outcome=outcome(state, status, reason, detail, limit=limit))


def _already_over(state: State) -> Move | None:
    invariant(state.finished is None, "the run has ended; resume it first")
    if state.cancelled:
        return _finish(state, Status.CANCELLED, "cancelled", "stopped on request")
    if state.problem:
        return _finish(state, Status.UNVERIFIABLE, "problem", state.problem)
    return None


# --- the start ------------------------------------------------------------------------------------------------


def _begin(state: State) -> Move | None:
    if state.baseline is None or state.baseline.report is None:
        return TakeBaseline()
    if state.attempts:
        return None
    problem = baseline_problem(state.task, state.baseline.report)
    if problem:
        return _finish(state, Status.UNVERIFIABLE, "baseline", problem)
    return _unknown_target(state) or _nothing_to_do(state) or _too_little_time(state) or _rules_first(state)


def baseline_problem(task: Task, report: Report) -> str:
    """Why nothing can be measured against this baseline; "" if it can. A red baseline is a legal start."""
    if report.void:
        return report.void
    depth = stages(task.checks)
    first_red = min((depth[r.check] for r in report.results if r.status is CheckStatus.FAILED), default=len(depth))
    unusable = [
        r
        for r in report.results
        if r.status in {CheckStatus.ERROR, CheckStatus.TIMEOUT} and depth[r.check] <= first_red
    ]
    return "; ".join(f"{r.check}: {r.reason}" for r in unusable)


def _unknown_target(state: State) -> Move | None:
    start, goal = state.start_snapshot, state.task.goal
    if start is None or goal.kind is not GoalKind.TARGETS or state.task.edit_tests:
        return None
    missing = sorted(k[2:] for k in target_keys(goal, start) if k.startswith("? "))
    if not missing or start.blockers:
        return None
    return _finish(state, Status.USAGE, "target", f"no check collects {', '.join(missing)}")


def _nothing_to_do(state: State) -> Move | None:
    required = state.start_judgement.required if state.start_judgement else {}
    if required or state.task.on_green is OnGreen.WORK or state.task.reviewer is not None:
        return None
    return _finish(
        state, Status.NOTHING_TO_DO, "goal_holds", "the goal holds at the start; the checks cannot show the task"
    )


def _too_little_time(state: State) -> Move | None:
    limit = state.limits.time
    if limit is None or limit >= least_seconds(state):
        return None
    needed = f"agent, checks and proof need {least_seconds(state):.0f} s"
    detail = f"the time limit of {limit:.0f} s cannot hold one attempt: {needed}"
    return _finish(state, Status.USAGE, "max_time", detail)


def _rules_first(state: State) -> Move | None:
    """No model call for what a rule can fix."""
    required = state.start_judgement.required if state.start_judgement else {}
    if not state.task.fix_first or state.rules is not None or not required:
        return None
    return TryRemedies(tree=state.start, attempt=0)


# --- the open attempt -----------------------------------------------------------------------------------------


def _open_attempt(state: State) -> Move | None:
    view = state.current
    if view is None:
        return None
    verdict = assess(state, view)
    invariant(isinstance(verdict, Need), "an attempt with all its evidence was not settled")
    return verdict.move if isinstance(verdict, Need) else None


def _end_of_attempt(state: State) -> Move | None:
    """What the latest attempt alone decides: passed, blocked, unverifiable, a deadline."""
    rejected = _rejected(state)
    if rejected or not state.attempts or len(state.attempts) == state.episode:
        return rejected or _passed(state)
    view = state.attempts[-1]
    return _agent_refused(state, view) or _invalid(state, view)


def _passed(state: State) -> Move | None:
    return FinishRun(outcome=completion.passed(state)) if state.proof is not None else None


def _rejected(state: State) -> Move | None:
    """A demand that is made again although the files changed, or too many rejections: a person has to decide."""
    latest = state.attempts[-1].judgement if state.attempts else None
    said = state.verdicts[state.heard :]  # what was said before this sitting began is the agent's to answer
    if latest is None or latest.kind is not Class.REJECTED or not said:
        return None
    same = repeated(said[:-1], said[-1])
    if same is not None:
        detail = f"the review repeats what it demanded in round {same.round}, although the files changed since"
        return _finish(state, Status.BLOCKED, "review_cycle", detail)
    if len(said) >= state.task.review_rounds:
        return _finish(state, Status.BLOCKED, "review_rounds", f"the review turned down {len(said)} results")
    return None


def _agent_refused(state: State, view: AttemptView) -> Move | None:
    detail = view.record.detail
    match view.record.agent:
        case AgentStatus.CREDENTIALS if _began_nothing(view):
            return _finish(state, Status.BLOCKED, "credentials", detail or "the agent's credentials were refused")
        case AgentStatus.MISSING:
            return _finish(state, Status.BLOCKED, "agent_missing", detail or "the agent could not be started")
        case AgentStatus.RATE_LIMITED | AgentStatus.OVERLOADED if _began_nothing(view):
            # To be refused once more takes as long as it took this time; cut short before, nobody would know why.
            needed = max(least_seconds(state), view.record.duration)
            return None if state.waited else back_off(state, view.record.agent, detail, then_needed=needed)
        case AgentStatus.DEADLINE:
            return _finish(state, Status.OUT_OF_BUDGET, "until", "the deadline was reached", limit="time")
        case _:
            return None


def _began_nothing(view: AttemptView) -> bool:
    return view.record.candidate == view.move.origin


def _invalid(state: State, view: AttemptView) -> Move | None:
    judgement = view.judgement
    if judgement is None or judgement.kind is not Class.INVALID or view.by_rules:
        return None  # what rules made is let go, and an agent begins with the start
    match proof_verdict(state, view):
        case ProofVerdict.SUSPICIOUS as verdict:
            return _finish(state, Status.BLOCKED, "suspicious", verdict.value)
        case ProofVerdict.SURVIVED as verdict:
            return _finish(state, Status.BLOCKED, "runner_tampered", verdict.value)
        case _:
            return _finish(state, Status.UNVERIFIABLE, "invalid", judgement.detail)


# --- the next attempt -----------------------------------------------------------------------------------------


def _end_of_ladder(state: State) -> Move | None:
    end = ladder.end(state)
    return _finish(state, Status.STUCK, end.reason, end.detail) if end else None


def _next_attempt(state: State) -> Move:
    step = ladder.climb(state)
    budget = grant(state, state.task.agents[step.agent])
    if isinstance(budget, Refusal):
        return _finish(state, Status.OUT_OF_BUDGET, budget.limit, budget.detail, limit=budget.limit)
    if state.workspace != state.tip:
        return RestoreTree(tree=state.tip)
    return RunAttempt(
        number=len(state.attempts) + 1,
        rung=step.rung,
        nudge=step.nudge,
        agent=step.agent,
        fresh_session=step.fresh_session,
        origin=state.tip,
        reserve_usd=budget.reserve_usd,
        seconds=budget.seconds,
        max_files=step.max_files,
    )
