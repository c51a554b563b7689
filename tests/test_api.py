"""The library: `from trueup import Task, Check, run`."""

from __future__ import annotations

import asyncio
import ctypes
import dataclasses
import gc
import json
import locale
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import trueup
from trueup import (
    Agent,
    AgentContext,
    AgentReport,
    AgentStatus,
    Check,
    ConflictError,
    NotPassedError,
    Result,
    Resume,
    Status,
    Strength,
    Task,
    TaskKeywords,
    TrueupError,
    UnverifiableError,
    UsageError,
    Verdict,
    events,
    resume,
    run,
    run_async,
    start,
)
from trueup.act.process import quick
from trueup.api.exact import KEYWORDS
from trueup.api.functions import as_function
from trueup.config import Overrides, build_task
from trueup.config.file import AGENT, CHECK
from trueup.testing import ScriptedAgent, Step, python_project

WRONG, HALF, RIGHT = (
    "def add(a, b):\n    return a - b\n",
    "def add(a, b):\n    return 5\n",
    "def add(a, b):\n    return a + b\n",
)
FILES = {
    "calc.py": WRONG,
    "check.py": "import sys\nsys.path.insert(0, '.')\nfrom calc import add\nassert (add(2, 3), add(4, 4)) == (5, 8)\n",
}
CHECK_IT = Check([sys.executable, "-S", "check.py"], name="sums")
HANG = 120.0
"""Only a guard: nothing here takes so long unless something hangs."""


def fix(context: AgentContext) -> float:
    context.say("mending add")
    (context.workspace / "calc.py").write_text(RIGHT)
    return 0.02


def nothing(context: AgentContext) -> None:
    """An agent that does not know what to do."""


def task(agent: Any = fix, **more: Any) -> Task:
    return Task("make add right", agent=agent, checks=[CHECK_IT], **more)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return python_project(tmp_path / "sums", files=FILES)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@dataclasses.dataclass(frozen=True)
class Played:
    result: Result
    seen: list[events.Envelope]
    threads: set[int]
    project: Path
    state: Path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """One run that passes, looked at by many tests."""
    folder = tmp_path_factory.mktemp("played")
    project = python_project(folder / "sums", files=FILES)
    seen: list[events.Envelope] = []
    threads: set[int] = set()

    def watch(envelope: events.Envelope) -> None:
        seen.append(envelope)
        threads.add(threading.get_ident())

    result = run(task(), project, on_event=watch, state=folder / "state")
    return Played(result, seen, threads, project, folder / "state")


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """One run that ends without success."""
    folder = tmp_path_factory.mktemp("ended")
    project = python_project(folder / "sums", files=FILES)
    return run(task(nothing, max_attempts=1), project, state=folder / "state")


# --- what a run comes to -----------------------------------------------------------------------------------------


def test_a_function_as_the_agent_passes_with_a_proof(played: Played) -> None:
    result = played.result
    assert result.passed
    assert (result.status, result.exit_code, result.partial) == (Status.PASSED, 0, False)
    assert (result.strength, result.usd, result.best_attempt) == (Strength.EXIT_CODE, 0.02, 1)
    assert (result.fixed, result.new, result.remaining, result.failures) == (("sums ",), (), (), ())
    assert [(c.name, c.origin) for c in result.checks] == [("sums", "Task")]
    assert [c.path for c in result.changed] == ["calc.py"]
    assert result.report_path.is_file()
    assert result.explanation.startswith("passed")
    result.raise_unless_passed()


def test_an_attempt_tells_who_did_what(played: Played) -> None:
    (attempt,) = played.result.attempts
    assert (attempt.number, attempt.agent, attempt.ended) == (1, "fix", AgentStatus.DONE)
    assert (attempt.verdict, attempt.fixed, attempt.broken) == (Verdict.GREEN, ("sums ",), ())
    assert (attempt.changed, attempt.put_back, attempt.remaining, attempt.usd) == (("calc.py",), (), 0, 0.02)
    assert attempt.tree == played.result.tree


