"""`trueup runs`: which runs are there, and how did they end?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueup.cli.options import HERE, Directory, Json

if TYPE_CHECKING:
    from trueup.cli.shelf import Shelf
    from trueup.decide.state import State
    from trueup.remember.journal import RunRow

SHOWN = 20
UNREADABLE = "cannot be read"


def command(
    everything: Annotated[bool, typer.Option("--all", help=f"All of them, not only the newest {SHOWN}.")] = False,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """List the runs of this project, newest first: how each ended, what it cost, and how far it came.

    `2 → 0` reads: two things failed at the start, none in the best state. A run that was killed is listed as crashed;
    nothing of it is lost.

    \b
      trueup runs
      trueup runs --all --json
    """
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.remember.journal import runs

    with open_shelf(directory, os.environ) as shelf:
        rows = runs(shelf.db)
        shown = [_told(shelf, row) for row in (rows if everything else rows[:SHOWN])]
        if json:
            show_json({"runs": shown, "more": len(rows) - len(shown)}, shelf.redact)
        else:
            show(_lines(shown, len(rows) - len(shown)), shelf.redact)


def _told(shelf: Shelf, row: RunRow) -> dict[str, Any]:
    from trueup.errors import UnverifiableError

    about = {"run": row.id, "item": row.item, "task": row.task.text, "started": row.started, "ended": row.ended}
    try:
        return {**about, **_progress(shelf, row.id)}
    except UnverifiableError as error:  # one damaged run must not hide the others
        return {**about, "status": UNREADABLE, "detail": error.what, "attempts": 0, "usd": None, "failing": None}


def _progress(shelf: Shelf, run: str) -> dict[str, Any]:
    known = shelf.known(run)
    state = known.state
    return {
        "status": known.status,
        "detail": known.outcome.detail if known.outcome else "",
        "attempts": len(state.attempts),
        "usd": state.spent_usd if state.cost_known else None,
        "failing": _failing(state),
    }


def _failing(state: State) -> dict[str, int] | None:
    """At the start and in the best state; None before the start was checked."""
    from trueup.report.diagnosis import start_and_best

    if state.start_judgement is None:
        return None
    at_start = sum(state.start_judgement.required.values())
    start, best = start_and_best(state) or (at_start, at_start)
    return {"start": start, "best": best}


def _lines(shown: list[dict[str, Any]], more: int) -> list[str]:
    from trueup.report.text import table

    if not shown:
        return ['no run in this project yet; start one: trueup run "what to do" --agent-cmd CMD']
    lines = table([_row(about) for about in shown])
    return [*lines, *([f"and {more} older ones: trueup runs --all"] if more else [])]


def _row(about: dict[str, Any]) -> list[str]:
    from trueup.cli.shelf import CRASHED, said_status, said_time
    from trueup.report.text import money, plain, plural

    crashed = about["status"] == CRASHED
    failing = about["failing"]
    return [
        plain(about["run"]),
        said_status(about["status"]),
        plain(about["item"]),
        plural(about["attempts"], "attempt"),
        "cost not known" if about["usd"] is None else money(about["usd"]),
        f"{failing['start']} → {failing['best']}" if failing else "",
        said_time(about["started"]),
        f"resume it: trueup resume {plain(about['run'])}" if crashed else "",
    ]
