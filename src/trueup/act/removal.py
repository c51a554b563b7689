"""How is room made in a folder, whatever the modes, depths and links that an agent left there?"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

_LONG = 500
"""Folders with a longer path are moved up first: the system refuses paths of more than 4,096 bytes."""
_DEEP = 100


def remove(path: Path | str) -> None:
    """Remove a file, a link (never what it points to) or a folder with all that is in it. Missing is fine."""
    top = os.fspath(path)
    try:
        mode = os.lstat(top).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        _remove_folder(top)
    else:
        open_up(os.path.dirname(top))  # noqa: PTH120 - paths stay text here, undecodable names included
        os.unlink(top)  # noqa: PTH108


def open_up(folder: str) -> None:
    """Let the owner list and change a folder."""
    mode = stat.S_IMODE(os.lstat(folder).st_mode)
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(folder, mode | stat.S_IRWXU)  # noqa: PTH101


def real_folder(path: Path) -> None:
    """Make the path a folder. A link in its place is removed: what it points to is not ours to sweep."""
    if path.is_symlink() or not path.is_dir():
        remove(path)
        path.mkdir(mode=0o700, parents=True)


def _remove_folder(top: str) -> None:
    open_up(os.path.dirname(top) or ".")  # noqa: PTH120
    emptied: list[str] = []
    pending = [top]
    moved = 0
    while pending:
        folder = pending.pop()
        if len(folder) > len(top) + _LONG:
            moved += 1
            nearer = f"{top}/.{moved}.{os.getpid()}"
            os.rename(folder, nearer)  # noqa: PTH104
            folder = nearer
        emptied.append(folder)
        pending.extend(_unlink_files(folder))
    for folder in reversed(emptied):
        os.rmdir(folder)  # noqa: PTH106


def _unlink_files(folder: str) -> list[str]:
    """The folders in it, after everything else was removed."""
    open_up(folder)
    inner: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                inner.append(entry.path)
            else:
                os.unlink(entry.path)  # noqa: PTH108
    return inner


def never(_path: str) -> bool:
    return False


def sweep(folder: Path, wanted: Iterable[str], keep: Callable[[str], bool]) -> None:
    """Remove what a tree with the wanted paths does not hold, but for what `keep` names and a `.git` at the top."""
    _Sweep(folder, frozenset(wanted), keep).clean("")


class _Sweep:
    """Removes from a folder what is in the way of a tree, without following a single link."""

    def __init__(self, folder: Path, wanted: frozenset[str], keep: Callable[[str], bool]) -> None:
        self._root = os.fspath(folder)
        self._wanted = wanted
        self._folders = {parent for path in wanted for parent in _parents(path)}
        self._keep = keep

    def clean(self, folder: str) -> bool:
        """Clean one folder; true when something that is kept stays in it."""
        here = f"{self._root}/{folder}" if folder else self._root
        open_up(here)
        with os.scandir(here) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        stays = False
        for name, is_folder in found:
            path = f"{folder}/{name}" if folder else name
            if path != ".git" and self._settle(path, is_folder=is_folder):
                stays = True
        return stays

    def _settle(self, path: str, *, is_folder: bool) -> bool:
        if path in self._folders and is_folder:
            self.clean(path)
            return True
        if path in self._wanted and not is_folder:
            return True
        if path not in self._folders and path not in self._wanted and self._keeps(path, is_folder=is_folder):
            return True
        remove(f"{self._root}/{path}")
        return False

    def _keeps(self, path: str, *, is_folder: bool) -> bool:
        """Kept itself, or a folder that holds something kept (no one keeps what lies absurdly deep)."""
        if self._keep is never or path.count("/") > _DEEP:
            return False
        return self._keep(path) or (is_folder and self.clean(path))


def clear_way(folder: Path, path: str) -> None:
    """Remove what lies at a path of the folder, and nothing beyond a link that someone put above it."""
    here = os.fspath(folder)
    *above, name = path.split("/")
    for part in above:
        here = f"{here}/{part}"
        if not _is_folder(here):
            remove(here)
            return
    remove(f"{here}/{name}")


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _parents(path: str) -> Iterator[str]:
    cut = path.find("/")
    while cut != -1:
        yield path[:cut]
        cut = path.find("/", cut + 1)
