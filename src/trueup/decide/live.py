"""What is known about an agent's session after its last turn, and what follows from it?"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from trueup.decide.commands import Declared
from trueup.decide.novelty import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What the fold is to know and when it is to speak. The numbers are measured: see docs/guard.md."""

    checks: tuple[Declared, ...] = ()
    """Without any, common test, build and lint commands count as checks."""
    root: str = ""
    """The project's folder, where it is known: a check that ran in another one is not the declared check."""
    same_failure: int = 3
    """How often one failure is met before the agent is spoken to."""
    repeats: int = 3
    """How often the same call has the same result before that is said."""
    nudge_at: int = 3
    """How far the turns that brought nothing may be ahead of the others before the agent is spoken to."""
    stop_at: int = 9
    """How far, before the attempt is ended."""
    max_verify_attempts: int = 3
    """How often the end of an agent is answered with the check's own result, in one episode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFailure:
    """What one check said last, and for how long it has been saying so."""

    check: str
    fingerprints: tuple[str, ...]
    counts: tuple[int, ...]
    """For each fingerprint: in how many results in a row it was."""
    evidence: int
    """A checksum over values and messages as well: it changes when anything about the failures moves."""
    kind: str
    subject: str
    excerpt: str
    """Kind, name and text of the failure that has been there for longest."""
    since: int
    """The turn in which it was first seen."""
    seen: int
    """The turn of the last result."""
    fewest: int = 0
    """How few failures a whole run of the check has had since it fails: fewer than ever is progress, a flip is none."""

    @property
    def streak(self) -> int:
        return max(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudge:
    """Said to the agent once per episode: what did not change, and what was tried."""

    turn: int
    reason: str
    evidence: str = ""
    """Untrusted: text of the tools."""
    tried: tuple[str, ...] = ()
    """Untrusted: what the agent did."""


class Ending(StrEnum):
    """What an agent hears that wants to stop."""

    ALLOW = "allow"
    VERIFY = "verify"
    """The check is run for it, and its result is the answer."""
    RELEASE = "release"
    """Asked often enough: let go, and said loudly that the work is unverified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """The fold's state: small, bounded, made of plain values, so that it can be kept between two hooks."""

    turns: int = 0
    failures: tuple[LiveFailure, ...] = ()
    """One for each check that fails; the newest result last."""
    met: tuple[tuple[int, int], ...] = ()
    """Sets of failures since the last progress, and how often each was the result; the newest last."""
    wrote_at: int | None = None
    checked_at: int | None = None
    passed_at: int | None = None
    """The last turn that changed a file, the last with a result of a check, the last that passed all of one."""
    tried: tuple[str, ...] = ()
    """The last writes, of a live failure those since it is there."""
    level: int = 0
    """How far the turns that brought nothing are ahead of those that brought something; never below zero."""
    settled: int = 0
    """The level after the last result of a check."""
    recent: tuple[int, ...] = ()
    """The last calls together with their results."""
    reasons: tuple[str, ...] = ()
    """In which ways the last turns brought nothing, since the level was zero."""
    missing: tuple[str, ...] = ()
    """Commands that were not there, newest last."""
    answered: int = 0
    """How often the agent's end was answered with a result, in this episode."""
    refused: int = 0
    """How often with one that was not good, in the whole session. Nothing takes this back."""
    nudged: bool = False
    nudge: Nudge | None = None
    """Only in the turn in which it is due."""
    stop: str = ""
    """Why the attempt should be ended now; "" otherwise."""
    memory: Memory = field(default_factory=Memory)

    @property
    def failure(self) -> LiveFailure | None:
        """The failure that the newest result was about."""
        return self.failures[-1] if self.failures else None

    @property
    def owed(self) -> bool:
        """A check fails, and files were changed since it last ran."""
        return any(failure.seen < (self.wrote_at or 0) for failure in self.failures)

    @property
    def verified(self) -> bool:
        """Everything that failed has passed again, after the last write."""
        return self.passed_at is not None and not self.failures and self.passed_at >= (self.wrote_at or 0)