def test_every_event_comes_in_order_in_the_calling_thread(played: Played) -> None:
    assert [e.seq for e in played.seen] == list(range(1, len(played.seen) + 1))
    assert {e.schema for e in played.seen} == {events.SCHEMA}
    assert {e.run for e in played.seen} == {played.result.run}
    assert isinstance(played.seen[0].event, events.RunStarted)
    assert isinstance(played.seen[-1].event, events.RunEnded)
    assert threading.get_ident() in played.threads
    assert len(played.threads) == 1


def test_events_can_be_matched_by_type(played: Played) -> None:
    found: dict[str, Any] = {}
    for envelope in played.seen:
        match envelope.event:
            case events.Activity(text="mending add"):
                found["said"] = envelope.attempt
            case events.MoveDone(record=events.Attempted(claimed_usd=usd)):
                found["usd"] = usd
            case events.Judged(attempt=number, judgement=events.Judgement(kind=Verdict.GREEN)):
                found["green"] = number
            case _:
                pass
    assert found == {"said": 1, "usd": 0.02, "green": 1}


def test_what_is_handed_back_can_be_read_and_is_on_the_branch(played: Played) -> None:
    result = played.result
    assert "-    return a - b\n+    return a + b\n" in result.diff()
    assert result.patch().decode() == result.diff()
    assert result.branch is not None
    assert quick(["git", "show", f"{result.branch}:calc.py"], cwd=played.project).decode() == RIGHT
    assert (played.project / "calc.py").read_text() == WRONG


def test_an_end_without_success_is_returned_with_what_fails(ended: Result) -> None:
    assert not ended.passed
    assert (ended.status, ended.exit_code) == (Status.OUT_OF_BUDGET, 3)
    (failure,) = ended.failures
    assert (failure.key, failure.kind, failure.since) == ("sums ", "AssertionError", 0)
    assert (ended.tree, ended.branch, ended.proof, ended.strength) == (ended.start, None, None, None)
    assert (ended.diff(), ended.changed) == ("", ())
    assert ended.attempts[0].verdict is Verdict.NO_OP
    assert ended.usd is None
    assert ended.explanation.startswith("out of budget")


def test_an_end_without_success_can_be_made_an_error(ended: Result) -> None:
    with pytest.raises(NotPassedError) as caught:
        ended.raise_unless_passed()
    assert caught.value.result is ended
    assert caught.value.exit_code == 3
    assert "out of budget" in str(caught.value)


def test_what_is_no_better_than_the_start_cannot_be_applied(ended: Result) -> None:
    with pytest.raises(UsageError, match="nothing to apply"):
        ended.apply()


def test_a_partial_result_is_applied_only_when_asked_and_a_conflict_writes_nothing(project: Path, state: Path) -> None:
    (project / "more.py").write_text("from calc import add\nassert add(2, 3) == 5\n")
    checks = [
        CHECK_IT,
        Check([sys.executable, "-S", "-c", "import sys; sys.path.insert(0, '.'); import more"], name="more"),
    ]

    def half(context: AgentContext) -> None:
        (context.workspace / "calc.py").write_text(HALF)

    result = run(Task("half", agent=half, checks=checks, max_attempts=1), project, state=state)
    assert (result.partial, result.fixed, result.remaining) == (True, ("more ",), ("sums ",))
    with pytest.raises(UsageError, match="did not pass"):
        result.apply()
    (project / "calc.py").write_text("def add(a, b):\n    return 0\n")
    with pytest.raises(ConflictError):
        result.apply(partial=True)
    (project / "calc.py").write_text(WRONG)
    applied = result.apply(partial=True)
    assert (applied.paths, applied.already, applied.merged) == (("calc.py",), (), False)
    assert (project / "calc.py").read_text() == HALF
    assert result.apply(partial=True).already == ("calc.py",)


def test_checks_that_are_not_given_are_found_and_named(tmp_path: Path, state: Path) -> None:
    project = python_project(tmp_path / "made", files={"Makefile": "test:\n\ttrue\n"})
    result = run(Task(agent=nothing), project, state=state)
    assert (result.status, result.attempts) == (Status.NOTHING_TO_DO, ())
    assert [(c.command, c.origin) for c in result.checks] == [("make test", "the test target in Makefile")]
    result.raise_unless_passed()


