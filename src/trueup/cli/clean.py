"""`trueup clean`: free the disk of runs that are over."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueup.cli.options import HERE, Directory, Json

if TYPE_CHECKING:
    from trueup.act.clean import Cleaned
    from trueup.cli.shelf import Shelf
    from trueup.remember.journal import RunRow

NOT_ALL = 1
GIGABYTE = 1000**3
STALE = 24 * 60 * 60.0
"""Seconds after which a folder for checks without a run must be a killed process's."""


def command(
    days: Annotated[
        float | None, typer.Option("--days", min=0, metavar="N", help="Keep the runs of the last N days. [default: 14]")
    ] = None,
    max_gb: Annotated[
        float | None,
        typer.Option("--max-gb", min=0, metavar="G", help="Then the oldest, while all take more. [default: 2]"),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every run that is over, whatever its age.")] = False,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Remove old runs of this project: their copies, their records, their files. One that is going on stays.

    Branches that trueup made, and what was applied to your checkout, are yours and stay too. What `check --fix` wrote
    that long ago can then not be taken back any more.

    \b
      trueup clean
      trueup clean --days 2 --max-gb 0.5
    """
    from trueup.act import clean as act
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.remember.journal import runs

    keep = 0.0 if everything else act.KEEP_DAYS if days is None else days
    most = 0 if everything else act.MAX_BYTES if max_gb is None else int(max_gb * GIGABYTE)
    with open_shelf(directory, os.environ) as shelf, ExitStack() as stack:
        rows = runs(shelf.db)
        _hold(shelf, rows, stack)
        cleaned = act.clean(
            shelf.state / "runs",
            shelf.project.root / ".trueup" / "runs",
            keep_days=keep,
            max_bytes=most,
            active=_active(shelf, rows),
            runs=[(row.id, row.ended or row.started) for row in rows],
        )
        freed = cleaned.freed + _forget(shelf, cleaned, fixes_before=time.time() - keep * act.DAY)
        if json:
            show_json(_about(cleaned, freed, len(rows)), shelf.redact)
        else:
            show(_lines(cleaned, freed, len(rows)), shelf.redact)
    raise typer.Exit(NOT_ALL if cleaned.failed else 0)


def _hold(shelf: Shelf, rows: tuple[RunRow, ...], stack: ExitStack) -> None:
    """Nobody resumes a run while it is being removed."""
    from trueup.errors import BlockedError
    from trueup.remember.leases import Lease

    for item in sorted({row.item for row in rows}):
        with suppress(BlockedError):  # a run on it is going on, which keeps the others of its item from being resumed
            stack.enter_context(Lease.acquire(shelf.db, item, "clean"))


def _active(shelf: Shelf, rows: tuple[RunRow, ...]) -> frozenset[str]:
    from trueup.remember.leases import holder_of

    return frozenset(row.id for row in rows if holder_of(shelf.db, row.id))


def _forget(shelf: Shelf, cleaned: Cleaned, *, fixes_before: float) -> int:
    """Records and stored files of the removed runs and of old fixes; how many bytes that gave back."""
    from trueup.perform.sweeping import forget_fixes
    from trueup.remember.journal import forget_run
    from trueup.remember.workitems import absorb_all

    store = shelf.store()
    before = _size(store.path)
    absorb_all(shelf.db)  # what the next run of a work item should know outlives its runs
    for run in cleaned.runs:
        store.forget(f"{run}/")
        forget_run(shelf.db, run)
    forget_fixes(shelf.db, store, before=fixes_before)
    _sweep(shelf.state)
    store.prune()
    return max(before - _size(store.path), 0)


def _sweep(state: Path) -> None:
    from trueup.act.removal import remove
    from trueup.perform.laboratory import FOLDER

    folders = list((state / FOLDER).iterdir()) if (state / FOLDER).is_dir() else []
    for folder in folders:
        if folder.lstat().st_mtime < time.time() - STALE:
            remove(folder)


def _size(folder: Path) -> int:
    files = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return sum(file.lstat().st_blocks * 512 for file in files if os.path.lexists(file))


def _about(cleaned: Cleaned, freed: int, known: int) -> dict[str, Any]:
    kept = known - len(cleaned.runs)
    return {"freed_bytes": freed, "removed": cleaned.runs, "failed": cleaned.failed, "kept": kept}


def _lines(cleaned: Cleaned, freed: int, known: int) -> Iterator[str]:
    from trueup.report.text import labelled, plain, plural

    kept = plural(known - len(cleaned.runs), "run")
    if not cleaned.runs and not cleaned.failed:
        yield f"nothing to remove: {kept} kept" + (f", {_said_size(freed)} freed" if freed else "")
        return
    yield f"freed {_said_size(freed)}: {plural(len(cleaned.runs), 'run')} removed, {kept} kept"
    for run in cleaned.failed:
        yield labelled("not all", f"run {plain(run)} could not be removed completely; look at the permissions")


def _said_size(count: int) -> str:
    for unit, size in (("GB", GIGABYTE), ("MB", 1000**2)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count // 1000} kB"
