"""How is what a command says kept, however much it is?"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

FILE_HEAD, FILE_TAIL = 64_000_000, 16_000_000
"""What an output file holds at most; the middle of a longer output is left out, and it says so."""
_LONGEST_WORD = 4_096
_SEGMENT = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """The beginning and the end of an output, with the size of what lay between."""

    head: bytes = b""
    tail: bytes = b""
    omitted: int = 0

    @property
    def bytes_total(self) -> int:
        return len(self.head) + self.omitted + len(self.tail)

    def text(self) -> str:
        """Only whole words around what was left out: nobody would recognise the half of a secret."""
        if not self.omitted:
            return (self.head + self.tail).decode(errors="replace")
        head, tail = _without_last_word(self.head), _without_first_word(self.tail)
        return (head + _omission(self.bytes_total - len(head) - len(tail)) + tail).decode(errors="replace")


def _without_last_word(head: bytes) -> bytes:
    end = head[-_LONGEST_WORD:]
    return head[: len(head) - len(end) + 1 + max(end.rfind(b" "), end.rfind(b"\n"))]


def _without_first_word(tail: bytes) -> bytes:
    begin = tail[:_LONGEST_WORD]
    gaps = (gap for gap in (begin.find(b" "), begin.find(b"\n")) if gap >= 0)
    return tail[min(gaps, default=len(begin)) :]


def _omission(count: int) -> bytes:
    return f"\n… {count} bytes left out …\n".encode() if count else b""


class _Tail:
    """The last `limit` bytes of what is fed to it, in segments so that single bytes cost no more than many."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._segments: deque[bytearray] = deque()

    def feed(self, chunk: bytes) -> None:
        if not self._segments or len(self._segments[-1]) >= _SEGMENT:
            self._segments.append(bytearray())
        self._segments[-1] += chunk
        self._size += len(chunk)
        while self._size - len(self._segments[0]) > self._limit:
            self._size -= len(self._segments.popleft())

    def bytes(self) -> bytes:
        joined = b"".join(self._segments)
        return joined[max(0, len(joined) - self._limit) :]


class _Bounded:
    """Passes the head on to `write`, remembers the tail, counts the rest."""

    def __init__(self, write: Callable[[bytes], object], *, head: int, tail: int) -> None:
        self._write = write
        self._room = head
        self._tail = _Tail(tail)
        self._beyond = 0

    def feed(self, chunk: bytes) -> None:
        now, later = chunk[: self._room], chunk[self._room :]
        if now:
            self._room -= len(now)
            self._write(now)
        if later:
            self._beyond += len(later)
            self._tail.feed(later)

    def rest(self) -> tuple[int, bytes]:
        tail = self._tail.bytes()
        return self._beyond - len(tail), tail


class Recorder:
    """Turns a stream into a `Captured` of at most `keep` bytes."""

    def __init__(self, keep: int) -> None:
        self._head = bytearray()
        self._bounded = _Bounded(self._head.extend, head=keep // 2, tail=keep - keep // 2)
        self.feed = self._bounded.feed

    def captured(self) -> Captured:
        omitted, tail = self._bounded.rest()
        return Captured(head=bytes(self._head), tail=tail, omitted=omitted)


@contextlib.contextmanager
def bounded_file(path: Path | None) -> Iterator[Callable[[bytes], None] | None]:
    """A file that holds the output as it comes, so that it survives us, and never grows without bound."""
    if path is None:
        yield None
        return
    with path.open("wb", buffering=0) as file:
        bounded = _Bounded(file.write, head=FILE_HEAD, tail=FILE_TAIL)
        try:
            yield bounded.feed
        finally:
            omitted, tail = bounded.rest()
            file.write(_omission(omitted) + tail)
