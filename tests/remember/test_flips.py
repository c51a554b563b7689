from __future__ import annotations

from trueup.remember import flips
from trueup.remember.database import Database


def test_flips_are_counted_over_runs_and_trees_the_most_frequent_first(db: Database) -> None:
    flips.add(db, ["tests test_a", "tests test_b", "tests test_b"], tree="t0", time=1.0)
    flips.add(db, ["tests test_b"], tree="t0", time=2.0)
    flips.add(db, ["tests test_b"], tree="t1", time=3.0)
    assert flips.flips(db) == (
        flips.Flip(key="tests test_b", times=3, trees=2, last=3.0),
        flips.Flip(key="tests test_a", times=1, trees=1, last=1.0),
    )


def test_a_test_id_that_is_no_text_can_be_kept(db: Database) -> None:
    key = b"tests caf\xe9".decode(errors="surrogateescape")
    flips.add(db, [key], tree="t0", time=1.0)
    assert flips.flips(db)[0].key == key


def test_nothing_flipped_is_an_empty_list(db: Database) -> None:
    flips.add(db, [], tree="t0", time=1.0)
    assert flips.flips(db) == ()


def test_who_saw_it_and_where_is_told_the_latest_run_first(db: Database) -> None:
    flips.add(db, ["tests test_a"], tree="t0", time=1.0)
    flips.add(db, ["tests test_a"], tree="t0", time=2.0, run="one", at_start=True)
    flips.add(db, ["tests test_a"], tree="t1", time=3.0, run="two", at_start=False)
    flips.add(db, ["tests test_a"], tree="t2", time=4.0, run="two", at_start=False)
    (flip,) = flips.flips(db)
    assert (flip.times, flip.at_start, flip.later, flip.runs) == (4, 1, 2, ("two", "one"))


def test_what_was_seen_before_a_time_is_left_out(db: Database) -> None:
    flips.add(db, ["tests test_a", "tests test_b"], tree="t0", time=1.0, run="one", at_start=True)
    flips.add(db, ["tests test_b"], tree="t0", time=5.0, run="two", at_start=True)
    (flip,) = flips.flips(db, since=2.0)
    assert (flip.key, flip.times, flip.runs) == ("tests test_b", 1, ("two",))
