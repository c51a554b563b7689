"""What did a process that was killed leave in the state folder, and what of it is in the way or may go?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from trueup.act.apply import permissions_of
from trueup.act.removal import remove
from trueup.act.store import Store
from trueup.remember import applied
from trueup.remember.database import Database
from trueup.remember.journal import run_exists
from trueup.remember.leases import holder_of

SCRATCH = ("edit-*", "handback-*")
"""Folders in the store that live for one git command or two."""
OLD = 3600.0
"""Seconds; no git command of ours takes so long."""
FIXES = "fix"
"""In the place of a run's id, where `check --fix` keeps its rescue copies and notes what it wrote."""
FIRST_FILES = frozenset({"checkout.index", "checkout.index.lock", "user-index"})
"""What the folder of a run holds before the run is written down."""


def sweep(db: Database, state: Path, store: Store) -> None:
    """Remove scratch folders that nobody can still be using, and runs that were killed before they were written down.

    The caller holds a lease, or has not begun: a run that another process is opening at this moment has its own.
    """
    for left in (*_stale_scratch(store), *_half_written(store)):
        remove(left)
    for run in _never_begun(db, state):
        store.forget(f"{run}/")
        remove(state / "runs" / run)


def forget_fixes(db: Database, store: Store, *, before: float) -> int:
    """Let go of the rescue copies of fixes that were written until then, and of copies that no note belongs to.

    How many notes that were. A fix that is forgotten stays in the checkout and cannot be taken back any more.
    """
    notes = [note for note in applied.applied(db) if note.run == FIXES]
    old = [note for note in notes if note.time <= before]
    needed = {tree for note in notes if note not in old for tree in (note.before_tree, note.after_tree)}
    rights = {permissions_of(note.before_tree, note.after_tree) for note in notes if note not in old}
    for name, tree in store.kept(FIXES).items():
        if tree not in needed and name.removeprefix(f"{FIXES}/") not in rights:
            store.forget(name)
    applied.forget(db, [note.id for note in old])
    return len(old)


def unlock(folder: Path, store: Store, run: str) -> None:
    """Remove the locks of git commands that were killed with trueup. Only for the holder of the run's lease."""
    ours = store.path / "refs" / "trueup" / run
    for lock in (*(folder / "workspace").glob("*.index.lock"), *folder.glob("*.index.lock"), *ours.rglob("*.lock")):
        remove(lock)


def _stale_scratch(store: Store) -> Iterator[Path]:
    for pattern in SCRATCH:
        for folder in store.path.glob(pattern):
            if time.time() - folder.lstat().st_mtime > OLD:
                yield folder


def _half_written(store: Store) -> Iterator[Path]:
    """Files of the store that were never put in their place; each name tells who was writing it."""
    for path in (*store.path.glob("*.*.new"), *store.path.glob("info/*.*.new")):
        writer = path.name.split(".")[-2]
        if writer.isdecimal() and not psutil.pid_exists(int(writer)):
            yield path


def _never_begun(db: Database, state: Path) -> Iterator[str]:
    """A run with more in its folder had begun: it is unknown because the journal was lost, and nothing else may be."""
    folder = state / "runs"
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if run_exists(db, place.name) or holder_of(db, place.name) is not None or not place.is_dir():
            continue
        if {path.name for path in place.iterdir()} <= FIRST_FILES:
            yield place.name
