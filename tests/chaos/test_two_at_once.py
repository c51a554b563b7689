"""Two processes on one item: the second is refused, the first goes on; a dead holder is no obstacle."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from trueup.decide.outcome import Status
from trueup.remember import leases

if TYPE_CHECKING:
    from tests.chaos.conftest import Calm, NewStage, Sitter, Stage

PAUSE = 'echo > "$CHAOS/begun"; read -r _ < "$CHAOS/go"\n'
"""The agent says that it is at work, and waits until it is told to go on."""


@pytest.fixture
def busy(stage_of: NewStage) -> Iterator[tuple[Stage, int]]:
    """A run whose agent is at work, and the process that conducts it."""
    stage = stage_of("second-try")
    for name in ("begun", "go"):
        os.mkfifo(stage.chaos / name)
    step = stage.chaos / "step-1.sh"
    step.write_text(PAUSE + step.read_text())
    answers = {"log": str(stage.folder / "log-1"), "answer": str(stage.folder / "answer-1")}
    pid = stage.start(background=True, **answers).code
    assert pid
    (stage.chaos / "begun").read_text()  # until the agent is there
    yield stage, pid
    if not (stage.folder / "over").exists():  # its number may belong to somebody else by now
        os.kill(pid, signal.SIGKILL)
        stage.sitter.ask(wait=pid)


def go_on(stage: Stage, sitter: Sitter, pid: int) -> None:
    (stage.chaos / "go").write_text("\n")
    assert sitter.ask(wait=pid)["died"] == 0
    (stage.folder / "over").touch()
    for name in ("log", "answer"):
        (stage.folder / f"{name}-1").replace(stage.folder / name)


def test_a_second_run_on_the_item_is_refused_with_the_id_of_the_first_which_goes_on(
    busy: tuple[Stage, int], calm: Calm, sitter: Sitter
) -> None:
    stage, pid = busy
    with stage.shelf() as shelf:
        first = shelf.run(None)
    assert first.status == "running"
    for argv in (stage.run_argv(), ["resume"], ["resume", first.id]):
        said = stage.trueup(*argv)
        stage.says_what_is_wrong(said, 5, first.id, str(pid), "trueup cancel")
    assert stage.calls() == 1
    go_on(stage, sitter, pid)
    stage.holds(calm("second-try"), stage.told(0))


def test_two_runs_on_two_items_of_one_project_do_not_disturb_each_other(
    busy: tuple[Stage, int], sitter: Sitter
) -> None:
    stage, pid = busy
    other = ["--item", "other", "--check", "sh -c 'test -f other.txt'", "--agent-cmd", "sh -c ': > other.txt'"]
    said = stage.trueup("run", "another thing", *other)
    assert said.code == 0, said.said
    go_on(stage, sitter, pid)
    assert stage.told(0).end.status is Status.PASSED
    assert stage.branches() == {"refs/heads/trueup/work": 1, "refs/heads/trueup/other": 1}
    stage.the_checkout_is_untouched()
    stage.nothing_is_left()


def hold(stage: Stage, *, pid: int, started: str) -> None:
    """As if this process had taken the lease of the killed run."""
    with stage.shelf() as shelf, shelf.db.write():
        shelf.db.execute("UPDATE leases SET pid = ?, started = ?", pid, started)


def test_the_lease_of_a_dead_process_is_taken_over_also_when_its_number_is_in_use_again(
    stage_of: NewStage, calm: Calm
) -> None:
    stage = stage_of("second-try")
    assert stage.start(kill_row=6).died == signal.SIGKILL
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        hold(stage, pid=stranger.pid, started=leases.start_time(stranger.pid) or "")
        stage.says_what_is_wrong(stage.trueup("resume"), 5, str(stranger.pid))
        hold(stage, pid=stranger.pid, started="1")
        assert stage.shown() == "crashed"
        stage.holds(calm("second-try"), stage.resume())
    finally:
        stranger.kill()
        stranger.wait()


def test_a_new_run_may_be_started_where_one_was_killed(stage_of: NewStage) -> None:
    stage = stage_of("second-try")
    assert stage.start(kill_row=6).died == signal.SIGKILL
    told = stage.start()
    assert told.end.status is Status.PASSED
    assert stage.branches() == {"refs/heads/trueup/work": 1}
    stage.the_checkout_is_untouched()
