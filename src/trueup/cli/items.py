"""`trueup items`: which work items are there, and how far did they come?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from trueup.cli.options import HERE, Directory, Json

if TYPE_CHECKING:
    from trueup.cli.shelf import Shelf
    from trueup.decide.memory import ItemMemory


def command(directory: Directory = HERE, json: Json = False) -> None:
    """List the work items of this project, the latest first: how the latest run ended, and what all of them took.

    A work item is what several runs work on: `trueup run --item NAME`, or by default the task's own words. What
    reviewers said and what led nowhere is remembered for the next run, also when the runs themselves were removed.

    \b
      trueup items
      trueup items --json
      trueup item show NAME
    """
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.remember import workitems

    with open_shelf(directory, os.environ) as shelf:
        notes = list(workitems.absorb_all(shelf.db))
        told = [about(shelf, memory) for memory in workitems.listing(shelf.db, notes=notes)]
        if json:
            show_json({"items": told, "notes": notes}, shelf.redact)
        else:
            show([*_lines(told), *notes], shelf.redact)


def about(shelf: Shelf, memory: ItemMemory) -> dict[str, Any]:
    """What all runs of an item came to."""
    paid = [run.usd for run in memory.runs if run.usd is not None]
    return {
        "item": memory.item,
        "state": _state(shelf, memory),
        "runs": len(memory.runs),
        "attempts": sum(run.attempts for run in memory.runs),
        "usd": sum(paid) if paid else None,
        "usd_complete": len(paid) == len(memory.runs),
        "branch": next((run.branch for run in reversed(memory.runs) if run.branch), ""),
        "verdicts": sum(len(run.verdicts) for run in memory.runs),
        "task": memory.runs[-1].task if memory.runs else "",
        "issue": _issue(shelf, memory.item),
    }


def _issue(shelf: Shelf, item: str) -> str:
    """The address of the issue that its latest run was about; "" for none, or when its runs were removed."""
    from trueup.perform.issue_source import Source
    from trueup.remember.journal import latest_facts

    fact = latest_facts(shelf.db, item).get("issue")
    return Source.from_fact(fact).shown if fact else ""


def _state(shelf: Shelf, memory: ItemMemory) -> str:
    """Of its latest run."""
    from trueup.cli.shelf import CRASHED, RUNNING
    from trueup.remember.leases import holder_of

    latest = memory.runs[-1] if memory.runs else None
    if latest is None:
        return ""
    return RUNNING if holder_of(shelf.db, latest.run) else latest.status or CRASHED


def _lines(told: list[dict[str, Any]]) -> list[str]:
    from trueup.report.text import table

    if not told:
        return ['no work item in this project yet; start one: trueup run "what to do" --item NAME --agent-cmd CMD']
    return table([row(one) for one in told])


def row(told: dict[str, Any]) -> list[str]:
    from trueup.cli.shelf import said_status
    from trueup.report.text import plain, plural

    return [
        plain(told["item"]),
        plain(said_status(told["state"])),
        plural(told["runs"], "run"),
        plural(told["attempts"], "attempt"),
        _cost(told),
        plural(told["verdicts"], "verdict") if told["verdicts"] else "",
        plain(told["branch"]),
        plain(told["issue"]),
    ]


def _cost(told: dict[str, Any]) -> str:
    from trueup.report.text import money

    if told["usd"] is None:
        return "cost not known"
    return money(told["usd"]) if told["usd_complete"] else f"at least {money(told['usd'])}"