def test_the_json_is_the_last_line_of_the_command_line(tmp_path: Path) -> None:
    """Two checkouts of the same files, the same agent: once as a command, once by the library."""
    agent = ScriptedAgent(Step(writes={"calc.py": RIGHT}, usd=0.5)).as_command(tmp_path / "agent")
    check = f"{sys.executable} -S check.py"
    environ = {**_bare_environ(), "XDG_STATE_HOME": str(tmp_path / "state")}
    projects = [python_project(tmp_path / name / "sums", files=FILES) for name in ("cli", "api")]
    words = ["run", "make add right", "--agent-cmd", agent, "--check", check, "--json", "-C", str(projects[0])]
    said = subprocess.run([sys.executable, "-m", "trueup", *words], env=environ, capture_output=True, check=True)
    result = run(Task("make add right", agent=agent, checks=[check]), projects[1], environ=environ)
    assert _steady(said.stdout.decode().splitlines()[-1]) == _steady(result.to_json())
    assert result.usd == 0.5


def _steady(line: str) -> dict[str, Any]:
    """Without what differs from run to run."""
    envelope: dict[str, Any] = json.loads(line)
    for name in ("run", "time", "seq"):
        assert envelope.pop(name)
    assert envelope["event"]["outcome"].pop("seconds") > 0
    return envelope


def _bare_environ() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("TRUEUP_")}


# --- cancelling and going on -------------------------------------------------------------------------------------

SLOW_THEN_RIGHT = """\
import os, pathlib, sys, time
if sys.argv[1] == "1":
    pathlib.Path(sys.argv[2]).write_text(str(os.getpid()))
    print("asleep", flush=True)
    time.sleep(600)
pathlib.Path("calc.py").write_text(sys.argv[3])
"""


@dataclasses.dataclass(frozen=True)
class Slow:
    """An agent that sleeps at its first attempt, and mends everything at its second."""

    task: Task
    pid_file: Path

    def is_asleep(self, envelope: events.Envelope) -> bool:
        return envelope.event == events.Activity(text="asleep")

    @property
    def runs(self) -> bool:
        return Path(f"/proc/{self.pid_file.read_text()}").exists()


@pytest.fixture
def slow(tmp_path: Path) -> Slow:
    script, pid_file = tmp_path / "agent.py", tmp_path / "pid"
    script.write_text(SLOW_THEN_RIGHT)
    words = [sys.executable, "-S", str(script), "{attempt}", str(pid_file), RIGHT]
    return Slow(task(Agent("slow", command=words)), pid_file)


def test_a_cancelled_run_ends_cleanly_and_can_be_resumed(project: Path, state: Path, slow: Slow) -> None:
    cancel = threading.Event()

    def watch(envelope: events.Envelope) -> None:
        if slow.is_asleep(envelope):
            cancel.set()

    first = run(slow.task, project, on_event=watch, cancel=cancel, state=state)
    assert (first.status, first.exit_code, first.attempts[0].ended) == (Status.CANCELLED, 130, AgentStatus.CANCELLED)
    assert not slow.runs
    second = resume(first.run[:4], project, state=state, max_attempts=5)
    assert (second.run, second.passed) == (first.run, True)
    assert [a.number for a in second.attempts] == [1, 2]


def test_an_error_in_the_callback_ends_the_run_and_is_raised(project: Path, state: Path, slow: Slow) -> None:
    def watch(envelope: events.Envelope) -> None:
        if slow.is_asleep(envelope):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        run(slow.task, project, on_event=watch, state=state)
    assert not slow.runs


def test_a_cancel_before_anything_began_is_heard(project: Path, state: Path) -> None:
    with start(task(setup="sleep 600"), project, state=state) as handle:
        handle.cancel()
        result = handle.result(HANG)
    assert (result.status, result.attempts) == (Status.CANCELLED, ())
    assert resume(result.run, project, state=state, agent=fix, cancel=_set()).status is Status.CANCELLED


def test_no_agent_is_called_after_a_cancel(project: Path, state: Path) -> None:
    calls: list[int] = []

    def wait(context: AgentContext) -> None:
        calls.append(context.attempt)
        context.say("here")
        context.stop.wait(HANG)

    with start(task(wait), project, state=state) as handle:
        next(e for e in handle if e.event == events.Activity(text="here"))
    with start(Resume(agent=wait), project, state=state) as again:
        again.cancel()  # the start was checked before: an attempt would be the next step
        assert again.result(HANG).status is Status.CANCELLED
    assert calls == [1]


