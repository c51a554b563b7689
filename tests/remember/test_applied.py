from __future__ import annotations

from pathlib import Path

from trueup.remember import applied
from trueup.remember.database import Database


def add(db: Database, run: str) -> applied.Applied:
    path = b"caf\xe9".decode(errors="surrogateescape")
    return applied.add(db, run=run, time=1.0, before_tree="a", after_tree="b", paths=("x.py", path))


def test_what_was_applied_is_remembered_by_the_next_process(folder: Path) -> None:
    with Database(folder) as db:
        one = add(db, "7f3a")
    with Database(folder) as db:
        assert applied.applied(db) == (one,)
        assert applied.latest(db) == one


def test_undo_takes_the_newest_first_and_none_twice(db: Database) -> None:
    assert applied.latest(db) is None
    first, second = add(db, "7f3a"), add(db, "b2c4")
    assert applied.latest(db) == second
    applied.mark_undone(db, second.id)
    assert applied.latest(db) == first
    applied.mark_undone(db, first.id)
    assert applied.latest(db) is None
    assert [one.undone for one in applied.applied(db)] == [True, True]
