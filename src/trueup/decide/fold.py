"""What follows from the journal so far? `fold(task, history)` replays the facts; nothing else holds state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from trueup.decide import focus, needs
from trueup.decide.budget import STOPPED_BY_US, charge, charge_review, session_paid, session_total
from trueup.decide.completion import ProofVerdict
from trueup.decide.flakes import looks_of, sticky
from trueup.decide.judge import FREE_MOVES, required, target_keys
from trueup.decide.moves import (
    AgentStatus,
    AskReview,
    Attempted,
    BaselineTaken,
    CancelRequested,
    ControlRun,
    History,
    KeysConfirmed,
    Move,
    MoveFailed,
    PersonDecided,
    Record,
    RemediesTried,
    ReviewStatus,
    RunAttempt,
    RunFinished,
    Rung,
    RunResumed,
    TreeFocused,
    TreeProved,
    TreeRestored,
    TreeReviewed,
    TreeVerified,
    TryRemedies,
    Waited,
)
from trueup.decide.patience import FOR_NOW
from trueup.decide.review import ReviewVerdict
from trueup.decide.snapshot import Lens, take
from trueup.decide.standing import standing
from trueup.decide.state import AttemptView, Class, Judgement, Snapshot, State
from trueup.decide.task import GoalKind, Limits, Task
from trueup.errors import invariant
from trueup.evidence.failure import Key, Phase, check_of, make_key, subject_of
from trueup.evidence.report import Observation, Report

KEEPS_THE_TIP = frozenset({Class.MOVED, Class.STUCK})
NO_REVIEW = frozenset({ReviewStatus.TAMPERED, ReviewStatus.NO_ANSWER, ReviewStatus.FAILED})
"""The reviewer was at fault."""
STOPPED = frozenset({ReviewStatus.INTERRUPTED, ReviewStatus.CANCELLED})
"""By us: it says nothing about the provider."""
FROM_THE_TIP = frozenset({Rung.NORMAL, Rung.RETHINK})
"""Later steps start from the best."""


def fold(task: Task, history: History) -> State:
    state = State(task=task, limits=task.limits)
    for move, record in history:
        state = step(state, move, record)
    return state


def step(state: State, move: Move | None, record: Record) -> State:
    """One fact further."""
    return settle(_spend_time(_take_in(state, move, record), record))


def _take_in(state: State, move: Move | None, record: Record) -> State:  # noqa: C901, PLR0912 - one case per fact
    match record:
        case BaselineTaken():
            return _baseline(state, record)
        case RemediesTried():
            invariant(isinstance(move, TryRemedies), "remedies without their move")
            return _remedied(state, record, at_start=isinstance(move, TryRemedies) and move.attempt == 0)
        case Attempted():
            invariant(isinstance(move, RunAttempt), "an attempt without its move")
            return _attempt(state, move, record) if isinstance(move, RunAttempt) else state
        case TreeFocused():
            return _focused(state, record.report)
        case TreeVerified():
            return _verified(state, record.report)
        case ControlRun():
            return _controlled(state, record.report)
        case KeysConfirmed():
            state = _look(state, record.tree, record.observations)
            return replace(state, problem=record.problem) if record.problem else state
        case TreeProved():
            return _proved(state, record)
        case TreeReviewed():
            invariant(isinstance(move, AskReview), "a review without its question")
            return _reviewed(state, move, record) if isinstance(move, AskReview) else state
        case PersonDecided():
            return _answered(state, record.verdict)
        case TreeRestored():
            return replace(state, workspace=record.tree)
        case Waited():
            return replace(state, waited=True)
        case MoveFailed():
            return replace(state, problem=record.problem)
        case RunFinished():
            return replace(state, finished=record, flips_told=state.flips)
        case RunResumed():
            return _resumed(state, record)
        case CancelRequested():
            return replace(state, cancelled=True)
    assert_never(record)


def _spend_time(state: State, record: Record) -> State:
    """`--max-time` counts active time: everything but the baseline."""
    if isinstance(record, BaselineTaken):
        return state
    return replace(state, active_seconds=state.active_seconds + record.duration)


# --- one fact each --------------------------------------------------------------------------------------------


def _baseline(state: State, record: BaselineTaken) -> State:
    state = replace(state, baseline=record, start=record.tree, best=record.tree, tip=record.tree)
    state = replace(state, workspace=record.tree)
    if record.report is None:
        return replace(state, problem=record.problem)
    state = replace(state, baseline_seconds=record.report.duration, universe=_collected(record.report))
    state = _stand_on(state, take(record.report, state.task, Lens(looks={}, may_vanish=True)))
    state = _look_at_report(state, record.report)
    state = _look(state, record.tree, record.observations)
    return _tolerate_what_is_sure(state, record.report)


def _stand_on(state: State, start: Snapshot) -> State:
    wanted = required(state.task.goal, start, start)
    prints = {k: start.prints.get(k, ()) for k in wanted}
    judgement = Judgement(kind=Class.PROGRESS, required=wanted, prints=prints)
    return replace(state, start_snapshot=start, best_snapshot=start, start_judgement=judgement)


def _tolerate_what_is_sure(state: State, report: Report) -> State:
    """Goals that tolerate the start's failures: one that passed at the second look is flaky, and may not be broken."""
    goal = state.task.goal
    named = target_keys(goal, state.start_snapshot) if state.start_snapshot else frozenset[Key]()
    unsure = state.quarantined - named
    if goal.kind is GoalKind.GREEN or not unsure:
        return state
    lens = Lens(looks=state.looks[state.start], excused=unsure, may_vanish=True)
    return _stand_on(state, take(report, state.task, lens))


