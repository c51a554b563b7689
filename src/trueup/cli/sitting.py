"""How do `run` and `resume` conduct one sitting: signals, sinks, the loop, the last screen?"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from trueup.act.agents import known_agents
from trueup.act.environment import secret_values
from trueup.act.process import Processes, make_undumpable
from trueup.act.project import find_project
from trueup.cli.choosing import choose_agent
from trueup.config import Overrides, build_task, environment_warnings, load_config, new_totals, show_duration
from trueup.decide.budget import least_seconds
from trueup.decide.fold import fold, step
from trueup.decide.moves import FinishRun, TakeBaseline
from trueup.decide.outcome import EXIT_CODES, Status
from trueup.decide.policy import next_move
from trueup.decide.review import ReviewVerdict
from trueup.decide.task import PERSON, Limits, Task
from trueup.evidence.redact import Redactor
from trueup.loop import run as run_loop
from trueup.perform.checklist import with_checks
from trueup.perform.context import Context
from trueup.perform.ending import run_ended, tell_the_tracker
from trueup.perform.issue_desk import told_before
from trueup.perform.opening import new_run, resumed_run
from trueup.perform.performers import perform
from trueup.perform.setting import Setting, refuse_nested
from trueup.remember.database import Database
from trueup.remember.journal import Journal, forget_run
from trueup.report.console import Console, JsonLines
from trueup.report.events import MoveDone, MoveStarted, Notice, RunEnded, Sink

CANCELLED = EXIT_CODES[Status.CANCELLED]
STOPPING = "\nstopping: the children end first (press again to stop at once)\n"


def start_run(directory: Path, wishes: Overrides, environ: Mapping[str, str], *, as_json: bool) -> int:
    task, setting, console = prepared(directory, wishes, environ, as_json=as_json, needs_agent=True)
    run, code = sit(task, setting, console)
    if code == 0 and wishes.apply:
        from trueup.cli.apply import apply_run

        return apply_run(directory, run, environ, partial=False, as_json=as_json)
    return code


def sit(task: Task, setting: Setting, console: Sink) -> tuple[str, int]:
    """One run from its start to its end: its id, and its exit code."""
    with _conducted(setting.processes, console), new_run(setting, task) as (context, journal):
        return context.run, _conduct(context, journal)


def resume_run(
    directory: Path,
    run: str | None,
    environ: Mapping[str, str],
    *,
    max_usd: str | None,
    max_time: str | None,
    max_attempts: str | None,
    as_json: bool,
) -> int:
    project = find_project(directory)
    console = _sink(environ, as_json=as_json)
    setting = Setting(project=project, environ=environ, sinks=(console,))
    wishes = Overrides(max_usd=max_usd, max_time=max_time, max_attempts=max_attempts)

    def totals(old: Limits) -> Limits:
        return new_totals(old, wishes)

    refuse_nested(environ)
    ended, said = told_before(setting, run)
    for note in said:
        print(f"trueup: {note}", file=sys.stderr)
    if ended is not None and ended.status in {Status.PASSED, Status.NOTHING_TO_DO}:
        return ended.exit_code
    with _conducted(setting.processes, console), resumed_run(setting, run, totals) as (context, journal):
        return _conduct(context, journal)


def answer_run(
    directory: Path, run: str | None, environ: Mapping[str, str], *, approved: bool, because: str, as_json: bool
) -> int:
    """A person's verdict, and the run goes on with it."""
    from trueup.cli.review import awaited, refuse_against_the_checks

    project = find_project(directory)
    console = _sink(environ, as_json=as_json)
    setting = Setting(project=project, environ=environ, sinks=(console,))
    redact = Redactor(secret_values(environ)).redact

    def answer(journal: Journal) -> ReviewVerdict:
        state = fold(journal.task, journal.history)
        view = awaited(journal.run, state)
        if approved:
            refuse_against_the_checks(journal.run, state, view)
        return ReviewVerdict(
            approved=approved,
            feedback=redact(because),
            round=len(state.verdicts) + 1,
            reviewer=PERSON,
            tree=view.record.candidate,
            time=time.time(),
        )

    with (
        _conducted(setting.processes, console),
        resumed_run(setting, run, lambda old: old, answer=answer) as (context, journal),
    ):
        return _conduct(context, journal)


