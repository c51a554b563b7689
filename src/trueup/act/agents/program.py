"""How is a coding agent's own program driven: started, followed while it works, stopped, and billed?

What differs between programs is in one module each, as a `Dialect`; a new one takes about a hundred lines.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trueup.act.agents.base import AgentCall, AgentFunction, AgentInfo, AgentResult, shown
from trueup.act.agents.reasons import LAST_WORDS, reason
from trueup.act.agents.told import Reader, Told, transcript
from trueup.act.command_line import parse_command, which
from trueup.act.process import Cancelled, Completed, Graces, Processes
from trueup.config.prices import Price, read_price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Turn
from trueup.decide.task import AgentSpec
from trueup.evidence.normalize import neutralise

_LONGEST_LINE = 16_000_000
_LONGEST_ARGUMENT = 120_000
"""Linux refuses a single argument of 128 KiB."""
_DETAIL_LENGTH = 500
_GRACES = Graces(interrupt=10.0, terminate=2.0)
"""On a busy machine a program that is interrupted takes a while to send its bill."""
_BY_SIGNAL = 128
"""What a shell, or a program's own starter, adds to the number of the signal that ended its child."""
_DEADLY = frozenset(
    map(int, (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM))
)
_FULL = AgentStatus.CONTEXT_FULL
_REFUSALS = frozenset({AgentStatus.CREDENTIALS, AgentStatus.RATE_LIMITED, AgentStatus.OVERLOADED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user wishes of a program, besides that it runs."""

    model: str = ""
    args: tuple[str, ...] = ()
    """Further arguments, as they are."""
    program: tuple[str, ...] = ()
    """How to start it, instead of by its own name on the PATH."""
    price: Price | None = None

    @classmethod
    def of(cls, spec: AgentSpec) -> Options:
        return cls(
            model=spec.options.get("model", ""),
            args=tuple(json.loads(spec.options.get("args", "[]"))),
            program=parse_command(spec.command) if spec.command else (),
            price=read_price(spec.options.get("price", "")),
        )

    @property
    def words(self) -> tuple[str, ...]:
        """For the command line: every known program calls its model so."""
        return (*(("--model", self.model) if self.model else ()), *self.args)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    argv: tuple[str, ...]
    asks: bool = True
    """Whether the prompt goes to its standard input."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the call's environment; what the user has set stays."""
    unset: tuple[str, ...] = ()


def session_words(call: AgentCall) -> tuple[str, str]:
    """Go on with a session, or begin one under a name of ours: several programs say it so."""
    return ("--resume", call.session) if call.session else ("--session-id", str(uuid.uuid4()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """All that is known about one program.

    Contract: `invocation` and `reader` have no side effect but files below `call.scratch`. The command line is
    headless: it asks nobody, and ends by itself.
    """

    program: str
    """What it is called on the PATH."""
    get: str
    """How to get it."""
    checked: str
    """The version that all of this was tried with."""
    permissions: str
    """What it may do, in plain words."""
    invocation: Callable[[str, AgentCall, Options], Invocation]
    """From the program's path."""
    read_only: str = ""
    """By what it changes no file in a call that is `read_only`, in plain words; "" when it has no such means."""
    reader: Callable[[AgentCall, Options], Reader]
    litter: tuple[str, ...] = ()
    """Folders that it makes for itself in the root of its workspace. They are no part of its work."""
    exits: Mapping[int, AgentStatus] = field(default_factory=dict)
    """What its own exit codes mean, where its output does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramAgent:
    name: str
    dialect: Dialect
    options: Options = field(default_factory=Options)

    def describe(self) -> AgentInfo:
        found = self.found(os.environ)
        about = self.dialect
        missing = "" if found else self._not_found()
        return AgentInfo(permissions=about.permissions, read_only=about.read_only, missing=missing)

    def found(self, env: Mapping[str, str]) -> tuple[str, ...]:
        """The words that start the program; none if it is not there."""
        first, *others = self.options.program or (self.dialect.program,)
        place = which(first, env.get("PATH", os.defpath))
        return (place, *others) if place else ()

    def run(self, call: AgentCall, processes: Processes, on_activity: Callable[[str], None]) -> AgentResult:
        program = self.found(call.env)
        if not program:
            return AgentResult(status=AgentStatus.MISSING, began=False, detail=self._not_found())
        asked = self.dialect.invocation(program[0], call, self.options)
        argv = (*program, *asked.argv[1:])
        if max(len(os.fsencode(word)) for word in argv) > _LONGEST_ARGUMENT:
            detail = "the prompt is too long for an argument of this program"
            return AgentResult(status=AgentStatus.FAILED, began=False, detail=detail)
        follower = _Follower(self.dialect.reader(call, self.options), call, on_activity)
        litter = [call.workspace / name for name in self.dialect.litter if not os.path.lexists(call.workspace / name)]
        seconds, graces = _GRACES.within(call.seconds)
        try:
            completed = processes.run(
                argv,
                cwd=call.workspace,
                env=_environment(call.env, asked),
                timeout=seconds,
                graces=graces,
                stdin=call.prompt.encode("utf-8", "replace") if asked.asks else None,
                merge_stderr=False,
                on_output=follower.feed,
                enough=follower.enough,
            )
        except Cancelled:
            return AgentResult(status=AgentStatus.CANCELLED, began=False)
        follower.finish()
        for folder in litter:
            shutil.rmtree(folder, ignore_errors=True)  # never follows a link
        return _result(completed, follower, self.dialect.exits, cancelled=processes.cancelled)

    def _not_found(self) -> str:
        first = (self.options.program or (self.dialect.program,))[0]
        return f"{first} was not found; get it with: {self.dialect.get}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Makes the agent of one dialect from its configuration: what the table of agents, or an entry point, names."""

    dialect: Dialect
    reports_cost: bool = False
    """It tells dollars."""
    counts_tokens: bool = False
    """It tells tokens."""

    def __call__(self, spec: AgentSpec, _: Mapping[str, AgentFunction]) -> ProgramAgent:
        return ProgramAgent(name=spec.name, dialect=self.dialect, options=Options.of(spec))


def _environment(env: Mapping[str, str], asked: Invocation) -> dict[str, str]:
    return {name: value for name, value in {**asked.env, **env}.items() if name not in asked.unset}


class _Follower:
    """Reads the output as it comes: shows it, keeps the bill so far on the disk, and sees when it is enough."""

    def __init__(self, reader: Reader, call: AgentCall, on_activity: Callable[[str], None]) -> None:
        self.reader = reader
        self.halted = ""
        """Why it was ended before its time."""
        self.halted_as = AgentStatus.HALTED
        self._call = call
        self._on_activity = on_activity
        self._partial = bytearray()
        self._too_long = False
        self._billed: object = None

    @property
    def told(self) -> Told:
        return self.reader.told

    def feed(self, chunk: bytes) -> None:
        *complete, partial = chunk.split(b"\n")
        for piece in complete:
            self._extend(piece)
            if not self._too_long:
                self._take(self.reader.read(self._partial.decode("utf-8", "replace")))
                self._keep_the_cap()
            self._partial.clear()
            self._too_long = False
        self._extend(partial)

    def enough(self) -> bool:
        return bool(self.halted)

    def finish(self) -> None:
        """A program that was ended may have left half a line; its last one may lack its end."""
        if self._partial and not self._too_long:
            self._take(self.reader.read(self._partial.decode("utf-8", "replace")))
        self._take(self.reader.finish())

    def _extend(self, piece: bytes) -> None:
        self._too_long = self._too_long or len(self._partial) + len(piece) > _LONGEST_LINE
        if not self._too_long:
            self._partial += piece

    def _take(self, turns: Iterable[Turn]) -> None:
        for turn in turns:
            self.told.keep(turn)
            if line := shown(turn.line):
                self._on_activity(line)
            if self._call.watch is not None and not self.halted:
                self.halted = self._call.watch(turn)
                # By a full context some go round in circles: what is then needed is another session.
                self.halted_as = _FULL if self.told.status is _FULL else AgentStatus.HALTED
        self._note_bill()

    def _keep_the_cap(self) -> None:
        """While it works: after its final account it is about to end by itself."""
        cap, told = self._call.usd, self.told
        if cap is not None and told.least_usd > cap and not told.ends and not self.halted:
            self.halted_as = AgentStatus.OVERSPENT
            self.halted = f"${told.least_usd:.2f} of ${cap:.2f}"

    def _note_bill(self) -> None:
        """If trueup is killed meanwhile, this is what is charged."""
        told = self.told
        claim = {"usd": told.usd, "total_usd": told.total_usd, "tokens": told.tokens, "session": told.session}
        known = {name: value for name, value in claim.items() if value not in (None, "")}
        if known.keys() & {"usd", "total_usd"} and known != self._billed:
            _write_bill(self._call.scratch, json.dumps(known))
            self._billed = known


def _result(
    completed: Completed, follower: _Follower, exits: Mapping[int, AgentStatus], *, cancelled: bool
) -> AgentResult:
    told = follower.told
    if told.ends and _was_killed(completed):
        told.doubt("the agent was killed after it had reported its cost")
    complaint = completed.stderr.text()
    by_exit = exits.get(completed.exit_code or 0)
    halted = follower.halted_as if follower.halted and not cancelled else None
    status = _status(completed, told, complaint, by_exit, halted)
    known = told.usd is not None or told.total_usd is not None
    return AgentResult(
        status=status,
        exit_code=completed.exit_code,
        claimed_usd=told.usd,
        total_usd=told.total_usd,
        claim_problem="" if known else told.problem or "the agent did not get to report its cost",
        least_usd=told.least_usd,
        least_total_usd=told.least_total_usd,
        worked=told.worked,
        tokens=told.tokens,
        session="" if status is AgentStatus.CONTEXT_FULL and told.total_usd is None else told.session,
        note=shown(told.last_words, _DETAIL_LENGTH),
        said=told.last_words,
        detail="" if status is AgentStatus.DONE else follower.halted or _detail(completed, told, complaint),
        transcript=transcript(told.turns).encode("utf-8", "replace") + _raw_end(told, completed, complaint),
        turns=tuple(told.turns),
        duration=completed.duration,
    )


def _was_killed(completed: Completed) -> bool:
    """By somebody else than us: whoever can do that can have written the bill as well."""
    ours = completed.cancelled or completed.timed_out
    code = completed.exit_code or 0
    return not ours and (code < 0 or code - _BY_SIGNAL in _DEADLY)


def _status(
    completed: Completed, told: Told, complaint: str, by_exit: AgentStatus | None, halted: AgentStatus | None
) -> AgentStatus:
    if completed.not_started:
        return AgentStatus.MISSING
    if completed.cancelled:
        return halted or AgentStatus.CANCELLED
    if completed.timed_out:  # while it asked again and again: that is why
        why = told.status if told.worked else told.status or reason(complaint)
        return why if why in _REFUSALS else AgentStatus.TIMEOUT
    if told.status is not None:
        return told.status
    if completed.exit_code == 0:
        return AgentStatus.DONE
    return by_exit or reason("\n".join((*told.errors, complaint))) or AgentStatus.FAILED


def _detail(completed: Completed, told: Told, complaint: str) -> str:
    lines = neutralise(complaint[-LAST_WORDS:]).split("\n")
    last = [line for line in lines if line.strip() and not line.startswith("    at ")]  # where in its code it happened
    why = completed.not_started or " / ".join(told.errors[-2:] or last[-3:])
    return shown(why or f"exit code {completed.exit_code}", _DETAIL_LENGTH)


def _raw_end(told: Told, completed: Completed, complaint: str) -> bytes:
    """What cannot be read as turns is kept as it is."""
    raw = complaint if told.turns else f"{completed.stdout.text()}\n{complaint}"
    return raw.encode("utf-8", "replace")


def _write_bill(folder: Path, text: str) -> None:
    """Whole or not at all; whatever an agent may have put in its place is replaced, never followed."""
    fresh = folder / f"result-{secrets.token_hex(4)}"
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(folder / "result.json")
