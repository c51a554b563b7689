"""Was a file written since we last looked? Told from what a program cannot set back.

Git's own index compares times by the second, so that a change within the same second, with size and mtime put
back, escapes it. A stamp has the full resolution of the file system.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

Stamp = tuple[int, int, int, int, int]
"""Size, mtime, ctime, inode, mode. The ctime is the one that no call can set."""

CLOCK_STEP = 20_000_000
"""Nanoseconds; more than one step of any common file system's clock. A younger file may change unseen."""


def stamps_of(folder: Path, paths: Iterable[str]) -> dict[str, Stamp]:
    """Path -> stamp of all that is there; links are not followed."""
    root = os.fspath(folder)
    found: dict[str, Stamp] = {}
    for path in paths:
        stamp = stamp_of(f"{root}/{path}" if path else root)
        if stamp is not None:
            found[path] = stamp
    return found


def stamp_of(path: str) -> Stamp | None:
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    return stamp(seen)


def stamp(seen: os.stat_result) -> Stamp:
    return seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, seen.st_mode


def settled(stamps: Mapping[str, Stamp], now: int) -> dict[str, Stamp]:
    """The stamps that will differ after any later write: those that were old enough when they were taken."""
    return {path: stamp for path, stamp in stamps.items() if stamp[2] < now - CLOCK_STEP}
