"""Who works on this item right now? At most one process, and a dead one is recognised."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from trueup.errors import BlockedError, UnverifiableError
from trueup.remember.database import Database

GONE = frozenset("ZXx")
"""States of a process that has ended and was not yet collected by its parent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A process that holds an item; the start time tells it from a later one with the same number."""

    item: str
    run: str
    pid: int
    started: str
    host: str
    """Host name and process-number space: only there does `pid` mean anything."""
    boot: str


class ItemHeldError(BlockedError):
    """Another living process works on the item."""


class Lease:
    """The right to work on one item, until the `with` block ends or the process does.

    Contract: `acquire` raises `ItemHeldError` while another living process (or this one) holds the item.
    """

    def __init__(self, db: Database, holder: Holder) -> None:
        self._db = db
        self.holder = holder

    @classmethod
    def acquire(cls, db: Database, item: str, run: str) -> Lease:
        me = myself(item, run)
        with db.write():
            other = _read(db, "item", item)
            if other and is_alive(other):
                raise _refusal(other)
            db.execute("DELETE FROM leases WHERE item = ?", item)
            db.execute(
                "INSERT INTO leases (item, run, pid, started, host, boot) VALUES (?, ?, ?, ?, ?, ?)",
                *(me.item, me.run, me.pid, me.started, me.host, me.boot),
            )
        return cls(db, me)

    def release(self) -> None:
        """Give the item back. Somebody else's lease is left alone; a second release does nothing."""
        mine = self.holder
        with self._db.write():
            self._db.execute(
                "DELETE FROM leases WHERE item = ? AND run = ? AND pid = ? AND started = ?",
                *(mine.item, mine.run, mine.pid, mine.started),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(UnverifiableError):  # the disk is full: how the run ended counts, and a dead holder is recognised
            self.release()


def holder_of(db: Database, run: str) -> Holder | None:
    """The living process that works on this run, if there is one."""
    holder = _read(db, "run", run)
    return holder if holder and is_alive(holder) else None


def release_run(db: Database, run: str) -> None:
    """Drop the run's lease, whoever holds it: for a person who knows that the holder is gone."""
    with db.write():
        db.execute("DELETE FROM leases WHERE run = ?", run)


def is_alive(holder: Holder) -> bool:
    """Whether the holder may still run. What cannot be seen from here (another container) counts as alive."""
    if holder.boot != _boot():
        return False
    return holder.host != _host() or start_time(holder.pid) == holder.started


def start_time(pid: int) -> str | None:
    """When the process was started, in a form that no clock change alters; None when it is gone."""
    if sys.platform == "linux":
        return _start_ticks(pid)
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else repr(process.create_time())
    except psutil.Error:
        return None


def _start_ticks(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The program's name stands in parentheses and may itself hold blanks and parentheses.
    fields = stat.rpartition(b")")[2].split()
    return None if fields[0].decode() in GONE else fields[19].decode()


def _read(db: Database, column: str, value: str) -> Holder | None:
    sql = f"SELECT item, run, pid, started, host, boot FROM leases WHERE {column} = ?"  # noqa: S608 - our own names
    rows = db.query(sql, value)
    if not rows:
        return None
    item, run, pid, started, host, boot = rows[0]
    return Holder(item=item, run=run, pid=pid, started=started, host=host, boot=boot)


def myself(item: str, run: str) -> Holder:
    """This process, as the holder of an item."""
    pid = os.getpid()
    return Holder(item=item, run=run, pid=pid, started=start_time(pid) or "", host=_host(), boot=_boot())


def _boot() -> str:
    """ "" where the system has no such id; pid and start time decide there."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _host() -> str:
    """Process numbers are only comparable inside one process-number space of one machine."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return socket.gethostname()


def _refusal(other: Holder) -> ItemHeldError:
    return ItemHeldError(
        f"run {other.run} already works on {other.item!r}",
        why=f"Process {other.pid} holds it" + ("." if other.host == _host() else ", in another container."),
        do=f"`trueup runs` shows it; `trueup cancel {other.run}` ends it; `--item NAME` starts another item.",
    )
