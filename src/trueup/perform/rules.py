"""What can rules repair during a run: at the start, before anybody is paid, and in what an agent left?"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from trueup.act.manifests import is_manifest
from trueup.act.protection import Protection
from trueup.act.remedies.placing import IsProtected
from trueup.act.sanitise import sanitise
from trueup.decide.budget import is_long
from trueup.decide.moves import KeptFix, RemediesTried, TryRemedies
from trueup.decide.state import State
from trueup.decide.task import CheckSpec
from trueup.evidence.failure import Failure
from trueup.evidence.report import Report
from trueup.perform.builtin import ADVISERS, builtin_checks
from trueup.perform.context import Context
from trueup.perform.fixing import around, registry_at, remember, switched_off
from trueup.perform.lab import Ask
from trueup.perform.remedying import Remedied, Remedying

SECONDS = 600.0
"""All trials of one move together."""


def try_remedies(context: Context, state: State, move: TryRemedies) -> RemediesTried:
    """First what the static verifiers see, which costs no run of the checks; at the start, then what the checks say."""
    rules = registry_at(context.store, context.start, context.task.remedies)
    off = switched_off(context.db, rules)
    context.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=context.folder, prefix="rules-") as place:
        engine = Remedying(
            store=context.store,
            scratch=Path(place),
            registry=rules,
            measure=_measuring(context, _static(context)),
            around=around(context.lab, Path(place)),
            protected=_is_protected(context.protection),
            off=off,
            about=_about(state, move),
            until=time.monotonic() + SECONDS,
            tell=context.lab.on_output,
        )
        done = engine.run(move.tree, engine.measure(move.tree))
        if move.attempt == 0 and not is_long(state):
            done = _with_the_checks(context, state, engine, done)
    remember(context.db, rules, done)
    return _told(context, state, move, _allowed(context, move, done), off)


def _static(context: Context) -> tuple[CheckSpec, ...]:
    """As checks of their own, beside those of the task."""
    taken = [check.name for check in context.task.checks]
    wanted = (name for name in ADVISERS if name not in context.task.builtin.off)
    return builtin_checks(wanted, context.task.builtin, taken=taken)


def _measuring(context: Context, checks: tuple[CheckSpec, ...]) -> Callable[[str], Report]:
    return lambda tree: context.lab.check(Ask(tree=tree, checks=checks, every_stage=True, label="rules"))


def _with_the_checks(context: Context, state: State, engine: Remedying, done: Remedied) -> Remedied:
    """What the task's own checks complain about. What was kept so far is measured only if it changed something."""
    baseline = state.baseline.report if state.baseline else None
    if baseline is None:
        return done
    checks = context.task.checks
    told = baseline if done.tree == state.start else _measuring(context, checks)(done.tree)
    before = replace(told, results=(*told.results, *done.report.results))
    later = replace(engine, measure=_measuring(context, (*checks, *_static(context)))).run(done.tree, before)
    return replace(later, start=done.start, kept=(*done.kept, *later.kept), reverted=(*done.reverted, *later.reverted))


def _about(state: State, move: TryRemedies) -> Callable[[Failure], bool]:
    """At the start everything; later what lies in the files that the agent changed."""
    if move.attempt == 0:
        return lambda _: True
    changed = frozenset(state.attempts[-1].record.changed)
    return lambda failure: failure.file in changed


def _is_protected(protection: Protection | None) -> IsProtected:
    """Nobody edits tests or what steers the checks; of a manifest, the keys that do."""
    assert protection is not None
    return lambda path: (
        not protection.in_scope(path) or (protection.why_back(path) is not None and not is_manifest(path))
    )


def _allowed(context: Context, move: TryRemedies, done: Remedied) -> Remedied:
    """Rules keep to what agents have to keep to. If anything of theirs would go back, all of it does."""
    assert context.protection is not None
    clean = sanitise(
        context.store,
        start=context.start,
        origin=move.tree,
        raw=done.tree,
        protection=replace(context.protection, max_files=None),
    )
    return done if clean.tree == done.tree else replace(done, tree=move.tree, kept=())


def _told(context: Context, state: State, move: TryRemedies, done: Remedied, off: frozenset[str]) -> RemediesTried:
    origin = state.attempts[-1].move.origin if move.attempt else move.tree
    context.keep(f"rules-{move.attempt}", done.tree)
    return RemediesTried(
        tree=move.tree,
        result=done.tree,
        kept=tuple(
            KeptFix(remedy=one.remedy, why=one.why, removed=tuple(f.key for f in one.removed), paths=one.paths)
            for one in done.kept
        ),
        taken_back=tuple(sorted({one.remedy for one in done.reverted})),
        off=tuple(sorted(off)),
        changed=tuple(change.path for change in context.store.diff(origin, done.tree)),
    )
