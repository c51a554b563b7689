"""What do the lines that the probe wrote amount to? They are untrusted: the tested code can write there too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from trueup.evidence.report import TestPlace

_LARGEST_FILE = 512 * 1024 * 1024


class Event(msgspec.Struct, kw_only=True, frozen=True):
    """One line. Which fields mean something depends on `ev`."""

    ev: str
    id: str = ""
    when: str = ""
    outcome: str = ""
    xfail: bool = False
    part: bool = False
    """A subtest: its pass is not the test's pass."""
    kind: str = "report"
    message: str = ""
    file: str | None = None
    line: int | None = None
    text: str = ""
    items: tuple[tuple[str, str | None, int, str], ...] = ()
    loaded: tuple[tuple[str, str], ...] = ()
    python: str = ""
    worker: bool = False


@dataclass(slots=True, kw_only=True)
class Sessions:
    """All pytest sessions of one command, folded."""

    started: int = 0
    ended: int = 0
    python: str = ""
    """The interpreter of the first session."""
    collections: int = 0
    collected: dict[str, None] = field(default_factory=dict)
    places: dict[str, tuple[str, int, str]] = field(default_factory=dict)
    """Id -> file, line and name of the function that is its body."""
    begun: dict[str, None] = field(default_factory=dict)
    reports: dict[str, list[Event]] = field(default_factory=dict)
    broken: dict[str, Event] = field(default_factory=dict)
    """What could not be collected."""
    foreign: dict[str, str] = field(default_factory=dict)
    """Project modules that were loaded from outside the bench: name -> file."""
    problems: list[str] = field(default_factory=list)
    others: list[Event] = field(default_factory=list)
    """What only one kind of runner tells, such as what ended a session itself (`internal`)."""

    @property
    def finished(self) -> bool:
        return 0 < self.started <= self.ended

    def add(self, event: Event) -> None:
        match event.ev:
            case "start" if not event.worker:
                self.started += 1
                self.python = self.python or event.python
            case "end":
                self.ended += 1
            case "collected":
                self.collections += 1
                self.collected.update(dict.fromkeys(item[0] for item in event.items))
                self._add_places(event)
            case "places":  # from the workers of pytest-xdist; their controller collects nothing itself
                self._add_places(event)
            case "collect_error":
                self.broken.setdefault(event.id, event)
            case "begin":
                self.begun[event.id] = None
            case "report":
                self.reports.setdefault(event.id, []).append(event)
            case "modules":
                self.foreign.update(event.loaded)
            case "problem":
                self.problems.append(event.text)
            case _:
                self.others.append(event)

    def _add_places(self, event: Event) -> None:
        self.places.update({i: (file, line, name) for i, file, line, name in event.items if file is not None})

    def failing(self, test_id: str) -> list[Event]:
        """Each failing subtest, or else the first phase that failed."""
        failed = [r for r in self.reports.get(test_id, ()) if r.outcome == "failed"]
        return [r for r in failed if r.part] or failed[:1]

    def is_skipped(self, test_id: str) -> bool:
        whole = [r for r in self.reports.get(test_id, ()) if not r.part]
        return not self.failing(test_id) and any(r.outcome == "skipped" for r in whole)

    def has_passed(self, test_id: str) -> bool:
        """Seen passing to its very end: the call and the clean-up after it."""
        good = {r.when for r in self.reports.get(test_id, ()) if r.outcome == "passed" and not r.part}
        return {"call", "teardown"} <= good and not self.failing(test_id) and not self.is_skipped(test_id)

    def written_at(self) -> tuple[TestPlace, ...]:
        """Where the collected tests are written."""
        known = ((i, place) for i, place in self.places.items() if i in self.collected)
        return tuple(TestPlace(id=i, file=file, line=line, name=name) for i, (file, line, name) in known)

    def loaded_from_elsewhere(self) -> str:
        """Why this says nothing about the tree under test; "" when it does."""
        if not self.foreign:
            return ""
        shown = ", ".join(f"{name} ({file})" for name, file in list(self.foreign.items())[:3])
        return f"project code was not loaded from the tree under test: {shown}"

    def running(self) -> tuple[str, ...]:
        done = {i for i, reports in self.reports.items() if any(r.when == "teardown" for r in reports)}
        return tuple(i for i in self.begun if i not in done)


def read_sessions(folder: Path) -> Sessions:
    sessions = Sessions()
    for path in sorted(folder.glob("*.jsonl")):
        for event in _events(path, sessions.problems):
            sessions.add(event)
    return sessions


def _events(path: Path, problems: list[str]) -> Iterator[Event]:
    decode = msgspec.json.Decoder(Event).decode
    for line in _lines(path, problems):
        try:
            yield decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            problems.append("a line of the test report cannot be read")


def _lines(path: Path, problems: list[str]) -> Iterator[bytes]:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_FILE:
            problems.append("the test report is not a readable file")
            return
        with path.open("rb") as lines:
            yield from lines
    except OSError as error:
        problems.append(f"the test report cannot be read: {error.strerror}")
