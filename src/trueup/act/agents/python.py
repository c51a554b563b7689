"""How is a Python function run as an agent?

The function runs in this process, in a thread of its own. There is no isolation: it has our memory, environment and
permissions. A thread cannot be ended from outside: at the deadline, or when the run is cancelled, it is asked to end
(`context.stop`), and soon after we stop waiting. What it says from then on is not heard; what it writes into the
workspace meanwhile may still be seen by the next attempt.
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
    believable_session,
    believable_tokens,
    believable_total,
    believable_usd,
    shown,
)
from trueup.act.process import Processes
from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError

_NOTE_LENGTH = 500
_LOOK = 0.1
"""How often we look whether the run is being cancelled, in seconds."""
_GRACE = 2.0
"""So long may a function take to end after it was asked to."""


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
        processes: Processes,
        on_activity: Callable[[str], None],
    ) -> AgentResult:
        started = time.monotonic()
        work = _Work(self.function)
        work.start(_context(call, work, on_activity))
        result = work.wait(call.seconds, processes)
        return replace(result, duration=time.monotonic() - started)


def _context(call: AgentCall, work: _Work, on_activity: Callable[[str], None]) -> AgentContext:
    return AgentContext(
        prompt=call.prompt,
        workspace=call.workspace,
        attempt=call.attempt,
        seconds=call.seconds,
        usd=call.usd,
        env=call.env,
        fresh_session=call.fresh_session,
        session=call.session,
        say=lambda text: None if work.left_alone else on_activity(shown(text)),
        stop=work.stop,
    )


class _Work:
    """One call of the function, in its thread."""

    def __init__(self, function: AgentFunction) -> None:
        self.stop = threading.Event()
        self.left_alone = False
        self._function = function
        self._ending: list[AgentResult] = []

    def start(self, context: AgentContext) -> None:
        target = contextvars.copy_context().run
        self._thread = threading.Thread(target=target, args=(self._do, context), name="trueup-agent", daemon=True)
        self._thread.start()

    def _do(self, context: AgentContext) -> None:
        self._ending.append(_outcome(self._function, context))

    def wait(self, seconds: float, processes: Processes) -> AgentResult:
        end = time.monotonic() + seconds
        while not processes.cancelled and (left := end - time.monotonic()) > 0 and self._thread.is_alive():
            self._thread.join(min(left, _LOOK))
        if not self._thread.is_alive():
            return self._ended()
        cut = AgentStatus.CANCELLED if processes.cancelled else AgentStatus.TIMEOUT
        self.stop.set()
        self._thread.join(_GRACE)
        self.left_alone = self._thread.is_alive()
        detail = f"still running after {seconds:g} s" if cut is AgentStatus.TIMEOUT else "the run was cancelled"
        return replace(self._ended(), status=cut, detail=detail)

    def _ended(self) -> AgentResult:
        """What it came to, cost included; nothing if it goes on, or ended in a way that no function should."""
        # A copy: the thread may still add its result while we read.
        return next(iter(tuple(self._ending)), AgentResult(status=AgentStatus.FAILED, detail="it ended without a word"))


def _outcome(function: AgentFunction, context: AgentContext) -> AgentResult:
    try:
        returned = function(context)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the function is the user's and may raise anything
        return AgentResult(status=AgentStatus.FAILED, detail=shown(f"{type(error).__name__}: {error}", 500))
    if not isinstance(returned, AgentReport):
        returned = AgentReport(usd=returned)
    usd, problem = believable_usd(returned.usd)
    session = believable_session(returned.session)
    total, problem_of_total = believable_total(returned.usd, returned.total_usd, session)
    problem = problem or problem_of_total
    return AgentResult(
        status=AgentStatus.DONE,
        claimed_usd=None if problem else usd,
        total_usd=None if problem else total,
        claim_problem=problem,
        tokens=believable_tokens(returned.tokens),
        note=shown(returned.note, _NOTE_LENGTH),
        said=returned.note,
        session=session,
        transcript=returned.note.encode("utf-8", "replace"),
    )
