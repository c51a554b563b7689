"""What has an agent's program told so far, and what does it mean for the attempt?"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from trueup.act.agents.base import believable_session, believable_tokens, believable_usd
from trueup.act.agents.untrusted import record, text
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_MOST_TURNS = 5_000
_LONGEST_OUTPUT = 20_000
_MOST_KEPT = 50_000_000
"""Characters of all turns together."""
_MOST_ASKED = 1_000
_MOST_ERRORS = 20
FREE = "the agent reported a cost of zero although its model worked"


@dataclass(slots=True, kw_only=True)
class Told:
    """Claims, every one of them. Filled by a reader while the program runs."""

    session: str = ""
    usd: float | None = None
    total_usd: float | None = None
    tokens: int | None = None
    problem: str = ""
    """Why a cost was not taken."""
    least_usd: float = 0.0
    """The highest cost of this invocation that could be believed when it was told, whatever was told after it."""
    least_total_usd: float | None = None
    """The same of the session's cost, where that is told."""
    last_words: str = ""
    errors: list[str] = field(default_factory=list)
    """What the program itself complained about, newest last."""
    status: AgentStatus | None = None
    """What its error means; None while nothing is wrong, or nothing known."""
    ends: int = 0
    """How often it said that this was the end, with the bill."""
    turns: list[Turn] = field(default_factory=list)
    worked: bool = False
    """Whether a model answered at all."""
    _kept: int = 0

    def answered(self) -> None:
        """The model did something: what was wrong before is over. After the bill, that bill was not the end."""
        self.worked, self.status = True, None
        if self.ends:
            self.doubt("the agent went on after it had reported its cost")

    def doubt(self, problem: str) -> None:
        """What it said of its cost is not the whole of it."""
        self.problem = problem
        self.usd = self.total_usd = None

    def name_session(self, claim: object) -> None:
        self.session = believable_session(claim) or self.session

    def bill(self, *, usd: object = None, total: object = None, tokens: object = None) -> None:
        """The final account. A second one contradicts the first: then nothing is known."""
        self.ends += 1
        cost, problem = believable_usd(usd if total is None else total)
        self.problem = problem or self.problem
        self._at_least(cost, of_session=total is not None)
        if self.ends > 1:
            cost, self.problem = None, "the agent reported its cost twice"
        elif cost == 0 and self.worked:
            cost, self.problem = None, FREE
        self.usd, self.total_usd = (cost, None) if total is None else (None, cost)
        self.tokens = believable_tokens(tokens) if tokens is not None else self.tokens

    def spend(self, *, usd: object, tokens: object = None) -> float:
        """What one more step cost, for programs that tell it step by step: a kill charges what was told until then.

        After a step whose cost cannot be taken nothing is known; a sum of zero is no cost of a model that worked.
        Says what was added.
        """
        cost, problem = believable_usd(usd)
        if cost is None:
            self.problem = self.problem or problem or "a step was reported without its cost"
        sum_so_far = max(self.usd or 0.0, self.least_usd) + (cost or 0.0)
        self._at_least(sum_so_far)
        self.usd = None if self.problem else sum_so_far or None
        count = believable_tokens(tokens)
        self.tokens = self.tokens if count is None else (self.tokens or 0) + count
        return cost or 0.0

    def sum_up(self, usd: object) -> None:
        """The program's own sum of this invocation so far. One that falls contradicts itself: then nothing is known."""
        cost, problem = believable_usd(usd)
        if cost is not None and cost < (self.usd or 0.0):
            problem = "the agent's reported cost went down"
        self._at_least(cost)
        self.problem = self.problem or problem
        self.usd = None if self.problem else cost or None

    def close(self) -> None:
        """At the end: an error before any answer has cost nothing, and a model that answered is not free."""
        if self.usd is None and self.total_usd is None and not self.problem:
            self.problem = FREE if self.worked else ""
            self.usd = 0.0 if self.errors and not self.worked else None

    def _at_least(self, cost: float | None, *, of_session: bool = False) -> None:
        if cost is None:
            return
        if of_session:
            self.least_total_usd = max(self.least_total_usd or 0.0, cost)
        else:
            self.least_usd = max(self.least_usd, cost)

    def complain(self, text: str) -> None:
        self.errors = [*self.errors, cut(text)][-_MOST_ERRORS:]

    def keep(self, turn: Turn) -> None:
        """For the transcript: however much it does and prints, this does not fill the memory."""
        if turn.doing is Doing.SAY:
            self.last_words = turn.args
        turn = replace(turn, output=cut(turn.output))
        size = len(turn.output) + len(turn.args)
        if len(self.turns) < _MOST_TURNS and self._kept + size <= _MOST_KEPT:
            self._kept += size
            self.turns.append(turn)


class Reader(Protocol):
    """Reads one program's output, line by line, as it comes.

    Contract: `read` never raises for what a line holds; it yields a turn as soon as its result is known, and keeps
    `told` up to date. `finish` is called once, after the last line.
    """

    told: Told

    def read(self, line: str) -> Iterable[Turn]: ...

    def finish(self) -> Iterable[Turn]: ...


class JsonReader(ABC):
    """For programs that print one JSON object per line. What is none, is not read."""

    def __init__(self) -> None:
        self.told = Told()
        self.asked: dict[str, Turn] = {}
        """Tool calls without their answer, by the program's own id."""

    def read(self, line: str) -> Iterator[Turn]:
        event = record(line)
        if event:
            yield from self.event(event)
            self._forget_the_oldest()

    def _forget_the_oldest(self) -> None:
        while len(self.asked) > _MOST_ASKED or sum(len(turn.args) for turn in self.asked.values()) > _MOST_KEPT:
            del self.asked[next(iter(self.asked))]

    @abstractmethod
    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        """What one object tells."""

    def finish(self) -> Iterator[Turn]:
        """What was asked for and never answered was cut short."""
        yield from self.asked.values()
        self.asked = {}


def tool_call(doings: Mapping[str, Doing], tool: str, given: object, *paths: str, inner: bool = False) -> Turn:
    """What a tool was asked for: `given`. The path that it is about comes under one of the names `paths`."""
    doing = doings.get(tool, Doing.OTHER)
    path = next(filter(None, (text(given, name) for name in paths)), "")
    args = text(given, "command") if doing is Doing.RUN else call_text(given)
    return Turn(doing=doing, tool=tool, args=args, paths=(path,) if path else (), inner=inner)


def call_text(arguments: object) -> str:
    """A tool's arguments as one text: the same call gives the same text."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)


def transcript(turns: Iterable[Turn]) -> str:
    """For people: what was done, and what came of it."""
    return "\n".join(line for turn in turns for line in _lines(turn)) + "\n"


def _lines(turn: Turn) -> Iterator[str]:
    yield turn.line if turn.doing is not Doing.EDIT else f"{turn.line}\n{turn.args}"
    if turn.output:
        yield cut(turn.output.rstrip("\n"))
    if turn.exit_code or turn.failed:
        yield f"[exit code {turn.exit_code}]" if turn.exit_code else "[failed]"
    yield ""


def cut(output: str) -> str:
    """Its beginning and its end, if it is long."""
    if len(output) <= _LONGEST_OUTPUT:
        return output
    half = _LONGEST_OUTPUT // 2
    return f"{output[:half]}\n[… {len(output) - 2 * half} characters left out …]\n{output[-half:]}"
