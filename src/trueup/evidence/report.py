"""What did the checks say about one tree? Illegal answers cannot be built."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from trueup.errors import invariant
from trueup.evidence.failure import Failure, Key, make_key

BUILTIN = "trueup"
"""The tool behind a built-in verifier."""


class CheckStatus(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """The check itself could not run (tool missing, no tests, unreadable report)."""
    TIMEOUT = "timeout"
    SKIPPED = "skipped"
    """Not run: an earlier stage failed, or there is nothing that it applies to."""


class Strength(StrEnum):
    """How far a runner lets us look into it, weakest first."""

    EXIT_CODE = "exit_code"
    INVENTORY = "inventory"
    TWIN = "twin"

    @property
    def rank(self) -> int:
        return list(Strength).index(self)


class SeenBy(StrEnum):
    """Where the results of a check come from."""

    STRUCTURE = "structure"
    """The tool itself told what became of each test, or of each complaint."""
    REPORT = "report"
    """A report file that the check wrote."""
    TEXT = "text"
    """What it printed, and its exit code."""


class Seen(StrEnum):
    """One look at one test (or whole check) on one tree."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    key: Key
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class TestPlace:
    """Where the body of a collected test is written, so that the proof can make it fail."""

    __test__: ClassVar[bool] = False  # pytest takes the name for a test class
    id: str
    file: str
    line: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One check on one tree.

    `failures` is not empty exactly when the status is FAILED or TIMEOUT; `reason` is not empty exactly
    when the status is ERROR, TIMEOUT or SKIPPED. `inventory` is None when the runner cannot tell its tests.
    """

    check: str
    status: CheckStatus
    failures: tuple[Failure, ...] = ()
    passed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """Collected, but neither passed nor failed: skipped or expected to fail."""
    inventory: tuple[str, ...] | None = None
    places: tuple[TestPlace, ...] = ()
    exit_code: int | None = None
    reason: str = ""
    duration: float = 0.0
    strength: Strength = Strength.EXIT_CODE
    command: str = ""
    log: str = ""
    """Path of the stored output, relative to the run's artefacts."""
    extra: tuple[CheckResult, ...] = ()
    """What the agent's own new tests said, run in a process of their own: reported, never counted."""
    seen_by: SeenBy = SeenBy.TEXT
    tool: str = ""
    """The tool behind the command, as far as it is known; "" otherwise."""
    selects: bool = False
    """Whether its tool can be told to run some of its tests alone."""
    decision: str = ""
    """What the check itself decided, or why that does not count; "" when it was not asked."""
    advice: tuple[Failure, ...] = ()
    """What a built-in verifier found and is not certain of: told, never counted."""
    applies: bool = True
    """False when a built-in verifier found nothing of its kind: SKIPPED, and no reason to fail."""

    def __post_init__(self) -> None:
        needs_failure = self.status in {CheckStatus.FAILED, CheckStatus.TIMEOUT}
        invariant(
            bool(self.failures) == needs_failure, f"{self.check}: {self.status} with {len(self.failures)} failures"
        )
        needs_reason = self.status in {CheckStatus.ERROR, CheckStatus.TIMEOUT, CheckStatus.SKIPPED}
        invariant(not needs_reason or bool(self.reason), f"{self.check}: {self.status} without a reason")
        if self.status is CheckStatus.PASSED:
            invariant(self.exit_code == 0, f"{self.check}: passed with exit code {self.exit_code}")
            invariant(self.inventory is None or bool(self.inventory), f"{self.check}: passed without a test")
        invariant(
            self.applies or self.status is CheckStatus.SKIPPED, f"{self.check}: {self.status}, but does not apply"
        )

    @property
    def builtin(self) -> bool:
        """Whether a verifier of ours answered, and no command."""
        return self.tool == BUILTIN

    @property
    def ran(self) -> bool:
        """Whether the check came to a verdict of its own."""
        return self.status in {CheckStatus.PASSED, CheckStatus.FAILED}

    def keys(self, ids: tuple[str, ...]) -> frozenset[Key]:
        return frozenset(make_key(self.check, i) for i in ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All checks on one tree, produced by our own process after the last write."""

    tree: str
    results: tuple[CheckResult, ...]
    void: str = ""
    """Why this report is no evidence (a file of the tree was written while a check ran); "" otherwise."""
    duration: float = 0.0
    environment: str = ""
    rewritten: tuple[str, ...] = field(default=())
    """Files of the tree that a check rewrote and that were put back."""
    created: tuple[str, ...] = ()
    """Files that a check added beside the tree, caches left out."""
    advisers: tuple[CheckResult, ...] = ()
    """What built-in verifiers say that nobody required: told, never counted."""

    def __post_init__(self) -> None:
        invariant(bool(self.results) or bool(self.void), "a report without a check is no report")

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(f for r in self.results for f in r.failures)

    @property
    def advice(self) -> tuple[Failure, ...]:
        """All that was found and does not count."""
        asked = tuple(f for r in self.results for f in r.advice)
        return (*asked, *(f for r in self.advisers for f in (*r.failures, *r.advice)))

    @property
    def all_passed(self) -> bool:
        """Something passed, and nothing did anything else; what does not apply is left aside."""
        statuses = {r.status for r in self.results if r.applies}
        return not self.void and statuses == {CheckStatus.PASSED}

    def result(self, check: str) -> CheckResult | None:
        return next((r for r in self.results if r.check == check), None)
