"""What can be done next, and what is written down about it?

A Move is written to the journal before it is performed (the reservation), its Record after. Both are plain
data. `decide` returns moves; performers return records; nothing else changes the state of a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from trueup.decide.outcome import Outcome
from trueup.decide.review import ReviewVerdict
from trueup.evidence.failure import Key
from trueup.evidence.report import Observation, Report, Strength


class Rung(StrEnum):
    """What the next prompt asks for, from the first to the last step of the ladder."""

    NORMAL = "normal"
    RETHINK = "rethink"
    MINIMAL = "minimal"
    FRESH = "fresh"


class AgentStatus(StrEnum):
    """How an agent's process ended, as far as it can be told. Never evidence about the work."""

    DONE = "done"
    FAILED = "failed"
    """Non-zero exit without a known reason."""
    TIMEOUT = "timeout"
    DEAD = "dead"
    """Exit 0 with no model usage and no change."""
    CREDENTIALS = "credentials"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    MISSING = "missing"
    """The program could not be started."""
    INTERRUPTED = "interrupted"
    """trueup itself was killed while the agent ran."""
    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    """The wall-clock deadline (`--until`) came first."""
    HALTED = "halted"
    """It went round in circles and was stopped; what it left is judged like any other attempt's work."""
    OVERSPENT = "overspent"
    """It had cost more than was reserved for it, and was stopped; what it left is judged all the same."""
    CONTEXT_FULL = "context_full"
    """Its conversation no longer fits into the model; the next attempt begins a new one."""
    REFUSED = "refused"
    """The model declined to work on it."""
    EXHAUSTED = "exhausted"
    """It has nothing more to try with these files: asked again, it would do the same."""
    RULES = "rules"
    """No agent at all: rules repaired what they could, and that is judged like any other attempt's work."""


class ReviewStatus(StrEnum):
    """How asking for a review ended. Only an answer can approve."""

    ANSWERED = "answered"
    WAITING = "waiting"
    """A person has to answer."""
    TAMPERED = "tampered"
    """The reviewer wrote to the files that it was to judge."""
    NO_ANSWER = "no_answer"
    """It ended without a record that is bound to the question, or with one that breaks the rules."""
    FAILED = "failed"
    """It crashed, ran out of time, or was refused."""
    INTERRUPTED = "interrupted"
    """trueup itself was killed meanwhile: the reviewer is asked again."""
    CANCELLED = "cancelled"


class PutBackWhy(StrEnum):
    PROTECTED = "protected"
    CONTROL = "control"
    SCOPE = "scope"
    KEYS = "keys"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """A change of the agent's that sanitising undid."""

    path: str
    why: PutBackWhy
    detail: str = ""
    """For KEYS: which keys; for others: the rule that matched."""


