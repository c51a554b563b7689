"""Which tests gave different answers on an unchanged tree, how often, when last, and who saw it?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from trueup.evidence.failure import Key
from trueup.remember.codec import decode_json, encode_json
from trueup.remember.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    key: Key
    times: int
    trees: int
    """On how many different trees."""
    last: float
    at_start: int = 0
    """How often on the files that a run began with, before any change."""
    later: int = 0
    """How often on files that an agent had changed. The rest was seen outside of runs, or by an older version."""
    runs: tuple[str, ...] = ()
    """The latest first."""


def add(
    db: Database, keys: Iterable[Key], *, tree: str, time: float, run: str = "", at_start: bool | None = None
) -> None:
    """`run` and `at_start` are left out for what was seen outside of a run."""
    with db.write():
        for key in sorted(set(keys)):
            db.execute(
                "INSERT INTO flips (key, tree, time, run, at_start) VALUES (?, ?, ?, ?, ?)",
                encode_json(key),
                tree,
                time,
                run,
                at_start,
            )


def flips(db: Database, *, since: float = 0.0) -> tuple[Flip, ...]:
    """The most frequent first."""
    runs = _runs(db, since)
    rows = db.query(
        "SELECT key, COUNT(*), COUNT(DISTINCT tree), MAX(time), TOTAL(at_start = 1), TOTAL(at_start = 0) FROM flips"
        " WHERE time >= ? GROUP BY key ORDER BY COUNT(*) DESC, key",
        since,
    )
    return tuple(
        Flip(
            key=decode_json(key),
            times=times,
            trees=trees,
            last=last,
            at_start=int(at_start),
            later=int(later),
            runs=tuple(runs[key]),
        )
        for key, times, trees, last, at_start, later in rows
    )


def _runs(db: Database, since: float) -> defaultdict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    question = "SELECT key, run FROM flips WHERE time >= ? AND run != '' GROUP BY key, run ORDER BY MAX(time) DESC, run"
    for key, run in db.query(question, since):
        found[key].append(run)
    return found
