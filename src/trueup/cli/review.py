"""`trueup review`: a person's word about a result that waits for one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Directory, Json
from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.decide.state import AttemptView, State

ACTIONS = ("approve", "reject", "show")


def command(
    action: Annotated[str, typer.Argument(help="approve, reject or show.")],
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="Run id or its beginning; the latest.")] = None,
    because: Annotated[
        str | None, typer.Option("--because", "-m", metavar="TEXT", help="What is wrong, or why it is fine.")
    ] = None,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Approve or reject what a run has proven, or what it found suspicious; the run then goes on.

    A run with `--reviewer person` ends with exit code 5 as soon as a result is proven. Approved, it passes; rejected,
    the agent is told why, word by word, and tries again within the same limits. An approval never makes a red check
    green.

    \b
      trueup review show                 what waits, and what was said so far
      trueup review approve
      trueup review reject -m "the cache is never emptied"

    Exit code: that of the run as it goes on; 2 when nothing waits for a person.
    """
    if action not in ACTIONS:
        raise UsageError(f"trueup review {action} is not known", do=f"It is one of: {', '.join(ACTIONS)}.")
    if action == "show":
        _show(directory, run, as_json=json)
        return
    if action == "reject" and not (because or "").strip():
        raise UsageError(
            "a rejection needs a reason",
            why="It is what the agent gets to read, word by word.",
            do='Say it: trueup review reject -m "…"',
        )
    from trueup.cli.sitting import answer_run

    approved = action == "approve"
    raise typer.Exit(
        answer_run(directory, run, os.environ, approved=approved, because=(because or "").strip(), as_json=json)
    )


def _show(directory: Path, run: str | None, *, as_json: bool) -> None:
    from trueup.cli.shelf import open_shelf, show_json
    from trueup.report.review_prompt import verdict_text

    with open_shelf(directory, os.environ) as shelf:
        known = shelf.run(run)
        view = awaited(known.id, known.state)
        verdicts = known.state.verdicts
        if as_json:
            rows = [
                {"approved": v.approved, "feedback": v.feedback, "round": v.round, "reviewer": v.reviewer}
                for v in verdicts
            ]
            show_json(
                {"run": known.id, "attempt": view.number, "tree": view.record.candidate, "verdicts": rows}, shelf.redact
            )
            return
        print(f"run {known.id}: attempt {view.number} waits for a person")
        print(f"  look at it   trueup diff {known.id} {view.number}")
        print(f"  then         trueup review approve {known.id}")
        print(f'               trueup review reject {known.id} -m "…"')
        for verdict in verdicts:
            sys.stdout.write(f"\n{verdict_text(verdict, shelf.redact)}\n")


def awaited(run: str, state: State) -> AttemptView:
    """The attempt that a person may decide about."""
    from trueup.decide.needs import undecided

    view = undecided(state)
    if view is None:
        ended = state.finished.outcome.status if state.finished else "not over"
        raise UsageError(
            f"run {run} does not wait for a person",
            why=f"It is {ended}: only a proven result that is not approved, or a suspicious one, can be decided about.",
            do="`trueup runs` lists the runs; `trueup explain` tells what one did.",
        )
    return view
