"""How did the run end, and what does it hand back? `passed` cannot be built without its proof."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from trueup.errors import invariant
from trueup.evidence.failure import Key
from trueup.evidence.report import Strength


class Status(StrEnum):
    PASSED = "passed"
    NOTHING_TO_DO = "nothing_to_do"
    STUCK = "stuck"
    OUT_OF_BUDGET = "out_of_budget"
    UNVERIFIABLE = "unverifiable"
    BLOCKED = "blocked"
    CANCELLED = "cancelled"
    USAGE = "usage"
    """The request cannot be carried out as written (for example a time limit that cannot hold one attempt)."""


EXIT_CODES = {
    Status.PASSED: 0,
    Status.NOTHING_TO_DO: 0,
    Status.STUCK: 1,
    Status.USAGE: 2,
    Status.OUT_OF_BUDGET: 3,
    Status.UNVERIFIABLE: 4,
    Status.BLOCKED: 5,
    Status.CANCELLED: 130,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentFailure:
    """One thing that still fails, for the last screen and for `current_failures.json`."""

    key: Key
    kind: str
    message: str
    place: str
    fingerprint: str
    excerpt: str
    streak: int
    """In how many verdicts in a row this fingerprint was seen, the latest included."""
    since: int
    """First attempt of that streak; 0 = the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofSummary:
    """What `passed` rests on. `tree` is the tree whose fresh checkout was verified."""

    tree: str
    strength: Strength
    passed: int
    collected: int
    twins: int
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    status: Status
    reason: str
    """A short machine-readable word: why this status (`ladder`, `cycle`, `no_change`, `usd`, `baseline` …)."""
    detail: str = ""
    """The same for people, one sentence."""
    limit: str = ""
    """`usd`, `time` or `attempts` when a limit ended the run."""
    tree: str = ""
    """The tree that is handed back: the best verified one, or the start."""
    start: str = ""
    partial: bool = False
    """Better than the start, but not `passed`."""
    unapproved: bool = False
    """`tree` is proven, and no reviewer has approved it."""
    proof: ProofSummary | None = None
    fixed: tuple[Key, ...] = ()
    new: tuple[Key, ...] = ()
    remaining: tuple[Key, ...] = ()
    current_failures: tuple[CurrentFailure, ...] = ()
    flaky: tuple[Key, ...] = ()
    attempts: int = 0
    best_attempt: int = 0
    """0 = the start."""
    usd: float | None = None
    """None = no cost is known."""
    usd_limit: float | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.status is Status.PASSED:
            invariant(self.proof is not None, "passed without a proof")
            invariant(self.proof is not None and self.proof.tree == self.tree, "proof of another tree")
        else:
            invariant(self.proof is None, f"{self.status} with a proof")
        invariant(not (self.partial and self.tree == self.start), "partial, but nothing changed")

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.status]
