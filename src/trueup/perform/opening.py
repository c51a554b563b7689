"""How does a sitting begin? The user's work is rescued first; then everything a performer needs is opened."""

from __future__ import annotations

import math
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from trueup.act.agents.base import Agent
from trueup.act.command_line import parse_command, which
from trueup.act.dependencies import dependency_folders, detect_setup
from trueup.act.environment import agent_environment, check_environment, secret_values
from trueup.act.facts import Facts
from trueup.act.files import FileRules
from trueup.act.packages import Packages
from trueup.act.process import Cancelled, Processes, ToolFailed
from trueup.act.project import commit_of, rescue, revision_tree
from trueup.act.surroundings import Places, Surroundings
from trueup.act.trackers import TrackerError
from trueup.act.workspace import AgentWorkspace
from trueup.config import show_duration
from trueup.config.task import refuse_uncounted
from trueup.decide.budget import counted_attempts
from trueup.decide.fold import fold
from trueup.decide.moves import PersonDecided, RunAttempt, RunResumed
from trueup.decide.outcome import Status
from trueup.decide.review import ReviewVerdict
from trueup.decide.state import State
from trueup.decide.task import Limits, Task, paid_agents
from trueup.errors import UnverifiableError, UsageError
from trueup.evidence.redact import Redactor
from trueup.perform.builtin import advisers
from trueup.perform.checks import learn
from trueup.perform.confinement import sandbox_for
from trueup.perform.context import Context
from trueup.perform.copying import fill_workspace
from trueup.perform.digest import environment_digest
from trueup.perform.first_screen import header
from trueup.perform.hanging import limits_of
from trueup.perform.issue_desk import issue_of
from trueup.perform.issues import TakenError, Work, held
from trueup.perform.lab import Lab
from trueup.perform.laboratory import FACTS, VERIFIERS
from trueup.perform.remembering import earlier_runs, prior_of
from trueup.perform.setting import Setting, make_agents, make_reviewer, open_store, refuse_nested, run_folder, shelf
from trueup.perform.sweeping import sweep, unlock
from trueup.remember import claims
from trueup.remember.database import Database
from trueup.remember.journal import Journal, find_run, forget_run, new_run_id, run_exists
from trueup.remember.leases import Lease
from trueup.report.artifacts import Artifacts, events_so_far
from trueup.report.events import Activity, Notice, RunStarted, Sink, Stream


@contextmanager
def new_run(setting: Setting, task: Task) -> Iterator[tuple[Context, Journal]]:
    """Rescue the user's work, then open a run on it."""
    with _usable(setting) as (state, db):
        agents = make_agents(task, setting.callables)
        make_reviewer(task, setting.callables)  # refused before anything is written
        setting = replace(setting, sandbox=sandbox_for(task, setting.project, setting.environ, state.parent))
        run = _fresh_id(db)
        with _forgotten_if_taken(db, state, run), Lease.acquire(db, task.item, run):
            with _opening(state):
                sweep(db, state, open_store(state))
                facts = _begin(setting, task, state, run)
                facts |= earlier_runs(db, setting.project, task, facts["start"])
            facts |= setting.facts
            journal = Journal.create(db, run=run, task=task, project=str(setting.project.root), facts=facts)
            with (
                held(issue_of(setting, state, db, journal)) as work,
                _sitting(setting, state, db, journal, agents, work) as context,
            ):
                yield context, journal


@contextmanager
def resumed_run(
    setting: Setting,
    prefix: str | None,
    limits: Callable[[Limits], Limits],
    *,
    answer: Callable[[Journal], ReviewVerdict] | None = None,
) -> Iterator[tuple[Context, Journal]]:
    """Go on with a run after a crash, a cancel or an end. `limits` turns the old totals into the new ones; `answer`
    is a person's verdict on what the run waits with, or refuses to give one."""
    with _usable(setting) as (state, db):
        journal = Journal.open(db, find_run(db, prefix))
        with Lease.acquire(db, journal.task.item, journal.run):
            journal = Journal.open(db, journal.run)
            agents = make_agents(journal.task, setting.callables)
            sandbox = sandbox_for(journal.task, setting.project, setting.environ, state.parent)
            setting = replace(setting, sandbox=sandbox)
            with _opening(state):
                sweep(db, state, open_store(state))
                unlock(run_folder(state, journal.run), open_store(state), journal.run)
            decided = PersonDecided(verdict=answer(journal)) if answer else None
            resumed = _resumption(journal, limits)
            with held(issue_of(setting, state, db, journal)) as work:
                if decided is not None:  # first: whoever is killed right after it has lost nothing
                    journal.note(decided)
                journal.note(resumed)
                with _sitting(setting, state, db, journal, agents, work) as context:
                    yield context, journal


@contextmanager
def _forgotten_if_taken(db: Database, state: Path, run: str) -> Iterator[None]:
    """A run that did not get its issue never was, unless something of it may still be at the tracker."""
    try:
        yield
    except (TakenError, TrackerError):
        if claims.of_run(db, run) is not None or Journal.open(db, run).history:
            raise
        forget_run(db, run)
        open_store(state).forget(f"{run}/")
        shutil.rmtree(run_folder(state, run), ignore_errors=True)
        raise


