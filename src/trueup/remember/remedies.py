"""Which rules were tried in this project, how often did their fix stay, and which are switched off here?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trueup.remember.database import Database

ENOUGH = 3
"""So often in a row a rule's fixes have to be taken back, on as many occasions, until it is not asked any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One rule on one occasion."""

    remedy: str
    digest: str
    """Of what the rule says: a changed rule starts anew."""
    kept: bool


def add(db: Database, tried: Iterable[Tried], *, time: float) -> None:
    with db.write():
        for one in tried:
            db.execute(
                "INSERT INTO remedies (remedy, digest, kept, time) VALUES (?, ?, ?, ?)",
                *(one.remedy, one.digest, one.kept, time),
            )


def switched_off(db: Database) -> frozenset[tuple[str, str]]:
    """(rule, digest) of those whose last tries were all taken back."""
    rows = db.query("SELECT remedy, digest, kept FROM remedies ORDER BY number DESC")
    last: dict[tuple[str, str], list[bool]] = {}
    for remedy, digest, kept in rows:
        last.setdefault((remedy, digest), []).append(bool(kept))
    return frozenset(rule for rule, tries in last.items() if len(tries) >= ENOUGH and not any(tries[:ENOUGH]))