def _set() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


def test_a_function_has_to_be_given_again_to_go_on(project: Path, state: Path) -> None:
    first = run(task(), project, state=state, cancel=_set())
    with pytest.raises(UsageError, match="no function is known for the agent 'fix'"):
        resume(first.run, project, state=state)
    second = resume(None, project, state=state, agent=fix)
    assert second.passed, second.explanation


def test_leaving_the_block_ends_the_run_with_its_children(project: Path, state: Path, slow: Slow) -> None:
    with start(slow.task, project, state=state) as handle:
        next(e for e in handle if slow.is_asleep(e))
        assert not handle.done
        assert slow.runs
    assert handle.done
    assert not slow.runs
    assert handle.result().status is Status.CANCELLED


def test_each_iteration_has_every_event_also_after_the_end(project: Path, state: Path) -> None:
    with start(task(), project, state=state) as handle:
        with pytest.raises(TimeoutError):
            handle.result(timeout=0)
        live = list(handle)
        again = list(handle)
        assert handle.result().passed
    assert live == again == list(handle)
    assert [e.seq for e in live] == list(range(1, len(live) + 1))


INTERRUPTED = """\
import os, signal, sys
from trueup import Task, run

def agent(context):
    os.kill(os.getpid(), signal.SIGINT)
    assert context.stop.wait(600)

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    run(Task("x", agent=agent, checks=[sys.executable + " -S check.py"]), sys.argv[1], state=sys.argv[2])
except KeyboardInterrupt:
    children = open("/proc/self/task/%d/children" % os.getpid()).read()
    sys.exit("children left" if children else 42)
"""


def test_ctrl_c_ends_the_run_first_and_is_then_raised(project: Path, state: Path) -> None:
    words = [sys.executable, "-c", INTERRUPTED, str(project), str(state)]
    said = subprocess.run(words, env=_bare_environ(), capture_output=True, timeout=HANG)
    assert (said.returncode, said.stdout, said.stderr) == (42, b"", b"")
    with pytest.raises(UsageError, match="no function is known"):  # it was written down, and can be resumed
        resume(None, project, state=state)


# --- in an event loop ----------------------------------------------------------------------------------------------


def test_a_run_does_not_block_the_event_loop(project: Path, state: Path) -> None:
    async def program() -> tuple[Result, int, list[int]]:
        ticks, seen = 0, []

        async def watch(envelope: events.Envelope) -> None:
            await asyncio.sleep(0)
            seen.append(envelope.seq)

        async def agent(context: AgentContext) -> AgentReport:
            await asyncio.sleep(0)
            return AgentReport(usd=fix(context), note="done")

        work = asyncio.ensure_future(run_async(task(agent), project, on_event=watch, state=state))
        while not work.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return work.result(), ticks, seen

    result, ticks, seen = asyncio.run(program())
    assert result.passed
    assert (result.attempts[0].note, result.usd) == ("done", 0.02)
    assert ticks > 10
    assert seen == list(range(1, len(seen) + 1))


def test_a_timeout_ends_the_run_cleanly_before_it_is_raised(project: Path, state: Path, slow: Slow) -> None:
    async def program() -> None:
        async with asyncio.timeout(None) as limit:

            def watch(envelope: events.Envelope) -> None:
                if slow.is_asleep(envelope):
                    limit.reschedule(0)

            await run_async(slow.task, project, on_event=watch, state=state)

    with pytest.raises(TimeoutError):
        asyncio.run(program())
    assert not slow.runs
    assert resume(None, project, state=state).passed


def test_an_async_block_can_be_left_in_the_middle(project: Path, state: Path, slow: Slow) -> None:
    async def program() -> Result:
        async with start(slow.task, project, state=state) as handle:
            async for envelope in handle:
                if slow.is_asleep(envelope):
                    break
        assert handle.done
        return await handle

    assert asyncio.run(program()).status is Status.CANCELLED
    assert not slow.runs


