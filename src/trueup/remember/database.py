"""How does everything that is remembered reach the disk, and what is said when it cannot?"""

from __future__ import annotations

import shlex
import sqlite3  # noqa: TID251 - this is the module that talks to SQLite
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from trueup.errors import InvariantError, TrueupError, UnverifiableError, invariant
from trueup.remember.migrations import APPLICATION_ID, MIGRATIONS

FILE = "journal.db"
BUSY_SECONDS = 10.0
EASY_CHECK_BYTES = 8 * 2**20
"""Files up to this size are checked whole at every opening (a few milliseconds); `verify` checks any."""
SMALLEST_PAGE = 512

Row = tuple[Any, ...]


class Database:
    """The project's journal file: open inside `with`, durable after each `write` block.

    Contract: a damaged, foreign or newer file is refused and left as it is; nothing is ever reset. Every
    failure of SQLite becomes an `UnverifiableError`, a broken rule of ours an `InvariantError`.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._connection: sqlite3.Connection | None = None
        self._inode = 0

    def __enter__(self) -> Self:
        invariant(self._connection is None, "the database is already open")
        self._create_file()
        with self._explained():
            self._connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def query(self, sql: str, *values: Any) -> list[Row]:
        with self._explained():
            return self._open.execute(sql, values).fetchall()

    @contextmanager
    def write(self) -> Iterator[None]:
        """All of the block's `execute` calls reach the disk together, or none does."""
        invariant(not self._open.in_transaction, "a write inside a write")
        self._refuse_if_gone()
        self._statement("BEGIN IMMEDIATE")
        try:
            yield
            self._statement("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._open.execute("ROLLBACK")
            raise

    def execute(self, sql: str, *values: Any) -> int:
        """One change inside a `write` block. Returns the number of the row that it added, if any."""
        invariant(self._open.in_transaction, "a change outside of a write")
        return self._statement(sql, *values)

    def verify(self) -> None:
        """Look at every page of the file, and refuse it if one is damaged."""
        problems = [str(row[0]) for row in self.query("PRAGMA quick_check(1)")]
        if problems != ["ok"]:
            raise self._damaged(problems[0])

    @property
    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            raise InvariantError("the database is not open")
        return self._connection

    def _statement(self, sql: str, *values: Any) -> int:
        with self._explained():
            return self._open.execute(sql, values).lastrowid or 0

    def _create_file(self) -> None:
        """Private from the first moment; SQLite gives its companion files the same mode."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            emptied = self.path.exists() and not self.path.stat().st_size and any(self.path.parent.glob("runs/*"))
            self.path.touch(mode=0o600)
        except OSError as error:
            raise self._unwritable(str(error)) from error
        if emptied:
            raise self._damaged("the file is empty, but there are runs")  # SQLite would take it for a new one

    def _prepare(self) -> None:
        self._inode = self.path.stat().st_ino
        self._check_owner()
        self._use_wal()
        # Without recursive triggers, REPLACE would delete rows behind the append-only trigger's back.
        for pragma in ("synchronous = FULL", "foreign_keys = ON", "recursive_triggers = ON"):
            self._statement(f"PRAGMA {pragma}")
        self._migrate()
        if self.path.stat().st_size <= EASY_CHECK_BYTES:
            self.verify()

    def _refuse_if_gone(self) -> None:
        """SQLite would go on writing to a file that nobody can open any more."""
        if not self.path.exists() or self.path.stat().st_ino != self._inode:
            raise UnverifiableError(
                f"{self.path} was removed or replaced while it was in use",
                why="What is written to it now would be lost, and with it what was paid for.",
                do="Look at what the agent did; a new run starts with an empty journal.",
            )

    def _check_owner(self) -> None:
        """Before the first write: is this file ours, and not newer than we are?"""
        if 0 < self.path.stat().st_size < SMALLEST_PAGE:
            raise self._damaged("the file is too short")  # SQLite would take it for an empty one
        with self._snapshot():  # another process may be creating the tables right now
            owner, version = self._number("application_id"), self._number("user_version")
            empty = not self.query("SELECT 1 FROM sqlite_master LIMIT 1")
        if owner != APPLICATION_ID and not (owner == version == 0 and empty):
            raise UnverifiableError(
                f"{self.path} is not a trueup journal",
                why=f"Another program's mark is in it (application id {owner}).",
                do=self._set_aside(),
            )
        if version > len(MIGRATIONS):
            raise UnverifiableError(
                f"{self.path} was written by a newer trueup",
                why=f"Its schema is version {version}; this trueup knows versions up to {len(MIGRATIONS)}.",
                do=f"Update trueup. Or: {self._set_aside()}",
            )

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """What the block reads was all true at one moment."""
        self._statement("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._open.execute("ROLLBACK")

    def _use_wal(self) -> None:
        """SQLite does not wait by itself when two processes switch the mode of a new file at once."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._open.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise self._explain(error) from error
                time.sleep(0.01)
            else:
                return

    def _migrate(self) -> None:
        while (version := self._number("user_version")) < len(MIGRATIONS):
            with self.write():
                if self._number("user_version") != version:
                    continue  # another process was faster
                for statement in MIGRATIONS[version]:
                    self.execute(statement)
                self.execute(f"PRAGMA user_version = {version + 1}")

    def _number(self, pragma: str) -> int:
        return int(self.query(f"PRAGMA {pragma}")[0][0])

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: sqlite3.Error) -> TrueupError | InvariantError:
        match _code(error):
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_FORMAT:
                return self._damaged(str(error))
            case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
                return self._no_room(str(error))
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
                return self._unwritable(str(error))
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return self._busy(str(error))
            case 0 | sqlite3.SQLITE_CONSTRAINT | sqlite3.SQLITE_MISUSE | sqlite3.SQLITE_RANGE:
                return InvariantError(f"{self.path}: {error}")
            case _:
                return self._damaged(str(error))

    def _damaged(self, why: str) -> UnverifiableError:
        return UnverifiableError(f"{self.path} is damaged", why=f"SQLite says: {why}", do=self._set_aside())

    def _no_room(self, why: str) -> UnverifiableError:
        return UnverifiableError(
            f"cannot write {self.path}",
            why=f"The disk is full or failing. SQLite says: {why}",
            do=f"Free some space in {self.path.parent} (`trueup clean` removes old runs), then try again.",
        )

    def _unwritable(self, why: str) -> UnverifiableError:
        return UnverifiableError(
            f"cannot use the state folder {self.path.parent}",
            why=f"{FILE} cannot be created or written there: {why}",
            do="Make the folder writable, or set XDG_STATE_HOME to a folder that is.",
        )

    def _busy(self, why: str) -> UnverifiableError:
        return UnverifiableError(
            f"{self.path} is locked by another process",
            why=f"It did not let go within {BUSY_SECONDS:.0f} seconds. SQLite says: {why}",
            do="`trueup runs` shows what is running; try again when it is done.",
        )

    def _set_aside(self) -> str:
        aside = self.path.with_name(f"{FILE}.aside")
        moves = (f"mv {shlex.quote(f'{self.path}{s}')} {shlex.quote(f'{aside}{s}')}" for s in ("", "-wal", "-shm"))
        return f"Nothing was changed. To go on without what it remembers, set it aside: {'; '.join(moves)}"


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary code, which is the low byte; 0 for the errors of Python's own module."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
