"""Which tests did pytest collect, and what became of each? Asked through a plug-in that it loads by its environment."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from trueup.act.process import Completed
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.normalize import neutralise
from trueup.evidence.places import shorten, source_at
from trueup.evidence.report import SeenBy, Strength
from trueup.evidence.text import how_it_ended
from trueup.verify.runners.additions import others, probe_module, probe_option, python_home
from trueup.verify.runners.base import Evidence, RunContext
from trueup.verify.runners.pytest_events import Event, Sessions, read_sessions
from trueup.verify.runners.repro import Written, every_written, options, shown_once
from trueup.verify.runners.stand_ins import keep_variables

_NAMES = frozenset({"pytest", "py.test", "pytest-3"})
_PROGRAMS = ("pytest", "py.test", "python", "python3")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*$")
_WRAPPERS = frozenset({"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "coverage", "env", "nice", "time", "xvfb-run"})
_OVERRIDES = ("PYTEST_ADDOPTS=", "PYTHONPATH=")
_FLAGS = re.compile(r"-[Wcop].+")
_OPTIONS = re.compile(
    r"-[Wcop]|--(?!(?:exitfirst|maxfail|stepwise|last-failed|failed-first|new-first|lf|ff|nf|sw|numprocesses|dist|cov"
    r"|no-cov|junit|html|self-contained|durations|tb|report-log|json-report|quiet|verbose|color|deselect|ignore|collect"
    r"|co$|cache|reruns|show|no-header|no-summary|disable-warnings|full-trace|benchmark|alluredir)\b).+"
)
"""Of pytest's options, those that do not just choose tests, show or write something."""
_VALUED = re.compile(r"-[Wcop]|--(?:rootdir|confcutdir|basetemp|config-file|override-ini|import-mode|log-file)")
"""The next word is their value, also if there is such a file."""
_NOTHING_COLLECTED = 5
_MESSAGE_LINES = 5
_EXCERPT_LINES = 60
_NO_PACKAGE = frozenset({"tests", "test", "testing", "docs", "doc", "examples", "scripts", "tools", "benchmarks"})


