"""How is what a command says kept, however much it is?"""

from __future__ import annotations

import contextlib
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trueup.evidence.gap import FAILURE_WORDS, Gap

FILE_HEAD, FILE_TAIL = 64_000_000, 16_000_000
"""What an output file holds at most; the middle of a longer output is left out, and it says so."""
_LONGEST_WORD = 4_096
_SEGMENT = 65_536
_MARKS = tuple(map(str.encode, FAILURE_WORDS))
_MARK = re.compile(b"|".join(_MARKS))
_LINES_BEFORE, _LINES_AFTER = 20, 60
"""Lines around a mark that belong to it: where a failure was, and what it says."""
_LONGEST_LINE = 65_536
_MOST_REMARKABLE = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """The beginning and the end of an output, with the size of what lay between, and what of that seems to matter."""

    head: bytes = b""
    tail: bytes = b""
    omitted: int = 0
    remarkable: tuple[tuple[int, bytes], ...] = ()
    """Whole lines of what was omitted in which a failure may speak, each with where it stood in the output."""
    unread: bool = False
    """Whether there were more of those lines than are kept."""

    @property
    def gap(self) -> Gap:
        if not self.omitted:
            return Gap.NONE
        return Gap.LOUD if self.unread else Gap.QUIET

    @property
    def bytes_total(self) -> int:
        return len(self.head) + self.omitted + len(self.tail)

    def text(self) -> str:
        """Only whole words around what was left out: nobody would recognise the half of a secret."""
        if not self.omitted:
            return (self.head + self.tail).decode(errors="replace")
        head, tail = _without_last_word(self.head), _without_first_word(self.tail)
        parts, told = [head], len(head)
        for at, piece in (*self.remarkable, (self.bytes_total - len(tail), tail)):
            parts += [_omission(at - told), piece]
            told = at + len(piece)
        return b"".join(parts).decode(errors="replace")


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


class _Remarkable:
    """Lines of a stream in which a failure may speak, with those around them, until there is no more room.

    A flood of log lines may hide the one that matters; neither the beginning nor the end of an output has it then.
    """

    def __init__(self) -> None:
        self.pieces: list[tuple[int, bytearray]] = []
        self._room = _MOST_REMARKABLE
        self.full_at: int | None = None
        """Where the first line stood for which there was no room."""
        self._at = 0
        """Where the line that is to come begins."""
        self._unfinished = b""
        self._before: deque[bytes] = deque(maxlen=_LINES_BEFORE)
        self._after = 0
        """So many lines still belong to the last mark."""
        self._cut = True
        """What comes first is the end of a line."""

    def feed(self, chunk: bytes) -> None:
        if self.full_at is not None or not chunk:
            return
        text = self._unfinished + chunk
        end = text.rfind(b"\n") + 1
        lines, self._unfinished = self._whole(text[:end]), text[end:]
        if self._after or any(mark in lines for mark in _MARKS):
            self._look(lines.splitlines(keepends=True))
        else:
            self._pass(lines)
        if len(self._unfinished) > _LONGEST_LINE:  # no failure is told like this
            self._at += len(self._unfinished)
            self._unfinished, self._cut = b"", True
            self._before.clear()

    def _whole(self, lines: bytes) -> bytes:
        """Without the rest of a line of which the beginning was not seen: half a secret would not be recognised."""
        if not self._cut or not lines:
            return lines
        begin = lines.index(b"\n") + 1
        self._at += begin
        self._cut = False
        return lines[begin:]

    def _pass(self, lines: bytes) -> None:
        self._at += len(lines)
        near = lines[-_LINES_BEFORE * 100 :]
        nearest = near.splitlines(keepends=True)
        if len(near) < len(lines):  # the first one may be the end of a longer line
            self._before.clear()
            del nearest[:1]
        self._before.extend(nearest)

    def _look(self, lines: list[bytes]) -> None:
        for line in lines:
            if _MARK.search(line):
                self._after = _LINES_AFTER
                self._take(b"".join(self._before))
                self._before.clear()
            if self._after:
                self._after -= 1
                self._at += len(line)
                self._take(line)
            else:
                self._before.append(line)
                self._at += len(line)

    def _take(self, text: bytes) -> None:
        """What ends where we are now."""
        if self.full_at is not None:
            return
        begin = self._at - len(text)
        if len(text) > self._room:
            self.full_at = begin
        elif self.pieces and self.pieces[-1][0] + len(self.pieces[-1][1]) == begin:
            self.pieces[-1][1].extend(text)
        elif text:
            self.pieces.append((begin, bytearray(text)))
        self._room -= len(text)


class Recorder:
    """Turns a stream into a `Captured` of at most `keep` bytes, and some remarkable lines between."""

    def __init__(self, keep: int) -> None:
        self._head = bytearray()
        self._bounded = _Bounded(self._head.extend, head=keep // 2, tail=keep - keep // 2)
        self._remarkable = _Remarkable()

    def feed(self, chunk: bytes) -> None:
        before = len(self._head)
        self._bounded.feed(chunk)
        self._remarkable.feed(chunk[len(self._head) - before :])

    def captured(self) -> Captured:
        omitted, tail = self._bounded.rest()
        start = len(self._head)
        between = ((start + at, bytes(piece[: max(0, omitted - at)])) for at, piece in self._remarkable.pieces)
        whole = tuple((at, piece[: piece.rfind(b"\n") + 1]) for at, piece in between if b"\n" in piece)
        full_at = self._remarkable.full_at
        unread = full_at is not None and full_at < omitted
        return Captured(head=bytes(self._head), tail=tail, omitted=omitted, remarkable=whole, unread=unread)


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