def test_cancelling_a_task_that_awaits_a_run_cancels_the_run(project: Path, state: Path, slow: Slow) -> None:
    async def program() -> Status:
        handle = start(slow.task, project, state=state)

        async def wait() -> Result:
            return await handle

        waiting = asyncio.ensure_future(wait())
        async for envelope in handle:
            if slow.is_asleep(envelope):
                waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return handle.result().status

    assert asyncio.run(program()) is Status.CANCELLED
    assert not slow.runs


def test_what_a_run_raises_is_raised_where_it_is_awaited(tmp_path: Path) -> None:
    async def program() -> None:
        async with start(task(), tmp_path / "nowhere") as handle:
            with pytest.raises(UsageError, match="not a directory"):
                await handle
            with pytest.raises(UsageError):
                _ = [e async for e in handle]

    asyncio.run(program())


# --- the host ------------------------------------------------------------------------------------------------------


def _portrait() -> dict[str, object]:
    gc.collect()
    children = [(t / "children").read_text() for t in Path("/proc/self/task").iterdir()]
    mask = os.umask(0o022)
    os.umask(mask)
    prctl, flag = ctypes.CDLL(None).prctl, ctypes.c_int()
    prctl(37, ctypes.byref(flag), 0, 0, 0)  # PR_GET_CHILD_SUBREAPER
    return {
        "descriptors": {fd.name: os.readlink(fd) for fd in Path("/proc/self/fd").iterdir() if fd.exists()},
        "threads": set(threading.enumerate()),
        "children": "".join(children).split(),
        "handlers": {n: signal.getsignal(n) for n in signal.valid_signals()},
        "cwd": Path.cwd(),
        "environ": dict(os.environ),
        "umask": mask,
        "locale": locale.setlocale(locale.LC_ALL),
        "logging": (logging.root.level, list(logging.root.handlers)),
        "dumpable": prctl(3, 0, 0, 0, 0),  # PR_GET_DUMPABLE
        "sub-reaper": flag.value,
        "limits": Path("/proc/self/limits").read_text(),
        "hooks": (sys.excepthook, threading.excepthook, sys.stdout, sys.stderr),
    }


def test_the_host_process_is_not_altered(
    played: Played, project: Path, state: Path, slow: Slow, capfd: pytest.CaptureFixture[str]
) -> None:
    assert played.result.passed  # everything is imported by now
    before = _portrait()
    with start(slow.task, project, state=state) as handle:
        next(e for e in handle if slow.is_asleep(e))
    del handle
    assert resume(None, project, state=state).passed
    assert _portrait() == before
    assert capfd.readouterr() == ("", "")


def test_two_runs_at_once_in_two_threads(tmp_path: Path, state: Path) -> None:
    both = threading.Barrier(2, timeout=HANG)
    results: dict[str, Result] = {}

    def meet(context: AgentContext) -> float:
        both.wait()
        return fix(context)

    def work(name: str) -> None:
        project = python_project(tmp_path / name, files=FILES)
        results[name] = run(task(meet), project, state=state)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[name].passed for name in ("one", "two")] == [True, True]
    assert results["one"].project != results["two"].project


def test_agents_see_the_given_environment_and_not_where_state_is_kept(project: Path, state: Path) -> None:
    seen: dict[str, str] = {}

    def look(context: AgentContext) -> None:
        seen.update(context.env)

    environ = {"PATH": os.environ["PATH"], "HOME": str(project.parent / "home"), "COLOUR": "blue"}
    result = run(task(look, max_attempts=1), project, state=state, environ=environ)
    assert seen["COLOUR"] == "blue"
    assert "XDG_STATE_HOME" not in seen
    assert {"TRUEUP_RUN", "TMPDIR"} <= seen.keys() - os.environ.keys()
    assert list((state / "trueup").iterdir())
    assert not (project.parent / "home").exists()
    assert result.status is Status.OUT_OF_BUDGET


def test_a_run_inside_a_run_is_refused(project: Path, state: Path) -> None:
    with pytest.raises(UsageError, match="already running"):
        run(task(), project, state=state, environ={"TRUEUP_RUN": "7f3a", "PATH": os.environ["PATH"]})


