"""Which keys need another look before an attempt can be judged?

A flip is another answer on an unchanged tree. A key is excused only if it also flips on the start's own tree; what
failed at the start, or is a target, is never excused and counts as fixed only after three passes of three.
"""

from __future__ import annotations

from dataclasses import dataclass

from trueup.decide.budget import is_long
from trueup.decide.judge import target_keys
from trueup.decide.moves import ConfirmKeys
from trueup.decide.snapshot import observe, whole_checks
from trueup.decide.state import AttemptView, Snapshot, State, unsteady
from trueup.evidence.failure import Key, check_of, make_key, subject_of
from trueup.evidence.report import Report, Seen

PASSES_TO_BE_FIXED = 3
LOOKS_AT_A_REGRESSION = 3
LOOKS_AT_THE_START = 10
"""A test that fails one time in three stays unseen in ten looks less than twice in a hundred."""
LOOKS_AT_THE_EXCUSED = 6
MOST_REGRESSIONS = 20
"""More than this at once are no flake; looking again at a part of them is enough."""


def sticky(state: State) -> frozenset[Key]:
    """Keys that are never excused: what failed at the start, and targets."""
    start = state.start_snapshot
    assert start is not None
    whole = {make_key(check_of(k), "") for k in start.failing if check_of(k) in start.opaque}
    targets = {k for k in state.universe if subject_of(k) in state.task.goal.targets}
    return frozenset(start.failing) | whole | targets | target_keys(state.task.goal, start)


def unveiled(state: State) -> frozenset[Key]:
    """Tests that a broken start hid: nobody knows how they behave there."""
    report = state.baseline.report if state.baseline else None
    known = {k for r in (report.results if report else ()) for k in r.keys(r.inventory or ())}
    return state.universe - known


def excused(state: State) -> frozenset[Key]:
    return state.quarantined - sticky(state)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Doubt:
    tree: str
    key: Key
    looks: int
    """How many looks are wanted in all."""


def next_look(state: State, view: AttemptView, now: Snapshot) -> ConfirmKeys | None:
    """The next re-run that this attempt's verdict waits for, or None when everything was looked at often enough."""
    doubts = _doubts(state, now)
    if not doubts:
        return None
    tree = doubts[0].tree
    here = [d for d in doubts if d.tree == tree]
    times = max(d.looks - len(state.seen(tree, d.key)) for d in here)
    keys = tuple(dict.fromkeys(d.key for d in here))  # a key may be in doubt for two reasons
    return ConfirmKeys(tree=tree, keys=keys, times=times, attempt=view.number)


def _doubts(state: State, now: Snapshot) -> list[_Doubt]:
    """Looks at the candidate come before looks at the start."""
    # The proof is a look as well, unless it begins with the report of the verification.
    silent = PASSES_TO_BE_FIXED if is_long(state) else PASSES_TO_BE_FIXED - 1
    on_candidate = [
        *[_Doubt(tree=now.tree, key=k, looks=PASSES_TO_BE_FIXED) for k in _newly_passing(state, now)],
        *[_Doubt(tree=now.tree, key=k, looks=silent) for k in _silent_now(state, now)],
        *[_Doubt(tree=now.tree, key=k, looks=LOOKS_AT_A_REGRESSION) for k in _regressed(state, now)],
        *[_Doubt(tree=now.tree, key=k, looks=LOOKS_AT_THE_EXCUSED) for k in _excused_and_failing(state, now)],
    ]
    on_start = [_Doubt(tree=state.start, key=k, looks=LOOKS_AT_THE_START) for k in _flipping(state, now)]
    return [d for d in on_candidate + on_start if _undecided(state, d)]


def _undecided(state: State, doubt: _Doubt) -> bool:
    seen = state.seen(doubt.tree, doubt.key)
    return len(seen) < doubt.looks and not unsteady(seen)


def _newly_passing(state: State, now: Snapshot) -> list[Key]:
    """Tests that failed at the start, are targets, or are seen for the first time, and pass now."""
    before = state.best_snapshot.passing if state.best_snapshot else frozenset[Key]()
    return sorted(now.passing & (sticky(state) | (unveiled(state) - before)))


def _silent_now(state: State, now: Snapshot) -> list[Key]:
    """Failures of the start whose check cannot be looked into and reports nothing any more."""
    red = {check_of(k) for k in now.failing} | now.hidden | now.defects
    return sorted(k for k in sticky(state) if check_of(k) in now.opaque - red)


def _regressed(state: State, now: Snapshot) -> list[Key]:
    """Tests that passed in the best and fail now, and checks of which only that much is known."""
    best = state.best_snapshot
    assert best is not None
    not_green = {check_of(k) for k in best.failing} | best.hidden | best.defects
    checks = {check_of(k) for k in now.failing} & now.opaque & best.opaque - not_green - now.defects
    tests = sorted(k for k in best.passing if k in now.failing)[:MOST_REGRESSIONS]
    return tests + [make_key(check, "") for check in sorted(checks)]


def _excused_and_failing(state: State, now: Snapshot) -> list[Key]:
    return sorted(k for k in excused(state) if k in now.failing)


def _flipping(state: State, now: Snapshot) -> list[Key]:
    """Flips on this tree and is not yet known to flip, or not to flip, on the start's."""
    never = sticky(state)
    return sorted(
        key
        for key, seen in state.looks.get(now.tree, {}).items()
        if unsteady(seen) and key not in never and now.tree != state.start
    )


def looks_of(report: Report, wanted: frozenset[Key], tests: frozenset[Key]) -> dict[Key, Seen]:
    """Every key that a report saw, and what it says about the wanted ones."""
    seen = whole_checks(report) | {k: Seen.PASSED for r in report.results for k in r.keys(r.passed)}
    look = observe(report, tests)
    asked = {k: s for k in wanted if (s := look(k)) in {Seen.PASSED, Seen.FAILED}}
    return seen | asked | {f.key: Seen.FAILED for f in report.failures}
