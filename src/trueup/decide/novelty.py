"""Did a turn bring anything new: output that was not there before, or an edit that was accepted?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from zlib import crc32

from trueup.decide.session import Doing, Turn
from trueup.decide.shell import steps_of
from trueup.evidence.normalize import normalize

_LONGEST_TEXT = 65_536
_MOST_LINES = 1_000
"""Of one output; of a longer one the first and the last."""
_REMEMBERED = 8_192
"""Lines of output that are known again: about what an agent itself still has before it. Forgetting makes old things
new, and that errs on the patient side."""
_SHORT_ANSWER = 1_000
_NUMBERED = re.compile(r"^\s*\d{1,7}(?:[:|\t→]|\s?│)\s?")
_AT_LINE = re.compile(r"\bline \d{1,9}\b")
_NOTHING_THERE = re.compile(
    r"command not found|: not found|No such file or directory|[Nn]o matches found|cannot access|[Nn]o files found"
    r"|File does not exist|^\(no output\)$|not recognized as an internal or external command"
)
_COMMAND = re.compile(r"([^\s:'\"`]{1,80}): (?:command )?not found")
_REJECTED = re.compile(
    r"introduced new syntax error|has not been applied|No replacement was performed|did not appear verbatim"
    r"|String to replace not found|are exactly the same|old_string.{0,40}not found|[Nn]o changes (?:were )?made"
    r"|File has not been read yet|Failed to (?:apply|find)|could not find the string to replace"
)
_APPLIED = re.compile(
    r"has been (?:edited|updated|created|written)|[Ff]ile updated|(?:updated|created|edited|applied) successfully"
    r"|[Ss]uccessfully (?:modified|updated|created|wrote|edited|applied)"
)
_LOOKS = frozenset(
    {
        "ls",
        "find",
        "grep",
        "egrep",
        "fgrep",
        "rg",
        "ag",
        "fd",
        "cat",
        "head",
        "tail",
        "which",
        "whereis",
        "type",
        "locate",
    }
    | {"tree", "wc", "stat", "file", "pwd", "printenv", "sort", "uniq", "cut", "awk", "cd", "less", "nl", "diff"}
)
"""Programs that only show. What they show is nothing when they show nothing."""
_WAITS = frozenset({"sleep", "wait"})
_WAITING_TOOL = re.compile(r"wait|poll|sleep|BashOutput|TaskOutput|write_stdin", re.IGNORECASE)
_HARMLESS_TARGET = re.compile(r"[12&]?>{1,2}\s?(?:&\d|/dev/null)")
_FULL = re.compile(
    r"prompt is too long|context[ _](?:window|length)[^\n]{0,60}exceed|exceed[^\n]{0,60}context[ _](?:window|length)"
    r"|maximum context length|context_length_exceeded|input is too long for",
    re.IGNORECASE,
)


class Nothing(StrEnum):
    """In which way a turn brought nothing new."""

    REJECTED = "an edit was rejected"
    MISSING = "what was asked for is not there"
    REPEATED = "the same call with the same result"
    EMPTY = "a look that found nothing"
    KNOWN = "only output that was seen before"
    SAME_FAILURE = "the check failed in the same way"
    UNMOVED = "an edit did not move the failure"
    FULL = "the context window is full"


@dataclass(frozen=True, slots=True)
class Seen:
    """What was met before, by its checksum. Layers of growing size, so that adding costs what is added."""

    layers: tuple[frozenset[int], ...] = ()

    def __contains__(self, mark: int) -> bool:
        return any(mark in layer for layer in self.layers)

    def new(self, marks: Iterable[int]) -> frozenset[int]:
        return frozenset(mark for mark in marks if mark not in self)

    def with_these(self, marks: frozenset[int]) -> Seen:
        """Also these; the oldest are forgotten when it is too many."""
        if not marks:
            return self
        layers = [*self.layers, marks]
        while len(layers) > 1 and _may_merge(layers[-2], layers[-1]):
            layers[-2:] = [layers[-2] | layers[-1]]
        while len(layers) > 1 and sum(map(len, layers)) > _REMEMBERED:
            del layers[0]
        return Seen(tuple(layers))


def _may_merge(older: frozenset[int], newer: frozenset[int]) -> bool:
    return len(older) < 2 * len(newer) and len(older) + len(newer) <= _REMEMBERED // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    lines: Seen = field(default_factory=Seen)
    calls: Seen = field(default_factory=Seen)
    """Calls together with what came of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One turn, held against all that was seen before it."""

    nothing: Nothing | None = None
    """In which way it brought nothing; None: it brought something, or is neither."""
    counts: bool = True
    """False for words, for waiting and for a tool's bookkeeping: neither new nor nothing."""
    wrote: bool = False
    call: int = 0
    """The call together with its result: the same number means the same of both."""
    known: bool = False
    """Whether the same call had the same result before."""
    missing: str = ""
    """The command that is not there, by name."""


