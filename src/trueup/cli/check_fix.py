"""`trueup check --fix`: which failures does a rule repair, and what is written into the checkout?"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.act.apply import show_diff
from trueup.act.files import FileRules
from trueup.act.looks import Looks
from trueup.cli.check import LOGS, LOOKS, Answer, make_room, tell
from trueup.cli.shelf import Shelf
from trueup.evidence.failure import Failure
from trueup.evidence.report import Report
from trueup.perform.fixing import Fixed, fix_tree, is_protected, own_registry, write_fixes
from trueup.perform.lab import Ask
from trueup.perform.laboratory import laboratory
from trueup.perform.setting import Setting
from trueup.report.text import plain, plural, wording

if TYPE_CHECKING:
    from trueup.act.store import Store
    from trueup.decide.task import Task
    from trueup.perform.remedying import Kept, Reverted

SHOWN = 20


def fixed_answer(
    shelf: Shelf, task: Task, environ: Mapping[str, str], *, remedies: tuple[str, ...], dry_run: bool, again: bool
) -> Answer:
    """What the checks say when the rules are done; with `dry_run`, what they say now."""
    from trueup.cli.check import files_now

    rules = FileRules.of(shelf.project.root, include=task.include)
    rows = own_registry(shelf.project.root, remedies)
    setting = Setting(project=shelf.project, environ=environ)
    tree = files_now(shelf, rules, Looks(shelf.state / LOOKS))
    logs = shelf.state / LOGS / f"fix-{tree[:12]}"
    make_room(logs.parent)
    setup = _setup(shelf, task, environ)
    with laboratory(setting, task, tree, setup=setup, redactor=shelf.redactor, logs=logs, tell=tell) as lab:
        report = lab.measure(Ask(tree=tree, checks=task.checks))
        fixed = fix_tree(
            lab, shelf.db, rows, report, checks=task.checks, protected=is_protected(task), again=again, tell=tell
        )
    if not dry_run:
        fixed = _written(shelf, rules, fixed)
    about = fixed.remedied.before if dry_run else fixed.remedied.report
    return Answer(report=about, logs=logs, task=task, environ=environ, fixed=fixed, dry_run=dry_run)


def _setup(shelf: Shelf, task: Task, environ: Mapping[str, str]) -> str | tuple[str, ...] | None:
    """For checks of the project; verifiers make their own environments."""
    from trueup.act.command_line import which
    from trueup.act.dependencies import detect_setup

    if all(check.builtin for check in task.checks):
        return None
    return task.setup or detect_setup(shelf.project.root, lambda name: which(name, environ.get("PATH", "")))


def _written(shelf: Shelf, rules: FileRules, fixed: Fixed) -> Fixed:
    with tempfile.TemporaryDirectory(dir=shelf.state, prefix="fix-") as scratch:
        index = Path(scratch) / "index"
        return write_fixes(shelf.db, shelf.store(), shelf.project.root, rules, fixed, index=index)


# --- telling it --------------------------------------------------------------------------------------------------


def fix_lines(fixed: Fixed, store: Store, *, dry_run: bool) -> Iterator[str]:
    """Before the answer: what was kept and which failure it removed, what was tried in vain, what is off."""
    remedied = fixed.remedied
    for one in remedied.kept:
        yield f"  {'would fix' if dry_run else 'fixed'}: {plain(one.why)}"
        yield from (f"      removed {_named(failure)}" for failure in one.removed[:SHOWN])
    for late in _for_each(remedied.reverted):
        yield f"  taken back: {plain(late.why)}: {plain(late.because)}"
    for name in fixed.off:
        yield f"  off: {plain(name)}: its fixes kept being taken back here; --fresh tries it again"
    if dry_run and remedied.kept:
        yield from show_diff(store, remedied.start, remedied.tree).splitlines()
        yield f"  nothing was written; with these, {_then(remedied.report)}. As it is now:"
    elif fixed.written:
        yield f"  written: {', '.join(map(plain, fixed.written))}; take it back with: trueup apply --undo"
    else:
        yield (
            "  nothing to fix"
            if not remedied.before.failures
            else f"  no rule helps with {_left(remedied.report.failures)}"
        )


def _then(report: Report) -> str:
    if report.all_passed:
        return "everything passes"
    return f"{_left(report.failures)} would be left" if report.failures else "not everything can be said to pass"


def _for_each(reverted: tuple[Reverted, ...]) -> list[Reverted]:
    """One of each rule: the last."""
    return list({one.remedy: one for one in reverted}.values())[:SHOWN]


def _left(failures: tuple[Failure, ...]) -> str:
    return plural(len(failures), "failure")


def _named(failure: Failure) -> str:
    return plain(
        f"{failure.check}: {wording(failure.kind, failure.message)}" + (f" ({failure.file})" if failure.file else "")
    )


def fix_facts(fixed: Fixed, store: Store, *, dry_run: bool) -> dict[str, Any]:
    """The same, for machines."""
    remedied = fixed.remedied
    return {
        "kept": [_kept(one) for one in remedied.kept],
        "taken_back": [{"remedy": r.remedy, "why": r.why, "because": r.because} for r in remedied.reverted],
        "off": fixed.off,
        "written": fixed.written,
        "dry_run": dry_run,
        "diff": show_diff(store, remedied.start, remedied.tree) if remedied.kept else "",
    }


def _kept(one: Kept) -> dict[str, Any]:
    removed = [{"key": f.key, "kind": f.kind, "message": f.message, "file": f.file} for f in one.removed]
    return {"remedy": one.remedy, "why": one.why, "files": one.paths, "removed": removed}
