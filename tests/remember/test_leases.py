from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from trueup.errors import BlockedError
from trueup.remember.database import Database
from trueup.remember.leases import Lease, holder_of, release_run, start_time

from .conftest import Child

HOLDER = """
import sys
from pathlib import Path
from trueup.remember.database import Database
from trueup.remember.leases import Lease

with Database(Path(sys.argv[1])) as db, Lease.acquire(db, "item", "7f3a"):
    print("held", flush=True)
    sys.stdin.readline()
"""


def held(process: object) -> None:
    stdout = getattr(process, "stdout", None)
    assert stdout
    assert stdout.readline() == "held\n"


def alter(db: Database, column: str, value: object) -> None:
    with db.write():
        db.execute(f"UPDATE leases SET {column} = ?", value)


def test_a_living_holder_keeps_its_item_and_is_named(db: Database, child: Child) -> None:
    process = child(HOLDER)
    held(process)
    with pytest.raises(BlockedError, match="run 7f3a already works on 'item'") as caught:
        Lease.acquire(db, "item", "b2c4")
    assert caught.value.exit_code == 5
    assert f"Process {process.pid}" in caught.value.why
    assert "trueup runs" in caught.value.do
    assert "trueup cancel 7f3a" in caught.value.do
    holder = holder_of(db, "7f3a")
    assert holder
    assert holder.pid == process.pid


def test_a_killed_holder_is_taken_over_even_before_its_parent_collected_it(db: Database, child: Child) -> None:
    process = child(HOLDER)
    held(process)
    process.kill()
    # Reading to the end returns when the process is gone; nobody has called wait() for it yet.
    assert process.stdout
    assert process.stdout.read() == ""
    while start_time(process.pid) is not None:
        time.sleep(0.01)
    assert holder_of(db, "7f3a") is None
    with Lease.acquire(db, "item", "b2c4") as lease:
        assert lease.holder.run == "b2c4"
        assert holder_of(db, "b2c4") == lease.holder


def test_a_lease_ends_with_its_block_also_after_an_error(db: Database) -> None:
    with pytest.raises(ZeroDivisionError), Lease.acquire(db, "item", "7f3a"):
        raise ZeroDivisionError
    assert db.query("SELECT * FROM leases") == []


def test_the_same_process_does_not_get_one_item_twice(db: Database) -> None:
    with Lease.acquire(db, "item", "7f3a"), pytest.raises(BlockedError):
        Lease.acquire(db, "item", "b2c4")


def test_different_items_do_not_disturb_each_other(db: Database) -> None:
    with Lease.acquire(db, "one", "7f3a"), Lease.acquire(db, "two", "b2c4"):
        assert holder_of(db, "7f3a")
        assert holder_of(db, "b2c4")


def test_a_reused_process_number_is_not_taken_for_the_holder(db: Database) -> None:
    Lease.acquire(db, "item", "7f3a")
    alter(db, "started", "1")
    with Lease.acquire(db, "item", "b2c4"):
        assert holder_of(db, "7f3a") is None


def test_a_holder_from_before_the_reboot_is_dead(db: Database) -> None:
    Lease.acquire(db, "item", "7f3a")
    alter(db, "boot", "another-boot")
    with Lease.acquire(db, "item", "b2c4"):
        assert holder_of(db, "7f3a") is None


def test_a_holder_that_cannot_be_seen_from_here_is_not_robbed_but_can_be_released(db: Database) -> None:
    Lease.acquire(db, "item", "7f3a")
    alter(db, "host", "pid:[1]")
    alter(db, "pid", 2**22 + 1)
    with pytest.raises(BlockedError, match="in another container"):
        Lease.acquire(db, "item", "b2c4")
    release_run(db, "7f3a")
    with Lease.acquire(db, "item", "b2c4"):
        assert holder_of(db, "b2c4")


def test_a_lease_that_was_taken_over_is_not_released_by_its_former_holder(db: Database) -> None:
    former = Lease.acquire(db, "item", "7f3a")
    alter(db, "started", "1")
    with Lease.acquire(db, "item", "b2c4"):
        former.release()
        assert holder_of(db, "b2c4")


def test_the_start_of_a_process_is_stable_and_nobody_has_no_start(tmp_path: Path) -> None:
    assert start_time(os.getpid()) == start_time(os.getpid()) is not None
    assert start_time(2**22 + 1) is None
