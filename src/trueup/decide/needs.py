"""Which evidence does the open attempt still need, and what does it amount to when there is enough?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from trueup.decide import completion, focus
from trueup.decide.budget import LEAST_AGENT_SECONDS, Refusal, grant_review, is_long
from trueup.decide.completion import ProofVerdict
from trueup.decide.flakes import excused, next_look
from trueup.decide.judge import Case, Signature, judge, signature
from trueup.decide.moves import (
    AgentStatus,
    AskReview,
    FinishRun,
    FocusTree,
    Move,
    ProveTree,
    ReviewStatus,
    RunControl,
    TreeReviewed,
    TryRemedies,
    VerifyTree,
)
from trueup.decide.outcome import Status
from trueup.decide.patience import FOR_NOW, back_off
from trueup.decide.snapshot import Lens, take
from trueup.decide.standing import standing
from trueup.decide.state import AttemptView, Class, Judgement, Snapshot, State
from trueup.decide.task import ReviewerSpec
from trueup.evidence.failure import Key
from trueup.evidence.report import Report

MOST_VOID = 2
MOST_INTERRUPTED = 2
MOST_REVIEWS = 2
"""How often a review may come to nothing."""
FOR_GOOD = frozenset({AgentStatus.CREDENTIALS, AgentStatus.MISSING})
"""Asked again, a reviewer would say the same."""
NEVER_BEGAN = frozenset(
    {AgentStatus.CREDENTIALS, AgentStatus.RATE_LIMITED, AgentStatus.OVERLOADED, AgentStatus.MISSING}
)
CUT_SHORT = frozenset({AgentStatus.INTERRUPTED, AgentStatus.CANCELLED, AgentStatus.DEADLINE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """The attempt cannot be judged before this move was performed."""

    move: Move
    leaning: Judgement | None = None
    """What the attempt will be if this move, a proof, holds."""
    proven: Snapshot | None = None
    """Set when its proof holds, and only a review is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    judgement: Judgement
    snapshot: Snapshot | None = None


def assess(state: State, view: AttemptView) -> Need | Verdict:
    """Rows 1 to 3 of the table, then the comparison, then the proof of what looks green."""
    return _without_checks(state, view) or _with_checks(state, view)


def _without_checks(state: State, view: AttemptView) -> Verdict | None:
    record = view.record
    if record.problem:
        return Verdict(judgement=Judgement(kind=Class.INTERRUPTED, detail=record.problem))
    if record.agent in NEVER_BEGAN and record.candidate == view.move.origin:
        return Verdict(judgement=Judgement(kind=Class.INTERRUPTED, detail=str(record.agent)))
    if record.agent in CUT_SHORT:
        return Verdict(judgement=_cut_short(state, view))
    if record.candidate == view.move.origin:
        return Verdict(judgement=Judgement(kind=Class.NO_OP, strike=True))
    same = _verdict_on(state, record.candidate)
    if same is not None:
        return Verdict(judgement=Judgement(kind=Class.REVISIT, strike=True, same_as=same))
    return None


def _cut_short(state: State, view: AttemptView) -> Judgement:
    """No strike, but an attempt that is interrupted again and again is one."""
    latest = [v.record.agent for v in state.attempts[-1 - MOST_INTERRUPTED :]]
    too_often = latest == [AgentStatus.INTERRUPTED] * (MOST_INTERRUPTED + 1)
    return Judgement(kind=Class.INTERRUPTED, strike=too_often, detail=str(view.record.agent))


def _verdict_on(state: State, tree: str) -> int | None:
    """Number of the attempt (0 = the start) whose valid verdict is about exactly this tree."""
    if tree == state.start:
        return 0
    return next((v.number for v in state.attempts[:-1] if v.snapshot and v.record.candidate == tree), None)


def _with_checks(state: State, view: AttemptView) -> Need | Verdict:
    report = view.report
    if state.task.fix_first and view.remedied is None:
        return Need(move=TryRemedies(tree=view.record.candidate, attempt=view.number))
    if report is None or view.verdict_void >= MOST_VOID:
        return _focused(state, view) or _verify(view)
    now = _see(state, report)
    control = _control(state, view, now)
    if control is not None:
        return control
    look = next_look(state, view, now)
    return Need(move=look) if look else _judged(state, view, now)


