from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from trueup.errors import InvariantError, UnverifiableError
from trueup.remember import flips
from trueup.remember.database import FILE, Database
from trueup.remember.migrations import MIGRATIONS

from .conftest import Child


def text(error: pytest.ExceptionInfo[UnverifiableError]) -> str:
    assert error.value.why
    assert error.value.do
    return str(error.value)


def test_the_file_is_private_and_has_the_newest_schema(db: Database, folder: Path) -> None:
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert db.query("PRAGMA user_version") == [(len(MIGRATIONS),)]


def test_each_write_is_synced_to_the_disk(db: Database) -> None:
    assert db.query("PRAGMA journal_mode") == [("wal",)]
    assert db.query("PRAGMA synchronous") == [(2,)]
    assert db.query("PRAGMA foreign_keys") == [(1,)]


def test_a_block_that_fails_writes_nothing(db: Database) -> None:
    def half_of_it() -> None:
        with db.write():
            db.execute("INSERT INTO flips (key, tree, time) VALUES ('k', 't', 1.0)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_of_it()
    assert db.query("SELECT * FROM flips") == []
    flips.add(db, ["k"], tree="t", time=1.0)
    assert len(flips.flips(db)) == 1


def test_a_change_outside_of_a_write_is_a_bug(db: Database) -> None:
    with pytest.raises(InvariantError, match="outside of a write"):
        db.execute("DELETE FROM flips")


def test_a_closed_database_is_not_used(folder: Path) -> None:
    with Database(folder) as db:
        pass
    with pytest.raises(InvariantError, match="not open"):
        db.query("SELECT 1")


@pytest.mark.parametrize("content", [b"not a database, but longer than a header " * 200, b"x", b"SQLite format 3\0"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(folder: Path, content: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / FILE).write_bytes(content)
    with pytest.raises(UnverifiableError, match="is damaged") as caught, Database(folder):
        pass
    assert f"mv {folder / FILE} {folder / FILE}.aside" in text(caught)
    assert (folder / FILE).read_bytes() == content


def test_a_damaged_page_is_found_at_the_opening(folder: Path) -> None:
    with Database(folder) as db:
        flips.add(db, [f"pytest test_{n}" for n in range(2000)], tree="t", time=1.0)
    pages = bytearray((folder / FILE).read_bytes())
    assert len(pages) > 20 * 4096
    pages[4096 * 12 : 4096 * 20] = b"\xff" * (4096 * 8)
    (folder / FILE).write_bytes(pages)
    with pytest.raises(UnverifiableError, match="is damaged") as caught, Database(folder):
        pass
    assert "set it aside" in text(caught)
    assert (folder / FILE).read_bytes() == pages


def test_a_truncated_file_is_refused(folder: Path) -> None:
    with Database(folder) as db:
        flips.add(db, [f"pytest test_{n}" for n in range(2000)], tree="t", time=1.0)
    size = (folder / FILE).stat().st_size
    (folder / FILE).write_bytes((folder / FILE).read_bytes()[: size // 2])
    with pytest.raises(UnverifiableError, match="is damaged"), Database(folder):
        pass


def test_a_newer_schema_is_refused_and_left_alone(folder: Path) -> None:
    with Database(folder):
        pass
    with closing(sqlite3.connect(folder / FILE)) as raw:
        raw.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = (folder / FILE).read_bytes()
    with pytest.raises(UnverifiableError, match="written by a newer trueup") as caught, Database(folder):
        pass
    assert f"version {len(MIGRATIONS) + 1}" in text(caught)
    assert "Update trueup" in text(caught)
    assert (folder / FILE).read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / FILE)) as raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    before = (folder / FILE).read_bytes()
    with pytest.raises(UnverifiableError, match="not a trueup journal") as caught, Database(folder):
        pass
    assert "set it aside" in text(caught)
    assert (folder / FILE).read_bytes() == before


def test_a_state_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UnverifiableError, match="state folder") as caught, Database(tmp_path / "file" / "state"):
        pass
    assert "XDG_STATE_HOME" in text(caught)
    assert str(tmp_path / "file" / "state") in text(caught)


def test_a_folder_in_the_place_of_the_file_is_an_error_and_not_a_crash(folder: Path) -> None:
    (folder / FILE).mkdir(parents=True)
    with pytest.raises(UnverifiableError, match="state folder"), Database(folder):
        pass


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that nobody can write to")
def test_a_folder_that_cannot_be_written_to_is_named() -> None:
    with pytest.raises(UnverifiableError, match="/proc/self"), Database(Path("/proc/self")):
        pass


def test_a_full_disk_is_said_and_loses_nothing_that_was_written(db: Database) -> None:
    flips.add(db, ["before"], tree="t", time=1.0)
    pages = db.query("PRAGMA page_count")[0][0]
    db.query(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(UnverifiableError, match="cannot write") as caught:
        flips.add(db, [f"{n} {'x' * 500}" for n in range(500)], tree="t", time=2.0)
    assert "full" in text(caught)
    assert [flip.key for flip in flips.flips(db)] == ["before"]


def test_a_file_that_another_process_does_not_let_go_of_is_said(
    db: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trueup.remember.database.BUSY_SECONDS", 0.05)
    with Database(folder) as other, db.write():
        with pytest.raises(UnverifiableError, match="locked by another process") as caught:
            flips.add(other, ["x"], tree="t", time=1.0)
        assert "trueup runs" in text(caught)


FILE_TOO_LARGE = """
import resource, sys
from pathlib import Path
from trueup.errors import UnverifiableError
from trueup.remember import flips
from trueup.remember.database import Database

with Database(Path(sys.argv[1])) as db:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        for n in range(1000):
            flips.add(db, [f"{n} {'x' * 2000}"], tree="t", time=float(n))
    except UnverifiableError as error:
        print(error)
"""


def test_a_file_system_that_takes_no_more_is_said(child: Child, folder: Path) -> None:
    output, _ = child(FILE_TOO_LARGE).communicate(timeout=60)
    assert "cannot write" in output
    assert "trueup clean" in output
    with Database(folder) as db:
        assert flips.flips(db)


OPEN_MANY = """
import sys
from pathlib import Path
from trueup.remember import flips
from trueup.remember.database import Database

sys.stdin.readline()
with Database(Path(sys.argv[1])) as db:
    flips.add(db, ["together"], tree="t", time=1.0)
print("done")
"""


def test_processes_that_create_the_file_at_the_same_moment_all_succeed(child: Child, folder: Path) -> None:
    folder.mkdir(parents=True)
    processes = [child(OPEN_MANY) for _ in range(4)]
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate(timeout=60)[0] for process in processes] == ["done\n"] * 4
    with Database(folder) as db:
        assert flips.flips(db)[0].times == 4


class Overtaken(Database):
    """Another process creates the tables just after this one has seen whose file it is."""

    def _number(self, pragma: str) -> int:
        number = super()._number(pragma)
        if pragma == "application_id":
            with Database(self.path.parent):
                pass
        return number


def test_a_file_whose_tables_appear_while_it_is_looked_at_is_no_foreign_one(folder: Path) -> None:
    folder.mkdir(parents=True)
    made = sqlite3.connect(folder / FILE)
    made.execute("PRAGMA journal_mode = WAL")
    made.close()
    with Overtaken(folder) as db:
        flips.add(db, ["x"], tree="t", time=1.0)
        assert flips.flips(db)[0].times == 1
