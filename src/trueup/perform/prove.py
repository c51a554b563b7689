"""Is what looks green really so? A fresh checkout, tests made to fail, suspicious changes, and the start once more."""

from __future__ import annotations

import secrets
from pathlib import PurePosixPath

from trueup.act.protection import is_control_path, is_test_path
from trueup.decide.moves import ProveTree, Suspicion, TreeProved, TwinRun
from trueup.decide.needs import proof_report
from trueup.decide.state import State
from trueup.decide.task import GoalKind
from trueup.evidence.failure import Key, check_of, make_key
from trueup.evidence.report import Report, Strength, TestPlace
from trueup.perform.checks import observed_again
from trueup.perform.context import Context
from trueup.perform.lab import Ask
from trueup.perform.leaks import leaked
from trueup.verify.suspicion import suspicions

PASSES_THAT_CONVICT = 3
_UNREADABLE = frozenset(
    f".{ext}"
    for ext in (
        *("so", "pyd", "dll", "dylib", "node", "jar", "class", "wasm", "whl", "egg", "pyz", "py", "js"),
        *("pkl", "pickle", "joblib"),
    )
)
"""Files that are run, or run something when they are loaded, and that nobody can read when they are no text."""


def prove(context: Context, state: State, move: ProveTree) -> TreeProved:
    """The parts of a proof. A part that comes after one that failed is not worth its price."""
    judged = context.lab.watch()
    report = _fresh_report(context, state, move)
    found = suspicious(context, move.tree, opaque=any(r.inventory is None for r in report.results))
    sound = not report.void and not found
    twin = _twin(context, state, move, report) if sound else TwinRun(not_possible=move.twins, why_not="not reached")
    start = (
        observed_again(context, context.start, move.must_fail, state.universe, passes=PASSES_THAT_CONVICT)
        if sound and not twin.survived
        else ()
    )
    return TreeProved(
        tree=move.tree,
        report=report if report.void else judged(report),
        twin=twin,
        suspicions=found,
        start=start,
        strength=_strength(state, report, twin),
    )


def _fresh_report(context: Context, state: State, move: ProveTree) -> Report:
    """The user's exact commands on a fresh checkout; a long suite was verified on one already."""
    verified = proof_report(state, state.current) if state.current else None
    if verified is not None:
        return verified
    every_stage = context.task.goal.kind is not GoalKind.GREEN
    label = f"proof-{move.attempt}"
    ask = Ask(
        tree=move.tree,
        checks=context.task.checks,
        every_stage=every_stage,
        fresh=True,
        exact=not every_stage,
        alone=False,
        label=label,
    )
    return context.lab.check(ask)


def suspicious(context: Context, tree: str, *, opaque: bool = False) -> tuple[Suspicion, ...]:
    """Changes of product code since the start that touch the runner, the stack, interpreter exit or equality; and of
    any file that would publish a secret."""
    old, new = context.sources(context.start), context.sources(tree)
    changed = [c.path for c in context.store.diff(context.start, tree) if c.kind != "deleted"]
    product = {p: new(p) for p in changed if not _is_test(p) and not is_control_path(p)}
    compiled = [p for p, text in product.items() if text is None and PurePosixPath(p).suffix.lower() in _UNREADABLE]
    return (
        *leaked(context, tree),
        *(Suspicion(path=p, line=1, text="", why="runs, and is no text that can be read") for p in compiled),
        *suspicions(((p, old(p), text) for p, text in product.items() if text is not None), opaque=opaque),
    )


def _is_test(path: str) -> bool:
    """Python in a folder of fixtures is no test by itself, and product code can import it."""
    return is_test_path(path) and not (path.endswith(".py") and not is_test_path(PurePosixPath(path).name))


def _twin(context: Context, state: State, move: ProveTree, report: Report) -> TwinRun:
    places = _places(state.baseline.report if state.baseline else None) | _places(report)
    possible = tuple(k for k in move.twins if k in places)
    if not possible:
        return TwinRun(not_possible=move.twins, why_not="no check can be looked into")
    nonce = secrets.token_hex(8)
    failures = state.baseline.report.failures if state.baseline and state.baseline.report else ()
    kinds = {f.key: f.kind for f in failures}
    here = _fates(context, move.tree, possible, places, kinds, nonce)
    doubtful = tuple(k for k in possible if here[k] != {"as_told"})
    # Once more, because a fixture may fail by chance; then on the start, which tells whether it can be done at all.
    again = _fates(context, move.tree, doubtful, places, kinds, nonce)
    start = _fates(context, context.start, tuple(k for k in doubtful if again[k] != {"as_told"}), places, kinds, nonce)
    survived = tuple(k for k in doubtful if _survives(here[k] | again[k], again[k], start.get(k, set())))
    told = tuple(k for k in possible if k not in survived and "as_told" in here[k] | again.get(k, set()))
    return TwinRun(
        failed_as_told=told,
        survived=survived,
        not_possible=tuple(k for k in move.twins if k not in told and k not in survived),
        why_not="" if len(possible) == len(move.twins) else "some tests cannot be rewritten",
    )


def _survives(ever: set[str], lately: set[str], start: set[str]) -> bool:
    """It passed although it was made to fail, or twice failed otherwise, where the start's own does as it is told."""
    if "passed" in ever:
        return "passed" not in start
    return lately == {"other"} and start == {"as_told"}


def _places(report: Report | None) -> dict[Key, TestPlace]:
    """Where the tests are written. The start's word stands for tests of which the candidate's run says nothing."""
    return {make_key(r.check, p.id): p for r in (report.results if report else ()) for p in r.places}


def _fates(
    context: Context, tree: str, keys: tuple[Key, ...], places: dict[Key, TestPlace], kinds: dict[Key, str], nonce: str
) -> dict[Key, set[str]]:
    """What became of each test when it was made to fail; nothing where it could not be rewritten."""
    if not keys:
        return {}
    by_check: dict[str, tuple[TestPlace, ...]] = {}
    for key in keys:
        by_check[check_of(key)] = (*by_check.get(check_of(key), ()), places[key])
    found = context.lab.twins(tree, by_check, keys, context.task.checks, nonce=nonce, kinds=kinds)
    return {key: {found[key]} if key in found else set() for key in keys}


def _strength(state: State, report: Report, twin: TwinRun) -> Strength:
    """As strong as the weakest check that had something to repair; of all checks when none had."""
    red = {check_of(k) for k in (state.start_snapshot.failing if state.start_snapshot else {})}
    results = [r for r in report.results if r.check in red] or list(report.results)
    told = {check_of(k) for k in twin.failed_as_told}
    untold = {check_of(k) for k in twin.not_possible}
    strengths = [
        Strength.TWIN if r.check in told - untold else min(r.strength, Strength.INVENTORY, key=lambda s: s.rank)
        for r in results
    ]
    return min(strengths, key=lambda s: s.rank, default=Strength.EXIT_CODE)
