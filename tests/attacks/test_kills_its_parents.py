"""The agent kills its process group, the process that watches over it, and trueup itself."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven, ScriptedAgent, Step, environment

WATCHER = "$(ps -o ppid= -p $PPID)"
TRUEUP = f"$(ps -o ppid= -p {WATCHER})"


def test_killing_its_own_group_is_a_failed_attempt(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    result = attack(Step(shell=["kill -9 0"], writes={"README.md": "x\n"}), check=quick, attempts=1, command=True)
    assert result.outcome.status is Status.OUT_OF_BUDGET


def test_killing_the_watcher_claims_nothing(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    result = attack(Step(shell=[f"sleep 300 & kill -9 {WATCHER}; sleep 300"]), check=quick, command=True)
    assert result.outcome.status is Status.UNVERIFIABLE


@pytest.mark.xfail(strict=True, reason="without its watcher, a process in a session of its own is not found again")
def test_killing_the_watcher_does_not_set_a_daemon_free(
    attack: Callable[..., Driven], quick: tuple[str, ...], left_behind: Callable[[], list[int]]
) -> None:
    try:
        attack(Step(shell=["setsid sleep 300 &", f"sleep 0.3; kill -9 {WATCHER}"]), check=quick, command=True)
    finally:
        for number in left_behind():
            os.kill(number, signal.SIGKILL)


@pytest.mark.usefixtures("unchanged")
def test_killing_trueup_ends_everything_and_hands_nothing_back(
    project: Path, tmp_path: Path, left_behind: Callable[[], list[int]], quick: tuple[str, ...]
) -> None:
    right = (project / "calc.py").read_text().replace("a - b", "a + b")
    kill = Step(shell=["setsid sleep 300 &", f"kill -9 {TRUEUP}; sleep 300"], writes={"calc.py": right})
    agent = ScriptedAgent(kill).as_command(tmp_path / "agent")
    argv = [sys.executable, "-m", "trueup", "run", "--agent-cmd", agent, "--check", " ".join(quick)]
    done = subprocess.run(argv, cwd=project, env=environment(tmp_path / "state"), capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGKILL
    for _ in range(100):
        if not left_behind():
            break
        signal.sigtimedwait([], 0.1)
    assert left_behind() == []
    assert not (project / ".git/refs/heads/trueup").exists()
