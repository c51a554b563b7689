"""What was decided and what came of it, in order? Written before and after each step, never changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from trueup.decide.moves import BaselineTaken, History, Move, Record, RunFinished, RunResumed
from trueup.decide.task import Task
from trueup.errors import BlockedError, InvariantError, UnverifiableError, UsageError, invariant
from trueup.remember import leases
from trueup.remember.codec import decode, decode_as, decode_json, encode, encode_json
from trueup.remember.database import Database

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One line of `trueup runs`."""

    id: str
    item: str
    task: Task
    project: str
    started: float
    ended: float | None
    """None while the run is going on, or was killed."""
    status: str | None
    start_tree: str
    """"" until the baseline was taken."""
    sitting: int
    """1, and one more for each `resume`."""
    extra: dict[str, Any] = field(default_factory=dict)
    """The facts that were read once, at the start."""


class Journal:
    """The append-only journal of one run.

    Contract: `begin`, `finish` and `note` are on the disk when they return. `history` and `pending` are kept
    in memory and read from the disk only by `open`. A second `begin` supersedes an unfinished move, which
    stays in the table. `note` leaves the pending move pending.
    """

    def __init__(self, db: Database, *, run: str, task: Task, facts: dict[str, Any], clock: Clock) -> None:
        self.run = run
        self.task = task
        self.facts = facts
        self._db = db
        self._clock = clock
        self._history: list[tuple[Move | None, Record]] = []
        self._pending: tuple[int, Move] | None = None
        self._seq = 0

    @classmethod
    def create(
        cls,
        db: Database,
        *,
        run: str,
        task: Task,
        project: str,
        facts: dict[str, Any],
        clock: Clock = time.time,
    ) -> Journal:
        invariant(not run_exists(db, run), f"run {run} exists already")
        with db.write():
            db.execute(
                "INSERT INTO runs (id, item, project, task, facts, started) VALUES (?, ?, ?, ?, ?, ?)",
                *(run, task.item, encode_json(project), encode(task), encode_json(facts), clock()),
            )
            db.execute(_IS_LATEST, run)
        return cls(db, run=run, task=task, facts=facts, clock=clock)

    @classmethod
    def open(cls, db: Database, run: str, *, clock: Clock = time.time) -> Journal:
        rows = db.query("SELECT task, facts FROM runs WHERE id = ?", run)
        if not rows:
            raise UsageError(f"there is no run {run!r}", do="`trueup runs` lists them.")
        journal = cls(db, run=run, task=decode_as(Task, rows[0][0]), facts=decode_json(rows[0][1]), clock=clock)
        journal._replay()
        return journal

    @property
    def history(self) -> History:
        return tuple(self._history)

    @property
    def pending(self) -> Move | None:
        """The move that was begun and has no record."""
        return self._pending[1] if self._pending else None

    def begin(self, move: Move) -> int:
        """Write the move down before it is performed. Returns its number in the journal."""
        superseded = self._pending[0] if self._pending else None
        seq = self._append("move", move, refers=superseded)
        self._pending = (seq, move)
        return seq

    def finish(self, record: Record) -> None:
        """Write down what came of the pending move."""
        if self._pending is None:
            raise InvariantError(f"{type(record).__name__} without a move")
        seq, move = self._pending
        self._append("record", record, refers=seq)
        self._pending = None
        self._history.append((move, record))

    def note(self, record: Record) -> None:
        """Write down something that happened without a move, such as `RunResumed`."""
        self._append("record", record, refers=None)
        self._history.append((None, record))

    def _append(self, role: str, value: Move | Record, *, refers: int | None) -> int:
        now, seq = self._clock(), self._seq + 1
        with self._db.write():
            self._refuse_second_writer()
            self._db.execute(
                "INSERT INTO entries (run, seq, time, role, kind, refers, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                *(self.run, seq, now, role, type(value).__name__, refers, encode(value)),
            )
            self._db.execute(_IS_LATEST, self.run)
            self._index(value, now)
        self._seq = seq
        return seq

    def _refuse_second_writer(self) -> None:
        last = self._db.query("SELECT COALESCE(MAX(seq), 0) FROM entries WHERE run = ?", self.run)[0][0]
        if last != self._seq:
            raise BlockedError(
                f"another process is writing the journal of run {self.run}",
                why=f"It has {last} entries; this process knows of {self._seq}.",
                do=f"Wait for it, or end it: trueup cancel {self.run}",
            )

    def _index(self, value: Move | Record, now: float) -> None:
        """Keep what `runs` lists next to the run, in the transaction of the record that it comes from."""
        match value:
            case BaselineTaken(tree=tree):
                self._db.execute("UPDATE runs SET start_tree = ? WHERE id = ?", tree, self.run)
            case RunFinished(outcome=outcome):
                self._db.execute(
                    "UPDATE runs SET ended = ?, status = ? WHERE id = ?", now, outcome.status.value, self.run
                )
            case RunResumed():
                self._db.execute(
                    "UPDATE runs SET ended = NULL, status = NULL, sitting = sitting + 1 WHERE id = ?",
                    self.run,
                )

    def _replay(self) -> None:
        entries = self._db.query(
            "SELECT seq, role, kind, refers, body FROM entries WHERE run = ? ORDER BY seq", self.run
        )
        for seq, role, kind, refers, body in entries:
            self._seq = seq
            match role, decode(kind, body):
                case "move", value if isinstance(value, Move):
                    self._pending = (seq, value)
                case "record", value if isinstance(value, Record) and refers is None:
                    self._history.append((None, value))
                case "record", value if isinstance(value, Record) and self._pending and self._pending[0] == refers:
                    self._history.append((self._pending[1], value))
                    self._pending = None
                case _:
                    raise self._out_of_order(seq)

    def _out_of_order(self, seq: int) -> UnverifiableError:
        return UnverifiableError(
            f"the journal of run {self.run} does not add up at entry {seq}",
            why="A record belongs to the move before it; this one does not. The file was changed by hand?",
            do="Start a new run; the kept trees of this one are not touched.",
        )


