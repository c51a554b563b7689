"""Where does a sitting take place, who listens, and where is everything kept?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trueup.act.agents import make_agent, search_before, search_options
from trueup.act.agents.base import Agent, AgentFunction
from trueup.act.bytecode import Bytecode
from trueup.act.process import Processes
from trueup.act.project import Project, project_state
from trueup.act.sandbox import Sandbox
from trueup.act.store import Store
from trueup.decide.task import Task
from trueup.errors import UsageError
from trueup.remember.database import Database
from trueup.report.events import Sink

NESTED = "TRUEUP_RUN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where a sitting takes place, and who listens to it."""

    project: Project
    environ: Mapping[str, str]
    sinks: Sequence[Sink] = ()
    callables: Mapping[str, AgentFunction] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    """Check name -> where its command comes from."""
    processes: Processes = field(default_factory=Processes)
    state_home: Path | None = None
    """Where trueup keeps everything, instead of what the environment says; agents and checks do not see it."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """More that a new run keeps, such as the issue that it is about."""
    sandbox: Sandbox | None = None
    """Made from the task when a run is opened."""
    compiled: Bytecode | None = None
    """Compiled modules that the first check begins with, made before any agent ran; none by default."""


def refuse_nested(environ: Mapping[str, str]) -> None:
    if NESTED in environ:
        raise UsageError(
            "trueup is already running here",
            why=f"this command was started by the agent of run {environ[NESTED]}",
            do="An agent cannot grade itself: end the outer run, or start this one outside of it.",
        )


def make_agents(task: Task, callables: Mapping[str, AgentFunction]) -> tuple[Agent, ...]:
    """Every agent of the list, ready; a program that is missing is said before anything is rescued or paid."""
    options = search_options(cpu=task.search_cpu, unsandboxed=task.search_unsandboxed)
    specs = [replace(one, options={**one.options, **options}) if one.kind == "search" else one for one in task.agents]
    agents = tuple(make_agent(spec, callables) for spec in specs)
    agents = search_before(agents, options) if task.search_first else agents
    for agent in agents:
        missing = agent.describe().missing
        if missing:
            raise UsageError(
                f"the agent {agent.name} cannot run", why=missing, do="`trueup doctor` shows what is there."
            )
    return agents


def make_reviewer(task: Task, callables: Mapping[str, AgentFunction]) -> Agent | None:
    """The agent that reviews; None when nobody does, or a person."""
    if task.reviewer is None or task.reviewer.agent is None:
        return None
    reviewer = make_agent(task.reviewer.agent, callables)
    missing = reviewer.describe().missing
    if missing:
        raise UsageError(
            f"the reviewer {reviewer.name} cannot run", why=missing, do="`trueup doctor` shows what is there."
        )
    return reviewer


@contextmanager
def shelf(setting: Setting) -> Iterator[tuple[Path, Database]]:
    """Where everything about the project is kept."""
    home = {} if setting.state_home is None else {"XDG_STATE_HOME": os.fspath(setting.state_home)}
    state = project_state(setting.project, {**setting.environ, **home})
    with Database(state) as db:
        yield state, db


def run_folder(state: Path, run: str) -> Path:
    return state / "runs" / run


def open_store(state: Path) -> Store:
    return Store(state / "store.git")
