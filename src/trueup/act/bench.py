"""Where do checks run, and was anything written there meanwhile?"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from trueup.act.removal import never, real_folder, remove
from trueup.act.stamps import Stamp, stamp_of, stamps_of
from trueup.act.store import Store
from trueup.errors import UnverifiableError

_TOOL_CACHES = frozenset({"__pycache__", ".cache", ".vite", ".vitest"})
"""Folders in an environment that tools rewrite as they run; checks are told to keep their bytecode elsewhere."""
_REMOVALS = 3
_MOST_ADDED = 20_000
"""More than this are not listed: something unpacks an archive, or fills the disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """How everything on the bench looked at one moment."""

    files: Mapping[str, Stamp]
    """Files of the tree, by relative path."""
    folders: Mapping[str, Stamp]
    """Their folders; "" is the bench itself."""
    environment: Mapping[str, Stamp]
    """Everything in the environment folders, by absolute path."""
    extra: tuple[Path, ...] = ()


class Bench:
    """A plain folder under a random name that holds one tree at a time; no agent ever works there."""

    def __init__(self, parent: Path, store: Store, *, keep: Callable[[str], bool] = never) -> None:
        """`keep` names what stays when a tree is loaded, such as an environment that was put there."""
        real_folder(parent)
        self._base = parent.resolve() / secrets.token_hex(8)
        self.folder = self._base / "work"
        self.tmp = self._base / "tmp"
        self.cache = self._base / "cache"
        self.bytecode = self._base / "bytecode"
        self._index = self._base / "index"
        self._store = store
        self._keep = keep
        self._paths: tuple[str, ...] = ()
        self._folders: tuple[str, ...] = ("",)
        self._base.mkdir(mode=0o700, parents=True)
        for folder in (self.folder, self.tmp, self.cache, self.bytecode):
            folder.mkdir(mode=0o700)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def load(self, tree: str) -> None:
        """Hold exactly this tree, with empty temporary and bytecode folders."""
        if os.path.realpath(self._base) != os.fspath(self._base):
            raise UnverifiableError(
                f"{self._base} was moved away",
                why="a folder above it is a link now; what it leads to is not ours to write",
                do="Look at what the agent did before you start again.",
            )
        for folder in (self.folder, self.tmp, self.cache, self.bytecode):
            real_folder(folder)
        for folder in (self.tmp, self.bytecode):
            for name in os.listdir(folder):  # noqa: PTH208 - names as text, undecodable ones included
                remove(f"{folder}/{name}")
        self._store.write(tree, self.folder, index=self._index, keep=self._keeps)
        self._paths = tuple(self._store.entries(tree))
        self._folders = _folders_of(self._paths)

    def _keeps(self, path: str) -> bool:
        stale = path.endswith((".pyc", ".pyo")) or path.rsplit("/", 1)[-1] == "__pycache__"
        return not stale and self._keep(path)

    def seal(self, extra: Iterable[Path] = ()) -> Seal:
        """Stamps of every file of the tree, and of everything in the environment folders given."""
        places = tuple(extra)
        return Seal(
            files=stamps_of(self.folder, self._paths),
            folders=stamps_of(self.folder, self._folders),
            environment=dict(_environment(places)),
            extra=places,
        )

    def written_since(self, seal: Seal) -> tuple[str, ...]:
        """Files of the tree that were written, replaced or deleted since; what is new in the bench does not count.

        In environment folders (absolute paths) new files count too: a planted `.pth` changes every later check.
        """
        now = self.seal(seal.extra)
        moved = tuple(
            f"{folder}/" if folder else ""
            for folder, stamp in seal.folders.items()
            if _was_replaced(stamp, now.folders.get(folder))
        )
        touched = {path for path, stamp in seal.files.items() if now.files.get(path) != stamp}
        touched.update(path for path in seal.files if moved and path.startswith(moved))
        both = seal.environment.keys() | now.environment.keys()
        changed = {path for path in both if seal.environment.get(path) != now.environment.get(path)}
        return (*sorted(touched), *sorted(changed))

    def added(self) -> tuple[str, ...]:
        """Files that lie on the bench and are not of the tree, without caches and what was put there on purpose."""
        mine, pending = set(self._paths), [""]
        found: list[str] = []
        while pending and len(found) < _MOST_ADDED:
            here = pending.pop()
            for entry in _entries(os.path.join(self.folder, here)):  # noqa: PTH118 - text, as everywhere here
                path = f"{here}/{entry.name}" if here else entry.name
                if entry.name in _TOOL_CACHES or path in mine or self._keep(path):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                else:
                    found.append(path)
        return tuple(sorted(found))

    def put_back(self, paths: Iterable[str]) -> None:
        """Write files of the loaded tree again. Paths that it does not hold are passed over."""
        mine = set(self._paths)
        self._store.write_paths([path for path in paths if path in mine], self.folder, index=self._index)

    def close(self) -> None:
        """Remove the bench. A second call does nothing.

        A process that still writes there can keep a folder from being removed; `trueup clean` sweeps what is left.
        """
        for _ in range(_REMOVALS):
            with contextlib.suppress(OSError):
                remove(self._base)
                return


def _folders_of(paths: Iterable[str]) -> tuple[str, ...]:
    folders = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return tuple(folders)


def _was_replaced(before: Stamp, now: Stamp | None) -> bool:
    """A folder that was swapped and put back: another inode, or a change of the folder but not of its entries.

    A new file in a folder moves both of its times together; renaming the folder moves only the ctime.
    """
    if now is None or before[3] != now[3] or not stat.S_ISDIR(now[4]):
        return True
    return before[2] != now[2] and before[1] == now[1]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _environment(places: Iterable[Path]) -> Iterator[tuple[str, Stamp]]:
    pending = [os.fspath(place) for place in places]
    while pending:
        for entry in _entries(pending.pop()):
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _TOOL_CACHES:
                    pending.append(entry.path)
            else:
                stamp = stamp_of(entry.path)
                if stamp is not None:
                    yield entry.path, stamp
