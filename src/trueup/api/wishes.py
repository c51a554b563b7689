"""What does a program ask for? Friendly values that become the same task as the command line's, or are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from trueup.act.agents.base import AgentFunction
from trueup.api import exact
from trueup.api.functions import AsyncAgentFunction
from trueup.config import Overrides, new_totals
from trueup.config.file import AGENT, CHECK
from trueup.decide.task import Limits
from trueup.decide.task import Task as Spec
from trueup.errors import UsageError

Command = str | Sequence[str]
"""A command line as you would type it, or a program with its arguments."""
NoLimit = Literal["none"]


@dataclass(frozen=True, slots=True)
class Check:
    """A command whose exit code, and better its report, says whether the work is done."""

    run: Command
    _: KW_ONLY
    name: str | None = None
    """Found from the command when it is left out."""
    after: Sequence[str] = ()
    """Names of checks that have to pass first."""
    timeout: float | str | None = None
    """Seconds, or `"10m"`. By default three times its time at the start, at least ten minutes."""
    hermetic: bool = True
    """False: it depends on more than the files, so its result is never remembered."""
    report: str | None = None
    """Report files that it writes, such as `"junit:reports/*.xml"`; also `sarif:` and `tap:`."""
    decision_file: str | None = None
    """The file in which it decides, such as `"build/decision.json"`; docs/decision-file.md says how."""
    decision_words: bool = False
    """True: a line of its output that is just PASS, FAIL, COMPLETE or INCOMPLETE decides where no file does."""

    def __post_init__(self) -> None:
        exact.converted(self, CHECK)


@dataclass(frozen=True, slots=True)
class Agent:
    """Who does the work: a command, a function of this program, or a known agent by its name alone."""

    name: str
    _: KW_ONLY
    command: Command | None = None
    function: AgentFunction | AsyncAgentFunction | None = None
    usd_per_attempt: float | None = None
    """What one attempt costs, when the agent itself does not say."""
    shell: bool = False
    """Run the command line in a shell."""
    kind: str | None = None
    """Which adapter, when it is not the one of this name."""
    model: str | None = None
    """For a known program, as it calls its models."""
    args: Sequence[str] | None = None
    """Further arguments for a known program."""
    price: Mapping[str, float] | None = None
    """Of a model's tokens: dollars for a million, by `input`, `output` and, if it differs, `cached`."""

    def __post_init__(self) -> None:
        exact.converted(self, AGENT)
        if self.command is not None and self.function is not None:
            raise UsageError(f"Agent({self.name!r}) has a command and a function", do="Leave one of them out.")
        if self.function is not None and not callable(self.function):
            raise exact.refusal("Agent", "function", self.function, "something to call with one argument")


AgentLike = str | AgentFunction | AsyncAgentFunction | Agent
"""A string is a command line, as for `--agent-cmd`."""
Agents = AgentLike | Sequence[AgentLike]
Goal = Literal["green", "no-new-failures"] | list[str] | tuple[str, ...]
"""A list holds test ids: these pass, and nothing new fails."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done, by whom, and what proves it. A value that cannot be used is a `UsageError` here already.

    The names and defaults are those of the configuration file and of `trueup run`. What is written here is all that
    counts: no file and no `TRUEUP_*` variable is read, except by `Task.from_config`. A task can be varied with
    `dataclasses.replace`.
    """

    text: str = Spec().text
    _: KW_ONLY
    agent: Agents = ()
    """One, or several in the order in which they take over."""
    checks: Sequence[str | Check] = ()
    """None given: those that the project has; `Result.checks` names them."""
    goal: Goal = "green"
    setup: Command | None = None
    only: Sequence[str] = ()
    protect: Sequence[str] = ()
    include: Sequence[str] = ()
    env: Sequence[str] = ()
    edit_tests: bool = False
    on_green: Literal["stop", "work"] = "stop"
    sandbox: bool = False
    sandbox_read: Sequence[str] = ()
    sandbox_share: Sequence[str] = ()
    reviewer: str | None = None
    """Who has to approve what is proven: a known agent, or `person`; docs/review.md."""
    reviewer_cmd: Command | None = None
    """Any command as the reviewer."""
    review_rounds: int = 3
    """After so many rejections a person is needed."""
    fix_first: bool = True
    """Let rules repair what they can before an agent is asked, and in what it left; docs/remedies.md."""
    remedies: Sequence[str] = ()
    """Rules of your own: YAML files of the project."""
    search_first: bool = False
    """Look for small Python bugs by search before the agent is asked for the first time."""
    search_cpu: float | str = 60.0
    """Processor time for one search, in seconds or as `"2m"`."""
    search_unsandboxed: bool = False
    """Agree that altered versions of the program run without a sandbox where there is none."""
    max_usd: float | NoLimit | None = None
    """None: $5 if every agent reports its cost; with a function as the agent: no limit."""
    max_time: float | str = "45m"
    """Seconds, `"1h30m"`, or `"none"`."""
    max_attempts: int = 10
    agent_timeout: float | str = "15m"
    focus_above: float | str = "30s"
    """Checks that take at least so long run what failed before alone first, where their tool can select."""
    max_verify_attempts: int = 3
    """Only for guarded interactive sessions; a run does not look at it."""
    patience: int = 1
    max_changed_files: int | None = None
    min_strength: Literal["exit_code", "inventory", "twin"] = "exit_code"
    usd_per_attempt: float | None = None
    max_usd_per_attempt: float | None = None
    item: str | None = None
    """Name of the work item and of the branch `trueup/<item>`; by default made from the text."""
    until: float | str | None = None
    """`"07:30"`, or Unix seconds: stop then."""
    from_rev: str | None = None
    """Start from this commit instead of the files as they are."""

    def __post_init__(self) -> None:
        self.asked()

    @classmethod
    def from_config(cls, folder: str | PathLike[str] = ".", **changes: Unpack[TaskKeywords]) -> Task:
        """What `trueup.toml`, or `[tool.trueup]` in `pyproject.toml`, of the project says, with changes.

        Each change replaces what the file says; it adds nothing to its lists.
        """
        values, tables = exact.configured(Path(folder))
        values["checks"] = [Check(**table) for table in tables.get("check", [])]
        values["agent"] = [Agent(**table) for table in tables.get("agent", [])]
        return cls(**{**values, **changes})

    def asked(self) -> exact.Asked:
        """The same as the loop knows it. Internal: no part of the stable interface."""
        return exact.asked(self, checks=_checks(self.checks), agents=_agents(self.agent))