def plan_run(directory: Path, wishes: Overrides, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Everything up to the first payment; the run is forgotten afterwards."""
    return sketch(*prepared(directory, wishes, environ, as_json=as_json, needs_agent=False))


def sketch(task: Task, setting: Setting, console: Sink) -> int:
    with _conducted(setting.processes, console), new_run(setting, task) as (context, _):
        code = _plan(context)
    _forget(context)
    return code


def _forget(context: Context) -> None:
    with Database(context.folder.parent.parent) as db:
        forget_run(db, context.run)
    context.store.forget(f"{context.run}/")
    shutil.rmtree(context.artifacts.folder, ignore_errors=True)
    shutil.rmtree(context.folder, ignore_errors=True)


# --- what is asked for --------------------------------------------------------------------------------------------


def prepared(
    directory: Path, wishes: Overrides, environ: Mapping[str, str], *, as_json: bool, needs_agent: bool
) -> tuple[Task, Setting, Sink]:
    make_undumpable()
    project = find_project(directory)
    config = load_config(project.root)
    given = "--check" if wishes.check else config.source.name if config.source else ""

    def built(wishes: Overrides) -> tuple[Task, dict[str, str]]:
        task = build_task(config.values, wishes, environ, known_agents=known_agents())
        return with_checks(project, task, environ, configured=given)

    task, origins = built(wishes)
    if needs_agent and not task.agents:
        task, origins = built(replace(wishes, agent=(choose_agent(environ, as_json=as_json),)))
    for warning in environment_warnings(environ):
        print(f"trueup: {warning}", file=sys.stderr)
    console = _sink(environ, as_json=as_json)
    return task, Setting(project=project, environ=environ, sinks=(console,), origins=origins), console


def _sink(environ: Mapping[str, str], *, as_json: bool) -> Sink:
    redact = Redactor(secret_values(environ)).redact
    if as_json:
        return JsonLines(sys.stdout, redact=redact)
    return Console(sys.stdout, environ=environ, redact=redact)


# --- conducting ---------------------------------------------------------------------------------------------------


def _conduct(context: Context, journal: Journal) -> int:
    record, state = run_loop(context, journal)
    tell_the_tracker(context, state)
    context.stream.emit(run_ended(context, record, state), state)
    return record.outcome.exit_code


def _plan(context: Context) -> int:
    state = fold(context.task, ())
    move = TakeBaseline()
    context.stream.emit(MoveStarted(move=move), state)
    record = perform(context, state, move)
    state = step(state, move, record)
    context.stream.emit(MoveDone(move=move, record=record), state)
    following = next_move(replace(state, task=context.task)) if state.task.agents or state.problem else None
    if isinstance(following, FinishRun):
        context.stream.emit(RunEnded(outcome=following.outcome), state)
        return following.outcome.exit_code
    needed = show_duration(least_seconds(state))
    text = f"this is the plan: one attempt needs at least {needed} with its checks and proof; nothing was paid"
    context.stream.emit(Notice(text=text), state)
    return 0


@contextmanager
def _conducted(processes: Processes, console: Sink) -> Iterator[None]:
    """Ctrl-C once: a clean stop that can be resumed. Twice: at once; the warden ends the children."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        if processes.cancelled:
            os._exit(CANCELLED)
        sys.stderr.write(STOPPING)
        processes.cancel()

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in signals}
    done = threading.Event()
    clock = _clock(console, done)
    try:
        yield
    finally:
        done.set()
        clock()
        for number, handler in before.items():
            signal.signal(number, handler)


def _clock(console: Sink, done: threading.Event) -> Callable[[], None]:
    """Let the live line's clock go on while nothing else happens."""
    if not isinstance(console, Console):
        return lambda: None

    def tick() -> None:
        while not done.wait(1.0):
            console.refresh(time.time())

    thread = threading.Thread(target=tick, name="trueup-clock", daemon=True)
    thread.start()
    return thread.join
