"""What a type checker has to refuse. Each line says why; an ignore that nothing needs is an error for mypy itself."""

from __future__ import annotations

import asyncio

import trueup
from trueup import Agent, AgentContext, Check, Result, Task, events, run, start


def no_context() -> None: ...


def wrong_answer(context: AgentContext) -> str:
    return context.prompt


async def wrong_later(context: AgentContext) -> str:
    return context.prompt


Task("a", "b")  # type: ignore[call-arg]  # only the text comes without a name
Task(max_attemps=3)  # type: ignore[call-arg]  # a misspelt keyword
Task(max_attempts="3")  # type: ignore[arg-type]  # a count is a number
Task(max_usd="two")  # type: ignore[arg-type]  # an amount, or "none" for no limit
Task(goal="gren")  # type: ignore[arg-type]  # a misspelt goal
Task(on_green="go")  # type: ignore[arg-type]  # a misspelt word
Task(checks=[3])  # type: ignore[list-item]  # a check is a command
Task(agent=no_context)  # type: ignore[arg-type]  # an agent takes its context
Task(agent=wrong_answer)  # type: ignore[arg-type]  # it returns a cost, a report or nothing
Task(agent=wrong_later)  # type: ignore[arg-type]  # also when it is asynchronous
Task.from_config(".", max_attemps=3)  # type: ignore[call-arg]  # a misspelt keyword
Task.from_config(".", max_attempts="3")  # type: ignore[arg-type]  # the same types as those of Task
Agent()  # type: ignore[call-arg]  # an agent has a name
Check("a", "b")  # type: ignore[call-arg]  # only the command comes without a name
run("fix it")  # type: ignore[arg-type]  # a text is no task yet
run(Task(), on_event=no_context)  # type: ignore[arg-type]  # a listener takes the event
run(Task(), cancel=asyncio.Event())  # type: ignore[arg-type]  # an event that threads share
trueup.nothing  # type: ignore[attr-defined]  # noqa: B018 - a name that is not there


def of_a_result(result: Result) -> None:
    result.status = trueup.Status.PASSED  # type: ignore[misc]  # it is frozen
    len(result.branch)  # type: ignore[arg-type]  # there may be none
    result.apply(True)  # type: ignore[call-arg]  # a flag has a name


def of_an_event(envelope: events.Envelope) -> None:
    envelope.event.outcome  # type: ignore[union-attr]  # noqa: B018 - only the last event has one


def of_a_run(task: Task) -> None:
    result: Result = start(task)  # type: ignore[assignment]  # it is not over yet
    result.diff()