def _collected(report: Report) -> frozenset[Key]:
    return frozenset(make_key(r.check, i) for r in report.results for i in r.inventory or ())


def _remedied(state: State, record: RemediesTried, *, at_start: bool) -> State:
    """What rules made of the start is an attempt that nobody is paid for; of what an agent left, the candidate."""
    if at_start:
        state = replace(state, rules=record)
        return state if record.result == record.tree else _by_rules(state, record)
    view = state.attempts[-1]
    invariant(view.record.candidate == record.tree, "remedies for other files")
    changed = view.record.changed if record.result == record.tree else record.changed
    return _change_current(
        state, remedied=record, record=replace(view.record, candidate=record.result, changed=changed)
    )


def _by_rules(state: State, record: RemediesTried) -> State:
    number = len(state.attempts) + 1
    move = RunAttempt(
        number=number,
        rung=Rung.NORMAL,
        nudge=False,
        agent=0,
        fresh_session=False,
        origin=record.tree,
        reserve_usd=None,
        seconds=0.0,
        max_files=None,
    )
    done = Attempted(
        number=number,
        agent=AgentStatus.RULES,
        began=False,
        raw=record.result,
        candidate=record.result,
        changed=record.changed,
        learned=tuple(fix.why for fix in record.kept),
        duration=record.duration,
    )
    return replace(state, attempts=(*state.attempts, AttemptView(move=move, record=done, remedied=record)))


def _attempt(state: State, move: RunAttempt, record: Attempted) -> State:
    before, paid = session_total(state, move, record), session_paid(state, move, record)
    usd, note = charge(state.task.agents[move.agent], move, record, before=before, paid=paid)
    view = AttemptView(move=move, record=record, charged_usd=usd, charge_note=note)
    refused = record.agent in {AgentStatus.RATE_LIMITED, AgentStatus.OVERLOADED}
    cut_short = record.agent in STOPPED_BY_US  # says nothing about the provider
    return replace(
        state,
        attempts=(*state.attempts, view),
        workspace=record.raw,
        spent_usd=state.spent_usd + (usd or 0.0),
        cost_known=state.cost_known or usd is not None,
        waits=state.waits + refused if refused or cut_short else 0,
        waited=False,
        cancelled=state.cancelled or record.agent is AgentStatus.CANCELLED,
        problem=record.problem,
    )


def _focused(state: State, report: Report) -> State:
    """A look at what failed before. A key that gives the whole checks another answer is known to flip."""
    invariant(report.tree == state.attempts[-1].record.candidate, "a report about other files")
    state = _change_current(state, focus=report)
    return state if report.void else _look(state, report.tree, focus.observations(state, state.attempts[-1]))


def _verified(state: State, report: Report) -> State:
    invariant(report.tree == state.attempts[-1].record.candidate, "a report about other files")
    if report.void:
        return _no_verdict(state, report.void)
    joined = frozenset(k for k in _collected(report) if _was_hidden(state, k))
    state = replace(_change_current(state, report=report, control=None), universe=state.universe | joined)
    return _look_at_report(state, report)


