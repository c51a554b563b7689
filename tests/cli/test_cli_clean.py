from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from trueup.act.git import git
from trueup.perform.laboratory import FOLDER
from trueup.remember.database import Database
from trueup.remember.leases import Lease


def size(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in (folder, *folder.rglob("*")))


def test_young_runs_stay(own: Any, cli: Any) -> None:
    said = cli(own, "clean", "--json")
    assert said.code == 0
    assert said.json["removed"] == []
    assert said.json["kept"] == 2


def test_all_means_every_run_that_is_over_and_the_branch_stays(own: Any, cli: Any) -> None:
    said = cli(own, "clean", "--all")
    assert said.code == 0
    assert "2 runs removed, 0 runs kept" in said.out
    assert said.out.startswith("freed ")
    assert cli(own, "runs", "--json").json["runs"] == []
    assert not (own.state / "runs" / own.passed).exists()
    assert not (own.project / ".trueup" / "runs" / own.passed).exists()
    assert git("for-each-ref", "refs/trueup", git_dir=own.state / "store.git") == b""
    assert b"trueup/bulk-discount" in git("branch", "--list", cwd=own.project)


def test_a_run_that_goes_on_is_never_removed(own: Any, cli: Any) -> None:
    with Database(own.state) as db, Lease.acquire(db, "half-way", own.stuck):
        said = cli(own, "clean", "--all", "--json")
    assert said.json["removed"] == [own.passed]
    assert (own.state / "runs" / own.stuck).is_dir()
    assert cli(own, "diff", own.stuck).code == 0


def test_the_quota_removes_the_oldest_first(own: Any, cli: Any) -> None:
    older, newer = (
        size(own.state / "runs" / run) + size(own.project / ".trueup/runs" / run) for run in (own.passed, own.stuck)
    )
    said = cli(own, "clean", "--max-gb", str((newer + older / 2) / 1e9), "--json")
    assert said.json["removed"] == [own.passed]
    assert said.json["freed_bytes"] > 0


def test_what_a_killed_check_left_is_swept_and_a_young_one_stays(own: Any, cli: Any) -> None:
    old, young = own.state / FOLDER / "1-old", own.state / FOLDER / "2-young"
    old.mkdir(parents=True)
    young.mkdir()
    long_ago = time.time() - 3 * 86400
    os.utime(old, (long_ago, long_ago))
    assert cli(own, "clean").code == 0
    assert not old.exists()
    assert young.exists()


def test_a_cleaned_item_can_be_worked_on_again(own: Any, cli: Any) -> None:
    cli(own, "clean")
    with Database(own.state) as db:
        Lease.acquire(db, "half-way", "next01").release()
