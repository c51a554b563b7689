"""Was a folder moved away for a while, even if it was put back?

Its ctime shows that, until somebody adds a file to it: then both of its times move, as they do in many an honest check.
The kernel tells it apart.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterable, Iterator

from trueup.act.warden import LINUX

_DELETED, _MOVED, _UNMOUNTED, _OVERFLOW = 0x400, 0x800, 0x2000, 0x4000
_NO_LINK_NO_FILE = 0x0200_0000 | 0x0100_0000
_EVENT = struct.Struct("iIII")
_READ = 65_536


class Moves:
    """Listens from now on to what happens to some folders."""

    def __init__(self, queue: int, folders: dict[int, str]) -> None:
        self._queue, self._folders = queue, folders

    def seen(self) -> tuple[str, ...]:
        """Folders that were moved or deleted."""
        found: dict[str, None] = {}
        with contextlib.suppress(BlockingIOError):
            while self._queue >= 0 and (events := os.read(self._queue, _READ)):
                for watch, mask in _parsed(events):
                    if mask & _OVERFLOW:
                        return tuple(self._folders.values())
                    if mask & (_DELETED | _MOVED | _UNMOUNTED):
                        found[self._folders[watch]] = None
        return tuple(found)


def _parsed(events: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(events):
        watch, mask, _, length = _EVENT.unpack_from(events, at)
        yield watch, mask
        at += _EVENT.size + length


@contextlib.contextmanager
def listening(folders: Iterable[str]) -> Iterator[Moves]:
    """Where the kernel does not tell, or has no room for more, nothing is ever seen."""
    if not LINUX:
        yield Moves(-1, {})
        return
    import ctypes

    kernel = ctypes.CDLL(None)
    queue = kernel.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        watches = {}
        for folder in folders if queue >= 0 else ():
            mask = _DELETED | _MOVED | _NO_LINK_NO_FILE
            watch = kernel.inotify_add_watch(queue, os.fsencode(folder), mask)
            if watch >= 0:
                watches[watch] = folder
        yield Moves(queue, watches)
    finally:
        if queue >= 0:
            os.close(queue)
