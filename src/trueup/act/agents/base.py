"""What does trueup ask of a coding agent, and what does it get back?"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from trueup.act.process import Processes
from trueup.decide.budget import MOST_USD
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Turn
from trueup.decide.task import AgentSpec, CheckSpec
from trueup.evidence.normalize import neutralise

_ACTIVITY_LENGTH = 120
_MOST_TOKENS = 10**15
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """For an agent that runs the checks itself: how, and where it may write."""

    checks: tuple[CheckSpec, ...]
    check_env: Mapping[str, str]
    """As for the checks: without secrets."""
    may_change: Callable[[str], bool]
    """Whether a path of the project is neither protected nor out of scope."""
    sealed: Callable[[tuple[Path, ...], tuple[Path, ...]], Processes]
    """Processes that write only in the first folders, read the second ones too, see neither home folder nor checkout,
    and have no network. A `UsageError` where there is no sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """One invocation."""

    prompt: str
    prompt_file: Path
    """Holds the prompt; outside the workspace."""
    workspace: Path
    attempt: int
    seconds: float
    usd: float | None
    """What it may cost, for agents that keep a cap themselves; None = no cap."""
    env: Mapping[str, str]
    """The whole environment of the agent's process."""
    scratch: Path
    """A folder of this invocation alone, outside the workspace: result file, transcript."""
    fresh_session: bool = True
    session: str = ""
    """What an earlier result named as its session; "" = none."""
    sandboxed: bool = False
    """Whether its processes are in trueup's own sandbox: one inside of it may not work, and is not needed."""
    read_only: bool = False
    """It is to judge the files, and to change none: programs that can be told so are."""
    ground: Ground | None = None
    watch: Callable[[Turn], str] | None = None
    """Told of each thing that the agent did, as soon as it is known; says why it is enough, or ""."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResult:
    """How an invocation ended. Nothing in it is evidence about the work."""

    status: AgentStatus
    began: bool = True
    """False when nothing was started: then nothing is charged."""
    exit_code: int | None = None
    claimed_usd: float | None = None
    total_usd: float | None = None
    """Instead of that: what `session` has cost since it began. The difference to its earlier total is charged."""
    claim_problem: str = ""
    least_usd: float = 0.0
    """What it had surely cost when a claim that is not taken was made: no less is charged."""
    least_total_usd: float | None = None
    """The same of `session`."""
    worked: bool = False
    """Whether a model is known to have answered: then nothing is free, however it ended."""
    tokens: int | None = None
    note: str = ""
    said: str = ""
    """All of its last message: what a reviewer's answer is looked for in."""
    session: str = ""
    detail: str = ""
    learned: tuple[str, ...] = ()
    """What it found out about the files that it began with: for people, and for the next attempt's prompt."""
    transcript: bytes = b""
    turns: tuple[Turn, ...] = ()
    """What it did, where its program tells."""
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInfo:
    version: str = ""
    """"" when it cannot be told without paying."""
    permissions: str
    """What the agent may do, in plain words, for the first screen."""
    read_only: str = ""
    """By what it changes no file when it is to judge them, in plain words; "" when it cannot be told so."""
    missing: str = ""
    """Why it cannot run; "" when it can, as far as is known."""


class Agent(Protocol):
    """Something that changes files in a workspace when asked.

    Contract:
    - `run` returns; it does not raise for what the agent does, prints or claims. A programmer's error may raise.
    - `run` is back soon after `call.seconds`, with status TIMEOUT, and reports what was printed until then.
    - Files are written only by the agent, only in `call.workspace`; we write only in `call.scratch`.
    - `claimed_usd` is this invocation's cost, or `total_usd` that of the named `session` so far; with neither,
      `claim_problem` says why a claim was not taken.
    - The status never depends on a model's prose; a program's own report of an error counts, whatever its exit code.
    - `on_activity` gets one short printable line at a time and may be called from another thread.
    - `describe` is free: no model call, no network, no change.
    - `Processes.run` raises `Cancelled` or returns `cancelled` when the user stops the run: the status is CANCELLED.
    - What an agent has cost so far may be left in `call.scratch / "result.json"`: it is what is charged if trueup is
      killed meanwhile. Without it, what was reserved is charged.
    """

    @property
    def name(self) -> str: ...

    def describe(self) -> AgentInfo: ...

    def run(self, call: AgentCall, processes: Processes, on_activity: Callable[[str], None]) -> AgentResult: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContext:
    """What a Python function that serves as an agent is given."""

    prompt: str
    workspace: Path
    attempt: int
    seconds: float
    usd: float | None
    env: Mapping[str, str]
    fresh_session: bool
    session: str
    say: Callable[[str], None]
    """Shows one line of what is going on."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the time is up or the run is being cancelled: end soon, nobody waits much longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport:
    """What such a function may return."""

    usd: float | None = None
    total_usd: float | None = None
    """Instead of `usd`: what `session` has cost since it began."""
    tokens: int | None = None
    note: str = ""
    session: str = ""


AgentFunction = Callable[[AgentContext], "float | AgentReport | None"]
AgentFactory = Callable[[AgentSpec, Mapping[str, AgentFunction]], Agent]
"""What an entry point in the group `trueup.agents` names. Functions are those given to the Python API."""


def believable_usd(claim: object) -> tuple[float | None, str]:
    """A cost that can be charged, or why it cannot."""
    if claim is None:
        return None, ""
    if isinstance(claim, bool) or not isinstance(claim, int | float):
        return None, f"the reported cost is not a number: {shown(repr(claim))}"
    if not 0 <= claim <= MOST_USD:  # also holds for nan, and for a whole number that is too large for a float
        return None, f"the reported cost is not an amount: {shown(repr(claim))}"
    return float(claim), ""


def believable_total(usd: object, total: object, session: str) -> tuple[float | None, str]:
    """A session's cost so far, or why it cannot be charged. Without a name, there is nothing to compare it with."""
    if total is None:
        return None, ""
    if usd is not None:
        return None, "the reported costs contradict each other: that of this attempt, and that of the whole session"
    if not session:
        return None, "the reported cost is that of a whole session, and the session has no name"
    return believable_usd(total)


def believable_tokens(claim: object) -> int | None:
    return claim if isinstance(claim, int) and not isinstance(claim, bool) and 0 <= claim <= _MOST_TOKENS else None


def believable_session(claim: object) -> str:
    """A name that can be an argument of a command and never an option; "" for anything else."""
    return claim if isinstance(claim, str) and _SESSION.fullmatch(claim) else ""


def shown(text: str, limit: int = _ACTIVITY_LENGTH) -> str:
    """One line that is safe on a terminal."""
    line = " ".join(neutralise(text).split())
    # Never within a word: the half of a secret is not recognised as one later on.
    return line if len(line) <= limit else line[:limit].rpartition(" ")[0] + "…"
