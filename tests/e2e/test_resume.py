"""A run that is killed goes on as if nothing had happened; `tests/chaos` kills it everywhere else."""

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from trueup.decide.moves import AgentStatus
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import AgentSpec, Limits, Task
from trueup.testing import Driven, ScriptedAgent, drive, drive_on, python_project, task_for

BROKEN, HALF, FIXED = "A = 1\nB = 1\n", "A = 2\nB = 1\n", "A = 2\nB = 2\n"
CHECK = """
import pathlib
text = pathlib.Path("code.py").read_text()
wrong = [f"code.py:{n}: error: {name} is wrong [E{n}]" for n, name in ((1, "A"), (2, "B")) if f"{name} = 2" not in text]
print("\\n".join(wrong))
raise SystemExit(bool(wrong))
"""
AGENT = f"""
import pathlib, sys
code = pathlib.Path("code.py")
code.write_text({HALF!r} if code.read_text() == {BROKEN!r} else {FIXED!r})
pathlib.Path(sys.argv[1]).write_text('{{"usd": 0.25}}')
"""
DRIVER = """
import pickle, sys
from trueup.testing import drive
project, state, task, environ = pickle.loads(bytes.fromhex(sys.stdin.read()))
drive(project, state=state, task=task, environ=environ)
"""


@pytest.fixture
def stage(tmp_path: Path) -> "Stage":
    return Stage(tmp_path)


class Stage:
    """The same project and agent twice: once undisturbed, once killed and resumed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {"PAUSE": str(folder / "pause"), "PAUSED": str(folder / "paused")}

    def project(self, name: str) -> Path:
        return python_project(self.folder / name, files={"code.py": BROKEN, "check.py": CHECK})

    def task(self, name: str, *, wait: bool = False) -> Task:
        agent = self.folder / f"agent-{name}.py"
        agent.write_text(AGENT)
        command = f"{sys.executable} -S {agent} {{result_file}}"
        if wait:
            command = f"sh {self._waiting()} {command}"
        spec = AgentSpec(name="scripted", command=command, reports_cost=True)
        return task_for((sys.executable, "-S", "check.py"), agents=(spec,), limits=Limits(usd=20.0, time=3600.0))

    def _waiting(self) -> Path:
        """The first time, half an edit and then nothing until it is killed."""
        path = self.folder / "wait.sh"
        path.write_text(
            'if [ -e "$PAUSE" ]; then rm "$PAUSE"; echo half > half.txt; touch "$PAUSED"; sleep 600; fi\nexec "$@"\n'
        )
        return path

    def start(self, name: str, *, wait: bool = False) -> subprocess.Popen[str]:
        state = self.folder / f"state-{name}"
        facts = (self.project(name), state, self.task(name, wait=wait), self.environ)
        child = subprocess.Popen([sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, text=True)
        assert child.stdin is not None
        child.stdin.write(pickle.dumps(facts).hex())
        child.stdin.close()
        return child

    def kill_when_paused(self, child: "subprocess.Popen[str]") -> None:
        for _ in range(1200):
            if Path(self.environ["PAUSED"]).exists():
                break
            assert child.poll() is None, "ended before it paused"
            time.sleep(0.1)
        family = psutil.Process(child.pid).children(recursive=True)
        assert family
        os.kill(child.pid, signal.SIGKILL)
        child.wait(60)
        _, alive = psutil.wait_procs(family, timeout=60)
        assert not alive

    def resume(self, name: str) -> Driven:
        return drive_on(self.folder / name, state=self.folder / f"state-{name}", environ=self.environ)

    def undisturbed(self) -> Driven:
        task = self.task("calm")
        return drive(self.project("calm"), state=self.folder / "state-calm", task=task, environ=self.environ)


def same(one: Driven, other: Driven) -> None:
    assert one.outcome.status is other.outcome.status is Status.PASSED
    assert one.outcome.tree == other.outcome.tree
    assert [c for c in other.classes if c is not Class.INTERRUPTED] == one.classes


def test_a_kill_while_the_agent_works_keeps_its_half_done_files_and_charges_what_was_reserved(stage: Stage) -> None:
    Path(stage.environ["PAUSE"]).touch()
    child = stage.start("killed", wait=True)
    stage.kill_when_paused(child)
    calm, resumed = stage.undisturbed(), stage.resume("killed")
    same(calm, resumed)
    first = resumed.attempts[0]
    assert first.record.agent is AgentStatus.INTERRUPTED
    assert resumed.store.read(first.record.raw, "half.txt") == b"half\n"
    assert resumed.read("half.txt") is None
    assert first.charged_usd == first.move.reserve_usd
    assert calm.outcome.usd is not None
    assert resumed.outcome.usd == calm.outcome.usd + (first.charged_usd or 0)
    assert resumed.outcome.attempts == calm.outcome.attempts + 1
    assert resumed.attempts[1].move.rung is first.move.rung


def test_an_ended_run_begins_a_new_episode_with_new_totals(stage: Stage) -> None:
    agent = ScriptedAgent({}, {}, {"code.py": FIXED})
    project, state = stage.project("ended"), stage.folder / "state"
    task = task_for((sys.executable, "-S", "check.py"))
    first = drive(project, agent, state=state, task=task, environ=stage.environ)
    assert (first.outcome.status, first.outcome.reason) == (Status.STUCK, "no_change")
    second = drive_on(project, agent, state=state, environ=stage.environ)
    assert second.outcome.status is Status.PASSED
    assert second.run == first.run
    assert second.events[0].seq == len(first.events) + 1
