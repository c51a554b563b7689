"""Which unittest tests are there, and what became of each? Asked by a hook that waits until `unittest` is imported."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath

from trueup.act.process import Completed
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.normalize import neutralise
from trueup.evidence.places import shorten, source_at
from trueup.evidence.report import SeenBy, Strength
from trueup.evidence.text import failures_from_text
from trueup.verify.runners.additions import others, preload_option, probe_option, python_home
from trueup.verify.runners.base import Evidence, RunContext
from trueup.verify.runners.pytest_events import Event, Sessions, read_sessions
from trueup.verify.runners.pytest_runner import first_party, head_and_tail
from trueup.verify.runners.repro import Written, every_written, shown_once

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*$")
_WRAPPERS = frozenset({"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "coverage", "env", "nice", "time", "xvfb-run"})
_NO_SITE = re.compile(r"-[bBdiOqsuvx]*[SEI]")
"""Options of the interpreter that keep our hook from being loaded."""
_NOTHING_RAN = 5
_SITECUSTOMIZE = """\
import sys

WATCHED = ("unittest.suite", "unittest.loader", "unittest.case", "unittest.async_case", "tox.plugin.manager")


class Waiting:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in WATCHED:
            return None
        try:
            finders = [f for f in sys.meta_path if f is not Waiting]
            plugin = "_trueup_tox" if name.startswith("tox.") else "_trueup_unittest"
            scope = sys.modules.get(plugin)
            if scope is None:
                scope = sys.modules[plugin] = type(sys)(plugin)
                with open(HOME + "/" + plugin[8:] + "_plugin.txt", encoding="utf-8") as file:
                    exec(compile(file.read(), "<trueup>", "exec", dont_inherit=True), scope.__dict__)
            return scope.watched_spec(HOME, finders, name, path, target)
        except Exception:
            return None  # nothing of ours may reach the program


def give_way():
    ours, kept = sys.modules.pop("sitecustomize", None), sys.path[:]
    sys.path[:] = theirs = [entry for entry in kept if entry != HOME]
    try:
        import sitecustomize
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":  # Python 2 does not say
            raise
    finally:
        sys.path[:] = kept if sys.path == theirs else [HOME] + sys.path
        if ours is not None:
            sys.modules.setdefault("sitecustomize", ours)


if sys.version_info >= (3, 8):
    # Coverage leaves code with such a name alone; it would miss the file as soon as that is removed.
    Waiting.find_spec.__code__ = Waiting.find_spec.__code__.replace(co_filename="<trueup>")
    sys.meta_path.insert(0, Waiting)
    if "unittest.suite" not in sys.modules:
        try:
            open(LOADED, "w").close()
        except OSError:
            pass
give_way()
"""
"""Code for any Python, also one that is too old for the rest."""


class UnittestRunner:
    name = "unittest"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        prefix = unittest_prefix(argv)
        return bool(prefix) and not any(_NO_SITE.match(word) or word.startswith("PYTHONPATH=") for word in prefix)

    def prepare(self, run: RunContext) -> Mapping[str, str]:
        """A `sitecustomize` that gives way to the environment's own, in the folder that pytest's probe has as well."""
        home, events = python_home(run), run.records / "unittest-events"
        home.mkdir(exist_ok=True)
        events.mkdir(parents=True)
        places = f"HOME, LOADED = {str(home)!r}, {str(_loaded(run))!r}\n"
        (home / "sitecustomize.py").write_text(places + _SITECUSTOMIZE, encoding="utf-8")
        (run.scratch / "pyvenv.cfg").touch()  # what lies beside it is no project code to coverage >= 7.13.3
        plugin = Path(__file__).with_name("unittest_plugin.py").read_text(encoding="utf-8")
        (home / "unittest_plugin.txt").write_text(plugin, encoding="utf-8")
        path = run.env.get("PYTHONPATH")
        ours = {"PYTHONPATH": str(home), "PYTEST_ADDOPTS": probe_option(run)}
        _prepare_tox(home, {**ours, "NODE_OPTIONS": preload_option(run)})
        told = {
            "events": str(events),
            "bench": str(run.folder),
            "checkout": str(run.checkout),
            "own": str(run.scratch.parent),
            "ignore": run.ignore,
            "select": run.select,
            "keep_going": run.keep_going,
            "hidden": {"PYTHONPATH": path, "PYTEST_ADDOPTS": run.env.get("PYTEST_ADDOPTS")},
            "ours": ours,
            "others": others(run, tuple(ours)),
            "packages": sorted(first_party(run.folder)),
        }
        (home / "unittest_probe.json").write_text(json.dumps(told), encoding="utf-8")
        return {"PYTHONPATH": os.pathsep.join(part for part in (str(home), path) if part)}

    def hindered(self, run: RunContext, completed: Completed) -> bool:  # noqa: ARG002 - it is not there, or does no harm
        return False

    def read(self, run: RunContext, completed: Completed) -> Evidence | None:
        if run.nonce:
            sessions = read_sessions(run.records / "unittest-events")
            if sessions.started:
                return _evidence(run, completed, sessions)
        if not self.recognises(run.argv):
            return None
        return _without_report(completed, loaded=_loaded(run).exists())

    def select(self, argv: tuple[str, ...], ids: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - by the hook
        return argv


def _loaded(run: RunContext) -> Path:
    return run.records / "loaded"


def _prepare_tox(home: Path, added: Mapping[str, str]) -> None:
    """tox gives its commands an environment of its own making; a hook adds to it what finds the probes."""
    plugin = Path(__file__).with_name("tox_plugin.py").read_text(encoding="utf-8")
    (home / "tox_plugin.txt").write_text(plugin, encoding="utf-8")
    (home / "tox_probe.json").write_text(json.dumps(added), encoding="utf-8")


def unittest_prefix(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`python -m unittest` and what stands before it; () when the command is something else."""
    first = PurePath(argv[0]).name if argv else ""
    if first not in _WRAPPERS and not _PYTHON.match(first):
        return ()
    at = next((n for n in range(1, len(argv)) if argv[n - 1 : n + 1] == ("-m", "unittest")), None)
    return () if at is None else argv[: at + 1]


