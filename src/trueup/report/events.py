"""What happens during a run, in one stream that no reader can miss a part of?"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from trueup.decide.moves import Move, Record
from trueup.decide.outcome import Outcome
from trueup.decide.state import Judgement, State
from trueup.report.text import Redact, unchanged

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLine:
    name: str
    version: str = ""
    permissions: str = ""
    """With which rights it runs, in plain words; never left out by a caller that knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckLine:
    name: str
    command: str
    origin: str = ""
    """Where the command comes from: `pyproject.toml`, `--check`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Everything that a person should know before anything is paid."""

    run: str
    version: str
    project: str
    """As shown: `~` for the home folder."""
    branch: str = ""
    head: str = ""
    dirty: int = 0
    in_place: bool = False
    agents: tuple[AgentLine, ...] = ()
    sandbox: str = ""
    checks: tuple[CheckLine, ...] = ()
    setup: str = ""
    files: tuple[str, ...] = ()
    """Ignored files that were copied because the project asks for it."""
    withheld: tuple[str, ...] = ()
    """Names of variables that the checks do not get."""
    usd: float | None = None
    seconds: float | None = None
    attempts: int | None = None
    cost_known: bool = True
    free: bool = False
    """No agent of the run costs anything."""
    goal: str = ""
    reviewer: str = ""
    """Who has to approve what is proven; "" = nobody."""
    reviews: str = ""
    """What keeps a reviewer that is a program from changing files."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file of what is handed back, compared with the start. Counts are None for binary and new files."""

    path: str
    added: int | None = None
    removed: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    header: Header


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveStarted:
    move: Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What is being done right now; only ever the live line."""

    text: str
    usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveDone:
    move: Move
    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    attempt: int
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    outcome: Outcome
    branch: str = ""
    branch_note: str = ""
    changed: tuple[ChangedFile, ...] = ()


Event = RunStarted | MoveStarted | Activity | MoveDone | Judged | Notice | RunEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    schema: int
    run: str
    seq: int
    """1, 2, 3 … without a gap."""
    time: float
    attempt: int
    """0 before the first attempt."""
    event: Event


Sink = Callable[[Envelope, State | None], None]


class Stream:
    """Gives every event to every sink, in order.

    Contract: `emit` may be called from any thread, and by a sink itself (its event then comes after the one
    that is being delivered). A sink that subscribes late first gets all earlier events. A sink that raises
    stops the caller of `emit`; no event is skipped because of it.
    """

    def __init__(self, run: str, *, clock: Callable[[], float], sinks: Sequence[Sink] = (), after: int = 0) -> None:
        """`after`: how many events earlier sittings of this run had."""
        self._run = run
        self._after = after
        self._clock = clock
        self._sinks = list(sinks)
        self._past: list[tuple[Envelope, State | None]] = []
        self._waiting: deque[tuple[Envelope, State | None]] = deque()
        self._lock = threading.RLock()
        self._attempt = 0
        self._delivering = False

    def emit(self, event: Event, state: State | None = None) -> Envelope:
        with self._lock:
            self._attempt = _attempt_of(event, self._attempt)
            envelope = Envelope(
                schema=SCHEMA,
                run=self._run,
                seq=self._after + len(self._past) + 1,
                time=self._clock(),
                attempt=self._attempt,
                event=event,
            )
            self._past.append((envelope, state))
            self._waiting.append((envelope, state))
            if not self._delivering:
                self._deliver()
            return envelope

    def replay_to(self, sink: Sink) -> None:
        """Everything so far, for a reader that came late."""
        with self._lock:
            for envelope, state in self._past:
                sink(envelope, state)

    def subscribe(self, sink: Sink) -> None:
        """Everything so far and everything from now on, without a gap between the two."""
        with self._lock:
            self.replay_to(sink)
            self._sinks.append(sink)

    def _deliver(self) -> None:
        self._delivering = True
        try:
            while self._waiting:
                envelope, state = self._waiting.popleft()
                for sink in tuple(self._sinks):
                    sink(envelope, state)
        finally:
            self._delivering = False


def _attempt_of(event: Event, before: int) -> int:
    match event:
        case Judged(attempt=attempt):
            return attempt
        case MoveStarted(move=move) | MoveDone(move=move):
            found = getattr(move, "number", getattr(move, "attempt", before))
            return int(found)
        case _:
            return before


# --- as JSON -------------------------------------------------------------------------------------------------


def kind_of(thing: object) -> str:
    """`RunStarted` -> `run_started`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(thing).__name__).lower()


def to_json(envelope: Envelope, *, redact: Redact = unchanged) -> str:
    """One line. Strings are redacted before they are escaped, so that no escape can hide a secret."""
    event = _fields(envelope.event)
    for part in ("move", "record"):
        if part in event:
            event[part] = {"kind": kind_of(getattr(envelope.event, part)), **event[part]}
    line = {
        "schema": envelope.schema,
        "run": envelope.run,
        "seq": envelope.seq,
        "time": envelope.time,
        "attempt": envelope.attempt,
        "kind": kind_of(envelope.event),
        "event": event,
    }
    return encode(line, redact=redact)


def encode(value: object, *, redact: Redact = unchanged, indent: int = 0) -> str:
    """JSON of plain data and dataclasses; what is not valid Unicode is written visibly."""
    built = msgspec.to_builtins(value, order="deterministic", str_keys=True)
    raw = msgspec.json.encode(_cleaned(built, redact), order="deterministic")
    return (msgspec.json.format(raw, indent=indent) if indent else raw).decode()


def _fields(thing: object) -> dict[str, Any]:
    built = msgspec.to_builtins(thing, order="deterministic", str_keys=True)
    return {key: _lean(value) for key, value in built.items()}


_COUNTED = ("inventory", "passed", "skipped", "places")


def _lean(value: Any) -> Any:
    """Lists of all test ids become counts: ten thousand ids in each line help nobody."""
    if isinstance(value, list | tuple):
        return [_lean(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "inventory" not in value:
        return {k: _lean(v) for k, v in value.items()}
    return {k: _count(v) if k in _COUNTED else _lean(v) for k, v in value.items()}


def _count(value: list[Any] | None) -> int | None:
    return None if value is None else len(value)


def _cleaned(value: Any, redact: Redact) -> Any:
    if isinstance(value, str):
        return redact(value).encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple):
        return [_cleaned(v, redact) for v in value]
    if isinstance(value, Mapping):
        return {_cleaned(k, redact): _cleaned(v, redact) for k, v in value.items()}
    return value
