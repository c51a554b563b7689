"""How is one sitting conducted inside another program? Nothing of that program is touched but the calling thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from trueup import loop
from trueup.act.process import Processes
from trueup.act.project import find_project
from trueup.api.exact import Asked
from trueup.api.result import Result, attempt_of
from trueup.api.wishes import Resume
from trueup.decide.moves import RunFinished
from trueup.decide.state import State
from trueup.perform.checklist import with_checks
from trueup.perform.context import Context
from trueup.perform.ending import run_ended, tell_the_tracker
from trueup.perform.opening import new_run, resumed_run
from trueup.perform.setting import Setting
from trueup.remember.journal import Journal
from trueup.report.endings import outcome_lines
from trueup.report.events import Envelope, Header, RunEnded, RunStarted, to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What to do, and where."""

    wanted: Asked | Resume
    folder: Path
    state_home: Path | None
    environ: Mapping[str, str]
    processes: Processes
    on_event: Callable[[Envelope], None]


def conduct(sitting: Sitting) -> Result:
    """From the start to the end. When it returns or raises, all processes of the run are gone."""
    headers: list[Header] = []

    def listen(envelope: Envelope, _: State | None) -> None:
        if isinstance(envelope.event, RunStarted):
            headers.append(envelope.event.header)
        sitting.on_event(envelope)

    setting = Setting(
        project=find_project(sitting.folder),
        environ=sitting.environ,
        sinks=(listen,),
        callables=sitting.wanted.functions,
        processes=sitting.processes,
        state_home=sitting.state_home,
    )
    with _opened(sitting.wanted, setting) as (context, journal):
        record, state = loop.run(context, journal)
        tell_the_tracker(context, state)
        envelope = context.stream.emit(run_ended(context, record, state), state)
        return _result(context, record, state, headers[0], envelope)


def _opened(wanted: Asked | Resume, setting: Setting) -> AbstractContextManager[tuple[Context, Journal]]:
    if isinstance(wanted, Resume):
        return resumed_run(setting, wanted.run, wanted.limits)
    task, origins = with_checks(setting.project, wanted.task, setting.environ, configured="Task")
    return new_run(replace(setting, origins=origins), task)


def _result(context: Context, record: RunFinished, state: State, header: Header, envelope: Envelope) -> Result:
    outcome, redact = record.outcome, context.redactor.redact
    changed = envelope.event.changed if isinstance(envelope.event, RunEnded) else ()
    lines = outcome_lines(
        outcome,
        state,
        record.branch,
        branch_note=record.branch_note,
        changed=changed,
        project=header.project,
        logs=f".trueup/runs/{context.run}/",
        withheld=header.withheld,
    )
    agents = tuple(spec.name for spec in context.task.agents)
    return Result(
        run=context.run,
        status=outcome.status,
        reason=outcome.reason,
        explanation=redact("\n".join(lines)),
        partial=outcome.partial,
        proof=outcome.proof,
        fixed=outcome.fixed,
        new=outcome.new,
        remaining=outcome.remaining,
        flaky=outcome.flaky,
        failures=outcome.current_failures,
        attempts=tuple(attempt_of(view, agents) for view in state.attempts),
        best_attempt=outcome.best_attempt,
        usd=outcome.usd,
        seconds=outcome.seconds,
        checks=header.checks,
        project=context.project.root,
        start=context.start,
        tree=outcome.tree or context.start,
        branch=record.branch or None,
        branch_note=record.branch_note,
        changed=changed,
        report_path=context.artifacts.folder / "report.html",
        _json=to_json(envelope, redact=redact),
        _state=context.folder.parent.parent,
    )