def _without_report(completed: Completed, *, loaded: bool) -> Evidence:
    if completed.exit_code == _NOTHING_RAN:
        return Evidence(problem="no tests were collected")
    if completed.exit_code == 0 and loaded:
        return Evidence(problem="unittest ended with exit code 0 and left no report")
    # Nothing of ours was loaded (`env -i`, an old Python): the exit code is all there is. Where the start had an
    # inventory, tests that are not seen now still count as failing.
    return Evidence()


def _evidence(run: RunContext, completed: Completed, sessions: Sessions) -> Evidence:
    ids = tuple(sessions.collected)
    left_out = {i for i in ids if any(i.startswith(f"{e.id}::") for e in _those(sessions, "skipped_class"))}
    prefix = unittest_prefix(run.argv)
    return Evidence(
        failures=tuple(_failures(run, completed, sessions)),
        passed=tuple(i for i in ids if sessions.has_passed(i)),
        skipped=tuple(i for i in ids if sessions.is_skipped(i) or (i in left_out and i not in sessions.reports)),
        inventory=ids,
        places=sessions.written_at(),
        strength=Strength.INVENTORY,
        seen_by=SeenBy.STRUCTURE,
        problem=sessions.loaded_from_elsewhere(),
        running=_running(sessions),
        rerun=prefix and (sessions.python or sys.executable, "-m", "unittest"),
    )


def _running(sessions: Sessions) -> tuple[str, ...]:
    """unittest says that a test has stopped also when it was interrupted; then nothing else was said about it."""
    told = {i for i, reports in sessions.reports.items() if any(r.when == "call" for r in reports)}
    return tuple(i for i in sessions.begun if i not in told)


def _those(sessions: Sessions, ev: str) -> list[Event]:
    return [event for event in sessions.others if event.ev == ev]


def _failures(run: RunContext, completed: Completed, sessions: Sessions) -> Iterator[Failure]:
    for event in sessions.broken.values():
        yield _not_loaded(run, event) or _failure(run, event, subject=event.id, phase=Phase.COLLECT, test=False)
    for event in _those(sessions, "after_class"):
        yield _failure(run, event, subject=event.id, phase=Phase.RUN, test=False)
    for test_id in sessions.reports:
        for event in sessions.failing(test_id):
            yield _failure(run, event, subject=test_id, phase=Phase.RUN, test=True)
    if not sessions.finished and not completed.timed_out:
        yield from _crashes(run, completed, sessions)


def _crashes(run: RunContext, completed: Completed, sessions: Sessions) -> Iterator[Failure]:
    """The process ended in the middle of a session, whatever exit code it had."""
    message = "the test process ended before unittest did"
    running = _running(sessions)
    for test_id in running:
        excerpt = f"{message} (exit code {completed.exit_code}), while this test ran"
        yield Failure(
            check=run.check, subject=test_id, kind="crash", message=message, excerpt=excerpt, repro=_repro(run, test_id)
        )
    if not running:
        phase = Phase.RUN if sessions.collections else Phase.COLLECT
        yield Failure(check=run.check, subject="", kind="crash", message=message, phase=phase, test=False)


def _failure(run: RunContext, event: Event, *, subject: str, phase: Phase, test: bool) -> Failure:
    known = event.file is not None and event.line is not None
    source_line = source_at(event.file or "", event.line or 0, run.sources) if known else None
    message, text = _clean(run, event.message), _clean(run, event.text or event.message)
    return Failure(
        check=run.check,
        subject=subject,
        phase=phase,
        kind=event.kind.rpartition(".")[2] if event.kind.startswith("unittest.") else event.kind,
        message=shorten("\n".join(message.strip().splitlines()[:5]), 1000),
        file=event.file,
        line=event.line,
        source_line=None if source_line is None else run.redact(source_line),
        excerpt=shorten(head_and_tail(text, 60), 8000),
        repro=_repro(run, subject) if test else None,
        test=test,
    )


def _not_loaded(run: RunContext, event: Event) -> Failure | None:
    """What went wrong while a module was imported stands in the text of unittest's own error."""
    said = _clean(run, event.message)
    if "Traceback (most recent call last)" not in said:
        return None
    inner = failures_from_text(run.check, said, exit_code=None, sources=run.sources)[0]
    if inner.file and run.sources(inner.file) is None:  # unittest's own code: nothing of the project was reached
        inner = replace(inner, file=None, line=None, source_line=None)
    return replace(inner, subject=event.id, phase=Phase.COLLECT, excerpt=shorten(head_and_tail(said, 60), 8000))


def _clean(run: RunContext, text: str) -> str:
    """Without secrets, before any cut can halve one. Nobody but us knows the bench: its paths are the project's own."""
    return run.redact(neutralise(text)).replace(f"{run.folder.resolve()}/", "").replace(f"{run.folder}/", "")


def _repro(run: RunContext, test_id: str) -> str | None:
    """`python -m unittest tests.test_a.Deep.test_b`: unittest takes dotted names."""
    file, _, rest = test_id.partition("::")

    def again(how: Written) -> str:
        dotted = how.path(file).removesuffix(".py").replace("/", ".")
        return how.again(".".join(part for part in (dotted, *rest.split("::")) if part))

    every = every_written(run, unittest_prefix, ("python", "-m", "unittest"))
    return shown_once([how for how in every if not how.path(file).startswith("..")] or every, again)
