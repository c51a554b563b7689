"""A Python function as an agent."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trueup.act.agents import make_agent
from trueup.act.agents.base import AgentCall, AgentContext, AgentFunction, AgentReport, AgentResult
from trueup.act.process import Processes
from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError

Run = Callable[..., AgentResult]


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes() as running:
        yield running


@pytest.fixture
def run(tmp_path: Path, processes: Processes) -> Run:
    def run(
        function: AgentFunction, seconds: float = 60, on_activity: Callable[[str], None] = lambda line: None
    ) -> AgentResult:
        call = AgentCall(
            prompt="fix it",
            prompt_file=tmp_path / "prompt.md",
            workspace=tmp_path,
            attempt=2,
            seconds=seconds,
            usd=1.5,
            env={},
            scratch=tmp_path,
        )
        agent = make_agent(AgentSpec(name="mine", kind="python"), {"mine": function})
        return agent.run(call, processes, on_activity)

    return run


def test_the_function_gets_the_prompt_and_changes_the_workspace(run: Run, tmp_path: Path) -> None:
    def work(context: AgentContext) -> None:
        text = f"{context.prompt} {context.attempt} {context.seconds:g} {context.usd}"
        (context.workspace / "out").write_text(text)

    result = run(work)
    assert (result.status, result.claimed_usd, result.claim_problem) == (AgentStatus.DONE, None, "")
    assert (tmp_path / "out").read_text() == "fix it 2 60 1.5"


def test_a_returned_number_is_the_cost(run: Run) -> None:
    assert run(lambda context: 0.5).claimed_usd == 0.5


def test_a_report_carries_more(run: Run) -> None:
    result = run(lambda context: AgentReport(usd=0.5, tokens=7, note="All tests pass", session="s1"))
    assert (result.claimed_usd, result.tokens, result.note, result.session) == (0.5, 7, "All tests pass", "s1")


@pytest.mark.parametrize("cost", [float("nan"), float("inf"), -1, True, "0.5"])
def test_a_cost_that_cannot_be_believed_is_unknown_with_a_reason(run: Run, cost: object) -> None:
    result = run(lambda context: cost)
    assert result.claimed_usd is None
    assert result.claim_problem


def test_an_exception_is_a_failure_with_its_class_and_message(run: Run) -> None:
    def work(context: AgentContext) -> None:
        raise ValueError("no idea")

    result = run(work)
    assert (result.status, result.detail) == (AgentStatus.FAILED, "ValueError: no idea")


def test_leaving_the_interpreter_is_a_failure_and_leaves_nothing(run: Run) -> None:
    assert run(lambda context: sys.exit("bye")).detail == "SystemExit: bye"


def test_at_the_deadline_nobody_waits_any_longer(run: Run) -> None:
    release = threading.Event()

    def work(context: AgentContext) -> None:
        release.wait(600)

    result = run(work, seconds=0.05)
    release.set()
    assert result.status is AgentStatus.TIMEOUT
    assert result.detail


def test_what_it_says_is_shown_harmlessly(run: Run) -> None:
    seen: list[str] = []
    run(lambda context: context.say("a\x1b[2Jb\nc"), on_activity=seen.append)
    assert seen == ["ab c"]


def test_a_function_that_was_not_handed_over_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="'mine'"):
        make_agent(AgentSpec(name="mine", kind="python"), {"other": lambda context: None})


def test_a_function_that_heeds_the_stop_is_heard_out_after_its_time(run: Run) -> None:
    def work(context: AgentContext) -> float:
        assert context.stop.wait(600)
        return 0.25

    result = run(work, seconds=0.05)
    assert (result.status, result.claimed_usd) == (AgentStatus.TIMEOUT, 0.25)


def test_a_cancelled_run_stops_the_function_and_then_waits_no_longer(tmp_path: Path) -> None:
    said: list[str] = []
    release, begun = threading.Event(), threading.Event()
    contexts: list[AgentContext] = []

    def work(context: AgentContext) -> None:
        contexts.append(context)
        begun.set()
        release.wait(600)  # deaf

    call = AgentCall(
        prompt="", prompt_file=tmp_path, workspace=tmp_path, attempt=1, seconds=600, usd=None, env={}, scratch=tmp_path
    )
    with Processes() as processes:

        def cancel_later() -> None:
            begun.wait(600)
            processes.cancel()

        threading.Thread(target=cancel_later).start()
        agent = make_agent(AgentSpec(name="mine", kind="python"), {"mine": work})
        result = agent.run(call, processes, said.append)
    assert result.status is AgentStatus.CANCELLED
    assert contexts[0].stop.is_set()
    contexts[0].say("too late")
    assert said == []
    release.set()
