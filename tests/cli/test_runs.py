from __future__ import annotations

from typing import Any

from trueup.act.files import FileRules
from trueup.decide.moves import TakeBaseline
from trueup.decide.task import Task
from trueup.remember.database import Database
from trueup.remember.journal import Journal
from trueup.remember.leases import Lease

FACTS: dict[str, Any] = {"start": "0" * 40, "rules": FileRules().as_dict(), "setup": None, "head": None, "branch": None}


def begin(place: Any, *runs: str) -> None:
    """Runs that were begun and never came to an end."""
    with Database(place.state) as db:
        for run in runs:
            Journal.create(db, run=run, task=Task(item="begun"), project="p", facts=FACTS).begin(TakeBaseline())


def test_runs_are_listed_newest_first_with_how_far_they_came(played: Any, cli: Any) -> None:
    said = cli(played, "runs")
    newest, oldest = said.out.splitlines()
    assert said.code == 0
    assert newest.startswith(f"{played.stuck}  stuck")
    assert "half-way" in newest
    assert "2 → 1" in newest
    assert oldest.startswith(f"{played.passed}  passed")
    assert "bulk-discount" in oldest
    assert "1 attempt " in oldest
    assert "$0.25" in oldest
    assert "2 → 0" in oldest


def test_runs_as_json_hold_the_same(played: Any, cli: Any) -> None:
    rows = cli(played, "runs", "--json").json["runs"]
    assert [(r["run"], r["status"]) for r in rows] == [(played.stuck, "stuck"), (played.passed, "passed")]
    assert rows[1]["failing"] == {"start": 2, "best": 0}
    assert rows[1]["usd"] == 0.25


def test_a_project_without_a_run_is_told_how_to_start_one(empty: Any, cli: Any) -> None:
    said = cli(empty, "runs")
    assert said.code == 0
    assert "trueup run" in said.out
    assert cli(empty, "runs", "--json").json == {"runs": [], "more": 0}


def test_a_run_that_was_killed_is_crashed_and_can_be_resumed(empty: Any, cli: Any) -> None:
    begin(empty, "dead01")
    line = cli(empty, "runs").out
    assert "dead01  crashed" in line
    assert "trueup resume dead01" in line


def test_a_run_whose_process_lives_is_running(empty: Any, cli: Any) -> None:
    begin(empty, "live01")
    with Database(empty.state) as db, Lease.acquire(db, "begun", "live01"):
        assert "live01  running" in cli(empty, "runs").out


def test_one_unreadable_run_does_not_hide_the_others(own: Any, cli: Any) -> None:
    begin(own, "newer1")
    with Database(own.state) as db, db.write():
        db.execute(
            "INSERT INTO entries (run, seq, time, role, kind, body) VALUES ('newer1', 2, 0, 'record', 'FromLater', '{}')"
        )
    said = cli(own, "runs")
    assert said.code == 0
    assert "newer1  cannot be read" in said.out
    assert f"{own.passed}  passed" in said.out


def test_only_the_newest_runs_are_shown_unless_all_are_asked_for(empty: Any, cli: Any) -> None:
    begin(empty, *(f"a{number:05}" for number in range(22)))
    assert "and 2 older ones: trueup runs --all" in cli(empty, "runs").out
    assert len(cli(empty, "runs", "--all").out.splitlines()) == 22
