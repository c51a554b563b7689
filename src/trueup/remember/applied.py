"""What did `apply` (or `check --fix`) write into the user's checkout, so that it can be taken back?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trueup.remember.codec import decode_json, encode_json
from trueup.remember.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    id: int
    run: str
    time: float
    before_tree: str
    """The checkout before; undoing brings `paths` back to this."""
    after_tree: str
    paths: tuple[str, ...]
    undone: bool


def add(db: Database, *, run: str, time: float, before_tree: str, after_tree: str, paths: tuple[str, ...]) -> Applied:
    """Write it down. To be called before the first file is written, so that a crash can be undone as well."""
    with db.write():
        number = db.execute(
            "INSERT INTO applied (run, time, before_tree, after_tree, paths) VALUES (?, ?, ?, ?, ?)",
            *(run, time, before_tree, after_tree, encode_json(paths)),
        )
    return Applied(
        id=number,
        run=run,
        time=time,
        before_tree=before_tree,
        after_tree=after_tree,
        paths=paths,
        undone=False,
    )


def applied(db: Database) -> tuple[Applied, ...]:
    """All of them, newest first; what was undone included."""
    rows = db.query("SELECT id, run, time, before_tree, after_tree, paths, undone FROM applied ORDER BY id DESC")
    return tuple(
        Applied(
            id=number,
            run=run,
            time=time,
            before_tree=before,
            after_tree=after,
            paths=tuple(decode_json(paths)),
            undone=bool(undone),
        )
        for number, run, time, before, after, paths, undone in rows
    )


def latest(db: Database) -> Applied | None:
    """What `apply --undo` takes back: the newest that was not undone."""
    return next((one for one in applied(db) if not one.undone), None)


def mark_undone(db: Database, number: int) -> None:
    with db.write():
        db.execute("UPDATE applied SET undone = 1 WHERE id = ?", number)


def forget(db: Database, numbers: Iterable[int]) -> None:
    """They cannot be taken back any more."""
    with db.write():
        for number in numbers:
            db.execute("DELETE FROM applied WHERE id = ?", number)
