"""What comes of one file that two sides changed? Three-way, or a conflict: never a guess."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from trueup.act.git import git
from trueup.act.process import ToolFailed
from trueup.act.trees import EXECUTABLE, FILE, Entry

REGULAR = frozenset({FILE, EXECUTABLE})
_CONFLICTS = range(1, 128)
"""Exit codes of `git merge-file` that count conflicts; what lies above is an error of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The merged file; `entry` is None when the file is gone."""

    entry: Entry | None


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Both changes in one text, byte for byte outside the changed lines; None = they conflict.

    Binary content (a NUL byte) that both sides changed is always a conflict.
    """
    if base == ours:
        return theirs
    if theirs in (base, ours):
        return ours
    if any(b"\0" in side for side in (base, ours, theirs)):
        return None
    return _merge_texts(base, ours, theirs)


def merge_entries(
    base: Entry | None,
    ours: Entry | None,
    theirs: Entry | None,
    *,
    read: Callable[[str], bytes],
    put: Callable[[bytes], str],
) -> Merged | None:
    """The same for a file with its mode, its absence included; None = conflict."""
    if base == ours:
        return Merged(entry=theirs)
    if theirs in (base, ours):
        return Merged(entry=ours)
    if base is None or ours is None or theirs is None:
        return None
    if not REGULAR.issuperset({base.mode, ours.mode, theirs.mode}):
        return None
    content = merge(read(base.oid), read(ours.oid), read(theirs.oid))
    if content is None:
        return None
    mode = theirs.mode if ours.mode == base.mode else ours.mode
    return Merged(entry=Entry(mode=mode, oid=put(content)))


def clashing(changed: Collection[str], final: Collection[str]) -> tuple[str, ...]:
    """Changed paths that would be a file where `final` also needs a folder, or the other way round."""
    folders = {folder for path in final for folder in parents(path)}
    files = frozenset(final)
    return tuple(
        path
        for path in changed
        if path in files and (path in folders or any(folder in files for folder in parents(path)))
    )


def parents(path: str) -> Iterator[str]:
    """`a/b/c` → `a/b`, `a`."""
    return (str(folder) for folder in PurePosixPath(path).parents if folder.name)


def _merge_texts(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    with tempfile.TemporaryDirectory(prefix="trueup-merge-") as name:
        folder = Path(name)
        for part, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            (folder / part).write_bytes(content)
        try:
            return git("merge-file", "-p", "ours", "base", "theirs", cwd=folder)
        except ToolFailed as error:
            if error.returncode in _CONFLICTS:
                return None
            raise
