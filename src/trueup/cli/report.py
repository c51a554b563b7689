"""`trueup report`: where is the page about a run that can be mailed?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trueup.cli.options import HERE, Directory, Json, Run

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.cli.shelf import KnownRun, Shelf
    from trueup.report.events import Header

PAGE = "report.html"


def command(run: Run = None, directory: Directory = HERE, json: Json = False) -> None:
    """Print the path of a run's report: one page, no scripts, nothing loaded, secrets blotted out.

    It is written when the run ends, and again from the journal if it is gone.

    \b
      trueup report
      xdg-open "$(trueup report 7f3a)"
    """
    from trueup.cli.shelf import open_shelf, show_json

    with open_shelf(directory, os.environ) as shelf:
        known = shelf.run(run)
        path = shelf.project.root / ".trueup" / "runs" / known.id / PAGE
        written = not path.is_file()
        if written:
            _write(shelf, known, path)
        if json:
            show_json({"run": known.id, "path": str(path), "written": written}, shelf.redact)
        else:
            print(path)


def _write(shelf: Shelf, known: KnownRun, path: Path) -> None:
    from trueup.cli.shelf import changed_between
    from trueup.errors import UnverifiableError, UsageError
    from trueup.report.artifacts import Artifacts
    from trueup.report.events import RunEnded
    from trueup.report.html import report_html

    finished = known.state.finished
    if finished is None:
        raise UsageError(
            f"run {known.id} has no report yet",
            why=f"it is {known.status}; the report is written when a run ends",
            do=f"`trueup explain {known.id}` tells how far it came.",
        )
    ended = RunEnded(
        outcome=finished.outcome,
        branch=finished.branch,
        branch_note=finished.branch_note,
        changed=changed_between(shelf.store(), known.start, known.best),
    )
    artifacts = Artifacts(path.parent, redact=shelf.redact)
    artifacts.save(PAGE, report_html(_header(shelf, known), known.state, ended, redact=shelf.redact))
    if artifacts.problem:
        raise UnverifiableError(f"the report cannot be written to {path}", why=artifacts.problem)


def _header(shelf: Shelf, known: KnownRun) -> Header:
    """As much of the first screen as the journal knows."""
    import trueup
    from trueup.act.command_line import parse_command, show_command
    from trueup.report.events import AgentLine, CheckLine, Header

    task, facts = known.state.task, known.journal.facts
    origins = facts.get("origins", {})
    checks = ((c.name, show_command(parse_command(c.run))) for c in task.checks)
    setup = task.setup or facts.get("setup")
    return Header(
        run=known.id,
        version=trueup.__version__,
        project=shelf.where,
        branch=facts.get("branch") or "",
        head=(facts.get("head") or "")[:7],
        agents=tuple(AgentLine(name=agent.name) for agent in task.agents),
        checks=tuple(CheckLine(name=name, command=text, origin=origins.get(name, "")) for name, text in checks),
        setup=show_command(parse_command(setup)) if setup else "",
        files=task.include,
        usd=known.state.limits.usd,
        seconds=known.state.limits.time,
        attempts=known.state.limits.attempts,
        cost_known=known.state.cost_known,
        goal=", ".join(task.goal.targets) or str(task.goal.kind),
    )
