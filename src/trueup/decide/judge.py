"""What does an attempt amount to? One table, first row that holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from trueup.decide.state import Class, Judgement, Snapshot
from trueup.decide.task import Goal, GoalKind
from trueup.evidence.failure import CUT_OFF, Key, check_of, subject_of

Prints = dict[Key, tuple[str, ...]]
Signature = tuple[tuple[Key, tuple[str, ...]], ...]

NOT_A_STRIKE = frozenset({Class.GREEN, Class.PROGRESS, Class.INVALID, Class.INTERRUPTED})
FREE_MOVES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything that the table looks at."""

    goal: Goal
    start: Snapshot
    best: Snapshot
    best_required: dict[Key, int]
    best_prints: Prints
    origin_signature: Signature
    """Required fingerprints of the tree that the attempt started from."""
    now: Snapshot
    tests: frozenset[Key]
    """Every key known to be a test."""
    universe: frozenset[Key]
    may_vanish: bool
    """Tests may be edited: an id that is gone is listed, not counted."""
    earlier: Sequence[tuple[int, Signature]]
    """(attempt, required fingerprints) of this episode's earlier verdicts, oldest first."""
    free_moves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The words of the table, worked out once."""

    case: Case
    required: dict[Key, int]
    prints: Prints
    fixed: tuple[Key, ...]
    regressed: tuple[Key, ...]
    unveiled: tuple[Key, ...]
    new: tuple[Key, ...]

    @property
    def signature(self) -> Signature:
        return signature(self.prints)

    @property
    def better(self) -> bool:
        return self._rank(self.case.now, self.required) > self._rank(self.case.best, self.case.best_required)

    @property
    def intact(self) -> bool:
        return self.case.may_vanish or self.case.universe <= self.case.now.collected

    @staticmethod
    def _rank(snapshot: Snapshot, required: dict[Key, int]) -> tuple[int, int, int]:
        return snapshot.stage, -snapshot.blockers, -sum(required.values())


def signature(prints: Prints) -> Signature:
    return tuple(sorted(prints.items()))


def required(goal: Goal, now: Snapshot, start: Snapshot) -> dict[Key, int]:
    """The failures of this snapshot that the goal counts, before anything is carried over from the best."""
    match goal.kind:
        case GoalKind.GREEN:
            return dict(now.failing)
        case GoalKind.NO_NEW_FAILURES:
            return _excess(now, start)
        case GoalKind.TARGETS:
            targets = {k: 1 for k in target_keys(goal, now, start) if k not in now.passing}
            return _excess(now, start) | targets
    assert_never(goal.kind)


def _excess(now: Snapshot, start: Snapshot) -> dict[Key, int]:
    """A list that was cut off at the start says nothing about the part of this one that was not read."""
    unread = {key: count for key, count in now.failing.items() if subject_of(key) == CUT_OFF}
    return dict(Counter(now.failing) - Counter(start.failing)) | unread


def target_keys(goal: Goal, *snapshots: Snapshot) -> frozenset[Key]:
    """Keys that the user's target ids name; a target that no check collected stands for itself."""
    known = {k for s in snapshots for k in s.collected | s.failing.keys()}
    named = {k for k in known if subject_of(k) in goal.targets}
    missing = set(goal.targets) - {subject_of(k) for k in named}
    return frozenset(named | {f"? {t}" for t in missing})


def find(case: Case) -> Findings:
    """Work out the words: required, fixed, regressed, unveiled, new."""
    counted = required(case.goal, case.now, case.start)
    carried = {k: n for k, n in case.best_required.items() if k not in counted and _unseen(case, k)}
    fixed = tuple(sorted(k for k, n in case.best_required.items() if _is_fixed(case, k, n)))
    regressed = tuple(sorted(k for k in case.best.passing if _is_regressed(case, k)))
    everything = counted | carried
    return Findings(
        case=case,
        required=everything,
        prints={k: case.now.prints.get(k) or case.best_prints.get(k, ()) for k in everything},
        fixed=fixed,
        regressed=regressed,
        unveiled=tuple(sorted(k for k in case.now.tests if k not in case.best.collected | case.best.failing.keys())),
        new=tuple(sorted(k for k in everything if everything[k] > case.best_required.get(k, 0))),
    )


