"""What do we know so far? The fold of a journal; everything here is derived, nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from trueup.decide.moves import (
    AgentStatus,
    Attempted,
    BaselineTaken,
    RemediesTried,
    RunAttempt,
    RunFinished,
    Rung,
    TreeProved,
    TreeReviewed,
)
from trueup.decide.review import ReviewVerdict
from trueup.decide.task import Limits, Task
from trueup.evidence.failure import Key
from trueup.evidence.report import Report, Seen


class Class(StrEnum):
    """What an attempt amounts to, in the order of the table in `judge`."""

    INVALID = "invalid"
    NO_OP = "no_op"
    REVISIT = "revisit"
    GREEN = "green"
    PROGRESS = "progress"
    CYCLE = "cycle"
    WORSE = "worse"
    MIXED = "mixed"
    MOVED = "moved"
    STUCK = "stuck"
    REJECTED = "rejected"
    """Met the goal, was proven, and a reviewer turned it down."""
    INTERRUPTED = "interrupted"
    """Not a row of the table: trueup was killed while the agent ran. No strike, at most twice in a row."""


UNDONE = frozenset({Class.WORSE, Class.MIXED, Class.CYCLE, Class.REVISIT})
"""Classes after which the files went back to the best state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One verified tree as the judge sees it: counted failing keys with their fingerprints."""

    tree: str
    failing: dict[Key, int] = field(default_factory=dict)
    prints: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    passing: frozenset[Key] = frozenset()
    skipped: frozenset[Key] = frozenset()
    tests: frozenset[Key] = frozenset()
    """Failing keys that are tests, so that `fixed` means seen passing."""
    stage: int = 0
    blockers: int = 0
    """Failures that hide others (build, collection)."""
    hiding: frozenset[Key] = frozenset()
    """Their keys."""
    hidden: frozenset[str] = frozenset()
    """Checks that did not run: an earlier stage failed, or they do not apply."""
    aside: frozenset[str] = frozenset()
    """Those of them that do not apply: there is nothing of their kind."""
    defects: frozenset[str] = frozenset()
    """Checks that could not run, timed out, or collected less than they should."""
    opaque: frozenset[str] = frozenset()
    """Checks whose runner cannot tell its tests."""

    @property
    def collected(self) -> frozenset[Key]:
        return self.passing | self.skipped | self.tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    kind: Class
    required: dict[Key, int] = field(default_factory=dict)
    """Failing keys that the goal counts, after this attempt."""
    fixed: tuple[Key, ...] = ()
    regressed: tuple[Key, ...] = ()
    unveiled: tuple[Key, ...] = ()
    new: tuple[Key, ...] = ()
    """Required now, not required in the best."""
    prints: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    """Fingerprints of the required failures."""
    before: int = 0
    """How many required failures the best had when this attempt was judged."""
    same_as: int | None = None
    """For revisit and cycle: the earlier attempt it equals (0 = the start)."""
    strike: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptView:
    """One attempt with everything that is known about it."""

    move: RunAttempt
    record: Attempted
    judgement: Judgement | None = None
    """None while its evidence is still being gathered."""
    remedied: RemediesTried | None = None
    """What rules made of it; its candidate is their result. None when they were not asked."""
    leaning: Judgement | None = None
    """GREEN as long as its proof is under way; what it will be if the proof holds."""
    report: Report | None = None
    """None when it was not verified (no-op, revisit, interrupted)."""
    focus: Report | None = None
    """What failed before, run alone before the whole checks; None when they were run at once."""
    snapshot: Snapshot | None = None
    verdict_void: int = 0
    """How often its verification came to nothing (void, or invalid with its control)."""
    void_detail: str = ""
    control: Report | None = None
    """The best tree's report, run now because this attempt's checks could not run properly."""
    proof: TreeProved | None = None
    """The latest proof that was tried."""
    proof_green: bool = False
    """Whether its report met the goal by what was known then; a flake that is excused later needs a new proof."""
    proofs: int = 0
    review: TreeReviewed | None = None
    """The latest review that was asked for; a person's answer is one, too."""
    asked: int = 0
    """How often a review of it was asked for."""
    reviews: int = 0
    """How often that came to nothing through the reviewer's fault."""
    cut_short: int = 0
    """How often in a row trueup was killed meanwhile."""
    charged_usd: float | None = None
    charge_note: str = ""
    """Why another figure than the agent's was charged; "" when its own was believed."""

    @property
    def number(self) -> int:
        return self.record.number

    @property
    def by_rules(self) -> bool:
        """Nobody was asked: rules repaired what they could."""
        return self.record.agent is AgentStatus.RULES and not self.record.began

    @property
    def seen(self) -> Report | None:
        """What the checks said of it: all of them, or at least what failed before."""
        return self.report or self.focus

    @property
    def describes(self) -> Judgement | None:
        """The judgement that tells what fails in its tree; None when its checks came to nothing."""
        told = self.judgement if self.snapshot or self.in_part else None
        return told if told and told.kind is not Class.INVALID else None

    @property
    def in_part(self) -> bool:
        """Judged by what failed before, and by nothing else."""
        return self.judgement is not None and self.focus is not None and self.report is None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The fold. Read-only for everybody but `decide.fold`."""

    task: Task
    limits: Limits
    """The task's, or what the latest `resume` set."""
    baseline: BaselineTaken | None = None
    start: str = ""
    start_snapshot: Snapshot | None = None
    rules: RemediesTried | None = None
    """What rules made of the start; None when they were not asked yet."""
    attempts: tuple[AttemptView, ...] = ()
    best: str = ""
    best_attempt: int = 0
    best_snapshot: Snapshot | None = None
    tip: str = ""
    """Where the next attempt starts from."""
    workspace: str = ""
    """The tree that the agent's workspace holds now."""
    episode: int = 0
    """Number of attempts that belong to earlier episodes."""
    strikes: int = 0
    free_moves: int = 0
    cycles: int = 0
    universe: frozenset[Key] = frozenset()
    looks: dict[str, dict[Key, tuple[Seen, ...]]] = field(default_factory=dict)
    """tree -> key -> every look at it, oldest first."""
    spent_usd: float = 0.0
    cost_known: bool = False
    active_seconds: float = 0.0
    waits: int = 0
    """Back-offs in a row."""
    waited: bool = False
    """The latest fact is a back-off that is over."""
    proof: TreeProved | None = None
    """A proof that holds, of the best tree."""
    verdicts: tuple[ReviewVerdict, ...] = ()
    """Every reviewer's verdict of the run, oldest first."""
    heard: int = 0
    """How many verdicts belong to what was over before the latest `resume`: a new sitting has its own rounds."""
    dearest_review: float = 0.0
    """What one review cost at most."""
    unapproved: str = ""
    """The tree that is proven and waits for a reviewer, or was turned down."""
    released: frozenset[str] = frozenset()
    """Trees whose suspicious changes a person has looked at and allowed."""
    problem: str = ""
    """Set when a performer failed; the run cannot be verified."""
    cancelled: bool = False
    start_judgement: Judgement | None = None
    finished: RunFinished | None = None
    flips_told: frozenset[tuple[str, Key]] = frozenset()
    """What had flipped, and on which tree, when the run ended before: it is remembered once."""
    baseline_seconds: float = 0.0

    @property
    def current(self) -> AttemptView | None:
        """The attempt whose evidence is still being gathered."""
        last = self.attempts[-1] if self.attempts else None
        return last if last and last.judgement is None else None

    @property
    def episode_attempts(self) -> tuple[AttemptView, ...]:
        return self.attempts[self.episode :]

    @property
    def rung(self) -> Rung:
        rungs = list(Rung)
        return rungs[min(self.strikes // self.task.patience, len(rungs) - 1)]

    @property
    def flaky(self) -> frozenset[Key]:
        """Keys that gave different answers on one unchanged tree."""
        return frozenset(key for keys in self.looks.values() for key, seen in keys.items() if unsteady(seen))

    @property
    def flips(self) -> frozenset[tuple[str, Key]]:
        """Trees and keys that both passed and failed there."""
        return frozenset((tree, k) for tree, keys in self.looks.items() for k, seen in keys.items() if flips(seen))

    def session(self, agent: int) -> str:
        """The session that this agent can go on with; "" when its latest one has no name."""
        for view in reversed(self.attempts):
            if view.move.agent == agent and view.record.agent is AgentStatus.CONTEXT_FULL:
                return ""
            if view.move.agent == agent and (view.record.session or view.move.fresh_session):
                return view.record.session
        return ""

    @property
    def quarantined(self) -> frozenset[Key]:
        """Flaky on the start's own tree: neither blamed nor credited."""
        return frozenset(key for key, seen in self.looks.get(self.start, {}).items() if flips(seen))

    def seen(self, tree: str, key: Key) -> tuple[Seen, ...]:
        return self.looks.get(tree, {}).get(key, ())


def flips(seen: tuple[Seen, ...]) -> bool:
    """Passed and failed on the same tree."""
    return Seen.PASSED in seen and Seen.FAILED in seen


def unsteady(seen: tuple[Seen, ...]) -> bool:
    """Passed, and at another look failed, was skipped or was not there."""
    return Seen.PASSED in seen and set(seen) != {Seen.PASSED}
