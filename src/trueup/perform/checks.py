"""How are checks run for the baseline, a verification, a control, and another look at some keys?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from trueup.act.command_line import parse_command
from trueup.act.commands import commands_behind
from trueup.act.protection import Protection, files_of_tests, protection
from trueup.act.store import Store
from trueup.act.trees import LINK, Entry
from trueup.decide.budget import is_long
from trueup.decide.moves import (
    BaselineTaken,
    ConfirmKeys,
    ControlRun,
    FocusTree,
    KeysConfirmed,
    RunControl,
    TakeBaseline,
    TreeFocused,
    TreeVerified,
    VerifyTree,
)
from trueup.decide.snapshot import observe
from trueup.decide.state import State, unsteady
from trueup.decide.task import GoalKind, Task
from trueup.evidence.failure import Key
from trueup.evidence.report import Observation, Report, Seen
from trueup.perform.confinement import missing_network
from trueup.perform.context import Context
from trueup.perform.discretion import discreet
from trueup.perform.hanging import hangs
from trueup.perform.lab import Ask
from trueup.remember import verdicts
from trueup.report.advice import advice_lines


def take_baseline(context: Context, _state: State, _move: TakeBaseline) -> BaselineTaken:
    """Every check on the start's tree, and what failed a second time. Cached by tree, checks and environment."""
    return _remembered(context) or _taken(context, _measured(context))


def _remembered(context: Context) -> BaselineTaken | None:
    """A cached report stands as long as its failures still fail. Otherwise something outside the tree has changed, and
    an agent would be credited with it. One without failures would end the run with success: that is always measured."""
    report = _cached(context)
    taken = _taken(context, report) if report is not None and report.failures else None
    if taken is None or any(o.seen is not Seen.FAILED for o in taken.observations):
        return None
    return replace(taken, remembered=True)


def _taken(context: Context, report: Report) -> BaselineTaken:
    if not report.void and all(r.ran for r in report.results) and not hangs(report):
        verdicts.save(context.db, _cache_key(context), discreet(report, context.redactor.redact))
    learn(context, report)
    if context.lab.sandbox and (hint := missing_network(report)):
        context.lab.on_notice(hint)
    for line in advice_lines(report):
        context.lab.on_notice(line)
    observations = () if report.void else _second_look(context, report)
    return BaselineTaken(tree=context.start, report=report, observations=observations)


def _cache_key(context: Context) -> str:
    return verdicts.cache_key(context.start, context.task.checks, context.environment)


def _cached(context: Context) -> Report | None:
    if not verdicts.cacheable(context.task.checks):
        return None
    report = verdicts.load(context.db, _cache_key(context))
    return report if report is not None and report.tree == context.start else None


def _measured(context: Context) -> Report:
    ask = Ask(tree=context.start, checks=context.task.checks, every_stage=True, label="start")
    report = context.lab.measure(ask)
    return context.lab.measure(ask) if context.lab.limit_tests(ask, report) else report


def learn(context: Context, report: Report) -> None:
    """What the baseline teaches: time limits, rewritten files, which files hold tests."""
    context.lab.learn(report)
    context.protection = learnt_protection(context.store, context.start, context.task, report, setup=context.lab.setup)


def learnt_protection(
    store: Store, start: str, task: Task, report: Report, *, setup: str | tuple[str, ...] | None
) -> Protection:
    """Which files of the start decide, once its own report told which of them hold tests."""
    entries = store.entries(start)
    links = _links(store, entries)
    commands = [parse_command(run) for run in (*(c.run for c in task.checks), *([setup] if setup else []))]
    commands += _reviewer(task)
    return protection(
        entries,
        links=links,
        collected=files_of_tests(i for r in report.results for i in r.inventory or ()),
        only=task.only,
        protect=task.protect,
        edit_tests=task.edit_tests,
        max_files=task.max_changed_files,
        commands=commands_behind(commands, lambda path: store.read(start, path), links=links),
    )


def _reviewer(task: Task) -> list[tuple[str, ...]]:
    """A script of the project that judges the author's work is not the author's to write."""
    judge = task.reviewer.agent if task.reviewer else None
    return [parse_command(judge.command)] if judge and judge.command else []


