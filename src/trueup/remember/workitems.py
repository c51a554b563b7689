"""What is remembered of each work item, beyond its runs' own records?

The memory of an item is a projection of its runs' journals: it is taken from them whenever a sitting ends, and what a
killed one could not do any more is done when the next run begins or somebody looks.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from pathlib import PurePath
from typing import Any

from trueup.config.names import is_item_name
from trueup.decide.fold import fold
from trueup.decide.memory import VERSION, Circumstances, ItemMemory, RunMemory, bounded, merged, remembered
from trueup.decide.plausible import implausible
from trueup.decide.prior import Elsewhere, Prior, elsewhere
from trueup.decide.state import State
from trueup.errors import BlockedError, InvariantError, UnverifiableError, UsageError
from trueup.evidence.fingerprint import FORM
from trueup.remember import leases
from trueup.remember.codec import decode_json
from trueup.remember.database import Database, Row
from trueup.remember.journal import Journal

Clock = Callable[[], float]
MOST_IMPORTED = 8 * 2**20
"""Characters; a memory of a hundred runs takes a few hundred thousand."""
MOST_ASKED = 500
"""Failures in one question to the database."""
_RUNS = """
    SELECT id, item, project, facts, started, ended, (SELECT COUNT(*) FROM entries WHERE run = runs.id) FROM runs
"""


class _UnreadableError(Exception):
    """A stored memory is damaged, or of another version."""


# --- writing ----------------------------------------------------------------------------------------------------


def absorb(db: Database, item: str, *, clock: Clock = time.time) -> tuple[str, ...]:
    """Take in every run of the item that its memory does not hold as far as the journal goes.

    Contract: all of it is written, or none; asked again, it writes nothing. A run without an entry has nothing to tell.
    Returns what a person should know: what could not be read.
    """
    notes: list[str] = []
    known = read(db, item, notes=notes, clock=clock)
    held = {(run.run, run.started): run.entries for run in known.runs} if known else {}
    forgotten = {(run, started): n for run, started, n in db.query("SELECT run, started, entries FROM items_forgotten")}
    runs: list[RunMemory] = []
    for row in db.query(f"{_RUNS} WHERE item = ? ORDER BY number", item):
        which = (row[0], row[4])
        if row[6] <= max(forgotten.get(which, 0), held.get(which, 0)):
            continue
        try:
            journal = Journal.open(db, row[0])
            runs.append(_memory_of(row, fold(journal.task, journal.history)))
        except (UnverifiableError, InvariantError) as error:
            notes.append(f"run {row[0]} is not remembered: {error}".splitlines()[0])
    if runs:
        _add(db, item, _project(row), runs, notes, clock)
    return tuple(notes)


def absorb_all(db: Database, *, clock: Clock = time.time) -> tuple[str, ...]:
    items = [str(row[0]) for row in db.query("SELECT DISTINCT item FROM runs ORDER BY item")]
    return tuple(note for item in items for note in absorb(db, item, clock=clock))


def merge(db: Database, memory: ItemMemory, *, project: str, clock: Clock = time.time) -> ItemMemory:
    """Add what another machine remembers of an item. Returns what is remembered of it now.

    Contract: of a run that this machine made, its own journal tells.
    """
    own = {(row[0], row[1]) for row in db.query("SELECT id, started FROM runs")}
    foreign = [run for run in memory.runs if (run.run, run.started) not in own]
    return _add(db, memory.item, project, foreign, [], clock)


def forget(db: Database, item: str) -> int:
    """Remove the item's memory; its runs and its branch stay. Returns how many runs it held.

    Contract: refused while a run of it goes on. What the journal holds of it now is not taken in again.
    """
    rows = db.query(f"{_RUNS} WHERE item = ?", item)
    holder = next((h for row in rows if (h := leases.holder_of(db, row[0]))), None)
    if holder:
        raise BlockedError(
            f"run {holder.run} works on {item!r}",
            why=f"Process {holder.pid} would write the memory again when it ends.",
            do=f"End it first: trueup cancel {holder.run}",
        )
    memory = read(db, item)
    if memory is None and not rows:
        raise unknown(db, item)
    with db.write():
        db.execute("DELETE FROM items WHERE item = ?", item)
        db.execute("DELETE FROM item_failures WHERE item = ?", item)
        db.execute("DELETE FROM items_aside WHERE item = ?", item)
        for row in rows:
            sql = "INSERT OR REPLACE INTO items_forgotten (run, started, entries) VALUES (?, ?, ?)"
            db.execute(sql, row[0], row[4], row[6])
    return len(memory.runs) if memory else 0


def _add(
    db: Database, item: str, project: str, runs: Iterable[RunMemory], notes: list[str], clock: Clock
) -> ItemMemory:
    with db.write():  # what another process adds at the same moment is kept
        known = _read(db, item, notes, clock) or ItemMemory(item=item, project=project)
        memory = merged(known, runs)
        _write(db, memory, clock)
    return memory


def _write(db: Database, memory: ItemMemory, clock: Clock) -> None:
    sql = "INSERT OR REPLACE INTO items (item, body, updated) VALUES (?, ?, ?)"
    db.execute(sql, memory.item, export_json(memory, indent=None), clock())
    db.execute("DELETE FROM item_failures WHERE item = ?", memory.item)
    marks = {met.fingerprint for run in memory.runs for met in run.failures if FORM.fullmatch(met.fingerprint)}
    for mark in sorted(marks):
        db.execute("INSERT INTO item_failures (fingerprint, item) VALUES (?, ?)", mark, memory.item)


def _project(row: Row) -> str:
    """Its folder's name: where it lies on this machine is nobody else's business."""
    return PurePath(str(decode_json(row[2]))).name


def _memory_of(row: Row, state: State) -> RunMemory:
    run, _, _, facts, started, ended, entries = row
    told: dict[str, Any] = decode_json(facts)
    about = Circumstances(
        run=run,
        started=started,
        ended=ended,
        base=told.get("start") or state.start,
        head=told.get("head") or "",
        entries=entries,
    )
    return remembered(state, about)


# --- reading ----------------------------------------------------------------------------------------------------


def read(db: Database, item: str, *, notes: list[str] | None = None, clock: Clock = time.time) -> ItemMemory | None:
    """None when nothing is remembered. What cannot be read is set aside, and `notes` says so."""
    try:
        return _decoded(db, item)
    except _UnreadableError:
        with db.write():
            return _read(db, item, notes, clock)


def _read(db: Database, item: str, notes: list[str] | None, clock: Clock) -> ItemMemory | None:
    """Inside of a `write`."""
    try:
        return _decoded(db, item)
    except _UnreadableError as error:
        sql = "INSERT INTO items_aside (item, body, why, time) SELECT item, body, ?, ? FROM items WHERE item = ?"
        db.execute(sql, str(error), clock(), item)
        db.execute("DELETE FROM items WHERE item = ?", item)
        if notes is not None:
            notes.append(f"what was remembered of {item} cannot be read and was set aside: {error}")
        return None


def _decoded(db: Database, item: str) -> ItemMemory | None:
    rows = db.query("SELECT body FROM items WHERE item = ?", item)
    return _memory(str(rows[0][0])) if rows else None


def _memory(body: str) -> ItemMemory:
    import msgspec

    try:
        parsed = json.loads(body)
        version = parsed.get("version") if isinstance(parsed, dict) else None
        if isinstance(version, int) and version != VERSION:
            raise _UnreadableError(f"its version is {version}, this trueup knows version {VERSION}")
        memory = msgspec.convert(parsed, ItemMemory)
    except (ValueError, RecursionError) as error:  # msgspec's and json's own are ValueErrors
        raise _UnreadableError(f"it is damaged ({error})") from error
    flaw = implausible(memory)
    if flaw:
        raise _UnreadableError(f"it is damaged ({flaw})")
    return memory


def names(db: Database) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in db.query("SELECT item FROM items ORDER BY updated DESC, item"))


def listing(db: Database, *, notes: list[str] | None = None) -> tuple[ItemMemory, ...]:
    """Every item's memory, the one that was written last first."""
    found = (read(db, item, notes=notes) for item in names(db))
    return tuple(memory for memory in found if memory)


