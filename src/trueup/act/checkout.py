"""How is one file of the user's checkout read, replaced or removed, without ever following a link?"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from trueup.act.merge import parents
from trueup.act.trees import EXECUTABLE, FILE, LINK

_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What lies on the disk; mode "" and no content for what is neither a file nor a link."""

    mode: str
    content: bytes = b""
    permissions: int = 0
    """The bits of a regular file."""


def look(root: Path, path: str) -> Found | None:
    """None when there is nothing, a folder, or a link on the way to it."""
    try:
        with _folder_of(root, path) as (folder, name):
            return _look(folder, name)
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return None
        raise


def put(root: Path, path: str, mode: str, content: bytes, *, permissions: int = 0) -> None:
    """Replace or create a file or a link in one step, with the folders above it.

    `permissions` are those of the file that it replaces (0: as for a new file); only execution follows the mode.
    """
    with _folder_of(root, path, create=True) as (folder, name):
        fresh = f".trueup-{secrets.token_hex(8)}"
        try:
            _create(folder, fresh, mode, content, permissions)
            os.replace(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(fresh, dir_fd=folder)
            raise


def remove(root: Path, path: str) -> None:
    with _folder_of(root, path) as (folder, name):
        os.unlink(name, dir_fd=folder)


def prune(root: Path, path: str, *, only: Container[str] | None = None) -> None:
    """Remove the folders above a path that are empty now, as git does; with `only`, no others than these."""
    for above in parents(path):
        if only is not None and above not in only:
            return
        try:
            (root / above).rmdir()
        except OSError:
            return


def _look(folder: int, name: str) -> Found | None:
    status = os.lstat(name, dir_fd=folder)
    if stat.S_ISDIR(status.st_mode):
        return None
    if stat.S_ISLNK(status.st_mode):
        return Found(mode=LINK, content=os.readlink(os.fsencode(name), dir_fd=folder))
    if not stat.S_ISREG(status.st_mode):
        return Found(mode="")
    mode = EXECUTABLE if status.st_mode & stat.S_IXUSR else FILE
    with os.fdopen(os.open(name, _OLD, dir_fd=folder), "rb") as file:
        return Found(mode=mode, content=file.read(), permissions=status.st_mode & 0o777)


def _create(folder: int, name: str, mode: str, content: bytes, permissions: int) -> None:
    if mode == LINK:
        os.symlink(content, os.fsencode(name), dir_fd=folder)
        return
    executable = mode == EXECUTABLE
    with os.fdopen(os.open(name, _NEW, 0o777 if executable else 0o666, dir_fd=folder), "wb") as file:
        file.write(content)
        if permissions:
            os.fchmod(file.fileno(), _with_execution(permissions, executable=executable))


def _with_execution(permissions: int, *, executable: bool) -> int:
    """Who may read may also execute, or nobody may; everything else stays as the user set it."""
    if executable == bool(permissions & stat.S_IXUSR):
        return permissions
    return permissions | (permissions & 0o444) >> 2 if executable else permissions & ~0o111


@contextlib.contextmanager
def _folder_of(root: Path, path: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
    """An open folder and the name in it. A link on the way is an error: it could lead anywhere."""
    *above, name = path.split("/")
    folder = os.open(root, _FOLDER)
    try:
        for part in above:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder, name
    finally:
        os.close(folder)