def look(turn: Turn, memory: Memory) -> tuple[Look, Memory]:
    if turn.doing is Doing.SAY:
        return _words(turn), memory
    lines = _lines(turn.output)
    marks = frozenset(map(_mark, lines))
    fresh = memory.lines.new(marks)
    call = _mark(f"{turn.tool}\0{' '.join(turn.args.split())}\0{sorted(marks)}")
    known, wrote = call in memory.calls and not fresh, has_written(turn)
    nothing = _nothing(turn, lines, fresh=bool(fresh), known=known, wrote=wrote)
    missing = _COMMAND.search(turn.output[:_LONGEST_TEXT]) if nothing is Nothing.MISSING else None
    seen = Look(
        nothing=nothing,
        counts=not _is_idle(turn, nothing),
        wrote=wrote,
        call=call,
        known=known,
        missing=missing[1] if missing else "",
    )
    return seen, Memory(lines=memory.lines.with_these(fresh), calls=memory.calls.with_these(memory.calls.new([call])))


def has_written(turn: Turn) -> bool:
    """Whether files changed. An edit that its tool rejected is none; a shell's writes are seen through the files."""
    if turn.wrote is not None:
        return turn.wrote
    return turn.doing is Doing.EDIT and not _is_rejected(turn)


def _is_rejected(turn: Turn) -> bool:
    """What the tool says about this edit comes before its flag: some flag any output that mentions an error."""
    said = turn.output[:_LONGEST_TEXT]
    if _REJECTED.search(said):
        return True
    return turn.failed is True and not _APPLIED.search(said)


def _words(turn: Turn) -> Look:
    """An agent's words are no fact. That its context is full, some programs tell as its words."""
    full = len(turn.args) <= _SHORT_ANSWER and _FULL.match(turn.args)
    return Look(nothing=Nothing.FULL) if full else Look(counts=False)


def _nothing(turn: Turn, lines: list[str], *, fresh: bool, known: bool, wrote: bool) -> Nothing | None:
    if len(turn.output) <= _SHORT_ANSWER and _FULL.search(turn.output):
        return Nothing.FULL
    if turn.doing is Doing.EDIT and not wrote:
        return Nothing.REJECTED
    if not lines:  # what says nothing may have done something; a look that shows nothing has found nothing
        return Nothing.EMPTY if _only_looks(turn) else None
    if known:
        return Nothing.REPEATED
    if wrote:
        return None
    if all(map(_NOTHING_THERE.search, lines)):
        return Nothing.MISSING
    return None if fresh else Nothing.KNOWN


def _is_idle(turn: Turn, nothing: Nothing | None) -> bool:
    """A list of things to do is answered the same each time; who waits, sees the same until it is over."""
    if turn.doing is Doing.OTHER:
        return nothing is Nothing.KNOWN or (nothing is not None and _WAITING_TOOL.search(turn.tool) is not None)
    return nothing is not None and turn.doing is Doing.RUN and not _WAITS.isdisjoint(_programs(turn))


def _programs(turn: Turn) -> list[str]:
    return [step.words[0] for step in steps_of(turn.args)]


def _only_looks(turn: Turn) -> bool:
    if turn.doing is not Doing.RUN:
        return turn.doing is Doing.READ
    programs = _programs(turn)
    writes = ">" in _HARMLESS_TARGET.sub("", turn.args)
    return not writes and _LOOKS.issuperset(programs) and programs != ["cd"] * len(programs)


def _lines(output: str) -> list[str]:
    """The lines that can be told apart, without what only their place gave them."""
    if len(output) > _LONGEST_TEXT:
        output = output[: _LONGEST_TEXT // 2] + output[-_LONGEST_TEXT // 2 :]
    bare = (_AT_LINE.sub("line", _NUMBERED.sub("", line)).strip() for line in normalize(output).split("\n"))
    lines = [line for line in bare if line]
    return lines if len(lines) <= _MOST_LINES else lines[: _MOST_LINES // 2] + lines[-_MOST_LINES // 2 :]


def _mark(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))
