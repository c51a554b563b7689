"""The scripted agent, as a function and as a real process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trueup.act.agents import make_agent
from trueup.act.agents.base import AgentCall, AgentResult
from trueup.act.process import Processes
from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError
from trueup.testing import Say, ScriptedAgent, Step

Attempt = Callable[[int], AgentResult]


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes() as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "old.txt").write_text("old")
    return folder


@pytest.fixture(params=["function", "command"])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def start(form: str, tmp_path: Path, workspace: Path, processes: Processes) -> Callable[[ScriptedAgent], Attempt]:
    """Runs a scripted agent in one of its two forms."""

    def start(script: ScriptedAgent) -> Attempt:
        if form == "command":
            agent = make_agent(AgentSpec(name="s", command=script.as_command(tmp_path / "the script")))
        else:
            agent = make_agent(AgentSpec(name="s", kind="python"), {"s": script})

        def attempt(number: int) -> AgentResult:
            scratch = tmp_path / f"scratch {number}"
            scratch.mkdir(exist_ok=True)
            prompt_file = scratch / "prompt.md"
            prompt_file.write_text(f"prompt {number}")
            call = AgentCall(
                prompt=f"prompt {number}",
                prompt_file=prompt_file,
                workspace=workspace,
                attempt=number,
                seconds=60,
                usd=None,
                env={"PATH": os.environ["PATH"]},
                scratch=scratch,
            )
            return agent.run(call, processes, lambda line: None)

        return attempt

    return start


Start = Callable[[ScriptedAgent], Attempt]


def test_each_attempt_performs_its_step(start: Start, workspace: Path) -> None:
    attempt = start(ScriptedAgent({"a/new.txt": "één\r\n", "old.txt": None}, Say("All tests pass"), usd=0.1))
    first = attempt(1)
    assert (workspace / "a/new.txt").read_bytes() == "één\r\n".encode()
    assert not (workspace / "old.txt").exists()
    assert (first.status, first.claimed_usd) == (AgentStatus.DONE, 0.1)
    assert attempt(2).note == "All tests pass"


def test_after_the_last_step_nothing_happens(start: Start, workspace: Path) -> None:
    attempt = start(ScriptedAgent({"n.txt": "1"}))
    attempt(1)
    (workspace / "n.txt").unlink()
    assert attempt(2).status is AgentStatus.DONE
    assert not (workspace / "n.txt").exists()


def test_the_last_step_can_be_repeated(start: Start, workspace: Path) -> None:
    attempt = start(ScriptedAgent(Say("x"), {"n.txt": "1"}, then="repeat"))
    attempt(5)
    assert (workspace / "n.txt").read_text() == "1"


def test_a_step_can_fail(start: Start, workspace: Path) -> None:
    result = start(ScriptedAgent(Step(writes={"n.txt": "1"}, say="broken", exit_code=3)))(1)
    assert result.status is AgentStatus.FAILED
    assert "broken" in result.detail
    assert (workspace / "n.txt").read_text() == "1"


def test_a_cost_of_a_step_comes_before_the_common_one(start: Start) -> None:
    attempt = start(ScriptedAgent(Step(usd=0.7), Step(), usd=0.1))
    assert [attempt(1).claimed_usd, attempt(2).claimed_usd] == [0.7, 0.1]


def test_a_script_without_cost_reports_none(start: Start) -> None:
    assert start(ScriptedAgent(Say("x")))(1).claimed_usd is None


def test_prompts_are_recorded(start: Start, form: str) -> None:
    script = ScriptedAgent()
    attempt = start(script)
    attempt(1)
    attempt(2)
    assert (script.prompts if form == "function" else script.read_prompts()) == ("prompt 1", "prompt 2")


def test_a_whole_folder_can_be_deleted(start: Start, workspace: Path) -> None:
    (workspace / "d/e").mkdir(parents=True)
    start(ScriptedAgent({"d": None}))(1)
    assert not (workspace / "d").exists()


@pytest.mark.parametrize("form", ["command"], indirect=True)
def test_a_command_can_run_shell_commands(start: Start, workspace: Path) -> None:
    start(ScriptedAgent(Step(shell=["echo hi > by_shell.txt", "mv old.txt moved.txt"])))(1)
    assert sorted(p.name for p in workspace.iterdir()) == ["by_shell.txt", "moved.txt"]


@pytest.mark.parametrize("form", ["function"], indirect=True)
def test_a_function_can_be_a_step(start: Start, workspace: Path) -> None:
    def edit(folder: Path, prompt: str) -> None:
        (folder / "seen.txt").write_text(prompt)

    start(ScriptedAgent(edit))(1)
    assert (workspace / "seen.txt").read_text() == "prompt 1"


def test_a_function_cannot_be_a_step_of_a_command(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Step"):
        ScriptedAgent(lambda folder, prompt: None).as_command(tmp_path)


@pytest.mark.parametrize("form", ["function"], indirect=True)
def test_a_function_runs_no_shell_commands(start: Start, workspace: Path) -> None:
    result = start(ScriptedAgent(Step(shell=["touch by_shell.txt"])))(1)
    assert result.status is AgentStatus.FAILED
    assert not (workspace / "by_shell.txt").exists()
