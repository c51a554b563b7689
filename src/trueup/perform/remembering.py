"""What does a run take over from earlier ones, and what does it leave for later ones? Constraints, never files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trueup.act.git import git
from trueup.act.project import Project
from trueup.decide.memory import checks_digest
from trueup.decide.moves import RunAttempt
from trueup.decide.prior import Elsewhere, Prior, prior
from trueup.decide.state import State
from trueup.decide.task import Task
from trueup.errors import TrueupError
from trueup.perform.context import Context
from trueup.remember import workitems
from trueup.remember.database import Database
from trueup.report.earlier import notice
from trueup.report.events import Notice
from trueup.report.prompt import failing_marks
from trueup.report.text import one_line


def earlier_runs(db: Database, project: Project, task: Task, start: str) -> dict[str, Any]:
    """Read once, before the run is written down, and kept among its facts: every sitting tells its agent the same."""
    notes = list(workitems.absorb(db, task.item))
    found = prior(workitems.read(db, task.item), base=start, checks=checks_digest(task))
    if found and not _is_there(project, found.branch):
        found = replace(found, branch="")
    return {"prior": workitems.prior_as_fact(found), "remembered": [*notes, *([notice(found)] if found else [])]}


def _is_there(project: Project, branch: str) -> bool:
    """In the user's repository, from which the agent's copy has its branches."""
    if project.head is None or not branch.startswith("trueup/"):
        return False
    ref = f"refs/heads/{branch}^{{commit}}"
    found = git("rev-parse", "--verify", "--quiet", "--end-of-options", ref, cwd=project.root, check=False)
    return bool(found.strip())


def prior_of(facts: dict[str, Any]) -> Prior | None:
    """A run that was begun by an older version has no such fact."""
    return workitems.prior_from_fact(facts.get("prior"))


def met_elsewhere(context: Context, state: State, move: RunAttempt) -> tuple[Elsewhere, ...]:
    """Where else in the project what fails now was met."""
    return workitems.met_elsewhere(context.db, context.task.item, failing_marks(state, move))


def leave(context: Context) -> None:
    """What this sitting adds to the memory of its work item. The outcome stands: what cannot be written is said."""
    try:
        notes = workitems.absorb(context.db, context.task.item, clock=context.clock)
    except (TrueupError, OSError) as error:
        notes = (f"what this run leaves for the next one is not written yet: {error}",)
    for note in notes:
        context.stream.emit(Notice(text=context.redactor.redact(one_line(note, 400))))
