"""`trueup run` and `resume` as a user calls them: errors, the plan, Ctrl-C, JSON lines."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

CHECK = "test -f fixed.txt"


def lines(said: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.raw.decode().splitlines()]


# --- errors ---------------------------------------------------------------------------------------------------------


def test_an_unknown_configuration_key_is_named_with_a_suggestion(empty: Any, cli: Any) -> None:
    (empty.project / "trueup.toml").write_text("protekt = ['golden/**']\n")
    said = cli(empty, "run", "--agent-cmd", "true")
    assert said.code == 2
    assert "protekt" in said.err
    assert "protect" in said.err.replace("protekt", "")


def test_a_missing_agent_program_is_said_before_anything_is_done(empty: Any, cli: Any) -> None:
    said = cli(empty, "run", "--agent-cmd", "no-such-agent {prompt_file}", "--check", CHECK)
    assert said.code == 2
    assert "no-such-agent was not found" in said.err
    assert cli(empty, "runs", "--json").json["runs"] == []


def test_no_agent_at_all_is_a_usage_error_that_shows_how(empty: Any, cli: Any) -> None:
    said = cli(empty, "run", "--check", CHECK)
    assert said.code == 2
    assert "no agent was named" in said.err
    assert "--agent-cmd" in said.err


def test_a_missing_check_program_is_unverifiable_and_no_agent_runs(empty: Any, cli: Any, tmp_path: Path) -> None:
    said = cli(empty, "run", "--agent-cmd", f"touch {tmp_path}/paid", "--check", "no-such-check --all")
    assert said.code == 4
    assert "no-such-check" in said.out
    assert not (tmp_path / "paid").exists()


def test_no_check_and_none_found_is_unverifiable(empty: Any, cli: Any) -> None:
    for path in (*empty.project.glob("tests/*.py"), empty.project / "pyproject.toml"):
        path.unlink(missing_ok=True)
    said = cli(empty, "run", "--agent-cmd", "true")
    assert said.code == 4
    assert "--check" in said.err


def test_a_state_folder_that_cannot_be_written_is_said_before_anything_is_spent(
    empty: Any, cli: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    empty.environ["XDG_STATE_HOME"] = str(tmp_path / "file")
    said = cli(empty, "run", "--agent-cmd", f"touch {tmp_path}/paid", "--check", CHECK)
    assert said.code == 4
    assert "state folder" in said.err
    assert "XDG_STATE_HOME" in said.err
    assert not (tmp_path / "paid").exists()


def test_a_run_inside_a_run_is_refused(empty: Any, cli: Any) -> None:
    empty.environ["TRUEUP_RUN"] = "abc"
    said = cli(empty, "run", "--agent-cmd", "true", "--check", CHECK)
    assert said.code == 2
    assert "already running here" in said.err


def test_a_dollar_limit_that_nobody_can_keep_is_refused(empty: Any, cli: Any) -> None:
    said = cli(empty, "run", "--agent-cmd", "true", "--check", CHECK, "--max-usd", "2")
    assert said.code == 2
    assert "{result_file}" in said.err


def test_a_time_limit_that_cannot_hold_one_attempt_is_a_usage_error(empty: Any, cli: Any) -> None:
    said = cli(empty, "run", "--agent-cmd", "true", "--check", CHECK, "--max-time", "1s")
    assert said.code == 2
    assert "cannot hold one attempt" in said.out


# --- the plan and JSON ------------------------------------------------------------------------------------------------


def test_the_plan_shows_the_start_pays_nothing_and_leaves_no_run(empty: Any, cli: Any, tmp_path: Path) -> None:
    said = cli(empty, "run", "--plan", "--agent-cmd", f"touch {tmp_path}/paid", "--check", CHECK)
    assert said.code == 0
    assert "nothing was paid" in said.out
    assert CHECK in said.out
    assert not (tmp_path / "paid").exists()
    assert cli(empty, "runs", "--json").json["runs"] == []


def test_a_plan_needs_no_agent(empty: Any, cli: Any) -> None:
    said = cli(empty, "run", "--plan", "--check", CHECK)
    assert said.code == 0
    assert "this is the plan" in said.out


def test_json_prints_events_only_numbered_without_a_gap(empty: Any, cli: Any) -> None:
    said = cli(empty, "run", "--json", "--agent-cmd", "touch fixed.txt", "--check", CHECK)
    assert said.code == 0, said.err
    events = lines(said)
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert {e["schema"] for e in events} == {1}
    assert len({e["run"] for e in events}) == 1
    assert events[-1]["event"]["outcome"]["status"] == "passed"


def test_the_next_agent_on_the_list_takes_over_when_the_first_changes_nothing(empty: Any, cli: Any) -> None:
    config = (
        '[[agent]]\nname = "lazy"\ncommand = "true"\n\n[[agent]]\nname = "able"\ncommand = "touch fixed.txt"\n\n'
        f'[[check]]\nname = "there"\nrun = "{CHECK}"\n'
    )
    (empty.project / "trueup.toml").write_text(config)
    said = cli(empty, "run", "--json")
    assert said.code == 0, said.err
    moves = [e["event"]["move"] for e in lines(said) if e["kind"] == "move_started"]
    attempts = [(m["agent"], m["rung"]) for m in moves if m["kind"] == "run_attempt"]
    assert attempts == [(0, "normal"), (0, "rethink"), (1, "fresh")]


# --- Ctrl-C -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def started(empty: Any, tmp_path: Path) -> Callable[..., tuple[subprocess.Popen[bytes], psutil.Process]]:
    """A run whose agent writes half a file and then ignores every polite request to stop."""

    def start() -> tuple[subprocess.Popen[bytes], psutil.Process]:
        begun = tmp_path / "begun"
        script = f"[ -e {begun} ] && exit 0; trap '' INT TERM; echo half > half.txt; echo $$ > {begun}; while :; do sleep 600; done"
        agent = f"sh -c {shlex.quote(script)}"
        argv = [sys.executable, "-m", "trueup", "run", "-C", str(empty.project), "--agent-cmd", agent]
        run = subprocess.Popen(
            [*argv, "--check", CHECK],
            env=dict(empty.environ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        for _ in range(1200):
            if begun.exists() and begun.read_text().strip():
                return run, psutil.Process(int(begun.read_text()))
            assert run.poll() is None
            time.sleep(0.05)
        raise AssertionError("the agent did not begin")

    return start


@pytest.mark.parametrize(("number", "times"), [(signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGINT, 2)])
def test_a_stop_request_ends_the_agent_loses_nothing_and_can_be_resumed(
    empty: Any, cli: Any, started: Any, number: signal.Signals, times: int
) -> None:
    run, agent = started()
    for _ in range(times):
        os.kill(run.pid, number)
        time.sleep(0.3)
    assert run.wait(60) == 130
    assert not psutil.wait_procs([agent], timeout=30)[1]
    assert not (empty.project / "half.txt").exists()
    status = cli(empty, "runs", "--json").json["runs"][0]["status"]
    assert status == ("cancelled" if times == 1 else "crashed")
    said = cli(empty, "resume", "--max-attempts", "1", "--json")
    assert said.code == 3, said.err
    assert cli(empty, "diff", "--raw", lines(said)[0]["run"], "1").out.count("half") >= 1


def test_a_second_run_on_the_same_item_is_refused_with_the_first_ones_id(empty: Any, cli: Any, started: Any) -> None:
    run, agent = started()
    try:
        first = cli(empty, "runs", "--json").json["runs"][0]["run"]
        said = cli(empty, "run", "--agent-cmd", "true", "--check", CHECK)
        assert said.code == 5
        assert first in said.err
        assert "trueup cancel" in said.err
    finally:
        os.kill(run.pid, signal.SIGINT)
        run.wait(60)
    assert not psutil.wait_procs([agent], timeout=30)[1]