def asides(db: Database, item: str) -> tuple[tuple[float, str], ...]:
    """When something of the item was set aside, and why."""
    rows = db.query("SELECT time, why FROM items_aside WHERE item = ? ORDER BY number", item)
    return tuple((float(when), str(why)) for when, why in rows)


def met_elsewhere(db: Database, item: str, prints: AbstractSet[str]) -> tuple[Elsewhere, ...]:
    """Where else in the project these failures were met."""
    asked = sorted(filter(FORM.fullmatch, prints))[:MOST_ASKED]
    marks = ", ".join("?" * len(asked))
    rows = db.query(
        f"SELECT DISTINCT i.item FROM item_failures f JOIN items i ON i.item = f.item"  # noqa: S608 - question marks
        f" WHERE f.item != ? AND f.fingerprint IN ({marks}) ORDER BY i.updated DESC",
        item,
        *asked,
    )
    others = (read(db, str(row[0])) for row in rows)
    return elsewhere((memory for memory in others if memory), frozenset(asked))


def unknown(db: Database, item: str) -> UsageError:
    from trueup.config.names import did_you_mean

    return UsageError(
        f"nothing is remembered of {item!r}",
        why=did_you_mean(item, names(db)),
        do="`trueup items` lists the work items of this project.",
    )


# --- as text ----------------------------------------------------------------------------------------------------


def export_json(memory: ItemMemory, *, indent: int | None = 2) -> str:
    """The shape is described in docs/work-items.md. ASCII, so that names which are no text survive."""
    import msgspec

    return json.dumps(msgspec.to_builtins(memory), indent=indent, separators=(",", ": ") if indent else (",", ":"))


def import_json(text: str) -> ItemMemory:
    """What `export_json` wrote, maybe elsewhere: checked, and cut to size."""
    if len(text) > MOST_IMPORTED:
        raise _not_imported(f"it is longer than {MOST_IMPORTED:,} characters")
    try:
        memory = _memory(text)
    except _UnreadableError as error:
        raise _not_imported(str(error)) from error
    if not is_item_name(memory.item):
        raise _not_imported(f"{memory.item!r} is no name of a work item")
    return ItemMemory(item=memory.item, project=memory.project, runs=tuple(map(bounded, memory.runs)))


def _not_imported(why: str) -> UsageError:
    return UsageError(
        "this is no work item that can be imported",
        why=why[:500],
        do="Make the file with: trueup item export NAME FILE",
    )


def prior_as_fact(prior: Prior | None) -> Any:
    import msgspec

    return msgspec.to_builtins(prior) if prior else None


def prior_from_fact(fact: Any) -> Prior | None:
    """The fact that the run's journal keeps, so that each sitting tells the same."""
    import msgspec

    return msgspec.convert(fact, Prior) if fact else None