def test_an_error_that_nobody_asked_for_is_raised_at_the_end_of_the_block(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a directory"), start(task(), tmp_path / "nowhere"):
        pass


def test_without_any_check_nothing_is_claimed(tmp_path: Path, state: Path) -> None:
    project = python_project(tmp_path / "bare", files={"a": "1"})
    with pytest.raises(UnverifiableError, match="no check"):
        run(Task(agent=nothing), project, state=state)


def test_importing_trueup_loads_nothing() -> None:
    code = "import sys; before = set(sys.modules); import trueup; print(*sorted(set(sys.modules) - before))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert said.stdout.split() == [b"trueup", b"trueup.version"]


def test_importing_the_names_starts_nothing_heavy() -> None:
    code = f"import sys; from trueup import {', '.join(sorted(set(trueup.__all__) - {'__version__'}))}; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert not {b"sqlite3", b"rich", b"typer", b"tomlkit", b"pathspec", b"psutil"} & set(said.stdout.split())


def test_every_public_name_is_there_and_no_other() -> None:
    assert set(trueup.__all__) <= set(dir(trueup))
    assert all(getattr(trueup, name) is not None for name in trueup.__all__)
    with pytest.raises(AttributeError, match="'runn'"):
        _ = trueup.runn  # type: ignore[attr-defined]  # that it is unknown is the point
    assert (Path(trueup.__file__).parent / "py.typed").is_file()


# --- what is asked for ---------------------------------------------------------------------------------------------


def test_the_defaults_are_those_of_the_command_line() -> None:
    assert Task().asked().task == build_task({}, Overrides(), {})
    same = Task("fix it", agent="my-agent --cost {result_file}", checks=["pytest -q"], goal=["t.py::x"], max_usd=2)
    flags = Overrides(
        task="fix it", agent_cmd="my-agent --cost {result_file}", check=("pytest -q",), target=("t.py::x",), max_usd=2
    )
    assert same.asked().task == build_task({}, flags, {})


def test_every_configuration_key_is_a_keyword() -> None:
    assert set(KEYWORDS) <= {f.name for f in dataclasses.fields(Task)}
    assert set(AGENT) | {"function"} == {f.name for f in dataclasses.fields(Agent)}
    assert set(CHECK) == {f.name for f in dataclasses.fields(Check)}
    assert set(TaskKeywords.__annotations__) == {f.name for f in dataclasses.fields(Task)}


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (
            lambda: Task(max_attempts=0),
            r"Task\(max_attempts=0\) cannot be used\nIt has to be a whole number, 1 or more",
        ),
        (lambda: Task(max_time="soon"), r"Task\(max_time='soon'\) cannot be used\nIt has to be a duration"),
        (lambda: Task(max_usd=-1), r"Task\(max_usd=-1\) cannot be used"),
        (lambda: Task(only="src/**"), r"Task\(only='src/\*\*'\) cannot be used\nIt has to be a list of patterns"),
        (lambda: Task(goal="gren"), r"Task\(goal='gren'\) cannot be used"),  # type: ignore[arg-type]
        (lambda: Task(" "), "the task is empty"),
        (lambda: Task(3), r"Task\(text=3\)"),  # type: ignore[arg-type]
        (lambda: Task(item="a b"), r"^item a b cannot be used\n.*\nFor example: item a-b"),
        (lambda: Task(from_rev="--exec"), r"^from_rev"),
        (lambda: Task(until="late"), r"^until late cannot be used"),
        (lambda: Task(checks="pytest"), r"Task\(checks='pytest'\)"),
        (lambda: Task(checks=[Check("a", name="a", after=["b"])]), "comes after 'b', which does not exist"),
        (lambda: Check("  "), r"Check\(run='  '\)"),
        (lambda: Check("a", timeout=-1), r"Check\(timeout=-1\)"),
        (lambda: Task(agent=3), r"Task\(agent=3\)"),  # type: ignore[arg-type]
        (lambda: Task(agent=Agent("nobody")), "agent 'nobody' is not known"),
        (lambda: Task(agent=[Agent("a", command="x"), Agent("a", command="y")]), "two agents are named 'a'"),
        (lambda: Agent("a", command="x", function=nothing), "a command and a function"),
        (lambda: Agent("a", function=3), "function=3"),  # type: ignore[arg-type]
        (lambda: Task(agent="blind", max_usd=2), "^max_usd 2 cannot be kept: agent 'blind'"),
        (lambda: Resume("x", max_attempts=0), r"Resume\(max_attempts=0\)"),
        (lambda: start(Task(checks=["true"])), "no agent was given"),
    ],
)
def test_what_cannot_be_used_is_refused_at_once(ask: Callable[[], object], what: str) -> None:
    with pytest.raises(UsageError, match=what) as caught:
        ask()
    assert "--" not in str(caught.value).replace("--dangerously-skip-permissions", "")


