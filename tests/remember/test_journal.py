from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from trueup.decide.moves import (
    AgentStatus,
    Attempted,
    BaselineTaken,
    FinishRun,
    History,
    RestoreTree,
    RunFinished,
    RunResumed,
    TakeBaseline,
    TreeRestored,
    Wait,
    Waited,
)
from trueup.decide.outcome import Outcome
from trueup.decide.task import CheckSpec, Task
from trueup.errors import BlockedError, InvariantError, UnverifiableError, UsageError
from trueup.remember import applied
from trueup.remember.database import Database
from trueup.remember.journal import Journal, find_run, forget_run, new_run_id, run_exists, runs
from trueup.remember.leases import Lease

from .conftest import Child

TASK = Task(text="fix it", item="fix-it", checks=(CheckSpec(name="tests", run="pytest -q"),))
BASELINE = BaselineTaken(tree="t0", report=None, problem="no such program", duration=1.5)
RESUMED = RunResumed(after_end=False, usd=2.0, time=None, attempts=5)


def create(db: Database, run: str = "7f3a", task: Task = TASK) -> Journal:
    ticks = itertools.count(1000)
    return Journal.create(
        db, run=run, task=task, project="/home/me/shop", facts={"rules": ["*.pyc"]}, clock=lambda: next(ticks)
    )


def test_a_new_journal_knows_its_task_and_facts_and_has_no_history(db: Database) -> None:
    create(db)
    journal = Journal.open(db, "7f3a")
    assert (journal.run, journal.task, journal.facts) == ("7f3a", TASK, {"rules": ["*.pyc"]})
    assert journal.history == ()
    assert journal.pending is None


def test_a_move_is_pending_until_its_record_comes(db: Database) -> None:
    journal = create(db)
    journal.begin(TakeBaseline())
    assert journal.pending == TakeBaseline()
    assert Journal.open(db, "7f3a").pending == TakeBaseline()
    journal.finish(BASELINE)
    assert journal.pending is None
    assert journal.history == ((TakeBaseline(), BASELINE),)


def test_what_is_read_back_equals_what_was_kept_in_memory(db: Database, stuck: Outcome) -> None:
    journal = create(db)
    journal.begin(TakeBaseline())
    journal.finish(BASELINE)
    journal.begin(Wait(seconds=3.0, why=AgentStatus.RATE_LIMITED))
    journal.finish(Waited(seconds=3.0))
    journal.begin(FinishRun(outcome=stuck))
    journal.finish(RunFinished(outcome=stuck))
    journal.note(RESUMED)
    journal.begin(RestoreTree(tree="t1"))
    again = Journal.open(db, "7f3a")
    assert again.history == journal.history
    assert again.history[-1] == (None, RESUMED)
    assert again.pending == RestoreTree(tree="t1")


def test_a_second_move_supersedes_the_pending_one_which_stays_in_the_table(db: Database) -> None:
    journal = create(db)
    first = journal.begin(RestoreTree(tree="t1"))
    second = journal.begin(RestoreTree(tree="t2"))
    journal.finish(TreeRestored(tree="t2"))
    expected: History = ((RestoreTree(tree="t2"), TreeRestored(tree="t2")),)
    assert journal.history == Journal.open(db, "7f3a").history == expected
    assert db.query("SELECT seq, role, refers FROM entries ORDER BY seq") == [
        (first, "move", None),
        (second, "move", first),
        (3, "record", second),
    ]


def test_a_note_leaves_the_pending_move_pending(db: Database) -> None:
    journal = create(db)
    journal.begin(TakeBaseline())
    journal.note(RESUMED)
    again = Journal.open(db, "7f3a")
    assert journal.pending == again.pending == TakeBaseline()
    again.finish(BASELINE)
    expected: History = ((None, RESUMED), (TakeBaseline(), BASELINE))
    assert again.history == Journal.open(db, "7f3a").history == expected


def test_a_record_without_a_move_is_a_bug(db: Database) -> None:
    with pytest.raises(InvariantError, match="BaselineTaken without a move"):
        create(db).finish(BASELINE)


