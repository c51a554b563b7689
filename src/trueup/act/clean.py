"""Which finished runs may leave the disk, and how much room does that give back?"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from trueup.act.removal import remove

DAY = 24 * 60 * 60.0
KEEP_DAYS = 14.0
MAX_BYTES = 2 * 1000**3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    freed: int
    """Bytes on disk."""
    runs: tuple[str, ...]
    """Ids of the runs whose folders are gone, oldest first; their records may be forgotten now."""
    failed: tuple[str, ...] = ()
    """Ids of the runs that should have gone, but could not be removed completely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    id: str
    ended: float
    folders: tuple[Path, ...]
    size: int


def clean(
    state: Path,
    artefacts: Path,
    *,
    keep_days: float = KEEP_DAYS,
    max_bytes: int = MAX_BYTES,
    active: AbstractSet[str] = frozenset(),
    runs: Sequence[tuple[str, float]] = (),
    now: float | None = None,
) -> Cleaned:
    """Remove `state/<id>` and `artefacts/<id>` of ended runs that are too old, then of the oldest while over quota.

    Contract: a run in `active`, a folder that `runs` does not name, and an id that is not a plain folder name
    are never touched; symbolic links are removed, never followed. `runs` holds (id, end in Unix seconds).
    """
    places = (state, artefacts)
    ended = sorted(_ended(places, runs, active), key=lambda run: run.ended)
    # Active runs fill the disk too; they only cannot be removed.
    total = sum(run.size for run in ended) + sum(_size(f) for i in active for f in _folders(places, i))
    oldest_kept = (time.time() if now is None else now) - keep_days * DAY
    gone: list[_Run] = []
    failed: list[str] = []
    for run in ended:
        if run.ended >= oldest_kept and total <= max_bytes:
            continue
        left = [folder for folder in run.folders if not _removed(folder)]
        if not left:
            total -= run.size
            gone.append(run)
        else:
            failed.append(run.id)
    return Cleaned(freed=sum(r.size for r in gone), runs=tuple(r.id for r in gone), failed=tuple(failed))


def _ended(places: tuple[Path, ...], runs: Sequence[tuple[str, float]], active: AbstractSet[str]) -> Iterator[_Run]:
    for identity, ended in runs:
        if identity in active or not _is_plain(identity):
            continue
        folders = _folders(places, identity)
        yield _Run(id=identity, ended=ended, folders=folders, size=sum(_size(f) for f in folders))


def _is_plain(identity: str) -> bool:
    """Whether an id names a folder right below ours: it comes from a database that others could write."""
    return identity not in {"", ".", ".."} and not {"/", "\0", os.sep} & set(identity)


def _folders(places: tuple[Path, ...], identity: str) -> tuple[Path, ...]:
    if not _is_plain(identity):
        return ()
    return tuple(place / identity for place in places if os.path.lexists(place / identity))


def _size(folder: Path) -> int:
    """Blocks on disk, in bytes; a symbolic link counts as itself."""
    total = _blocks(folder)
    for parent, folders, files in os.walk(folder):
        total += sum(_blocks(Path(parent, name)) for name in (*folders, *files))
    return total


def _blocks(path: Path) -> int:
    try:
        return path.lstat().st_blocks * 512
    except OSError:  # vanished, or out of reach: it frees nothing that we know of
        return 0


def _removed(folder: Path) -> bool:
    """Whether nothing is left of it."""
    try:
        remove(folder)
    except OSError:
        return False
    return True
