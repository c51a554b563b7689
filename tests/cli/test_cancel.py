from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.moves import TakeBaseline
from trueup.decide.task import Task
from trueup.remember import leases
from trueup.remember.database import Database
from trueup.remember.journal import Journal


@pytest.fixture
def going_on(tmp_path: Path, empty: Any) -> Any:
    """A real run whose agent works until it is stopped; the pids of both."""
    begun = tmp_path / "begun"
    agent = f"sh -c {shlex.quote(f'echo $$ > {begun}; exec sleep 600')}"
    argv = [sys.executable, "-m", "trueup", "run", "-C", str(empty.project), "--agent-cmd", agent]
    process = subprocess.Popen(
        [*argv, "--check", "test -f fixed.txt"], env=dict(empty.environ), stdout=subprocess.DEVNULL
    )
    try:
        _wait_for(lambda: begun.exists() and begun.read_text().strip())
        yield process, int(begun.read_text())
    finally:
        process.kill()
        process.wait()


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def test_a_run_is_stopped_with_all_that_it_started_and_can_be_resumed(going_on: Any, empty: Any, cli: Any) -> None:
    process, agent = going_on
    (running,) = cli(empty, "runs", "--json").json["runs"]
    assert running["status"] == "running"
    said = cli(empty, "cancel")
    assert said.code == 0
    assert f"trueup resume {running['run']}" in said.out
    assert process.wait(60) == 130
    assert leases.start_time(agent) is None
    assert cli(empty, "runs", "--json").json["runs"][0]["status"] == "cancelled"


def test_without_a_run_there_is_nothing_to_cancel(empty: Any, cli: Any) -> None:
    said = cli(empty, "cancel")
    assert said.code == 0
    assert "nothing is running" in said.out
    assert cli(empty, "cancel", "--json").json["cancelled"] is False


def test_a_run_that_has_ended_says_how(played: Any, cli: Any) -> None:
    said = cli(played, "cancel", played.passed)
    assert said.code == 0
    assert "it has ended, passed" in said.out


def held(place: Any, run: str, *, host: str, pid: int, started: str) -> None:
    """A run that a process of our choice holds."""
    with Database(place.state) as db:
        Journal.create(db, run=run, task=Task(item=run), project="p", facts={"start": "0" * 40}).begin(TakeBaseline())
        with db.write():
            db.execute(
                "INSERT INTO leases (item, run, pid, started, host, boot) VALUES (?, ?, ?, ?, ?, ?)",
                *(run, run, pid, started, host, leases._boot()),
            )


def test_a_dead_holder_is_no_reason_to_wait(empty: Any, cli: Any) -> None:
    held(empty, "dead01", host=leases._host(), pid=2**22 + 1, started="1")
    said = cli(empty, "cancel", "dead01")
    assert said.code == 0
    assert "it was killed" in said.out
    assert "trueup resume dead01" in said.out


def test_a_process_that_only_has_the_number_of_the_holder_is_left_alone(empty: Any, cli: Any) -> None:
    innocent = subprocess.Popen(["sleep", "60"])
    try:
        held(empty, "far001", host="pid:[1]", pid=innocent.pid, started="1")
        said = cli(empty, "cancel", "far001")
        assert said.code == 5
        assert "another container" in said.err
        assert "--release" in said.err
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def test_release_lets_go_of_a_run_whose_container_is_gone(empty: Any, cli: Any) -> None:
    held(empty, "far001", host="pid:[1]", pid=2**22 + 1, started="1")
    assert cli(empty, "runs", "--json").json["runs"][0]["status"] == "running"
    assert cli(empty, "cancel", "far001", "--release").code == 0
    assert cli(empty, "runs", "--json").json["runs"][0]["status"] == "crashed"


def test_release_is_refused_for_a_run_that_goes_on_here(empty: Any, cli: Any) -> None:
    me = os.getpid()
    held(empty, "live01", host=leases._host(), pid=me, started=leases.start_time(me) or "")
    said = cli(empty, "cancel", "live01", "--release")
    assert said.code == 2
    assert "is going on here" in said.err


def test_with_two_runs_going_on_one_has_to_be_named(empty: Any, cli: Any) -> None:
    held(empty, "far001", host="pid:[1]", pid=1, started="1")
    held(empty, "far002", host="pid:[1]", pid=1, started="1")
    said = cli(empty, "cancel")
    assert said.code == 2
    assert "far001" in said.err
    assert "far002" in said.err