def _focused(state: State, view: AttemptView) -> Need | Verdict | None:
    """What failed before comes first, where that can spare the whole checks."""
    nothing_moved = focus.verdict(state, view)
    if nothing_moved is not None:
        return Verdict(judgement=nothing_moved)
    keys = focus.keys_to_run(state, view)
    return Need(move=FocusTree(tree=view.record.candidate, attempt=view.number, keys=keys)) if keys else None


def _verify(view: AttemptView) -> Need | Verdict:
    if view.verdict_void >= MOST_VOID:
        return Verdict(judgement=Judgement(kind=Class.INVALID, detail=view.void_detail))
    move = VerifyTree(tree=view.record.candidate, attempt=view.number, again=view.verdict_void)
    return Need(move=move)


def _control(state: State, view: AttemptView, now: Snapshot) -> Need | None:
    """Row 1: a check that could not run here is this tree's own failure only if it runs on the best tree now."""
    if not now.defects or view.control is not None:
        return None
    return Need(move=RunControl(tree=state.best, attempt=view.number, again=view.verdict_void))


def shared_defects(state: State, view: AttemptView, control: Report) -> frozenset[str]:
    """Checks that can run neither on this attempt's tree nor on the best one."""
    assert view.report is not None
    return _see(state, view.report).defects & _defects(state, control)


def _defects(state: State, report: Report) -> frozenset[str]:
    """Checks that cannot run properly on the best tree now, compared with what they collected there before."""
    best = state.best_snapshot
    known = frozenset[Key]() if best is None else best.collected
    lens = Lens(looks={}, universe=known, may_vanish=state.task.edit_tests)
    return take(report, state.task, lens).defects if not report.void else frozenset(r.check for r in report.results)


def _judged(state: State, view: AttemptView, now: Snapshot) -> Need | Verdict:
    judgement = judge(_case(state, view, now))
    if judgement.kind is not Class.GREEN:
        return Verdict(judgement=judgement, snapshot=now)
    return _proven(state, view, now, judgement)


def _proven(state: State, view: AttemptView, now: Snapshot, judgement: Judgement) -> Need | Verdict:
    """`green` stands only when a proof of exactly this tree holds; a proof that differs is repeated."""
    verdict = proof_verdict(state, view)
    if verdict is ProofVerdict.HOLDS:
        return _reviewed(state, view, now, judgement)
    if verdict is not ProofVerdict.NONE:
        return Verdict(judgement=Judgement(kind=Class.INVALID, detail=_why_not(verdict, view)))
    move = ProveTree(
        tree=view.record.candidate,
        attempt=view.number,
        again=view.proofs,
        must_fail=completion.must_fail(state),
        twins=completion.twin_keys(state, now),
    )
    return Need(move=move, leaning=judgement)


def _reviewed(state: State, view: AttemptView, now: Snapshot, judgement: Judgement) -> Need | Verdict:
    """What is proven passes if nobody has to approve it, or somebody did. Without an answer it waits."""
    answer = view.review.verdict if view.review else None
    if answer is None and state.task.reviewer is not None:
        return Need(move=_question(state, view, state.task.reviewer), leaning=judgement, proven=now)
    if answer is None or answer.approved:
        return Verdict(judgement=judgement, snapshot=now)
    rejected = replace(judgement, kind=Class.REJECTED, strike=True, detail=answer.feedback)
    return Verdict(judgement=rejected, snapshot=now)


def _question(state: State, view: AttemptView, reviewer: ReviewerSpec) -> Move:
    end = _no_question(state, view, view.review) if view.review else None
    if end is not None:
        return end
    budget = grant_review(state, reviewer.agent)
    if isinstance(budget, Refusal):
        return _end(state, Status.OUT_OF_BUDGET, budget.limit, budget.detail, limit=budget.limit)
    return AskReview(
        tree=view.record.candidate,
        attempt=view.number,
        round=len(state.verdicts) + 1,
        again=view.asked,
        reserve_usd=budget.reserve_usd,
        seconds=budget.seconds,
    )


