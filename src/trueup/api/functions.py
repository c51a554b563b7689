"""How does a function of the calling program become an agent, also one that is asynchronous?"""

from __future__ import annotations

import asyncio
import inspect
import re
import threading
from collections.abc import Awaitable, Callable

from trueup.act.agents.base import AgentContext, AgentFunction, AgentReport

Answer = float | AgentReport | None
AsyncAgentFunction = Callable[[AgentContext], Awaitable[Answer]]

_LOOK = 0.1
"""How often an asynchronous function is looked after, in seconds."""


def as_function(given: AgentFunction | AsyncAgentFunction) -> AgentFunction:
    """One that returns its answer; an asynchronous one gets an event loop of its own, in the agent's thread."""

    def work(context: AgentContext) -> Answer:
        answer = given(context)
        return asyncio.run(_until_stopped(answer, context.stop)) if inspect.isawaitable(answer) else answer

    return work


async def _until_stopped(answer: Awaitable[Answer], stop: threading.Event) -> Answer:
    """Unlike a plain function, this one can be ended: it is cancelled when its time is up."""
    task = asyncio.ensure_future(answer)
    while not task.done() and not stop.is_set():
        await asyncio.wait({task}, timeout=_LOOK)
    task.cancel()
    try:
        return await task
    except asyncio.CancelledError:
        raise TimeoutError("it was cancelled") from None


def function_name(given: object) -> str:
    """What it is called on the screen and in the journal."""
    name = getattr(given, "__name__", "") or type(given).__name__
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-") or "function"
