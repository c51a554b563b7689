"""How does a run look while it goes on: one live line at a terminal, plain lines elsewhere, JSON on request?"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TextIO

from trueup.decide.moves import (
    AskReview,
    BaselineTaken,
    ConfirmKeys,
    FinishRun,
    FocusTree,
    Move,
    MoveFailed,
    ProveTree,
    Record,
    RemediesTried,
    RestoreTree,
    RunAttempt,
    RunControl,
    TakeBaseline,
    TreeProved,
    TreeReviewed,
    TryRemedies,
    VerifyTree,
    Wait,
)
from trueup.decide.state import Class, State
from trueup.report import lines
from trueup.report.events import (
    Activity,
    Envelope,
    Header,
    Judged,
    MoveDone,
    MoveStarted,
    Notice,
    RunEnded,
    RunStarted,
    to_json,
)
from trueup.report.text import (
    WIDTH,
    Redact,
    beside,
    block,
    clock,
    cut,
    labelled,
    money,
    one_line,
    plain,
    plural,
    span,
    unchanged,
)

QUIET_SECONDS = 30.0
"""Without a terminal, at most one line of activity in this time."""

_COLOURS = {"passed": "32", "nothing to do": "32", "stuck": "31", "out of budget": "33", "unverifiable": "33"}
_COLOURS |= {"blocked": "33", "cancelled": "33", "cannot start": "31"}
_CLEAR = "\r\x1b[2K"


@dataclass(slots=True)
class _Work:
    """What the live line is about."""

    label: str
    text: str
    since: float
    who: str = ""
    usd: float | None = None


class Console:
    """A sink that writes for people.

    Whatever comes from outside reaches the stream without control characters; only this class adds its own. When
    the reader goes away (a closed pipe), the run goes on in silence.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        terminal: bool | None = None,
        width: int | None = None,
        environ: Mapping[str, str] | None = None,
        redact: Redact = unchanged,
    ) -> None:
        environ = os.environ if environ is None else environ
        dumb = environ.get("TERM") == "dumb"
        self._stream = stream
        self._terminal = stream.isatty() if terminal is None else terminal
        self._known_width = width if width is not None else _terminal_width() if self._terminal else None
        self._colour = self._terminal and not dumb and not environ.get("NO_COLOR")
        self._live = self._terminal and not dumb
        self._redact = redact
        self._lock = threading.RLock()
        self._header: Header | None = None
        self._work: _Work | None = None
        self._spoke = float("-inf")
        self._announced: set[int] = set()
        self._gone = False

    def __call__(self, envelope: Envelope, state: State | None) -> None:
        with self._lock:
            self._take(envelope, state)

    def refresh(self, now: float) -> None:
        """Let the clock of the live line go on while nothing happens. `now` is by the stream's clock."""
        with self._lock:
            if self._live and self._work:
                self._write(_CLEAR + self._fit(self._live_line(self._work, now), spare=1), end="")

    # --- events ------------------------------------------------------------------------------------------------

    def _take(self, envelope: Envelope, state: State | None) -> None:
        match envelope.event:
            case RunStarted(header=header):
                self._header = header
                self._spoke = envelope.time
                self._print(lines.header_lines(header, width=self._width))
            case MoveStarted(move=move):
                self._begin(move, envelope.time, state)
            case Activity() as activity:
                self._activity(activity, envelope.time)
            case MoveDone(record=record):
                self._end_work()
                self._print(self._record_lines(record, state))
            case Judged(attempt=attempt, judgement=judgement):
                self._end_work()
                if judgement.kind not in {Class.GREEN, Class.REJECTED} or attempt not in self._announced:
                    self._print(self._attempt(attempt, state))
            case Notice(text=text):
                self._print([labelled("note", plain(text))])
            case RunEnded() as ended:
                self._end_work()
                self._end(ended, state)

    def _begin(self, move: Move, now: float, state: State | None) -> None:
        asking = lines.asking_line(move, self._takes_over(move, state)) if isinstance(move, RunAttempt) else None
        if asking:
            self._print([asking])
        if isinstance(move, ProveTree) and state:
            self._announce(state)
        label, text = self._doing(move)
        who = self._agent_name(move, state) if isinstance(move, RunAttempt) else ""
        self._work = _Work(label=label, text=text, since=now, who=who)
        self.refresh(now)

    def _activity(self, activity: Activity, now: float) -> None:
        work = self._work or _Work(label="", text="", since=now)
        work.text = one_line(activity.text)
        work.usd = activity.usd if activity.usd is not None else work.usd
        self._work = work
        if self._live:
            self.refresh(now)
        elif not self._terminal and now - self._spoke >= QUIET_SECONDS:
            self._spoke = now
            self._print([self._live_line(work, now)])

    def _record_lines(self, record: Record, state: State | None) -> list[str]:
        match record:
            case BaselineTaken():
                withheld = self._header.withheld if self._header else ()
                return lines.baseline_lines(record, state, withheld=withheld, width=self._width)
            case RemediesTried():
                return lines.rules_lines(record, width=self._width)
            case TreeProved():
                return [lines.proof_line(record, width=self._width)]
            case TreeReviewed():
                return lines.review_lines(record, width=self._width)
            case MoveFailed():
                return [labelled("problem", one_line(record.problem))]
            case _:
                return []

    def _takes_over(self, move: RunAttempt, state: State | None) -> str:
        """Name of the agent, if it is another one than before."""
        before = state.attempts[-1].move.agent if state and state.attempts else move.agent
        return self._agent_name(move, state) if before != move.agent else ""

    def _announce(self, state: State) -> None:
        """What an attempt came to is shown before its proof, once; the proof has a line of its own."""
        view = state.current
        if view and view.leaning and view.number not in self._announced:
            self._announced.add(view.number)
            self._print(lines.attempt_lines(replace(view, judgement=view.leaning), state, width=self._width))

    def _attempt(self, attempt: int, state: State | None) -> list[str]:
        view = next((v for v in (state.attempts if state else ()) if v.number == attempt), None)
        return lines.attempt_lines(view, state, width=self._width) if view and state else []

    def _end(self, ended: RunEnded, state: State | None) -> None:
        if state is None:
            return
        header = self._header
        screen = lines.outcome_lines(
            ended.outcome,
            state,
            ended.branch,
            branch_note=ended.branch_note,
            changed=ended.changed,
            project=header.project if header else "your checkout",
            logs=f".trueup/runs/{header.run}/" if header else "",
            withheld=header.withheld if header else (),
            width=self._width,
        )
        self._print([""])
        self._print(screen[:1], colour=True)
        self._print(screen[1:])

    @staticmethod
    def _doing(move: Move) -> tuple[str, str]:  # noqa: C901 - one line for each move
        match move:
            case TakeBaseline():
                return "start", "running the checks on your files"
            case RunAttempt():
                return str(move.number), "working"
            case TryRemedies():
                return str(move.attempt) if move.attempt else "rules", "trying what rules can repair"
            case FocusTree():
                return str(move.attempt), f"running {plural(len(move.keys), 'failing test')} first"
            case VerifyTree() | RunControl():
                return str(move.attempt), "running the checks"
            case ConfirmKeys():
                return str(move.attempt), f"running {plural(len(move.keys), 'test')} again"
            case ProveTree():
                return "proof", "running your checks on a fresh copy"
            case AskReview():
                return "review", "waiting for a person" if move.seconds == 0 else "the reviewer reads the change"
            case RestoreTree():
                return "", "putting the files back"
            case Wait():
                return "", f"waiting {span(move.seconds)} for the agent's provider"
            case FinishRun():
                return "", "finishing"

    @staticmethod
    def _agent_name(move: RunAttempt, state: State | None) -> str:
        agents = state.task.agents if state else ()
        return plain(agents[move.agent].name) if move.agent < len(agents) else "the agent"

    # --- writing -----------------------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return min(self._known_width or WIDTH, WIDTH)

    def _live_line(self, work: _Work, now: float) -> str:
        cost = f"  {money(work.usd)}" if work.usd is not None else ""
        right = clock(max(now - work.since, 0.0)) + cost
        room = self._width - len(right) - 3
        text = f"{work.who}: {work.text}" if work.who else work.text
        return beside(cut(labelled(work.label, text), room), right, self._width)

    def _end_work(self) -> None:
        self._work = None
        if self._live:
            self._write(_CLEAR, end="")

    def _print(self, texts: Iterable[str], *, colour: bool = False) -> None:
        for text in texts:
            shown = self._fit(text)
            self._write((_CLEAR if self._live else "") + (self._tint(shown) if colour else shown))

    def _fit(self, text: str, spare: int = 0) -> str:
        """`spare`: a live line that reaches the last column would wrap, and could not be redrawn."""
        safe = self._redact(block(text)).replace("\n", "\\n")
        return safe if self._known_width is None else cut(safe, self._known_width - spare)

    def _tint(self, text: str) -> str:
        title = re.match(r"[a-z ]*[a-z]", text)
        code = _COLOURS.get(title.group()) if title and self._colour else None
        return f"\x1b[1;{code}m{title.group()}\x1b[0m{text[title.end() :]}" if title and code else text

    def _write(self, text: str, end: str = "\n") -> None:
        if self._gone:
            return
        encoding = self._stream.encoding or "utf-8"
        try:
            self._stream.write(text.encode(encoding, "replace").decode(encoding) + end)
            self._stream.flush()
        except OSError:  # nobody reads it any more, or there is no room: the run itself goes on, and is recorded
            self._gone = True


class JsonLines:
    """A sink that writes one JSON object for each event."""

    def __init__(self, stream: TextIO, *, redact: Redact = unchanged) -> None:
        self._stream = stream
        self._redact = redact
        self._gone = False

    def __call__(self, envelope: Envelope, state: State | None) -> None:
        del state
        if self._gone:
            return
        try:
            self._stream.write(to_json(envelope, redact=self._redact) + "\n")
            self._stream.flush()
        except OSError:
            self._gone = True


def _terminal_width() -> int:
    return shutil.get_terminal_size((WIDTH, 24)).columns
