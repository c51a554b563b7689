"""What does every performer have at hand? Opened once per sitting, closed in whatever way the sitting ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.agents.base import Agent
from trueup.act.files import FileRules
from trueup.act.process import Processes
from trueup.act.project import Project
from trueup.act.protection import Protection
from trueup.act.store import Store
from trueup.act.workspace import AgentWorkspace
from trueup.decide.prior import Prior
from trueup.decide.review import ReviewVerdict
from trueup.decide.task import Task
from trueup.evidence.failure import Sources
from trueup.evidence.redact import Redactor
from trueup.perform.issues import Work
from trueup.perform.lab import Lab, sources_of
from trueup.remember.database import Database
from trueup.report.artifacts import Artifacts
from trueup.report.events import Stream


@dataclass(slots=True, kw_only=True)
class Context:
    run: str
    task: Task
    project: Project
    folder: Path
    """The run's own folder in the state directory: scratch files, indexes, benches."""
    store: Store
    rules: FileRules
    start: str
    workspace: AgentWorkspace
    processes: Processes
    lab: Lab
    agents: tuple[Agent, ...]
    reviewer: Agent | None
    """None when nobody reviews, or a person does."""
    agent_env: Mapping[str, str]
    artifacts: Artifacts
    stream: Stream
    redactor: Redactor
    db: Database
    environment: str
    """Digest of what the checks run in; part of the verdict cache's key."""
    clock: Callable[[], float]
    sleep: Callable[[float], bool]
    """Waits that many seconds; False when it was cut short by a cancel."""
    until: float | None = None
    """The wall-clock deadline of this sitting; one that had passed before a resume no longer counts."""
    protection: Protection | None = None
    prior_verdicts: tuple[ReviewVerdict, ...] = ()
    """Of earlier runs on the same work item; those that still hold."""
    prior: Prior | None = None
    """All that is told of them; None for an item without a past."""
    work: Work | None = None
    """The issue that the run is about, and what is to be told there."""

    def sources(self, tree: str) -> Sources:
        return sources_of(self.store, tree)

    def keep(self, name: str, tree: str) -> None:
        """Nothing that was ever seen is lost: every tree of a run has a name in the store."""
        self.store.keep(f"{self.run}/{name}", tree)