def _controlled(state: State, control: Report) -> State:
    """Neither here nor on the best tree: the verification counts for nothing and is tried once more."""
    invariant(control.tree == state.best, "a control of other files")
    view = state.attempts[-1]
    shared = needs.shared_defects(state, view, control)
    if not shared:
        return _change_current(state, control=control)
    reasons = [f"{r.check}: {r.reason}" for r in control.results if r.check in shared and r.reason]
    return _no_verdict(state, "; ".join(reasons) or f"{', '.join(sorted(shared))} cannot run on the best state either")


def _no_verdict(state: State, detail: str) -> State:
    void = state.attempts[-1].verdict_void + 1
    return _change_current(state, verdict_void=void, void_detail=detail, report=None, control=None)


def _was_hidden(state: State, key: Key) -> bool:
    """Ids that a broken start hid belong to the universe as soon as they are collected."""
    result = state.baseline.report.result(check_of(key)) if state.baseline and state.baseline.report else None
    if result is None or not result.ran:
        return True
    hiding = [f for f in result.failures if f.hides_others]
    return any(f.phase is Phase.BUILD or subject_of(key).startswith(f.subject) for f in hiding)


def _proved(state: State, record: TreeProved) -> State:
    view = state.attempts[-1]
    invariant(view.record.candidate == record.tree, "a proof of another tree")
    state = _change_current(state, proof=record, proofs=view.proofs + 1)
    known = needs.proof_report(state, view) is not None  # looked at when it was the verification
    state = state if record.report.void or known else _look_at_report(state, record.report)
    state = _look(state, state.start, record.start)
    green = needs.meets_the_goal(state, state.attempts[-1], record.report)
    return _change_current(state, proof_green=green)


def _reviewed(state: State, move: AskReview, record: TreeReviewed) -> State:
    view = state.attempts[-1]
    invariant(view.record.candidate == record.tree, "a review of other files")
    reviewer = state.task.reviewer
    usd = charge_review(reviewer.agent if reviewer else None, move, record)
    refused = record.agent in FOR_NOW
    state = replace(
        state,
        spent_usd=state.spent_usd + (usd or 0.0),
        cost_known=state.cost_known or usd is not None,
        dearest_review=max(state.dearest_review, usd or 0.0),
        cancelled=state.cancelled or record.status is ReviewStatus.CANCELLED,
        verdicts=(*state.verdicts, *([record.verdict] if record.verdict else [])),
        waits=state.waits + refused if refused or record.status in STOPPED else 0,
        waited=False,
        problem=record.problem,
    )
    cut = view.cut_short + 1 if record.status is ReviewStatus.INTERRUPTED else 0
    # Whoever takes trueup along each time is at fault as well.
    failed = (record.status in NO_REVIEW and not refused) or cut > needs.MOST_INTERRUPTED
    return _change_current(state, review=record, asked=view.asked + 1, reviews=view.reviews + failed, cut_short=cut)


def _answered(state: State, verdict: ReviewVerdict) -> State:
    """A person's word, whatever a reviewer or a suspicion said. The checks' word stays."""
    view = needs.undecided(state)
    invariant(view is not None and view.record.candidate == verdict.tree, "a verdict on other files")
    assert view is not None
    invariant(not verdict.approved or not needs.against_approval(state, view), "an approval against the checks")
    released = state.released | ({verdict.tree} if verdict.approved else frozenset())
    state = replace(state, verdicts=(*state.verdicts, verdict), released=released)
    answer = TreeReviewed(tree=verdict.tree, status=ReviewStatus.ANSWERED, verdict=verdict, began=False)
    view = replace(view, review=answer)
    if view.number != state.attempts[-1].number:
        return _answered_late(state, view, verdict)
    state = replace(state, attempts=(*state.attempts[:-1], replace(view, judgement=None)))
    if verdict.approved or needs.proof_verdict(state, view) is ProofVerdict.HOLDS:
        return state  # settled like any other
    return _close(state, Judgement(kind=Class.REJECTED, strike=True, detail=verdict.feedback))


def _answered_late(state: State, view: AttemptView, verdict: ReviewVerdict) -> State:
    """About the kept state, when other attempts came after it and were undone. Its proof is about just these files."""
    state = replace(state, attempts=tuple(view if v.number == view.number else v for v in state.attempts))
    return replace(state, proof=view.proof) if verdict.approved else state