# --- moves ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBaseline:
    """Run every check on the start's tree, and what failed a second time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAttempt:
    """One agent invocation from `origin`, stored raw and sanitised into a candidate."""

    number: int
    rung: Rung
    nudge: bool
    """The first attempt on this rung in this episode: its prompt quotes the evidence and asks anew."""
    agent: int
    """Index into `task.agents`."""
    fresh_session: bool
    origin: str
    reserve_usd: float | None
    """Charged if the agent's own figure cannot be believed; None when no cost is known or limited."""
    seconds: float
    """How long the agent may run."""
    max_files: int | None
    """Diff budget; more changed files than this go back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TryRemedies:
    """Let rules repair what they can, before anybody is paid, or in what an agent left before it is verified."""

    tree: str
    attempt: int
    """0: the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyTree:
    tree: str
    attempt: int
    again: int = 0
    """How many times this tree's verification was void or invalid before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusTree:
    """Run only what failed before the attempt. If all of it fails as it did, the whole checks are spared."""

    tree: str
    attempt: int
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunControl:
    """Run the checks on the best tree now: is it the environment or the candidate that cannot run?"""

    tree: str
    attempt: int
    again: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmKeys:
    """Run some keys again, `times` times, on an unchanged tree."""

    tree: str
    keys: tuple[Key, ...]
    times: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveTree:
    """The user's exact command on a fresh checkout, the twin run, suspicious changes, the start still fails."""

    tree: str
    attempt: int
    again: int
    must_fail: tuple[Key, ...]
    """Failures that were stable at the start: they must still fail there."""
    twins: tuple[Key, ...]
    """Tests whose bodies are made to fail in the twin run, where the runner allows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskReview:
    """Show the proven tree to the reviewer. Its answer is bound to this tree."""

    tree: str
    attempt: int
    round: int
    """From 1: one more for each verdict of the run."""
    again: int
    """How often the reviewer was asked about this attempt before, whatever came of it."""
    reserve_usd: float | None
    """Charged if the reviewer's own figure cannot be believed; None when no cost is known or limited."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreTree:
    """Bring the agent's workspace to this tree."""

    tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Back off after a rate limit or an outage."""

    seconds: float
    why: AgentStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishRun:
    outcome: Outcome


Move = (
    TakeBaseline
    | TryRemedies
    | RunAttempt
    | FocusTree
    | VerifyTree
    | RunControl
    | ConfirmKeys
    | ProveTree
    | AskReview
    | RestoreTree
    | Wait
    | FinishRun
)

# --- records -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineTaken:
    tree: str
    report: Report | None
    """None when it could not be captured; `problem` then says why."""
    observations: tuple[Observation, ...] = ()
    """The second look at what failed."""
    problem: str = ""
    remembered: bool = False
    """The report is that of an earlier run on the same files, checks and environment."""
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFix:
    """What one rule repaired."""

    remedy: str
    why: str
    removed: tuple[Key, ...]
    """Failures that were seen before it and not after it."""
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemediesTried:
    tree: str
    result: str
    """The very same tree when no fix stays."""
    kept: tuple[KeptFix, ...] = ()
    taken_back: tuple[str, ...] = ()
    """Rules whose fix was tried and does not stay."""
    off: tuple[str, ...] = ()
    """Rules that were not asked: here, their fixes keep being taken back."""
    changed: tuple[str, ...] = ()
    """Paths that differ between the attempt's origin (or the start) and the result."""
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    number: int
    agent: AgentStatus
    began: bool = True
    """False when no agent was started: the deadline had passed."""
    problem: str = ""
    """Why what the agent left could not be stored; the attempt is charged, and the run ends."""
    raw: str
    """Tree id of what the agent left, byte for byte."""
    candidate: str
    """Tree id after sanitising."""
    changed: tuple[str, ...] = ()
    """Paths that differ between the origin and the candidate."""
    put_back: tuple[PutBack, ...] = ()
    exit_code: int | None = None
    claimed_usd: float | None = None
    """What the agent reports, unchecked; None = nothing usable."""
    total_usd: float | None = None
    """Instead of that: what `session` has cost since it began, this attempt included. The difference is charged."""
    claim_problem: str = ""
    """Why the claim is not believed (two results, negative, falling …)."""
    least_usd: float = 0.0
    """The highest cost that it told before that: no less is charged."""
    least_total_usd: float | None = None
    """The same of `session`."""
    worked: bool = False
    """Whether a model is known to have answered: then the attempt is not free, however it ended."""
    tokens: int | None = None
    note: str = ""
    """The agent's own last words; shown, never believed."""
    session: str = ""
    detail: str = ""
    """Why the agent failed, in its own words, shortened."""
    learned: tuple[str, ...] = ()
    """What it found out about the files that it began with, a line each: for people, and for the next attempt."""
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFocused:
    """What failed before, run alone. It can show that nothing moved, and nothing else."""

    tree: str
    report: Report
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeVerified:
    tree: str
    report: Report
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRun:
    tree: str
    report: Report
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysConfirmed:
    tree: str
    observations: tuple[Observation, ...]
    problem: str = ""
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinRun:
    """What happened to the tests that were made to fail. Each list holds keys."""

    failed_as_told: tuple[Key, ...] = ()
    survived: tuple[Key, ...] = ()
    """Passed, skipped, vanished or failed in another way, although the same twin fails on the start's tree."""
    not_possible: tuple[Key, ...] = ()
    """The start's tree could not be made to fail either, or the runner cannot be looked into."""
    why_not: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    path: str
    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeProved:
    """The parts of a proof, as they came out. `decide.completion` says whether they prove anything."""

    tree: str
    report: Report
    """The user's exact commands on a fresh checkout."""
    twin: TwinRun
    suspicions: tuple[Suspicion, ...]
    start: tuple[Observation, ...]
    """What the failures of the start do on the start's tree now (up to three looks each)."""
    strength: Strength
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeReviewed:
    """What came of a question to the reviewer. Without a verdict it is never an approval."""

    tree: str
    status: ReviewStatus
    verdict: ReviewVerdict | None = None
    detail: str = ""
    """Why there is no verdict, for people."""
    agent: AgentStatus = AgentStatus.DONE
    """How the reviewer's process ended."""
    began: bool = True
    """False when no reviewer was started, or it was refused before it did anything."""
    problem: str = ""
    """What of ours broke meanwhile; the question is charged, and the run ends."""
    claimed_usd: float | None = None
    """What the reviewer reports, unchecked; None = nothing usable."""
    claim_problem: str = ""
    least_usd: float = 0.0
    """The highest cost that it told before that: no less is charged."""
    tokens: int | None = None
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonDecided:
    """`trueup review approve|reject`: a person's verdict on the tree that the run waits with."""

    verdict: ReviewVerdict
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRestored:
    tree: str
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    seconds: float
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveFailed:
    """A performer could not do its work (disk full, set-up failed, store unreadable): nothing was claimed."""

    move: str
    problem: str
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    outcome: Outcome
    branch: str = ""
    branch_note: str = ""
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResumed:
    """A new sitting: limits are new totals; after an ended run it also opens a new episode."""

    after_end: bool
    usd: float | None
    time: float | None
    attempts: int
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested:
    """Ctrl-C, SIGTERM or `trueup cancel`: the run ends as soon as its children are gone, and can be resumed."""

    duration: float = 0.0


Record = (
    BaselineTaken
    | RemediesTried
    | Attempted
    | TreeFocused
    | TreeVerified
    | ControlRun
    | KeysConfirmed
    | TreeProved
    | TreeReviewed
    | PersonDecided
    | TreeRestored
    | Waited
    | MoveFailed
    | RunFinished
    | RunResumed
    | CancelRequested
)

History = tuple[tuple[Move | None, Record], ...]
"""Performed moves with their records, oldest first. What came from outside (`RunResumed`, `PersonDecided`,
`CancelRequested`) has no move."""