def runs(db: Database) -> tuple[RunRow, ...]:
    """All runs of the project, newest first."""
    rows = db.query(
        "SELECT id, item, task, project, started, ended, status, start_tree, sitting, facts"
        " FROM runs ORDER BY number DESC"
    )
    return tuple(
        RunRow(
            id=run,
            item=item,
            task=decode_as(Task, task),
            project=decode_json(project),
            started=started,
            ended=ended,
            status=status,
            start_tree=start_tree,
            sitting=sitting,
            extra=decode_json(facts),
        )
        for run, item, task, project, started, ended, status, start_tree, sitting, facts in rows
    )


_IS_LATEST = "UPDATE runs SET latest = (SELECT MAX(latest) + 1 FROM runs) WHERE id = ?"
_LATEST_FIRST = "SELECT id FROM runs ORDER BY latest DESC, number DESC"
"""By what was written last, whatever the clock said: a run that was resumed is the latest again."""


def find_run(db: Database, prefix: str | None) -> str:
    """The run that the user means: the latest without a prefix, else the only one that begins so."""
    known = [str(row[0]) for row in db.query(_LATEST_FIRST)]
    if not known:
        raise UsageError("there is no run in this project yet", do='Start one: trueup run "…" --agent NAME')
    if prefix is None or prefix in known:
        return prefix or known[0]
    matches = [run for run in known if prefix and run.startswith(prefix)]
    if len(matches) == 1:
        return matches[0]
    what = f"{len(matches)} runs begin with {prefix!r}" if matches else f"there is no run {prefix!r}"
    shown = (matches or known)[:10]
    raise UsageError(what, why=f"Newest first: {', '.join(shown)}", do="`trueup runs` lists all of them.")


def latest_facts(db: Database, item: str) -> dict[str, Any]:
    """What the latest run on an item was begun with; {} when there is none."""
    rows = db.query("SELECT facts FROM runs WHERE item = ? ORDER BY number DESC LIMIT 1", item)
    return dict(decode_json(rows[0][0])) if rows else {}


def run_exists(db: Database, run: str) -> bool:
    return bool(db.query("SELECT 1 FROM runs WHERE id = ?", run))


def new_run_id(random_bytes: bytes) -> str:
    """Two or three random bytes as four or six characters. The caller asks `run_exists` and tries again."""
    invariant(len(random_bytes) >= 2, "a run id needs two random bytes")  # noqa: PLR2004 - said in words
    return random_bytes[:3].hex()


def forget_run(db: Database, run: str) -> None:
    """Remove one run with all that was written about it. One that is going on is refused."""
    holder = leases.holder_of(db, run)
    if holder:
        raise BlockedError(
            f"run {run} is going on",
            why=f"Process {holder.pid} works on it.",
            do=f"End it first: trueup cancel {run}",
        )
    with db.write():
        db.execute("INSERT INTO forgetting (run) VALUES (?)", run)
        db.execute("DELETE FROM entries WHERE run = ?", run)
        db.execute("DELETE FROM applied WHERE run = ?", run)
        db.execute("DELETE FROM leases WHERE run = ?", run)
        db.execute("DELETE FROM runs WHERE id = ?", run)
        db.execute("DELETE FROM forgetting WHERE run = ?", run)