def _resumed(state: State, record: RunResumed) -> State:
    limits = Limits(
        usd=record.usd,
        time=record.time,
        attempts=record.attempts,
        max_usd_per_attempt=state.limits.max_usd_per_attempt,
    )
    # What ended a sitting is tried again; a kill mends nothing.
    problem = "" if state.finished or record.after_end else state.problem
    state = replace(state, limits=limits, cancelled=False, finished=None, workspace="", problem=problem)
    if not record.after_end:
        return state  # as if nothing had happened
    state = replace(state, waits=0)
    state = replace(state, heard=len(state.verdicts))
    if state.current is not None:  # paid for already: its evidence is gathered now
        answered = state.current.review and state.current.review.verdict
        return state if answered else _change_current(state, review=None, reviews=0)
    return _new_episode(replace(state, tip=state.best))


def _look_at_report(state: State, report: Report) -> State:
    tests = state.universe
    seen = looks_of(report, sticky(state), tests)
    return _look(state, report.tree, tuple(Observation(key=k, seen=s) for k, s in seen.items()))


def _look(state: State, tree: str, observations: Iterable[Observation]) -> State:
    here = dict(state.looks.get(tree, {}))
    for o in observations:
        here[o.key] = (*here.get(o.key, ()), o.seen)
    return replace(state, looks={**state.looks, tree: here})


def _change_current(state: State, **changes: object) -> State:
    invariant(state.current is not None, "no attempt is open")
    view = replace(state.attempts[-1], **changes)  # type: ignore[arg-type]
    return replace(state, attempts=(*state.attempts[:-1], view))


# --- settling an attempt --------------------------------------------------------------------------------------


def settle(state: State) -> State:
    """Judge the open attempt as soon as its evidence is complete."""
    view = state.current
    if view is None or state.start_snapshot is None:
        return state
    verdict = needs.assess(state, view)
    if isinstance(verdict, needs.Need):
        state = _change_current(state, leaning=verdict.leaning)
        return _promote(state, verdict.proven) if verdict.proven else state
    state = _change_current(state, snapshot=verdict.snapshot)
    return _close(state, verdict.judgement)


def _promote(state: State, now: Snapshot) -> State:
    """Proven, and only a review is open: whatever it says, no tree so far is better."""
    view = state.attempts[-1]
    if state.best == view.record.candidate:
        return state
    further = bool(standing(state, state.best).required)
    state = _best_is(_change_current(state, snapshot=now), view.number, now)
    state = replace(state, unapproved=state.best)
    return _new_episode(state) if further else state


def _best_is(state: State, number: int, now: Snapshot | None) -> State:
    tree = state.attempts[-1].record.candidate
    return replace(state, best=tree, best_attempt=number, best_snapshot=now, tip=tree)


def _close(state: State, judgement: Judgement) -> State:
    state = _change_current(state, judgement=judgement)
    view = state.attempts[-1]
    match judgement.kind:
        case Class.GREEN | Class.PROGRESS:
            proof = view.proof if judgement.kind is Class.GREEN else None
            state = _best_is(state, view.number, view.snapshot)
            return _new_episode(replace(state, proof=proof))
        case _ if view.by_rules:
            return replace(state, tip=state.best)  # nobody's fault: the agents begin with the start
        case Class.INTERRUPTED:
            state = replace(state, strikes=state.strikes + judgement.strike)
            return replace(state, tip=view.move.origin if state.rung in FROM_THE_TIP else state.best)
        case _:
            return _strike(state, view, judgement)


def _strike(state: State, view: AttemptView, judgement: Judgement) -> State:
    free = state.free_moves + (judgement.kind is Class.MOVED and state.free_moves < FREE_MOVES)
    state = replace(
        state,
        strikes=state.strikes + judgement.strike,
        free_moves=free,
        cycles=state.cycles + (judgement.kind is Class.CYCLE),
    )
    if state.rung not in FROM_THE_TIP or judgement.kind not in KEEPS_THE_TIP:
        return replace(state, tip=state.best)
    # Of files that were not checked wholly nobody knows what else they break: nothing is built on them.
    return replace(state, tip=view.record.candidate if view.snapshot else view.move.origin)


def _new_episode(state: State) -> State:
    return replace(state, episode=len(state.attempts), strikes=0, free_moves=0, cycles=0)
