"""What a user may write, and the types that come out. Only read by mypy."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import assert_type

import trueup
from trueup import (
    Agent,
    AgentContext,
    AgentReport,
    AgentStatus,
    Applied,
    Attempt,
    Check,
    CurrentFailure,
    NotPassedError,
    ProofSummary,
    Result,
    Resume,
    Run,
    Status,
    Strength,
    Task,
    Verdict,
    events,
    resume,
    run,
    run_async,
    start,
)


def plain(context: AgentContext) -> None:
    assert_type(context.prompt, str)
    assert_type(context.workspace, Path)
    assert_type(context.stop, threading.Event)
    context.say("hello")


def paid(context: AgentContext) -> float:
    return context.usd or 0.0


def telling(context: AgentContext) -> AgentReport | None:
    return AgentReport(usd=0.1, tokens=10, note="done", session="s") if context.session else None


async def waiting(context: AgentContext) -> AgentReport:
    return AgentReport(note=context.prompt)


class Caller:
    def __call__(self, context: AgentContext) -> float:
        return float(context.attempt)


assert_type(Task(), Task)
Task("text")
Task(agent="claude -p", checks=["pytest -q", Check(["mypy", "src"], name="types", timeout="10m")])
Task(agent=plain)
Task(agent=waiting, goal="no-new-failures")
Task(agent=Caller(), goal=["tests/test_a.py::test_b"])
Task(agent=[paid, telling, waiting, "other {prompt_file}", Agent("mine", function=waiting), Agent("claude")])
Task(agent=lambda context: 0.1, max_usd="none", max_time=60, max_attempts=3)
assert_type(Task.from_config("folder", max_usd=2.5, agent=[plain, "x"]), Task)
assert_type(Task.from_config(Path()), Task)


def watch(envelope: events.Envelope) -> None:
    assert_type(envelope.event, events.Event)
    match envelope.event:
        case events.RunStarted(header=header):
            assert_type(header, events.Header)
        case trueup.events.Judged(attempt=number, judgement=judgement):
            assert_type(number, int)
            assert_type(judgement.kind, Verdict)
        case events.MoveDone(record=events.Attempted() as attempted):
            assert_type(attempted.agent, AgentStatus)
        case events.RunEnded(outcome=outcome):
            assert_type(outcome.status, Status)
        case _:
            pass


def synchronous(task: Task) -> None:
    result = run(task, "project", on_event=watch, cancel=threading.Event(), state=Path("state"), environ={"A": "b"})
    assert_type(result, Result)
    assert_type(result.run, str)
    assert_type(result.status, Status)
    assert_type(result.passed, bool)
    assert_type(result.strength, Strength | None)
    assert_type(result.proof, ProofSummary | None)
    assert_type(result.failures, tuple[CurrentFailure, ...])
    assert_type(result.attempts, tuple[Attempt, ...])
    assert_type(result.usd, float | None)
    assert_type(result.branch, str | None)
    assert_type(result.changed, tuple[events.ChangedFile, ...])
    assert_type(result.diff(), str)
    assert_type(result.patch(), bytes)
    assert_type(result.apply(partial=True), Applied)
    assert_type(result.to_json(), str)
    assert_type(result.report_path, Path)
    assert_type(resume("7f3a", agent=plain, max_attempts=20), Result)
    assert_type(run(Resume("7f3a", max_time="2h")), Result)
    try:
        result.raise_unless_passed()
    except NotPassedError as error:
        assert_type(error.result, Result)


def step_by_step(task: Task) -> Result:
    with start(task) as handle:
        assert_type(handle, Run)
        for envelope in handle:
            assert_type(envelope, events.Envelope)
        handle.cancel()
        return handle.result(timeout=1.5)


async def asynchronous(task: Task) -> None:
    async def listen(envelope: events.Envelope) -> None:
        watch(envelope)

    assert_type(await run_async(task, on_event=listen), Result)
    assert_type(await run_async(Resume(), on_event=watch), Result)
    async with start(task) as handle:
        assert_type(handle, Run)
        async for envelope in handle:
            assert_type(envelope, events.Envelope)
        assert_type(await handle, Result)
