"""Which tests gave different answers on an unchanged tree, how often, and when last?"""

from __future__ import annotations

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


def add(db: Database, keys: Iterable[Key], *, tree: str, time: float) -> None:
    with db.write():
        for key in sorted(set(keys)):
            db.execute("INSERT INTO flips (key, tree, time) VALUES (?, ?, ?)", encode_json(key), tree, time)


def flips(db: Database) -> tuple[Flip, ...]:
    """The most frequent first."""
    rows = db.query(
        "SELECT key, COUNT(*), COUNT(DISTINCT tree), MAX(time) FROM flips GROUP BY key ORDER BY COUNT(*) DESC, key"
    )
    return tuple(Flip(key=decode_json(key), times=times, trees=trees, last=last) for key, times, trees, last in rows)
