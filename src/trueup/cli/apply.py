"""`trueup apply`: bring a result into the checkout, or take it out again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueup.cli.options import HERE, Directory, Json, Run

if TYPE_CHECKING:
    from trueup.act.apply import Plan
    from trueup.act.files import FileRules
    from trueup.act.store import Store
    from trueup.cli.shelf import KnownRun, Shelf

CONFLICT = 1


def command(
    run: Run = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Also a result that is better than the start, but not proven.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the latest applied result out again.")] = False,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Bring the result of a run into your checkout, as uncommitted changes: all of it, or nothing.

    Your own changes since the start stay: the two are merged. Where they meet in the same lines nothing is written and
    the files are named. Git's index is not touched.

    \b
      trueup apply              the result of the latest run
      trueup apply --undo       back to how it was
      trueup apply --partial    also if the run did not get all the way
    """
    if undo:
        raise typer.Exit(undo_run(directory, run, os.environ, as_json=json))
    raise typer.Exit(apply_run(directory, run, os.environ, partial=partial, as_json=json))


def apply_run(directory: Path, run: str | None, environ: Mapping[str, str], *, partial: bool, as_json: bool) -> int:
    """Exit code: 0, or 1 when the result does not fit the checkout and nothing was written."""
    from trueup.act.files import FileRules
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.errors import ConflictError
    from trueup.perform.applying import apply_index, carry_out

    with open_shelf(directory, environ) as shelf:
        known = shelf.run(run)
        _refuse_unfinished(known, partial=partial)
        rules = FileRules.from_dict(known.journal.facts["rules"])
        store = shelf.store()
        plan = _plan(shelf, known, store, rules)
        try:
            index = apply_index(shelf.state, known.id)
            carry_out(shelf.db, store, shelf.project.root, rules, plan, run=known.id, index=index)
        except ConflictError as error:
            if not as_json:
                raise
            show(str(error).splitlines(), shelf.redact, as_json=True)
            show_json(_about(known, plan, applied=False), shelf.redact, indent=0)
            return CONFLICT
        show(_lines(shelf, known, store, plan), shelf.redact, as_json=as_json)
        if as_json:
            show_json(_about(known, plan, applied=bool(plan.writes)), shelf.redact, indent=0)
        return 0


def undo_run(directory: Path, run: str | None, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Take back what was applied last (of one run, if it is named)."""
    from trueup.act.apply import Applied, undo
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.errors import UsageError
    from trueup.remember.applied import applied, mark_undone
    from trueup.remember.journal import find_run
    from trueup.report.text import plural

    with open_shelf(directory, environ) as shelf:
        wanted = find_run(shelf.db, run) if run is not None else None
        last = next((a for a in applied(shelf.db) if not a.undone and wanted in {None, a.run}), None)
        if last is None:
            raise UsageError("there is nothing to take back", why="no result is applied in this checkout")
        what = Applied(paths=last.paths, before_tree=last.before_tree, after_tree=last.after_tree)
        undo(shelf.project.root, shelf.store(), what)
        mark_undone(shelf.db, last.id)
        show(
            [f"took {_said(last.run)} out again: {plural(len(last.paths), 'file')} as before"],
            shelf.redact,
            as_json=as_json,
        )
        if as_json:
            show_json({"run": last.run, "undone": True, "files": last.paths}, shelf.redact, indent=0)
        return 0


def _said(run: str) -> str:
    from trueup.perform.sweeping import FIXES

    return "the fixes" if run == FIXES else f"run {run}"


# --- what may be applied -----------------------------------------------------------------------------------------


def _refuse_unfinished(known: KnownRun, *, partial: bool) -> None:
    from trueup.cli.shelf import RUNNING, said_status
    from trueup.errors import BlockedError, UsageError

    if known.status == RUNNING:
        raise BlockedError(f"run {known.id} is still going on", do=f"Wait for its end, or: trueup cancel {known.id}")
    status = said_status(known.status)
    if known.best == known.start:
        raise UsageError(
            f"run {known.id} has nothing to apply",
            why=f"it ended {status}, and its best state is your files as they were",
            do=f"`trueup explain {known.id}` tells what was tried.",
        )
    if known.status != "passed" and not partial:
        raise UsageError(
            f"run {known.id} did not pass: {status}",
            why="its best state is better than the start, but not proven",
            do=f"Look at it with `trueup diff {known.id}`, and take it with: trueup apply {known.id} --partial",
        )


def _plan(shelf: Shelf, known: KnownRun, store: Store, rules: FileRules) -> Plan:
    from trueup.act.apply import plan_apply
    from trueup.perform.applying import apply_index

    index = apply_index(shelf.state, known.id)
    return plan_apply(shelf.project.root, store, rules, start=known.start, best=known.best, index=index)


# --- what is said about it ---------------------------------------------------------------------------------------


def _about(known: KnownRun, plan: Plan, *, applied: bool) -> dict[str, Any]:
    return {
        "run": known.id,
        "applied": applied,
        "proven": known.status == "passed",
        "risky": plan.risky,
        "files": [write.path for write in plan.writes],
        "already": plan.already,
        "conflicts": plan.conflicts,
        "merged_since": plan.moved_on,
        "result": known.best,
    }


def _lines(shelf: Shelf, known: KnownRun, store: Store, plan: Plan) -> Iterator[str]:
    from trueup.cli.shelf import changed_between
    from trueup.report.text import labelled, packed, plain

    if not plan.writes:
        yield f"{shelf.where} holds the result of run {known.id} already; nothing was written"
        return
    yield f"applied run {known.id} to {shelf.where} as uncommitted changes"
    for i, path in enumerate(plan.risky):
        label = "look at" if i == 0 else ""
        yield labelled(label, f"{plain(path)}: runs by itself when the project is opened, built, tested or pushed")
    written = {write.path for write in plan.writes}
    files = [c for c in changed_between(store, known.start, known.best) if c.path in written]
    yield from packed("changed", [_changed(c.path, c.added, c.removed, c.note) for c in files], gap="   ", width=100)
    yield from _caution(known, plan)
    yield labelled("undo", "trueup apply --undo")


def _changed(path: str, added: int | None, removed: int | None, note: str) -> str:
    from trueup.report.text import plain

    sums = f"+{added} −{removed}" if added is not None and removed is not None else ""
    return " ".join(part for part in (plain(path), sums, note) if part)


def _caution(known: KnownRun, plan: Plan) -> Iterator[str]:
    from trueup.cli.shelf import short_id
    from trueup.report.text import labelled

    proven = known.status == "passed"
    if not proven:
        yield labelled("note", "not proven: better than the start, but the goal is not met")
    if plan.moved_on:
        how = "proven" if proven else "checked"
        yield labelled("note", f"{how} on {short_id(known.best)}, merged since: run your checks")