class PytestRunner:
    name = "pytest"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return bool(pytest_prefix(argv)) and not any(word.startswith(_OVERRIDES) for word in argv)

    def prepare(self, run: RunContext) -> Mapping[str, str]:
        """Options and path are added to the user's own values; the plug-in takes them away again when it loads."""
        home, events = python_home(run), run.records / "events"
        home.mkdir()
        events.mkdir(parents=True)
        (home / "__pycache__").touch()  # no folder: Python compiles our modules anew, whatever lies about
        module = probe_module(run)
        (home / f"{module}.py").write_text(_plugin(), encoding="utf-8")
        (run.scratch / "pyvenv.cfg").touch()  # what lies beside it is no project code to coverage >= 7.13.3
        addopts, path = run.env.get("PYTEST_ADDOPTS"), run.env.get("PYTHONPATH")
        injected = {
            "PYTEST_ADDOPTS": f"{addopts or ''} {probe_option(run)}".strip(),
            "PYTHONPATH": os.pathsep.join(part for part in (str(home), path) if part),
        }
        told = {
            "events": str(events),
            "bench": str(run.folder),
            "checkout": str(run.checkout),
            "own": str(run.scratch.parent),  # temporary files of the bench: modules that tests write there are theirs
            "ignore": run.ignore,
            "select": run.select,
            "keep_going": run.keep_going,
            "test_limit": run.test_limit,
            "addopts": addopts,
            "pythonpath": path,
            "injected": injected,
            "ours": {"PYTEST_ADDOPTS": probe_option(run), "PYTHONPATH": str(home)},
            "others": others(run, ("PYTEST_ADDOPTS", "PYTHONPATH")),
            "packages": sorted(first_party(run.folder)),
        }
        (home / "probe.json").write_text(json.dumps(told), encoding="utf-8")
        return {**injected, **keep_variables(run, _PROGRAMS, tuple(injected))}

    def hindered(self, run: RunContext, completed: Completed) -> bool:
        """The command throws PYTHONPATH away, but not PYTEST_ADDOPTS: pytest cannot find the plug-in."""
        if completed.exit_code == 0 or read_sessions(run.records / "events").started:
            return False
        said = completed.stdout.text()
        return probe_module(run) in said and ("Error importing plugin" in said or "No module named" in said)

    def read(self, run: RunContext, completed: Completed) -> Evidence | None:
        if run.nonce:
            sessions = read_sessions(run.records / "events")
            if sessions.started:
                return _evidence(run, completed, sessions)
        if not self.recognises(run.argv):
            return None
        return _without_report(completed, injected=bool(run.nonce))

    def select(self, argv: tuple[str, ...], ids: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - by the plug-in
        return argv


def pytest_prefix(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The beginning of the command that starts pytest, its own arguments left out; () when it is something else."""
    first = PurePath(argv[0]).name if argv else ""
    if first in _NAMES:
        return argv[:1]
    wrapped, python = first in _WRAPPERS, bool(_PYTHON.match(first))
    for index, word in enumerate(argv[1:], start=1):
        as_module = word == "pytest" and argv[index - 1] == "-m"
        if as_module and (wrapped or python):
            return argv[: index + 1]
        if wrapped and PurePath(word).name in _NAMES:
            return argv[: index + 1]
    return ()


def first_party(folder: Path) -> Iterator[str]:
    """Names of the packages that the tree itself holds, where Python projects keep them."""
    for base in (folder, folder / "src"):
        for package in base.glob("*/__init__.py"):
            name = package.parent.name
            if name not in _NO_PACKAGE and name not in sys.stdlib_module_names:
                yield name


def _plugin() -> str:
    """The plug-in, in a form that coverage does not measure: it would miss the file as soon as that is removed.

    Old versions look at `__file__`, newer ones at the name under which the code was compiled.
    """
    source = Path(__file__).with_name("pytest_plugin.py").read_text(encoding="utf-8")
    return f"""\
home, __file__ = __file__, "<trueup>"
exec(compile({source!r}, __file__, "exec", dont_inherit=True))
settle(home)
"""


def _without_report(completed: Completed, *, injected: bool) -> Evidence:
    if completed.exit_code == _NOTHING_COLLECTED:
        return Evidence(problem="no tests were collected")
    if completed.exit_code == 0 and injected:
        return Evidence(problem="pytest ended with exit code 0 and left no report")
    return Evidence()


def _evidence(run: RunContext, completed: Completed, sessions: Sessions) -> Evidence:
    ids = tuple(sessions.collected)
    return Evidence(
        failures=tuple(_failures(run, completed, sessions)),
        passed=tuple(i for i in ids if sessions.has_passed(i)),
        skipped=tuple(i for i in ids if sessions.is_skipped(i)),
        inventory=ids,
        places=sessions.written_at(),
        strength=Strength.INVENTORY,
        seen_by=SeenBy.STRUCTURE,
        problem=sessions.loaded_from_elsewhere(),
        running=sessions.running(),
        rerun=pytest_prefix(run.argv) or (sessions.python or sys.executable, "-m", "pytest"),
    )


def _failures(run: RunContext, completed: Completed, sessions: Sessions) -> Iterator[Failure]:
    for event in sessions.broken.values():
        yield _collect_failure(run, event)
    for test_id in sessions.reports:
        for event in sessions.failing(test_id):
            yield _failure(run, event, subject=test_id, phase=Phase.RUN, test=True)
    for event in sessions.others:
        if event.ev == "internal" and event.file:  # the project's own doing, not pytest's
            phase = Phase.RUN if sessions.begun else Phase.COLLECT
            yield _failure(run, event, subject="", phase=phase, test=False)
    if not sessions.finished and not completed.timed_out:
        yield from _crashes(run, completed, sessions)


def _crashes(run: RunContext, completed: Completed, sessions: Sessions) -> Iterator[Failure]:
    """The process ended in the middle of a session, whatever exit code it had."""
    ended = f"the test process ended before pytest did ({how_it_ended(completed.exit_code)})"
    running = sessions.running()
    for test_id in running:
        message = f"{ended}, while this test ran"
        file, line, _ = sessions.places.get(test_id, (None, None, ""))
        yield Failure(
            check=run.check,
            subject=test_id,
            kind="crash",
            message=message,
            file=file,
            line=line,
            excerpt=message,
            repro=_repro(run, test_id),
        )
    told_otherwise = completed.exit_code != 0 and (sessions.broken or not sessions.collections)
    if not running and not told_otherwise:
        phase = Phase.RUN if sessions.collections else Phase.COLLECT
        yield Failure(check=run.check, subject="", kind="crash", message=ended, phase=phase, test=False)


def _collect_failure(run: RunContext, event: Event) -> Failure:
    return _failure(run, event, subject=event.id.partition("::")[0], phase=Phase.COLLECT, test=False)


def _failure(run: RunContext, event: Event, *, subject: str, phase: Phase, test: bool) -> Failure:
    known = event.file is not None and event.line is not None
    source_line = source_at(event.file or "", event.line or 0, run.sources) if known else None
    message, text = _clean(run, event.message), _clean(run, event.text or event.message)
    return Failure(
        check=run.check,
        subject=subject,
        phase=phase,
        kind=event.kind,
        message=shorten("\n".join(message.strip().splitlines()[:_MESSAGE_LINES]), 1000),
        file=event.file,
        line=event.line,
        source_line=None if source_line is None else run.redact(source_line),
        excerpt=shorten(head_and_tail(text, _EXCERPT_LINES), 8000),
        repro=_repro(run, subject),
        test=test,
    )


def _clean(run: RunContext, text: str) -> str:
    """Without secrets, before any cut can halve one."""
    return run.as_seen(run.redact(neutralise(text)))


def _repro(run: RunContext, subject: str) -> str | None:
    """With the options that may change what a test does; what is chosen, shown or written plays no part.

    None where two commands may have run it, with other options or variables.
    """
    if not subject:
        return None
    file, colons, name = subject.partition("::")
    every = every_written(run, pytest_prefix, ("pytest",))
    theirs = [how for how in every if _runs(run, how, file)] or every
    return shown_once(theirs, lambda how: how.again(*_kept(run, how), how.path(file) + colons + name))


def _kept(run: RunContext, how: Written) -> tuple[str, ...]:
    return options(
        how.arguments,
        _FLAGS,
        _OPTIONS,
        is_operand=lambda option, word: not _VALUED.fullmatch(option) and _is_there(run, how, word),
    )


def _runs(run: RunContext, how: Written, file: str) -> bool:
    """Whether it may have run the tests of this file."""
    named = [
        word.partition("::")[0] for word in how.arguments if not word.startswith("-") and _is_there(run, how, word)
    ]
    path = PurePath(how.path(file))
    return path.parts[:1] != ("..",) and (not named or any(path.is_relative_to(PurePath(word)) for word in named))


def _is_there(run: RunContext, how: Written, word: str) -> bool:
    return (run.folder / how.folder / word.partition("::")[0]).exists()


def head_and_tail(text: str, limit: int) -> str:
    """At most `limit` lines, with a line between them that says how many were left out."""
    lines = text.splitlines()
    if len(lines) <= limit:
        return text
    head, tail = lines[: limit // 2], lines[-(limit // 2) :]
    return "\n".join([*head, f"[… {len(lines) - limit} lines left out …]", *tail])
