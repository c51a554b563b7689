"""What does a run take over from earlier ones, and what does it leave for later ones? Constraints, never files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trueup.act.git import git
from trueup.act.project import Project
from trueup.decide.memory import checks_digest
from trueup.decide.moves import RunAttempt, RunFinished
from trueup.decide.prior import Elsewhere, Prior, prior
from trueup.decide.state import State
from trueup.decide.task import Task
from trueup.errors import TrueupError
from trueup.perform.context import Context
from trueup.remember import workitems
from trueup.remember.database import Database
from trueup.report.earlier import notice
from trueup.report.prompt import failing_marks


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


def leave(context: Context, state: State, record: RunFinished) -> RunFinished:
    """The outcome stands whatever happens here: a memory that cannot be written is said."""
    try:
        workitems.keep(context.db, context.run, state, record, clock=context.clock)
    except (TrueupError, OSError) as error:
        said = f"what this run leaves for the next one could not be written: {error}"
        return replace(record, branch_note=context.redactor.redact(f"{record.branch_note} {said}".strip()))
    return record
