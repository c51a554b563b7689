"""Where do checks run, and was anything written there meanwhile?"""

from __future__ import annotations

import contextlib
import hashlib
import os
import posixpath
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from trueup.act.folders import listening
from trueup.act.removal import clear_way, never, real_folder, remove
from trueup.act.short_names import forget, short_name
from trueup.act.stamps import Stamp, settled, stamp_of, stamps_of
from trueup.act.store import Entry, Store
from trueup.act.trees import EXECUTABLE, FILE, LINK
from trueup.errors import UnverifiableError

_TOOL_CACHES = frozenset({"__pycache__", ".cache", ".vite", ".vitest"})
"""Folders in an environment that tools rewrite as they run; checks are told to keep their bytecode elsewhere."""
_REMOVALS = 3
_SHA256_DIGITS = 64
_CHUNK = 1_000_000
_MOST_LINKS = 10
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
        self.short_tmp = self.tmp
        """The same folder, as checks know it."""
        self.cache = self._base / "cache"
        self.bytecode = self._base / "bytecode"
        self._index = self._base / "index"
        self._store = store
        self._keep = keep
        self._entries: dict[str, Entry] = {}
        """What every file has to be."""
        self._verified: dict[str, tuple[Stamp, Entry]] = {}
        """Files that were read and found right, with the stamp that they had. In memory only."""
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

    def shorten(self) -> None:
        """Give the temporary folder a path that is short enough for sockets. (In a sandbox there is none.)"""
        if self.short_tmp == self.tmp:
            self.short_tmp = short_name(self.tmp)

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
        self._entries = self._store.entries(tree)
        self._paths = tuple(self._entries)
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

    @contextlib.contextmanager
    def listening(self) -> Iterator[Callable[[], tuple[str, ...]]]:
        """Which folders of the tree, or above it, were moved from now on; "" is the bench itself."""
        inside = {f"{self.folder}/{name}" if name else f"{self.folder}": name for name in self._folders}
        above = dict.fromkeys((f"{self._base}", f"{self._base.parent}"), "")
        with listening([*inside, *above]) as moves:
            yield lambda: tuple((inside | above)[folder] for folder in moves.seen())

    def written_since(self, seal: Seal, moved: Iterable[str] = ()) -> tuple[str, ...]:
        """Files of the tree that were written, replaced or deleted since; what is new in the bench does not count.

        In environment folders (absolute paths) new files count too: a planted `.pth` changes every later check.
        Everything in folders that are known to have been `moved` counts as written.
        """
        now = self.seal(seal.extra)
        swapped = (f for f, stamp in seal.folders.items() if _was_replaced(stamp, now.folders.get(f)))
        places = tuple(f"{folder}/" if folder else "" for folder in (*swapped, *moved))
        touched = {path for path, stamp in seal.files.items() if now.files.get(path) != stamp}
        touched.update(path for path in seal.files if places and path.startswith(places))
        both = seal.environment.keys() | now.environment.keys()
        changed = {path for path in both if seal.environment.get(path) != now.environment.get(path)}
        return (*sorted(touched), *sorted(changed))

    def unlike_tree(self, seal: Seal, besides: Iterable[str] = ()) -> tuple[str, ...]:
        """Files whose content, kind or mode is not the tree's: somebody swapped them between writing and sealing.

        Ask after the check: a file that still has the stamp of its seal is what the check saw. `besides` are not read:
        they were written meanwhile.
        """
        began, mine = time.time_ns(), {path: e for path, e in self._entries.items() if e.mode in _KINDS}
        for path in besides:
            mine.pop(path, None)
        wanted = {path: (seal.files.get(path), entry) for path, entry in mine.items()}
        unread = {path: looks for path, looks in wanted.items() if self._verified.get(path) != looks}
        wrong = {path for path, (stamp, entry) in unread.items() if not self._is_right(path, stamp, entry)}
        old = settled({path: stamp for path, (stamp, _) in unread.items() if stamp and path not in wrong}, began)
        self._verified |= {path: (stamp, mine[path]) for path, stamp in old.items()}
        return tuple(sorted(wrong))

    def _is_right(self, path: str, sealed: Stamp | None, entry: Entry) -> bool:
        """Read first, then stamped: whatever was read had this stamp."""
        place = f"{self.folder}/{path}"
        return sealed is not None and _looks_like(place, sealed[4], entry) and stamp_of(place) == sealed

    def file_ids(self) -> dict[str, str]:
        """The regular files of the loaded tree, with git's names for what they hold."""
        return {path: entry.oid for path, entry in self._entries.items() if entry.mode in (FILE, EXECUTABLE)}

    def holds(self, path: str) -> bool:
        """Whether the loaded tree has this file."""
        return path in self._entries

    def read(self, path: str) -> bytes | None:
        """A file as the loaded tree has it, whatever lies on the disk; None when it is not in the tree."""
        entry = self._entries.get(self._followed(path))
        return None if entry is None or entry.mode == LINK else self._store.blobs([entry.oid])[entry.oid]

    def rewrite(self, path: str, content: bytes) -> None:
        """Let a file of the tree be another one from now on, until the next tree is loaded."""
        real = self._followed(path)
        was = self._entries[real]
        clear_way(self.folder, real)
        with (self.folder / real).open("xb") as file:
            file.write(content)
            os.fchmod(file.fileno(), 0o755 if was.mode == EXECUTABLE else 0o644)
        self._entries[real] = Entry(mode=was.mode, oid=_oid(iter((b"%d" % len(content), content)), was))

    def _followed(self, path: str) -> str:
        """Where the tree's own links lead from there."""
        for _ in range(_MOST_LINKS):
            entry = self._entries.get(path)
            if entry is None or entry.mode != LINK:
                break
            target = os.fsdecode(self._store.blobs([entry.oid])[entry.oid])
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return path

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
        forget(self.short_tmp)
        for _ in range(_REMOVALS):
            with contextlib.suppress(OSError):
                remove(self._base)
                return


_KINDS = {FILE: stat.S_IFREG, EXECUTABLE: stat.S_IFREG, LINK: stat.S_IFLNK}


def _looks_like(place: str, mode: int, entry: Entry) -> bool:
    """Whether a file is of the kind and has the content that a tree says."""
    if stat.S_IFMT(mode) != _KINDS[entry.mode]:
        return False
    if entry.mode != LINK and bool(mode & stat.S_IXUSR) != (entry.mode == EXECUTABLE):
        return False
    try:
        return _oid(_chunks(place, entry), entry) == entry.oid
    except OSError:
        return False


def _chunks(place: str, entry: Entry) -> Iterator[bytes]:
    """The size, then the content. Never through a link, and never waiting for somebody who writes to a pipe."""
    if entry.mode == LINK:
        target = os.fsencode(os.readlink(place))  # noqa: PTH115 - text, as everywhere here
        yield from (b"%d" % len(target), target)
        return
    opened = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield b"%d" % os.fstat(opened).st_size
        while chunk := os.read(opened, _CHUNK):
            yield chunk
    finally:
        os.close(opened)


def _oid(chunks: Iterator[bytes], like: Entry) -> str:
    """The name that git gives to a file: of its size and its content."""
    algorithm = "sha256" if len(like.oid) == _SHA256_DIGITS else "sha1"
    digest = hashlib.new(algorithm, b"blob " + next(chunks) + b"\0", usedforsecurity=False)
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


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