class TaskKeywords(TypedDict, total=False):
    """The arguments of `Task` by name, for `Task.from_config`."""

    text: str
    agent: Agents
    checks: Sequence[str | Check]
    goal: Goal
    setup: Command | None
    only: Sequence[str]
    protect: Sequence[str]
    include: Sequence[str]
    env: Sequence[str]
    edit_tests: bool
    on_green: Literal["stop", "work"]
    sandbox: bool
    sandbox_read: Sequence[str]
    sandbox_share: Sequence[str]
    reviewer: str | None
    reviewer_cmd: Command | None
    review_rounds: int
    fix_first: bool
    remedies: Sequence[str]
    search_first: bool
    search_cpu: float | str
    search_unsandboxed: bool
    max_usd: float | NoLimit | None
    max_time: float | str
    max_attempts: int
    agent_timeout: float | str
    focus_above: float | str
    max_verify_attempts: int
    patience: int
    max_changed_files: int | None
    min_strength: Literal["exit_code", "inventory", "twin"]
    usd_per_attempt: float | None
    max_usd_per_attempt: float | None
    item: str | None
    until: float | str | None
    from_rev: str | None


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with a run after a crash, a cancel, or an end without success. The limits are new totals."""

    run: str | None = None
    """Its id, or the beginning of it; None: the latest run of the project."""
    _: KW_ONLY
    agent: Agents = ()
    """The functions of the run, under the same names. Commands need not be given: they are remembered."""
    max_usd: float | NoLimit | None = None
    max_time: float | str | None = None
    max_attempts: int | None = None

    def __post_init__(self) -> None:
        exact.converted(self, exact.KEYWORDS)
        _agents(self.agent)

    def limits(self, old: Limits) -> Limits:
        wishes = Overrides(max_usd=self.max_usd, max_time=self.max_time, max_attempts=self.max_attempts)
        return new_totals(old, wishes)

    @property
    def functions(self) -> Mapping[str, AgentFunction]:
        return exact.functions(_agents(self.agent))


def _checks(given: Any) -> list[Check]:
    allowed = 'a list of commands or Checks, such as ["pytest -q"]'
    if not isinstance(given, list | tuple) or not all(isinstance(one, str | Check) for one in given):
        raise exact.refusal("Task", "checks", given, allowed)
    return [one if isinstance(one, Check) else Check(one) for one in given]


def _agents(given: Any) -> list[Agent]:
    """Each with a name that no other has."""
    agents: dict[str, Agent] = {}
    for one in given if isinstance(given, list | tuple) else (given,):
        agent = _agent(one, set(agents))
        if agent.name in agents:
            raise UsageError(f"two agents are named {agent.name!r}", do="Give each its own name.")
        agents[agent.name] = agent
    return list(agents.values())


def _agent(one: Any, taken: set[str]) -> Agent:
    if isinstance(one, Agent):
        return one
    if isinstance(one, str):
        return Agent(exact.command_name(one, taken), command=one)
    if callable(one):
        return Agent(exact.function_name(one, taken), function=one)
    raise exact.refusal("Task", "agent", one, "a command line, a function or an Agent, or a list of them")