def test_agents_take_over_in_the_order_of_the_list_each_under_a_name_of_its_own() -> None:
    asked = Task(agent=["tool one", "tool two", fix, fix, lambda _: None, Agent("last", command=["x", "y"])]).asked()
    assert [a.name for a in asked.task.agents] == ["tool", "tool-2", "fix", "fix-2", "lambda", "last"]
    assert set(asked.functions) == {"fix", "fix-2", "lambda"}


def test_a_function_has_no_limit_in_dollars_unless_one_is_given() -> None:
    assert Task(agent=fix).asked().task.limits.usd is None
    limited = Task(agent=fix, max_usd=3).asked().task
    assert (limited.limits.usd, limited.agents[0].reports_cost) == (3.0, True)
    priced = Task(agent=Agent("me", function=fix, usd_per_attempt=0.5)).asked().task
    assert (priced.limits.usd, priced.agents[0].reports_cost, priced.agents[0].usd_per_attempt) == (5.0, False, 0.5)


CONFIG = """\
goal = "no-new-failures"
only = ["src/**"]
min_strength = "inventory"
agent_timeout = "5m"

[[check]]
name = "types"
run = ["mypy", "src"]

[[check]]
run = "pytest -q"
after = ["types"]
timeout = "10m"

[[agent]]
name = "quick"
command = "quick {result_file}"

[limits]
usd = "none"
attempts = 4
"""


def test_the_configuration_is_read_only_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "trueup.toml").write_text(CONFIG)
    from_file = Task.from_config(tmp_path)
    import tomllib

    from trueup.config.file import validate

    assert from_file.asked().task == build_task(validate(tomllib.loads(CONFIG), "f"), Overrides(), {})
    changed = Task.from_config(tmp_path, text="other", agent=fix, max_attempts=2, only=())
    assert (changed.text, changed.max_attempts, changed.only) == ("other", 2, ())
    assert [a.name for a in changed.asked().task.agents] == ["fix"]
    assert changed.goal == "no-new-failures"
    assert dataclasses.replace(changed, max_attempts=3).asked().task.limits.attempts == 3


def test_no_variable_of_the_command_line_reaches_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEUP_MAX_ATTEMPTS", "1")
    assert Task().asked().task.limits.attempts == 10


# --- asynchronous functions ------------------------------------------------------------------------------------------


@pytest.fixture
def context(tmp_path: Path) -> Iterator[AgentContext]:
    made = AgentContext(
        prompt="",
        workspace=tmp_path,
        attempt=1,
        seconds=60,
        usd=None,
        env={},
        fresh_session=True,
        session="",
        say=lambda _: None,
    )
    yield made
    made.stop.set()


def test_an_asynchronous_agent_is_cancelled_when_its_time_is_up(context: AgentContext) -> None:
    cleaned = []

    async def agent(context: AgentContext) -> None:
        context.stop.set()
        try:
            await asyncio.sleep(600)
        finally:
            cleaned.append(True)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        as_function(agent)(context)
    assert cleaned == [True]
    assert time.monotonic() - began < HANG


def test_an_asynchronous_agent_answers_like_a_plain_one(context: AgentContext) -> None:
    async def agent(context: AgentContext) -> float:
        return 0.5

    assert as_function(agent)(context) == as_function(lambda _: 0.5)(context) == 0.5


def test_every_error_of_the_library_is_one_kind() -> None:
    assert all(issubclass(e, TrueupError) for e in (UsageError, UnverifiableError, ConflictError, NotPassedError))