def _unseen(case: Case, key: Key) -> bool:
    """A required key of the best that is neither seen passing nor failing still counts, unless it may vanish."""
    if key in case.now.passing or key in case.now.failing:
        return False
    if key in case.tests:
        return not _may_be_gone(case, key)
    return not _ran_to_the_end(case, key)


def _is_fixed(case: Case, key: Key, count: int) -> bool:
    if key in case.tests:
        return key in case.now.passing
    return _ran_to_the_end(case, key) and case.now.failing.get(key, 0) < count


def _ran_to_the_end(case: Case, key: Key) -> bool:
    return check_of(key) not in case.now.hidden | case.now.defects and not _newly_hidden(case, key)


def _newly_hidden(case: Case, key: Key) -> bool:
    """A build that broke since the best says nothing about what a build that works would show."""
    broke = {check_of(k) for k in case.now.hiding - case.best.hiding}
    return check_of(key) in broke and key not in case.best.hiding


def _is_regressed(case: Case, key: Key) -> bool:
    if key in case.now.passing or check_of(key) in case.now.hidden:
        return False
    return key in case.now.failing or not _may_be_gone(case, key)


def _may_be_gone(case: Case, key: Key) -> bool:
    """Tests that may be edited may vanish; one that is there and skipped is still not seen passing."""
    return case.may_vanish and key not in case.now.skipped


# --- the table ------------------------------------------------------------------------------------------------


def is_green(f: Findings) -> bool:
    return not f.required and not f.regressed and f.intact and not f.case.now.defects and not _not_looked_at(f.case)


def _not_looked_at(case: Case) -> frozenset[str]:
    """Checks without an answer. One that applied at the start and no longer does has lost what it looked at."""
    return case.now.hidden - (case.now.aside & case.start.aside)


def is_progress(f: Findings) -> bool:
    return f.better and not f.regressed


def is_cycle(f: Findings) -> bool:
    return f.signature != f.case.origin_signature and cycle_with(f) is not None


def is_worse(f: Findings) -> bool:
    now, best = f.case.now, f.case.best
    if now.stage < best.stage or now.blockers > best.blockers:
        return True
    more = sum(f.required.values()) > sum(f.case.best_required.values())
    return (bool(f.regressed) or more) and not f.fixed


def is_mixed(f: Findings) -> bool:
    return bool(f.fixed) and bool(f.regressed or f.new)


def is_moved(f: Findings) -> bool:
    seen = {(k, p) for _, s in f.case.earlier for k, prints in s for p in prints}
    seen |= {(k, p) for k, prints in f.case.best_prints.items() for p in prints}
    unseen = {(k, p) for k, prints in f.prints.items() for p in prints} - seen
    return f.required == f.case.best_required and bool(unseen)


def always(_: Findings) -> bool:
    return True


TABLE: tuple[tuple[Class, Callable[[Findings], bool]], ...] = (
    (Class.GREEN, is_green),
    (Class.PROGRESS, is_progress),
    (Class.CYCLE, is_cycle),
    (Class.WORSE, is_worse),
    (Class.MIXED, is_mixed),
    (Class.MOVED, is_moved),
    (Class.STUCK, always),
)
"""Rows 4 to 10. Rows 1 to 3 (invalid, no-op, revisit) need no comparison; `decide.needs` has them."""


def judge(case: Case) -> Judgement:
    findings = find(case)
    kind = next(kind for kind, holds in TABLE if holds(findings))
    return Judgement(
        kind=kind,
        required=findings.required,
        prints=findings.prints,
        fixed=findings.fixed,
        regressed=findings.regressed,
        unveiled=findings.unveiled,
        new=findings.new,
        before=sum(case.best_required.values()),
        same_as=cycle_with(findings) if kind is Class.CYCLE else None,
        strike=is_strike(kind, case.free_moves),
    )


def is_strike(kind: Class, free_moves: int) -> bool:
    if kind is Class.MOVED:
        return free_moves >= FREE_MOVES
    return kind not in NOT_A_STRIKE


def cycle_with(f: Findings) -> int | None:
    """The earlier attempt of this episode with the same required fingerprints and another set in between."""
    for position, (number, earlier) in enumerate(f.case.earlier):
        between = f.case.earlier[position + 1 :]
        if earlier == f.signature and any(s != f.signature for _, s in between):
            return number
    return None