# --- what is read once, at the start ----------------------------------------------------------------------------


@contextmanager
def _usable(setting: Setting) -> Iterator[tuple[Path, Database]]:
    with ExitStack() as stack:
        stack.push(setting.processes)  # released even when the sitting never begins
        refuse_nested(setting.environ)
        yield stack.enter_context(shelf(setting))


def _fresh_id(db: Database) -> str:
    while run_exists(db, run := new_run_id(os.urandom(8))):
        pass
    return run


def _begin(setting: Setting, task: Task, state: Path, run: str) -> dict[str, Any]:
    """Facts that decide the run and must not change while it lasts. The rescue copy is the first thing written."""
    folder = run_folder(state, run)
    folder.mkdir(parents=True, mode=0o700)
    store = open_store(state)
    rules = FileRules.of(setting.project.root, include=task.include)
    taken = rescue(store, setting.project, rules, run, index=folder / "checkout.index")
    start = revision_tree(setting.project, store, task.from_rev) if task.from_rev else taken.tree
    store.keep(f"{run}/start", start)
    if start == store.empty_tree():
        raise UnverifiableError("there is nothing here to work on", why=f"{setting.project.root} holds no file")
    setup = task.setup or detect_setup(setting.project.root, lambda name: which(name, setting.environ.get("PATH", "")))
    return {
        "rules": rules.as_dict(),
        "start": start,
        "head": commit_of(setting.project, task.from_rev) if task.from_rev else setting.project.head,
        "branch": None if task.from_rev else setting.project.branch,
        "setup": setup if task.setup is None else None,
        "packages": Packages.now(setting.project.root, dependency_folders(setting.project.root)).facts(),
        "surroundings": Surroundings.now(_places(setting, task)).facts(),
        "odd": [odd.path for odd in taken.odd],
        "origins": dict(setting.origins),
    }


def _places(setting: Setting, task: Task) -> Places:
    """Where checks find what is not in their tree, the checkout's own environments aside: those have a stamp."""
    nowhere, root = Path(os.devnull), setting.project.root
    variables = check_environment(setting.environ, allow=task.env, tmp=nowhere, cache=nowhere).variables
    sealed = [os.fspath(root / name) for name in dependency_folders(root)]
    commands = [parse_command(check.run) for check in task.checks]
    return Places.of(commands, variables, root=os.fspath(root), sealed=sealed)


def _resumption(journal: Journal, limits: Callable[[Limits], Limits]) -> RunResumed:
    state = fold(journal.task, journal.history)
    ended = state.finished.outcome.status if state.finished else None
    if ended in {Status.PASSED, Status.NOTHING_TO_DO}:
        raise UsageError(f"run {journal.run} has ended: {ended}", do="Start a new one with `trueup run`.")
    if ended is Status.UNVERIFIABLE and not state.attempts:
        raise UsageError(
            f"run {journal.run} never began: {state.finished.outcome.detail if state.finished else ''}",
            do="Once the checks can run, start a new one with `trueup run`.",
        )
    new = limits(state.limits)
    _refuse_less_than_spent(state, new)
    after_end = ended is not None and ended is not Status.CANCELLED
    return RunResumed(after_end=after_end, usd=new.usd, time=new.time, attempts=new.attempts)


def _refuse_less_than_spent(state: State, new: Limits) -> None:
    """The values are totals: one that is below what was used already cannot be meant."""
    made = counted_attempts(state)
    if new.usd is not None and new.usd != state.limits.usd:
        refuse_uncounted("--max-usd", new.usd, paid_agents(state.task))
    if new.attempts < made and new.attempts != state.limits.attempts:
        raise UsageError(
            f"{made} attempts were made already", do=f"Give a new total, for example --max-attempts {made * 2}."
        )
    if new.usd is not None and new.usd < state.spent_usd and new.usd != state.limits.usd:
        spent = f"${state.spent_usd:.2f}"
        raise UsageError(
            f"{spent} was spent already", do=f"Give a new total, for example --max-usd {state.spent_usd * 2:.2f}."
        )
    if new.time is not None and new.time < state.active_seconds and new.time != state.limits.time:
        used = show_duration(state.active_seconds)
        again = show_duration(math.ceil(state.active_seconds * 2))
        raise UsageError(f"{used} were used already", do=f"Give a new total, for example --max-time {again}.")


# --- opening -----------------------------------------------------------------------------------------------------


@contextmanager
def _sitting(
    setting: Setting, state: Path, db: Database, journal: Journal, agents: tuple[Agent, ...], work: Work | None
) -> Iterator[Context]:
    with ExitStack() as stack:
        with _opening(state):
            processes = stack.enter_context(setting.processes)
            context = _context(setting, state, db, journal, agents, processes)
            context.work = work
            stack.callback(_tidy, context)
            _prepare(setting, journal, context)
        yield context


