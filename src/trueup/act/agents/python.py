"""How is a Python function run as an agent?

The function runs in this process, in a thread of its own. There is no isolation: it has our memory, environment and
permissions. A thread cannot be ended from outside, so at the deadline we only stop waiting; a function that
honours `context.seconds` ends in time by itself.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from trueup.act.agents.base import (
    AgentCall,
    AgentContext,
    AgentFunction,
    AgentInfo,
    AgentReport,
    AgentResult,
    believable_tokens,
    believable_usd,
    shown,
)
from trueup.act.process import Processes
from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError

_NOTE_LENGTH = 500


def make(spec: AgentSpec, callables: Mapping[str, AgentFunction]) -> PythonAgent:
    if spec.name not in callables:
        raise UsageError(
            f"no function is known for the agent {spec.name!r}",
            why="An agent of kind 'python' is a function that the calling program hands over.",
            do="Use the Python API and pass the function, or configure a command.",
        )
    return PythonAgent(name=spec.name, function=callables[spec.name])


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonAgent:
    name: str
    function: AgentFunction

    def describe(self) -> AgentInfo:
        return AgentInfo(permissions="runs inside this process, with everything this process may do")

    def run(
        self,
        call: AgentCall,
        processes: Processes,  # noqa: ARG002 - part of the contract; a function needs no process
        on_activity: Callable[[str], None],
    ) -> AgentResult:
        started = time.monotonic()
        result = _within(call.seconds, lambda: _outcome(self.function, _context(call, on_activity)))
        return replace(result, duration=time.monotonic() - started)


def _context(call: AgentCall, on_activity: Callable[[str], None]) -> AgentContext:
    return AgentContext(
        prompt=call.prompt,
        workspace=call.workspace,
        attempt=call.attempt,
        seconds=call.seconds,
        usd=call.usd,
        env=call.env,
        fresh_session=call.fresh_session,
        session=call.session,
        say=lambda text: on_activity(shown(text)),
    )


def _within(seconds: float, work: Callable[[], AgentResult]) -> AgentResult:
    ending: list[AgentResult] = []
    context = contextvars.copy_context()
    thread = threading.Thread(target=lambda: ending.append(context.run(work)), name="trueup-agent", daemon=True)
    thread.start()
    thread.join(timeout=seconds)
    # A copy: the thread may still add its result while we read.
    return next(
        iter(tuple(ending)),
        AgentResult(status=AgentStatus.TIMEOUT, detail=f"still running after {seconds:g} s"),
    )


def _outcome(function: AgentFunction, context: AgentContext) -> AgentResult:
    try:
        returned = function(context)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the function is the user's and may raise anything
        return AgentResult(status=AgentStatus.FAILED, detail=shown(f"{type(error).__name__}: {error}", 500))
    if not isinstance(returned, AgentReport):
        returned = AgentReport(usd=returned)
    usd, problem = believable_usd(returned.usd)
    return AgentResult(
        status=AgentStatus.DONE,
        claimed_usd=usd,
        claim_problem=problem,
        tokens=believable_tokens(returned.tokens),
        note=shown(returned.note, _NOTE_LENGTH),
        session=returned.session,
        transcript=returned.note.encode("utf-8", "replace"),
    )