def test_a_second_writer_of_one_run_is_refused(db: Database) -> None:
    create(db).begin(TakeBaseline())
    first, second = Journal.open(db, "7f3a"), Journal.open(db, "7f3a")
    first.finish(BASELINE)
    with pytest.raises(BlockedError, match="another process is writing"):
        second.finish(BASELINE)
    assert len(Journal.open(db, "7f3a").history) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = '{}'",
        "DELETE FROM entries",
        "INSERT OR REPLACE INTO entries VALUES ('7f3a', 1, 0, 'move', 'TakeBaseline', NULL, '{}')",
        "UPDATE runs SET task = '{}'",
        "UPDATE runs SET facts = '{}'",
        "DELETE FROM runs",
    ],
)
def test_what_was_written_down_cannot_be_changed(db: Database, statement: str) -> None:
    journal = create(db)
    journal.begin(TakeBaseline())
    journal.finish(BASELINE)
    before = db.query("SELECT * FROM entries"), db.query("SELECT * FROM runs")
    with pytest.raises(InvariantError), db.write():
        db.execute(statement)
    assert (db.query("SELECT * FROM entries"), db.query("SELECT * FROM runs")) == before


def test_an_entry_of_a_newer_version_is_not_skipped(db: Database) -> None:
    create(db)
    with db.write():
        db.execute("INSERT INTO entries VALUES ('7f3a', 1, 0, 'move', 'Teleport', NULL, '{}')")
    with pytest.raises(UnverifiableError, match="Teleport"):
        Journal.open(db, "7f3a")


@pytest.mark.parametrize("row", ["'record', 'Waited', 7", "'move', 'Waited', NULL", "'record', 'TakeBaseline', NULL"])
def test_a_journal_that_does_not_add_up_is_refused(db: Database, row: str) -> None:
    create(db)
    with db.write():
        db.execute(f"INSERT INTO entries VALUES ('7f3a', 1, 0, {row}, '{{\"seconds\": 1}}')")
    with pytest.raises(UnverifiableError, match="entry 1"):
        Journal.open(db, "7f3a")


WRITER = """
import os, signal, sys
from pathlib import Path
from trueup.decide.moves import BaselineTaken, RestoreTree, TakeBaseline
from trueup.decide.task import Task
from trueup.remember.database import Database
from trueup.remember.journal import Journal

db = Database(Path(sys.argv[1])).__enter__()
journal = Journal.create(db, run="dead", task=Task(), project="p", facts={})
journal.begin(TakeBaseline())
if AFTER == "finish":
    journal.finish(BaselineTaken(tree="t0", report=None, problem="p"))
if HOW == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if HOW == "exit":
    os._exit(1)
"""


@pytest.mark.parametrize("how", ["kill", "exit"])
@pytest.mark.parametrize("after", ["begin", "finish"])
def test_nothing_is_lost_when_the_process_dies_right_after_a_step(
    child: Child, folder: Path, how: str, after: str
) -> None:
    process = child(f"HOW, AFTER = {how!r}, {after!r}\n{WRITER}")
    process.communicate(timeout=60)
    assert process.returncode == (-9 if how == "kill" else 1)
    with Database(folder) as db:
        journal = Journal.open(db, "dead")
        assert journal.pending == (TakeBaseline() if after == "begin" else None)
        assert len(journal.history) == (0 if after == "begin" else 1)
        journal.begin(RestoreTree(tree="t0"))
        assert Journal.open(db, "dead").pending == RestoreTree(tree="t0")