def _prepare(setting: Setting, journal: Journal, context: Context) -> None:
    shutil.rmtree(context.lab.folder, ignore_errors=True)
    before = fold(journal.task, journal.history)
    context.stream.emit(RunStarted(header=header(context, setting, before.limits)), None)
    for text in journal.facts.get("remembered", ()) if not journal.history else ():
        _notice(context.stream, context.redactor, text)
    if context.work is not None:
        _notice(
            context.stream, context.redactor, f"claimed: issue {context.work.source.id} ({context.work.source.shown})"
        )
    with suppress(Cancelled):  # heard again by the loop, which writes it down
        fill_workspace(context)
    context.lab.trusted = not before.attempts and not isinstance(journal.pending, RunAttempt)
    if before.baseline and before.baseline.report:
        learn(context, before.baseline.report)


@contextmanager
def _opening(state: Path) -> Iterator[None]:
    """A disk that is full or fails is no bug of ours: it is said, before an agent is paid."""
    try:
        yield
    except (OSError, ToolFailed) as error:
        why = error.why if isinstance(error, ToolFailed) and error.why else str(error)
        raise UnverifiableError(
            "the run cannot begin: its files could not be written or read",
            why=why,
            do=f"See that there is room in {state} and in the temporary folder, then try again; no agent was started.",
        ) from error


def _context(
    setting: Setting, state: Path, db: Database, journal: Journal, agents: tuple[Agent, ...], processes: Processes
) -> Context:
    task, facts, project = journal.task, journal.facts, setting.project
    folder = run_folder(state, journal.run)
    redactor = Redactor(secret_values(setting.environ))
    store = open_store(state)
    rules = FileRules.from_dict(facts["rules"])
    project = replace(project, head=facts["head"], branch=facts["branch"])
    artifacts = Artifacts(project.root / ".trueup" / "runs" / journal.run, redact=redactor.redact)
    sinks: tuple[Sink, ...] = (*setting.sinks, artifacts)
    stream = Stream(journal.run, clock=time.time, sinks=sinks, after=events_so_far(artifacts.folder))
    workspace = AgentWorkspace(
        folder / "workspace" / project.root.name, project=project, store=store, start=facts["start"], rules=rules
    )
    dependencies = dependency_folders(project.root)
    prior = prior_of(facts)

    lab = Lab(
        store=store,
        processes=processes,
        folder=folder / "benches",
        checkout=project.root,
        start=facts["start"],
        host_env=setting.environ,
        allow_env=task.env,
        setup=task.setup or facts["setup"],
        setup_given=task.setup is not None,
        dependencies=dependencies,
        logs=folder / "logs",
        on_output=lambda text: _tell(stream, redactor, text),
        on_notice=lambda text: _notice(stream, redactor, text),
        keep_log=lambda check, label, text: artifacts.check_log(check, text, label=label),
        packages=Packages.from_facts(project.root, dependencies, facts["packages"]),
        surroundings=_surroundings(setting, task, facts),
        redact=redactor.redact,
        sandbox=setting.sandbox,
        edit_tests=task.edit_tests,
        compiled=setting.compiled,
        facts=Facts(state / FACTS),
        cache=state.parent / VERIFIERS,
        advisers=advisers(task.builtin),
        test_limits=limits_of(task),
    )
    return Context(
        run=journal.run,
        task=task,
        project=project,
        folder=folder,
        store=store,
        rules=rules,
        start=facts["start"],
        workspace=workspace,
        processes=processes,
        lab=lab,
        agents=agents,
        reviewer=make_reviewer(task, setting.callables),
        agent_env=_agent_env(setting, journal.run, folder, workspace.path),
        artifacts=artifacts,
        stream=stream,
        redactor=redactor,
        db=db,
        environment=environment_digest(setting, task, dependencies),
        clock=time.time,
        sleep=_sleeper(processes),
        until=task.until if task.until is not None and task.until > time.time() else None,
        prior=prior,
        prior_verdicts=prior.verdicts if prior else (),
    )


def _surroundings(setting: Setting, task: Task, facts: Mapping[str, Any]) -> Surroundings | None:
    """A run that was begun by an older version has no facts about them."""
    known = facts.get("surroundings")
    return Surroundings.from_facts(_places(setting, task), known) if known else None


def _tell(stream: Stream, redactor: Redactor, text: str) -> None:
    stream.emit(Activity(text=redactor.redact(text)))


def _notice(stream: Stream, redactor: Redactor, text: str) -> None:
    stream.emit(Notice(text=redactor.redact(text)))


def _sleeper(processes: Processes) -> Callable[[float], bool]:
    """Waits in small steps, so that a cancel is heard."""
    pause = threading.Event()

    def sleep(seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if processes.cancelled:
                return False
            pause.wait(min(0.2, max(end - time.monotonic(), 0)))
        return not processes.cancelled

    return sleep


def _agent_env(setting: Setting, run: str, folder: Path, workspace: Path) -> dict[str, str]:
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True, mode=0o700)
    root = os.fspath(setting.project.root)
    return agent_environment(setting.environ, run_id=run, tmp=temporary, rewrite={root: os.fspath(workspace)})


def _tidy(context: Context) -> None:
    context.lab.close()
    for name in ("tmp", "benches", "logs", "review"):
        shutil.rmtree(context.folder / name, ignore_errors=True)
