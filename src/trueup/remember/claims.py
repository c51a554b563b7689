"""Which runs may have something at a tracker that is still to be told or taken away?

Written before the tracker is asked for anything, removed after the last word there: what a killed run left can be
found, and by whoever holds the lease of its item it can be put right.
"""

from __future__ import annotations

from dataclasses import dataclass

from trueup.remember.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenClaim:
    run: str
    mark: str
    """Known to nobody else until it stands in the one comment about the outcome."""
    ends: int
    """How often the run had ended before: only an end that came later is told."""


def begin(db: Database, run: str, mark: str, *, ends: int) -> None:
    """A claim that is open already stays as it is."""
    with db.write():
        db.execute("INSERT OR IGNORE INTO claims (run, mark, ends) VALUES (?, ?, ?)", run, mark, ends)


def of_run(db: Database, run: str) -> OpenClaim | None:
    return next((claim for claim in all_open(db) if claim.run == run), None)


def all_open(db: Database) -> list[OpenClaim]:
    rows = db.query("SELECT run, mark, ends FROM claims ORDER BY run")
    return [OpenClaim(run=run, mark=mark, ends=ends) for run, mark, ends in rows]


def end(db: Database, run: str) -> None:
    with db.write():
        db.execute("DELETE FROM claims WHERE run = ?", run)
