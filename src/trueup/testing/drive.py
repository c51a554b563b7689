"""How do I try a whole run in a test? The real loop, real git and real checks; only the agent follows a script."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from trueup.act.agents.base import AgentFunction
from trueup.act.bytecode import Bytecode
from trueup.act.environment import secret_values
from trueup.act.process import Processes
from trueup.act.project import find_project
from trueup.act.store import Store
from trueup.decide.moves import History, RunFinished
from trueup.decide.outcome import Outcome
from trueup.decide.state import AttemptView, Class, State
from trueup.decide.task import AgentSpec, CheckSpec, Limits, Task
from trueup.evidence.redact import Redactor
from trueup.loop import run
from trueup.perform.context import Context
from trueup.perform.ending import run_ended
from trueup.perform.opening import new_run, resumed_run
from trueup.perform.setting import Setting, open_store
from trueup.remember.journal import Journal
from trueup.report.console import Console
from trueup.report.events import Envelope
from trueup.testing.scripted import ScriptedAgent

AGENT = "scripted"
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
"""pytest of the interpreter that runs the test, without a cache folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """What came of a run."""

    run: str
    outcome: Outcome
    record: RunFinished
    state: State
    history: History
    events: tuple[Envelope, ...]
    screen: str
    store: Store
    folder: Path

    @property
    def attempts(self) -> tuple[AttemptView, ...]:
        return self.state.attempts

    @property
    def classes(self) -> list[Class | None]:
        return [v.judgement.kind if v.judgement else None for v in self.attempts]

    def read(self, path: str) -> str | None:
        """Text of a file in the tree that is handed back."""
        content = self.store.read(self.outcome.tree, path)
        return None if content is None else content.decode()

    def prompt(self, attempt: int) -> str:
        return (self.folder / "scratch" / f"attempt-{attempt}" / "prompt.md").read_text(encoding="utf-8")


def task_for(check: str | tuple[str, ...] = PYTEST, *, priced: bool = False, **changes: object) -> Task:
    """A task with one check and one scripted agent. `priced`: the agent's cost counts, against a cap of $100."""
    task = Task(
        text="make the tests pass",
        item="work",
        checks=(CheckSpec(name="tests", run=check),),
        agents=(AgentSpec(name=AGENT, kind="python", reports_cost=priced),),
        limits=Limits(usd=100.0 if priced else None, time=3600.0, attempts=10),
    )
    return replace(task, **changes)  # type: ignore[arg-type]


def environment(state: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment with a state folder and a HOME of its own."""
    home = state / "home"
    home.mkdir(parents=True, exist_ok=True)
    kept = {k: v for k, v in os.environ.items() if k != "TRUEUP_RUN"}
    return {**kept, "XDG_STATE_HOME": os.fspath(state), "HOME": os.fspath(home), **(more or {})}


def drive(
    project: Path,
    agent: AgentFunction | ScriptedAgent | Sequence[AgentFunction] | None = None,
    *,
    state: Path,
    task: Task | None = None,
    environ: Mapping[str, str] | None = None,
    processes: Processes | None = None,
    watch: Callable[[Envelope], object] = lambda _: None,
    compiled: Bytecode | None = None,
) -> Driven:
    """One run from its start to its end. `state` is a folder for everything that trueup keeps.

    Without an agent function, the task's own agents run (commands, for example). `watch` sees each event. `compiled`
    spares each run the compiling of the tools that its checks load.
    """
    wanted = task or task_for()

    def opened(setting: Setting) -> AbstractContextManager[tuple[Context, Journal]]:
        return new_run(replace(setting, compiled=compiled), wanted)

    return _driven(project, agent, state, environ, processes, watch, opened)


def drive_on(
    project: Path,
    agent: AgentFunction | ScriptedAgent | Sequence[AgentFunction] | None = None,
    *,
    state: Path,
    run_id: str | None = None,
    limits: Callable[[Limits], Limits] = lambda old: old,
    environ: Mapping[str, str] | None = None,
    watch: Callable[[Envelope], object] = lambda _: None,
) -> Driven:
    """Resume a run, by default the latest."""
    return _driven(project, agent, state, environ, None, watch, lambda setting: resumed_run(setting, run_id, limits))


def _driven(
    project: Path,
    agent: AgentFunction | ScriptedAgent | Sequence[AgentFunction] | None,
    state: Path,
    environ: Mapping[str, str] | None,
    processes: Processes | None,
    watch: Callable[[Envelope], object],
    opened: Callable[[Setting], AbstractContextManager[tuple[Context, Journal]]],
) -> Driven:
    events: list[Envelope] = []

    def listen(envelope: Envelope, _: State | None) -> None:
        events.append(envelope)
        watch(envelope)

    screen = io.StringIO()
    variables = environment(state, environ)
    redact = Redactor(secret_values(variables)).redact
    setting = Setting(
        project=find_project(project),
        environ=variables,
        sinks=(Console(screen, terminal=False, redact=redact), listen),
        callables=_callables(agent),
        processes=processes or Processes(),
    )
    with opened(setting) as (context, journal):
        record, final = run(context, journal)
        context.stream.emit(run_ended(context, record, final), final)
        return Driven(
            run=context.run,
            outcome=record.outcome,
            record=record,
            state=final,
            history=journal.history,
            events=tuple(events),
            screen=screen.getvalue(),
            store=open_store(context.folder.parent.parent),
            folder=context.folder,
        )


def _callables(agent: AgentFunction | ScriptedAgent | Sequence[AgentFunction] | None) -> dict[str, AgentFunction]:
    if agent is None:
        return {}
    if isinstance(agent, Sequence):
        return {AGENT if n == 0 else f"{AGENT}{n + 1}": function for n, function in enumerate(agent)}
    return {AGENT: agent}
