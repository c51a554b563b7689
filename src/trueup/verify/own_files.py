"""Did the tested code touch what we laid beside its command: programs, plug-ins, what they are told?

A command has several steps, and the code of the tree may run in the first. Whatever of ours a later step would load or
run has to be what it was when the command began, at every moment in between.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trueup.act.folders import Moves, listening
from trueup.act.stamps import Stamp, stamp_of

_LARGEST = 1_000_000
_Look = tuple[Stamp | None, str]
"""A stamp tells of a write that was undone; the content tells of one in the same moment as ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFiles:
    """Everything in `folder` but what the command is meant to write: how it looked at one moment."""

    folder: Path
    writable: Path
    blocked: Path
    looks: Mapping[str, _Look]
    moves: Moves

    def touched(self) -> bool:
        return bool(self.moves.seen()) or _looks(self.folder, self.writable, self.blocked) != self.looks


@contextmanager
def own_files(folder: Path, *, writable: Path, bytecode: Path) -> Iterator[OwnFiles]:
    """`bytecode` is where Python keeps what it compiled; of our modules nothing is kept, for anybody could write it."""
    blocked = bytecode / folder.relative_to("/")
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.touch()  # no folder, so that nothing can be put into it
    with listening(map(os.fspath, (folder, folder.parent, bytecode))) as moves:
        looks = _looks(folder, writable, blocked)
        try:
            yield OwnFiles(folder=folder, writable=writable, blocked=blocked, looks=looks, moves=moves)
        finally:
            if blocked.is_file():
                blocked.unlink()


def _looks(folder: Path, writable: Path, blocked: Path) -> Mapping[str, _Look]:
    every = (os.fspath(blocked), os.fspath(folder), *_inside(os.fspath(folder), os.fspath(writable)))
    return {path: (stamp_of(path), _digest(path)) for path in every}


def _inside(folder: str, writable: str) -> Iterator[str]:
    try:
        entries = [entry for entry in os.scandir(folder) if entry.path != writable]
    except OSError:  # gone, or closed to us: its stamp tells
        return
    for entry in entries:
        yield entry.path
        if entry.is_dir(follow_symlinks=False):
            yield from _inside(entry.path, writable)


def _digest(path: str) -> str:
    """Of a plain file that can be ours; whatever else lies there is known by its stamp."""
    try:
        seen = os.lstat(path)
        if not stat.S_ISREG(seen.st_mode) or seen.st_size > _LARGEST:
            return ""
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""
