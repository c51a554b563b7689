"""What was asked for? Read once, at the start, and kept in the journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from trueup.errors import UsageError
from trueup.evidence.report import Strength

REPORT_KINDS = ("junit", "sarif", "tap")
"""The formats of report files."""


class GoalKind(StrEnum):
    GREEN = "green"
    NO_NEW_FAILURES = "no-new-failures"
    TARGETS = "targets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    kind: GoalKind = GoalKind.GREEN
    targets: tuple[str, ...] = ()
    """Test ids as the user wrote them; they belong to any check that collects them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSpec:
    name: str
    run: str | tuple[str, ...]
    """A command line as the user wrote it, or an argument list."""
    after: tuple[str, ...] = ()
    timeout: float | None = None
    """Seconds; None = 3 × its time in the baseline, at least 10 minutes (baseline: 60 minutes)."""
    hermetic: bool = True
    """False switches the verdict cache off for this check."""
    report: str | None = None
    """Which report files it writes, such as `junit:reports/*.xml`; None = none that count."""
    decision_file: str | None = None
    """The file, from the root of the project, in which it says whether it passes; None = its exit code says so."""
    decision_words: bool = False
    """A line that is PASS, FAIL, COMPLETE or INCOMPLETE decides where no file does."""
    builtin: str = ""
    """The built-in verifier that answers, instead of a command; `run` is then what a person would type."""
    settings: str = ""
    """The verifier's own settings, as JSON; "" = none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinWishes:
    """What the user says about built-in verifiers."""

    required: tuple[str, ...] = ()
    """These are checks like any other; those that are not named advise at most."""
    off: tuple[str, ...] = ()
    """`coherence`, or `coherence.port` for one kind of finding."""
    settings: dict[str, str] = field(default_factory=dict)
    """Verifier -> its own settings, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    name: str
    kind: str = "command"
    """Which adapter: `command`, `python`, or a plug-in's name."""
    command: str | tuple[str, ...] | None = None
    reports_cost: bool = False
    usd_per_attempt: float | None = None
    """What one attempt is charged when the agent reports no cost; None = not known."""
    counts_tokens: bool = False
    """It tells tokens and no dollars: its cost is known if the price of its model is."""
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerSpec:
    """Who judges a proven result: an agent (any program or command), or a person."""

    agent: AgentSpec | None = None
    """None = a person."""

    @property
    def name(self) -> str:
        return self.agent.name if self.agent else PERSON


PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueText:
    """What somebody wrote in a tracker: it says what is wanted, and is quoted, never followed."""

    id: str
    title: str
    body: str = ""
    url: str = ""
    words: str = ""
    """What the user said besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    usd: float | None = 5.0
    """None = no dollar cap applies (the cost is then not known or not limited)."""
    time: float | None = 45 * 60.0
    """Active seconds: the sum of the moves; baseline, set-up and waiting for a person do not count."""
    attempts: int = 10
    max_usd_per_attempt: float | None = None


class OnGreen(StrEnum):
    STOP = "stop"
    WORK = "work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    text: str = "make the checks pass"
    item: str = "make-the-checks-pass"
    """Name of the work item; also the branch: `trueup/<item>`."""
    issue: IssueText | None = None
    """Where the task comes from; `text` is then its title, or what the user said besides."""
    checks: tuple[CheckSpec, ...] = ()
    builtin: BuiltinWishes = BuiltinWishes()
    fix_first: bool = False
    """Rules repair what they can before an agent is asked, and in what it left."""
    remedies: tuple[str, ...] = ()
    """The user's own rules: YAML files of the start."""
    agents: tuple[AgentSpec, ...] = ()
    goal: Goal = Goal()
    limits: Limits = Limits()
    setup: str | tuple[str, ...] | None = None
    only: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    edit_tests: bool = False
    on_green: OnGreen = OnGreen.STOP
    patience: int = 1
    max_changed_files: int | None = None
    min_strength: Strength = Strength.EXIT_CODE
    agent_timeout: float = 15 * 60.0
    focus_above: float = 30.0
    """Seconds; checks that take at least so long run what failed before alone first, where their tool can select."""
    max_verify_attempts: int = 3
    """For the guard of interactive sessions: how often an agent's end is refused without progress."""
    until: float | None = None
    """Wall-clock deadline in Unix seconds; only performers look at it."""
    from_rev: str | None = None
    sandbox: bool = False
    """Agent and checks run in a sandbox, or the run does not begin."""
    sandbox_read: tuple[str, ...] = ()
    """Paths that are hidden there by default and that agent, set-up and checks may read."""
    sandbox_share: tuple[str, ...] = ()
    """Paths that the agent alone may read and write there: its own credentials and sessions."""
    reviewer: ReviewerSpec | None = None
    """Judges what is proven; None = nobody has to."""
    review_rounds: int = 3
    """After so many rejections a person is needed."""
    search_first: bool = False
    """Small Python bugs are looked for by search before the agent is asked for the first time."""
    search_cpu: float = 60.0
    """Seconds of processor time for one search."""
    search_unsandboxed: bool = False
    """The user agrees that altered versions of the program run without a sandbox where there is none."""


def paid_agents(task: Task) -> tuple[AgentSpec, ...]:
    """Those that do the work, and the one that judges it, if that is no person."""
    judge = task.reviewer.agent if task.reviewer else None
    return task.agents if judge is None else (*task.agents, judge)


def stages(checks: tuple[CheckSpec, ...]) -> dict[str, int]:
    """Stage number of each check: 0 without prerequisites, else one more than the latest of them."""
    by_name = {c.name: c for c in checks}
    depth: dict[str, int] = {}

    def visit(name: str, path: tuple[str, ...]) -> int:
        if name in path:
            raise UsageError(f"checks wait for each other: {' → '.join((*path, name))}", do="Remove one `after`.")
        if name not in depth:
            spec = by_name[name]
            unknown = [a for a in spec.after if a not in by_name]
            if unknown:
                raise UsageError(f"check {name!r} comes after {unknown[0]!r}, which does not exist")
            depth[name] = max((visit(a, (*path, name)) + 1 for a in spec.after), default=0)
        return depth[name]

    for check in checks:
        visit(check.name, ())
    return depth


def prerequisites(checks: tuple[CheckSpec, ...], names: Iterable[str]) -> frozenset[str]:
    """The checks that have to run before these, directly or not: a later one may need what they built."""
    by_name = {c.name: c for c in checks}
    found: set[str] = set()
    pending = [after for name in names for after in by_name[name].after]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += by_name[name].after
    return frozenset(found)


def with_prerequisites(
    checks: tuple[CheckSpec, ...], select: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """The same selection, with whole checks before it where it needs them."""
    return {**dict.fromkeys(prerequisites(checks, select), ("",)), **select}
