"""When is a run over, and what does its proof say? `passed` is built here, and only from a proof that holds."""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256

from trueup.decide.flakes import unveiled
from trueup.decide.moves import TreeProved
from trueup.decide.outcome import CurrentFailure, Outcome, ProofSummary, Status
from trueup.decide.review import ReviewVerdict
from trueup.decide.snapshot import first_failure
from trueup.decide.state import UNDONE, Snapshot, State
from trueup.decide.task import Task
from trueup.errors import invariant
from trueup.evidence.failure import Failure, Key, check_of
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import Observation, Report, Seen

MOST_PROOFS = 3
PASSES_THAT_CONVICT = 3
SAMPLED_TWINS = 10


class ProofVerdict(StrEnum):
    NONE = "no proof yet"
    HOLDS = "the proof holds"
    SUSPICIOUS = "suspicious change"
    SURVIVED = "tests that were made to fail did not fail"
    START_CHANGED = "what failed at the start now passes there too"
    UNSTABLE = "the checks give different answers on the same files"
    WEAK = "the proof is weaker than demanded"


def weigh(task: Task, proof: TreeProved, *, proofs: int, green: bool, released: bool = False) -> ProofVerdict:
    """The parts of a proof, worst first. A proof that merely differs is repeated, at most twice.

    `released`: a person has looked at the suspicious changes and allowed them.
    """
    if proof.suspicions and not released:
        return ProofVerdict.SUSPICIOUS
    if proof.twin.survived:
        return ProofVerdict.SURVIVED
    if start_passes(proof.start):
        return ProofVerdict.START_CHANGED
    if not green:
        return ProofVerdict.UNSTABLE if proofs >= MOST_PROOFS else ProofVerdict.NONE
    if proof.strength.rank < task.min_strength.rank:
        return ProofVerdict.WEAK
    return ProofVerdict.HOLDS


def start_passes(looks: tuple[Observation, ...]) -> tuple[Key, ...]:
    """Failures of the start that pass there now, three times of three: the environment changed, not the code."""
    seen: dict[Key, list[Seen]] = {}
    for look in looks:
        seen.setdefault(look.key, []).append(look.seen)
    convicted = (k for k, s in seen.items() if len(s) >= PASSES_THAT_CONVICT and set(s) == {Seen.PASSED})
    return tuple(sorted(convicted))


def must_fail(state: State) -> tuple[Key, ...]:
    """Required failures that were stable at the start."""
    wanted = state.start_judgement.required if state.start_judgement else {}
    known = state.start_snapshot.failing if state.start_snapshot else {}
    return tuple(sorted(k for k in wanted if k in known and Seen.PASSED not in state.seen(state.start, k)))


def twin_keys(state: State, now: Snapshot) -> tuple[Key, ...]:
    """Every test that failed at the start or was hidden there, and a sample of the others that nobody can foresee."""
    failed = state.start_snapshot.tests if state.start_snapshot else frozenset()
    passing = now.passing & state.universe
    sure = passing & (failed | unveiled(state))
    others = sorted(passing - sure, key=lambda k: sha256(f"{now.tree} {k}".encode()).digest())
    return tuple(sorted(sure)) + tuple(sorted(others[:SAMPLED_TWINS]))


# --- outcomes -------------------------------------------------------------------------------------------------


def passed(state: State) -> Outcome:
    proof = state.proof
    invariant(proof is not None, "passed without a proof")
    assert proof is not None
    results = proof.report.results
    summary = ProofSummary(
        tree=proof.tree,
        strength=proof.strength,
        passed=sum(len(r.passed) for r in results),
        collected=sum(len(r.inventory or ()) for r in results),
        twins=len(proof.twin.failed_as_told),
        commands=tuple(r.command for r in results),
    )
    verdict = approval(state)
    by = f"; approved by {verdict.reviewer}" if verdict else ""
    return outcome(state, Status.PASSED, "proven", f"the goal is met and proven{by}", proof=summary)


def approval(state: State) -> ReviewVerdict | None:
    """Of the files that are handed back; None when nobody was asked."""
    reviews = (v.review for v in state.attempts if v.number == state.best_attempt)
    verdict = next((r.verdict for r in reviews if r), None)
    return verdict if verdict and verdict.approved else None


def outcome(
    state: State, status: Status, reason: str, detail: str = "", *, limit: str = "", proof: ProofSummary | None = None
) -> Outcome:
    """Every end says what is fixed, new and left against the start, and what still fails since when."""
    start, best = state.start_snapshot or Snapshot(tree=""), state.best_snapshot or Snapshot(tree="")
    fixed = frozenset(k for k in start.failing if _is_fixed(start, best, k))
    return Outcome(
        status=status,
        reason=reason,
        detail=detail,
        limit=limit,
        tree=state.best,
        start=state.start,
        partial=state.best != state.start and status is not Status.PASSED,
        unapproved=bool(state.unapproved) and state.best == state.unapproved and status is not Status.PASSED,
        proof=proof,
        fixed=tuple(sorted(fixed)),
        new=tuple(sorted(best.failing.keys() - start.failing.keys())),
        remaining=tuple(sorted(start.failing.keys() - fixed)),
        current_failures=() if status is Status.PASSED else current_failures(state),
        flaky=tuple(sorted(state.flaky)),
        attempts=len(state.attempts),
        best_attempt=state.best_attempt,
        usd=state.spent_usd if state.cost_known else None,
        usd_limit=state.limits.usd,
        seconds=state.active_seconds,
    )


def _is_fixed(start: Snapshot, best: Snapshot, key: Key) -> bool:
    """A test was seen passing; anything else is gone, and its check came to an end. What was not looked at remains."""
    if key in start.tests:
        return key in best.passing
    return key not in best.failing and check_of(key) not in best.hidden | best.defects


def current_failures(state: State) -> tuple[CurrentFailure, ...]:
    """What the best tree still fails with, and for how long each has been the same."""
    report = best_report(state)
    if report is None or state.best_snapshot is None:
        return ()
    failures = (first_failure(report, k) for k in sorted(state.best_snapshot.failing))
    return tuple(_current(state, f) for f in failures if f is not None)


def best_report(state: State) -> Report | None:
    if state.best_attempt:
        return next((v.report for v in state.attempts if v.number == state.best_attempt), None)
    return state.baseline.report if state.baseline else None


def _current(state: State, failure: Failure) -> CurrentFailure:
    print_ = fingerprint(failure)
    streak, since = _streak(state, failure.key, print_)
    place = f"{failure.file}:{failure.line}" if failure.file and failure.line else failure.file or ""
    return CurrentFailure(
        key=failure.key,
        kind=failure.kind,
        message=failure.message,
        place=place,
        fingerprint=print_,
        excerpt=failure.excerpt,
        streak=streak,
        since=since,
    )


def _streak(state: State, key: Key, print_: str) -> tuple[int, int]:
    """How many verdicts in a row show this fingerprint, and the attempt with which that began (0 = the start).

    An attempt that was undone says nothing about the files as they are now, unless it shows the failure too.
    """
    streak, since = 0, 0
    for view in reversed(state.attempts):
        prints = view.snapshot.prints if view.snapshot else view.describes.prints if view.describes else None
        if prints is None:
            continue
        if print_ in prints.get(key, ()):
            streak, since = streak + 1, view.number
        elif view.judgement is None or view.judgement.kind not in UNDONE:
            return max(streak, 1), since
    at_start = state.start_snapshot is not None and print_ in state.start_snapshot.prints.get(key, ())
    return max(streak + at_start, 1), 0 if at_start else since