UNFINISHED = """
import os, signal, sys
from pathlib import Path
from trueup.decide.moves import TakeBaseline
from trueup.decide.task import Task
from trueup.remember.database import Database
from trueup.remember.journal import Journal

db = Database(Path(sys.argv[1])).__enter__()
Journal.create(db, run="dead", task=Task(), project="p", facts={})
with db.write():
    db.execute("INSERT INTO entries VALUES ('dead', 1, 0, 'move', 'TakeBaseline', NULL, '{}')")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_step_that_was_being_written_when_the_process_died_does_not_exist(child: Child, folder: Path) -> None:
    assert child(UNFINISHED).wait(timeout=60) == -9
    with Database(folder) as db:
        assert Journal.open(db, "dead").pending is None


def test_runs_are_listed_newest_first_with_what_became_of_them(db: Database, stuck: Outcome) -> None:
    old = create(db, "aaaa")
    create(db, "bbbb")
    old.begin(TakeBaseline())
    old.finish(BASELINE)
    old.begin(FinishRun(outcome=stuck))
    old.finish(RunFinished(outcome=stuck))
    new_row, old_row = runs(db)
    assert (new_row.id, new_row.status, new_row.ended, new_row.start_tree) == ("bbbb", None, None, "")
    assert (old_row.id, old_row.item, old_row.task, old_row.project) == ("aaaa", "fix-it", TASK, "/home/me/shop")
    assert (old_row.started, old_row.ended, old_row.status) == (1000, 1004, "stuck")
    assert (old_row.start_tree, old_row.sitting, old_row.extra) == ("t0", 1, {"rules": ["*.pyc"]})


def test_a_resumed_run_is_open_again_and_counts_its_sittings(db: Database, stuck: Outcome) -> None:
    journal = create(db)
    journal.begin(FinishRun(outcome=stuck))
    journal.finish(RunFinished(outcome=stuck))
    journal.note(RESUMED)
    row = runs(db)[0]
    assert (row.status, row.ended, row.sitting) == (None, None, 2)


def test_a_project_path_that_is_no_text_can_be_kept(db: Database) -> None:
    path = b"/home/caf\xe9".decode(errors="surrogateescape")
    Journal.create(db, run="aaaa", task=TASK, project=path, facts={"cwd": path})
    assert runs(db)[0].project == path
    assert Journal.open(db, "aaaa").facts == {"cwd": path}


def test_a_run_is_found_by_nothing_by_its_name_or_by_the_beginning_of_it(db: Database) -> None:
    for run in ("7f3a", "7f3a99", "b2c4"):
        create(db, run)
    assert find_run(db, None) == "b2c4"
    assert find_run(db, "7f3a") == "7f3a"
    assert find_run(db, "7f3a9") == "7f3a99"
    assert find_run(db, "b") == "b2c4"


def test_an_ambiguous_beginning_names_the_candidates(db: Database) -> None:
    for run in ("7f3a", "7f99", "b2c4"):
        create(db, run)
    with pytest.raises(UsageError, match="2 runs begin with '7f'") as caught:
        find_run(db, "7f")
    assert "7f99, 7f3a" in str(caught.value)
    assert "b2c4" not in str(caught.value)


@pytest.mark.parametrize("prefix", ["zz", "", "%", "_f3a"])
def test_an_unknown_run_names_those_that_exist(db: Database, prefix: str) -> None:
    create(db)
    with pytest.raises(UsageError, match="there is no run") as caught:
        find_run(db, prefix)
    assert "7f3a" in str(caught.value)


def test_without_any_run_the_way_to_start_one_is_shown(db: Database) -> None:
    with pytest.raises(UsageError, match="no run in this project yet"):
        find_run(db, None)
    with pytest.raises(UsageError, match="there is no run 'x'"):
        Journal.open(db, "x")


def test_a_run_id_is_short_and_readable() -> None:
    assert new_run_id(b"\x7f\x3a") == "7f3a"
    assert new_run_id(b"\x7f\x3a\x01\x02") == "7f3a01"
    with pytest.raises(InvariantError):
        new_run_id(b"\x01")


def test_forgetting_removes_one_run_and_only_that(db: Database) -> None:
    for run in ("aaaa", "bbbb"):
        journal = create(db, run)
        journal.begin(TakeBaseline())
        journal.finish(BASELINE)
        applied.add(db, run=run, time=1.0, before_tree="a", after_tree="b", paths=("x",))
    forget_run(db, "aaaa")
    assert not run_exists(db, "aaaa")
    assert [row.id for row in runs(db)] == ["bbbb"]
    assert {row[0] for row in db.query("SELECT run FROM entries")} == {"bbbb"}
    assert [one.run for one in applied.applied(db)] == ["bbbb"]
    assert len(Journal.open(db, "bbbb").history) == 1
    with pytest.raises(InvariantError, match="append-only"), db.write():
        db.execute("DELETE FROM entries")


def test_a_run_that_is_going_on_is_not_forgotten(db: Database) -> None:
    create(db)
    with Lease.acquire(db, "fix-it", "7f3a"), pytest.raises(BlockedError, match="is going on"):
        forget_run(db, "7f3a")
    assert run_exists(db, "7f3a")


def test_an_existing_run_is_not_overwritten(db: Database) -> None:
    create(db).begin(TakeBaseline())
    with pytest.raises(InvariantError, match="exists already"):
        create(db)
    assert Journal.open(db, "7f3a").pending == TakeBaseline()


def test_a_record_of_an_attempt_with_strange_paths_is_kept(db: Database) -> None:
    journal = create(db)
    journal.begin(TakeBaseline())
    path = b"caf\xe9".decode(errors="surrogateescape")
    journal.finish(Attempted(number=1, agent=AgentStatus.DONE, raw="a", candidate="b", changed=(path, "x\0y")))
    assert Journal.open(db, "7f3a").history == journal.history
