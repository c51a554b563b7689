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
    assert len(result.attempts) == 1, "the run does not go on"


DAEMONS = ["setsid sleep 300 &", "env -i setsid sleep 300.125 &", "sleep 0.3"]


@pytest.mark.parametrize("number", ["KILL", "STOP"])
def test_a_daemon_is_not_set_free_by_killing_or_stopping_the_watcher(
    number: str, attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    shell = [*DAEMONS, f"kill -{number} {WATCHER}; sleep 300"]
    result = attack(Step(shell=shell), check=quick, command=True)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "watches over the running command was lost" in result.outcome.detail
    assert len(result.attempts) == 1, "the run does not go on"
    assert [n for n in os.listdir("/proc") if n.isdigit() and b"300.125" in read(f"/proc/{n}/cmdline")] == []


def read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def test_a_burst_of_processes_is_gone_when_the_attempt_is_over(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    burst = "i=0; while [ $i -lt 100 ]; do setsid sleep 300 & i=$((i+1)); done"
    result = attack(Step(shell=[burst], writes={"README.md": "x\n"}), check=quick, attempts=1, command=True)
    assert result.outcome.status is Status.OUT_OF_BUDGET


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