def _no_question(state: State, view: AttemptView, last: TreeReviewed) -> Move | None:
    """Why the reviewer is not asked, or not at once, after what came of it the last time."""
    if last.status is ReviewStatus.WAITING:
        return _end(state, Status.BLOCKED, "review", f"attempt {view.number} is proven and waits for a person's review")
    if last.agent is AgentStatus.DEADLINE:
        return _end(state, Status.OUT_OF_BUDGET, "until", "proven, but the deadline was reached", limit="time")
    if last.agent in FOR_NOW and not state.waited:
        return back_off(state, last.agent, f"the reviewer: {last.detail}", then_needed=LEAST_AGENT_SECONDS)
    if view.reviews >= MOST_REVIEWS or last.agent in FOR_GOOD:
        detail = f"no review could be had of attempt {view.number}, which is proven: {last.detail}"
        return _end(state, Status.BLOCKED, "review_failed", detail)
    return None


def _end(state: State, status: Status, reason: str, detail: str, *, limit: str = "") -> FinishRun:
    return FinishRun(outcome=completion.outcome(state, status, reason, detail, limit=limit))


def _why_not(verdict: ProofVerdict, view: AttemptView) -> str:
    """Proofs that came to nothing each time did not differ: what voided the last one says more."""
    void = view.proof.report.void if view.proof and verdict is ProofVerdict.UNSTABLE else ""
    return f"no proof could be had: {void}" if void else verdict.value


def proof_verdict(state: State, view: AttemptView, *, released: bool = False) -> ProofVerdict:
    """What the latest proof of this attempt says; `released`: what it would say if a person allowed the suspicious."""
    proof = view.proof
    if proof is None or proof.tree != view.record.candidate:
        return ProofVerdict.NONE
    released = released or proof.tree in state.released
    return completion.weigh(state.task, proof, proofs=view.proofs, green=view.proof_green, released=released)


def against_approval(state: State, view: AttemptView) -> str:
    """What no approval outweighs; "" when nothing is known against it."""
    verdict = proof_verdict(state, view, released=True)
    return "" if verdict in {ProofVerdict.HOLDS, ProofVerdict.NONE} else verdict.value


def undecided(state: State) -> AttemptView | None:
    """The attempt that a person can still decide about, once the run has ended.

    The latest one, if it is proven and not approved, or proven but for changes that look suspicious; else the one that
    is kept, if no reviewer approved it and nothing better came after it.
    """
    if state.finished is None or state.proof is not None or not state.attempts:
        return None
    view = state.attempts[-1]
    if proof_verdict(state, view) in {ProofVerdict.HOLDS, ProofVerdict.SUSPICIOUS}:
        return view
    kept = [v for v in state.attempts if v.number == state.best_attempt and v.record.candidate == state.unapproved]
    return kept[0] if kept else None


def proof_report(state: State, view: AttemptView) -> Report | None:
    """The report that the first proof begins with: checks that take long were verified on a fresh checkout already."""
    return view.report if is_long(state) and view.proofs == 0 else None


def meets_the_goal(state: State, view: AttemptView, report: Report) -> bool:
    """Whether this report alone would make the attempt green."""
    return not report.void and judge(_case(state, view, _see(state, report))).kind is Class.GREEN


def _see(state: State, report: Report) -> Snapshot:
    lens = Lens(
        looks=state.looks.get(report.tree, {}),
        excused=excused(state),
        universe=state.universe,
        may_vanish=state.task.edit_tests,
    )
    return take(report, state.task, lens)


def _case(state: State, view: AttemptView, now: Snapshot) -> Case:
    start, best = state.start_snapshot, state.best_snapshot
    assert start is not None
    assert best is not None
    best_known = standing(state, state.best)
    return Case(
        goal=state.task.goal,
        start=start,
        best=best,
        best_required=best_known.required,
        best_prints=best_known.prints,
        origin_signature=signature(standing(state, view.move.origin).prints),
        now=now,
        tests=state.universe | now.tests | start.tests | best.tests,
        universe=state.universe,
        may_vanish=state.task.edit_tests,
        earlier=_earlier(state),
        free_moves=state.free_moves,
    )


def _earlier(state: State) -> tuple[tuple[int, Signature], ...]:
    """Verdicts on whole checks only: of the others it is not known what else failed."""
    return tuple(
        (v.number, signature(v.judgement.prints))
        for v in state.episode_attempts
        if v.judgement is not None and v.snapshot is not None
    )