def _links(store: Store, entries: Mapping[str, Entry]) -> dict[str, str]:
    """Symbolic links of a tree and what they say."""
    links = {path: entry.oid for path, entry in entries.items() if entry.mode == LINK}
    blobs = store.blobs(links.values())
    return {path: os.fsdecode(blobs[oid]) for path, oid in links.items()}


def _second_look(context: Context, report: Report) -> tuple[Observation, ...]:
    tests = _tests(report)
    keys = tuple(sorted({f.key for f in report.failures}))
    return _looks(context, context.start, keys, tests, times=1) if keys else ()


def _tests(report: Report) -> frozenset[Key]:
    return frozenset(k for r in report.results for k in r.keys(r.inventory or ()))


def verify(context: Context, state: State, move: VerifyTree) -> TreeVerified:
    ask = _full(context, move.tree, f"attempt-{move.attempt}")
    report = context.lab.check(replace(ask, fresh=is_long(state)))
    return TreeVerified(tree=move.tree, report=report)


def focus(context: Context, state: State, move: FocusTree) -> TreeFocused:
    report = context.lab.look(
        move.tree,
        move.keys,
        context.task.checks,
        state.universe,
        doing="what failed before: ",
        label=f"first-{move.attempt}",
        decides=True,
    )
    return TreeFocused(tree=move.tree, report=report)


def control(context: Context, _state: State, move: RunControl) -> ControlRun:
    return ControlRun(tree=move.tree, report=context.lab.check(_full(context, move.tree, f"control-{move.attempt}")))


def _full(context: Context, tree: str, label: str) -> Ask:
    """Goals that tolerate old failures need every stage: an old early failure must not hide a new late one."""
    every_stage = context.task.goal.kind is not GoalKind.GREEN
    return Ask(tree=tree, checks=context.task.checks, every_stage=every_stage, label=label)


def confirm(context: Context, state: State, move: ConfirmKeys) -> KeysConfirmed:
    looks = _looks(context, move.tree, move.keys, state.universe, times=move.times)
    problem = "" if looks else "the checks came to no verdict when they were run again"
    return KeysConfirmed(tree=move.tree, observations=looks, problem=problem)


def _looks(
    context: Context, tree: str, keys: tuple[Key, ...], tests: frozenset[Key], *, times: int
) -> tuple[Observation, ...]:
    """Look again, and stop looking at a key as soon as it gave another answer."""
    seen: list[Observation] = []
    waiting = keys
    for _ in range(times):
        if not waiting:
            break
        seen += _one_look(context, tree, waiting, tests)
        waiting = tuple(k for k in waiting if not unsteady(tuple(o.seen for o in seen if o.key == k)))
    return tuple(seen)


def _one_look(context: Context, tree: str, keys: tuple[Key, ...], tests: frozenset[Key]) -> tuple[Observation, ...]:
    """Nothing when files were written meanwhile. A test that cannot be run alone is looked at in its whole check."""
    report = context.lab.look(tree, keys, context.task.checks, tests)
    if report.void:
        return ()
    look = observe(report, tests)
    seen = {k: look(k) for k in keys}
    missing = tuple(k for k, s in seen.items() if s is Seen.ABSENT and k in tests)
    if missing:
        whole = context.lab.look(tree, missing, context.task.checks, tests - set(missing))
        look = observe(whole, tests)
        seen |= {k: look(k) for k in missing if not whole.void}
    return tuple(Observation(key=k, seen=s) for k, s in seen.items())


def observed_again(
    context: Context, tree: str, keys: tuple[Key, ...], tests: frozenset[Key], *, passes: int
) -> tuple[Observation, ...]:
    """Look once; what passes is looked at until it fails or passed that many times."""
    seen: list[Observation] = []
    waiting = keys
    for _ in range(passes):
        if not waiting:
            break
        looks = _looks(context, tree, waiting, tests, times=1)
        seen += looks
        waiting = tuple(o.key for o in looks if o.seen is Seen.PASSED)
    return tuple(seen)
