"""What do the lines of the JavaScript probe amount to? They are untrusted: the tested code can write there too."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

_LARGEST_FILE = 512 * 1024 * 1024
_MOST_FILES = 50_000


class Error(msgspec.Struct, kw_only=True, frozen=True):
    """What a test threw, as far as the tool tells it."""

    kind: str = ""
    message: str = ""
    stack: str = ""
    text: str = ""
    diff: str = ""
    expected: str = ""
    actual: str = ""
    frames: tuple[tuple[str, int], ...] = ()
    """Files and lines, innermost first, where the tool has led them back to the sources itself."""


class Event(msgspec.Struct, kw_only=True, frozen=True):
    """One line. Which fields mean something depends on `ev`."""

    ev: str
    tool: str = ""
    role: str = ""
    file: str = ""
    id: str = ""
    ids: tuple[str, ...] = ()
    outcome: str = ""
    when: str = ""
    text: str = ""
    error: Error = Error()


@dataclass(slots=True, kw_only=True)
class Session:
    """One process that ran tests, or that started those which did."""

    tool: str = ""
    role: str = ""
    file: str = ""
    ran: bool = False
    """It came as far as running tests."""
    ended: bool = False
    collected: dict[str, None] = field(default_factory=dict)
    results: dict[str, Event] = field(default_factory=dict)
    """The worst that was said about each test."""
    begun: dict[str, None] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    """Files with tests that had begun and not ended."""
    file_results: dict[str, Event] = field(default_factory=dict)
    broken: dict[str, Event] = field(default_factory=dict)
    """Files whose tests could not be collected."""
    troubles: dict[str, Event] = field(default_factory=dict)
    """What failed beside the tests: hooks of a group, errors that nobody caught."""
    left_out: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def add(self, event: Event) -> None:
        self._add_course(event)
        self._add_file(event)
        match event.ev:
            case "tests":
                self.collected.update(dict.fromkeys(event.ids))
            case "begin":
                self.begun[event.id] = None
            case "done":
                self.begun.pop(event.id, None)
            case "result":
                self._add_result(event)
            case "trouble":
                self.troubles.setdefault(event.id, event)

    def _add_course(self, event: Event) -> None:
        match event.ev:
            case "start":
                self.tool, self.role, self.file = event.tool, event.role, event.file
            case "run":
                self.ran = True
            case "end":
                self.ended = True
            case "problem":
                self.problems.append(event.text)

    def _add_file(self, event: Event) -> None:
        match event.ev:
            case "file":
                self.files[event.file] = None
            case "file_end":
                self.files.pop(event.file, None)
            case "file_result":
                self.files.pop(event.file, None)
                self.file_results[event.file] = event
            case "broken":
                self.broken.setdefault(event.file, event)
            case "left_out":
                self.left_out.add(event.file)

    def _add_result(self, event: Event) -> None:
        self.begun.pop(event.id, None)
        self.collected.setdefault(event.id)
        known = self.results.get(event.id)
        if known is None or known.outcome != "failed":
            self.results[event.id] = event

    def running(self) -> tuple[str, ...]:
        """The innermost of what had begun and not ended; a file when nothing more is known."""
        ordered = sorted(self.begun)
        return tuple(i for i in self.begun if not _is_around_another(i, ordered)) or tuple(self.files)


def _is_around_another(test_id: str, ordered: list[str]) -> bool:
    inside = f"{test_id} > "
    at = bisect_left(ordered, inside)
    return at < len(ordered) and ordered[at].startswith(inside)


def read_sessions(folder: Path) -> tuple[Session, ...]:
    """Those whose tool is known, in the order of their names."""
    if not folder.is_dir():
        return ()
    sessions = (_session(path) for path in sorted(folder.glob("*.jsonl"))[:_MOST_FILES])
    return tuple(s for s in sessions if s.tool)


def _session(path: Path) -> Session:
    session = Session()
    decode = msgspec.json.Decoder(Event).decode
    for line in _lines(path, session.problems):
        try:
            session.add(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            session.problems.append("a line of the test report cannot be read")
    return session


def _lines(path: Path, problems: list[str]) -> Iterator[bytes]:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_FILE:
            problems.append("the test report is not a readable file")
            return
        with path.open("rb") as lines:
            yield from lines
    except OSError as error:
        problems.append(f"the test report cannot be read: {error.strerror}")
