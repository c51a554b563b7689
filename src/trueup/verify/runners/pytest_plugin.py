"""What does a pytest session really do? Told from inside, one JSON line for each thing that happened.

This file is not imported by trueup. The pytest runner puts its text into a module with a random name in a folder of
its own, beside a `probe.json`, and has pytest load it. It uses the standard library and pytest only, works with
Python >= 3.8 and pytest >= 6, and nothing that goes wrong in here reaches the session. It changes no outcome,
no order, no report file, no measurement and no output; it leaves files out of the collection, and ends tests that
take too long, only when `probe.json` says so.
"""

# Tests may replace pathlib and io; plain functions of `os` are bound once and kept.
# ruff: noqa: PTH100, PTH109, PTH118, PTH119, PTH120, PTH123, PTH206

from __future__ import annotations

import inspect
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from traceback import format_exception
from types import CodeType, TracebackType
from typing import Any

import pytest

# Far more than is ever shown: who reads this takes secrets out first, and a cut through one would keep its halves.
_LONGEST_TEXT = 200_000
_LONGEST_MESSAGE = 20_000
_ATTRIBUTE = "_trueup_details"
_LATE = "not finished in time"
_LEAST = 1.0
_SLOWER = 20
_STARVED = 5
_WRAPPERS = ("CollectError", "ConftestImportFailure")
_NOT_FIRST_PARTY = ("site-packages", "dist-packages", "node_modules")
_MODERN = int(pytest.__version__.split(".")[0]) >= 7  # noqa: PLR2004 - from 7 on, paths are pathlib's


class _NotFinishedError(BaseException):
    """Raised in the middle of a test that took too long. No `except Exception` of the tested code holds it up."""


class _Watch:
    """Ends tests that hang, so that those after them are seen. Once one did, the others get less time: twenty times
    what the longest of those took that came to an end."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit or 0.0
        self._longest = self._wait = self._began = self._used = 0.0
        self._late = False
        self.rang = False
        """For the test that runs now, or ran last."""
        self._now, self._cpu = time.monotonic, time.process_time
        self._set, self._timer = signal.signal, signal.setitimer

    def arm(self) -> None:
        self.rang = False
        theirs = signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL or signal.getitimer(signal.ITIMER_REAL)[0]
        if theirs or not self._limit:
            return
        self._wait = min(self._limit, max(_LEAST, _SLOWER * self._longest)) if self._late else self._limit
        self._began, self._used = self._now(), self._cpu()
        self._set(signal.SIGALRM, self._ring)
        self._timer(signal.ITIMER_REAL, self._wait, _LEAST)  # again: `except BaseException` may stand in a loop

    def disarm(self) -> None:
        if signal.getsignal(signal.SIGALRM) != self._ring:
            return
        self._timer(signal.ITIMER_REAL, 0)
        self._set(signal.SIGALRM, signal.SIG_DFL)
        if not self._late:
            self._longest = max(self._longest, self._now() - self._began)

    def _ring(self, _signal: int, _frame: Any) -> None:
        # Given little time, it may have got nothing of it: other processes are at work, too.
        starved = self._late and not self.rang and self._cpu() - self._used < self._wait / 2
        if starved and self._now() - self._began < _STARVED * self._wait:
            return
        self._late = self.rang = True
        raise _NotFinishedError(_LATE)


class _Probe:
    """One process' view of one session. Everything it needs from `os` and `json` is bound before a test runs."""

    def __init__(self, folder: str) -> None:
        with open(os.path.join(folder, "probe.json"), encoding="utf-8") as file:
            told = json.load(file)
        self.told: Mapping[str, Any] = told
        self.bench = os.path.realpath(told["bench"])
        self.checkout = os.path.realpath(told["checkout"])
        self.own = os.path.realpath(told["own"])
        self.ignored = {os.path.realpath(os.path.join(self.bench, path)) for path in told["ignore"]}
        self.watch = _Watch(told.get("test_limit"))
        self.selected: tuple[str, ...] | None = None if told["select"] is None else tuple(told["select"])
        self.rootdir = self.bench
        self.shown: dict[str, str] = dict(told.get("injected", {}))
        self.worker = False
        self.grouped = False
        self.opened = False
        self.details: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._pid = os.getpid()
        self._path = os.path.join(told["events"], f"{self._pid}-{os.urandom(4).hex()}.jsonl")
        self._dumps, self._write, self._open, self._getpid = json.dumps, os.write, os.open, os.getpid
        self._normal, self._join, self._real = os.path.normpath, os.path.join, os.path.realpath
        self._file: int | None = None

    # --- writing ---------------------------------------------------------------------------------------------

    def tell(self, happened: str, **more: Any) -> None:
        if self._getpid() != self._pid:
            return  # a fork of the session: its reports reach us through the parent
        # Lone surrogates (from file names that are no UTF-8) become question marks: the reader is strict.
        line = (self._dumps(dict(more, ev=happened), default=repr, ensure_ascii=False) + "\n").encode(
            "utf-8", "replace"
        )
        try:
            self._append(line)
        except OSError:  # a test closed our descriptor
            self._file = None
            self._append(line)

    def _append(self, line: bytes) -> None:
        if self._file is None:
            self._file = self._open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        while line:
            line = line[self._write(self._file, line) :]

    # --- names -----------------------------------------------------------------------------------------------

    def id_of(self, nodeid: str) -> str:
        """The id as seen from the bench, wherever pytest found its root folder."""
        if self.grouped and nodeid.rfind("@") > nodeid.rfind("]"):
            nodeid = nodeid.rpartition("@")[0]
        if self.rootdir == self.bench or not nodeid:
            return nodeid
        path, colons, rest = nodeid.partition("::")
        return (self.inside(self._join(self.rootdir, path)) or path) + colons + rest

    def inside(self, path: str) -> str | None:
        """The path relative to the bench, or None when it lies elsewhere."""
        for whole in (self._normal(self._join(self.bench, path)), self._real(self._join(self.bench, path))):
            if whole.startswith(self.bench + os.sep):
                return whole[len(self.bench) + 1 :].replace(os.sep, "/")
        return None

    # --- environment -----------------------------------------------------------------------------------------

    def hide(self) -> None:
        """Test runs that the tests start must not inherit the probe, nor those of other tools."""
        for name, key in (("PYTEST_ADDOPTS", "addopts"), ("PYTHONPATH", "pythonpath")):
            now = os.environ.get(name)
            if now is not None:
                self.shown[name] = now
            theirs = _theirs(now, self.told["ours"][name], self.told[key])
            if theirs is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = theirs
        for name, ours in self.told.get("others", {}).items():
            _take_away(name, ours)

    def show(self) -> None:
        """The workers of pytest-xdist are started with the controller's environment and need the probe."""
        os.environ.update(self.shown)

    # --- the session -----------------------------------------------------------------------------------------

    def begin(self, config: Any) -> None:
        self.worker = self.worker or hasattr(config, "workerinput")
        if self.told.get("keep_going") and getattr(config.option, "maxfail", 0):
            config.option.maxfail = 0
        if self.opened:
            return
        self.opened = True
        self.hide()
        self.worker = self.worker or "PYTEST_XDIST_WORKER" in os.environ
        root = config.rootpath if hasattr(config, "rootpath") else config.rootdir
        self.rootdir = os.path.realpath(str(root))
        self.tell(
            "start",
            python=sys.executable,
            pytest=pytest.__version__,
            cwd=os.getcwd(),
            rootdir=self.rootdir,
            worker=self.worker,
        )

    def conftest_failed(self, error: BaseException) -> None:
        if type(error).__name__ == "ConftestImportFailure":
            path = self.inside(str(getattr(error, "path", ""))) or ""
            inner = _cause(error)
            text = "".join(format_exception(type(inner), inner, inner.__traceback__))
            self.tell(
                "collect_error", id=path, text=_cut(text, _LONGEST_TEXT), **self.describe(error, error.__traceback__)
            )

    def collected(self, items: Iterable[Any]) -> None:
        self.tell("places" if self.worker else "collected", items=[self.place(item) for item in items])

    def place(self, item: Any) -> list[Any]:
        """Id, file, line and name of the function that is the body of this test."""
        test_id = self.id_of(item.nodeid)
        try:
            code = _code(item)
            return [test_id, self.inside(code.co_filename), code.co_firstlineno, code.co_name]
        except Exception:  # noqa: BLE001 - an object of the tests, which may raise anything
            return [test_id, None, 0, ""]

    # --- what is left out ------------------------------------------------------------------------------------

    def is_ignored(self, path: Any) -> bool:
        return bool(self.ignored) and self._real(str(path)) in self.ignored

    def empty(self, collector: Any) -> None:
        """A file that the command line names is collected whatever `pytest_ignore_collect` says: find nothing in it.

        Not when the command line names something inside it: pytest must find that, and `leave_out` drops it.
        """
        path = _path(collector)
        if _is_file(collector) and self.is_ignored(path) and self._real(path) not in self.entered(collector.config):
            collector.collect = list

    def entered(self, config: Any) -> set[str]:
        """The files of arguments such as `tests/test_a.py::test_b`."""
        here = str(config.invocation_params.dir)
        return {self._real(self._join(here, arg.partition("::")[0])) for arg in config.args if "::" in arg}

    def leave_out(self, items: list[Any]) -> None:
        if self.ignored:
            items[:] = [item for item in items if not self.is_ignored(_path(item))]

    def select(self, items: list[Any]) -> None:
        """Only what was asked for, if anything of it is here: a session without a test would end its command."""
        if self.selected is not None:
            wanted = self.selected
            items[:] = [item for item in items if _chosen(self.id_of(item.nodeid), wanted)] or items

    # --- what went wrong -------------------------------------------------------------------------------------

    def describe(self, error: BaseException, traceback: TracebackType | None) -> dict[str, Any]:
        inner = _cause(error)
        kind = type(inner)
        name = kind.__qualname__ if kind.__module__ == "builtins" else kind.__module__ + "." + kind.__qualname__
        name = "timeout" if kind is _NotFinishedError else name
        file, line = self.deepest(traceback if inner is error else inner.__traceback__)
        if isinstance(inner, SyntaxError) and inner.filename and self.inside(inner.filename):
            file, line = self.inside(inner.filename), inner.lineno
        return {"kind": name, "message": _cut(_text(inner), _LONGEST_MESSAGE), "file": file, "line": line}

    def deepest(self, traceback: TracebackType | None) -> tuple[str | None, int | None]:
        """The innermost frame that runs code of the bench."""
        found: tuple[str | None, int | None] = (None, None)
        while traceback is not None:
            name = traceback.tb_frame.f_code.co_filename
            file = None if name.startswith("<") else self.inside(name)
            if file is not None and not any(part in file.split("/") for part in _NOT_FIRST_PARTY):
                found = (file, traceback.tb_lineno)
            traceback = traceback.tb_next
        return found

    def remember(self, report: Any, excinfo: Any, location: tuple[str, int | None] | None) -> None:
        """Keep what only this process knows until the report is logged, here or in the controller."""
        details = self.describe(excinfo.value, excinfo.tb)
        if details["file"] is None and location is not None:
            file, line = location
            details.update(file=self.inside(self._join(self.rootdir, file)), line=(line or 0) + 1)
        if self.worker:
            setattr(report, _ATTRIBUTE, details)
        else:
            self.details[report.nodeid, getattr(report, "when", "collect")] = details

    def recall(self, report: Any, when: str) -> Mapping[str, Any]:
        carried = report.__dict__.pop(_ATTRIBUTE, None)
        return carried or self.details.pop((report.nodeid, when), None) or self.from_longrepr(report)

    def from_longrepr(self, report: Any) -> Mapping[str, Any]:
        """What a report without an exception of its own says: a crashed worker, a strict xpass."""
        crash = getattr(report.longrepr, "reprcrash", None)
        if crash is None:
            text = str(report.longrepr or "")
            kind = "timeout" if text == _LATE else "crash" if "crashed" in text else "report"
            return {"kind": kind, "message": _cut(text, _LONGEST_MESSAGE)}
        kind = crash.message.partition(":")[0].strip()
        known = kind.replace(".", "").replace("_", "").isalnum()
        return {
            "kind": kind if known else "report",
            "message": _cut(crash.message.partition(": ")[2] or crash.message, _LONGEST_MESSAGE),
            "file": self.inside(str(crash.path)),
            "line": crash.lineno,
        }

    # --- reports ---------------------------------------------------------------------------------------------

    def collect_report(self, report: Any) -> None:
        details = self.recall(report, "collect") if report.failed else {}
        if report.failed and not self.worker:
            self.tell("collect_error", id=self.id_of(report.nodeid), text=_shorten(report), **details)

    def internal_error(self, text: str, excinfo: Any) -> None:
        """What ended the session itself: `sys.exit()` in a module with tests, for one."""
        if not self.worker:
            details = self.describe(excinfo.value, excinfo.tb)
            self.tell("internal", text=_cut(text, _LONGEST_TEXT), **details)

    def test_report(self, report: Any) -> None:
        if self.worker:
            return
        details = self.recall(report, report.when) if report.failed else {}
        self.tell(
            "report",
            id=self.id_of(report.nodeid),
            when=report.when,
            outcome=report.outcome,
            xfail=hasattr(report, "wasxfail"),
            part=hasattr(report, "context"),
            text=_shorten(report) if report.failed else "",
            **details,
        )

    # --- where code came from --------------------------------------------------------------------------------

    def foreign_modules(self) -> list[list[str]]:
        """Project code that was not loaded from the bench: [module name, file]."""
        loaded = {str(name): module for name, module in list(sys.modules.items())}
        files = {name: self.foreign_file(name, loaded[name]) for name in sorted(loaded)}
        return [[name, file] for name, file in files.items() if file][:20]

    def foreign_file(self, name: str, module: Any) -> str | None:
        try:
            file = _file_of(module)
            outside = isinstance(file, str) and not file.startswith(self.bench + os.sep)
            return file if outside and self.is_foreign(name, file) else None
        except Exception:  # noqa: BLE001 - anything may stand in sys.modules, and raise anything
            return None

    def is_foreign(self, name: str, file: str) -> bool:
        real = os.path.realpath(file)
        if real.startswith((self.bench + os.sep, self.own + os.sep)):
            return False
        if real.startswith(self.checkout + os.sep):
            below = real[len(self.checkout) + 1 :].split(os.sep)
            if not any(part in below for part in _NOT_FIRST_PARTY) and not self.is_environment(real):
                return True
        return name in self.told["packages"] and os.path.basename(file) == "__init__.py"

    def is_environment(self, real: str) -> bool:
        """Interpreters and virtual environments that lie inside the checkout are no project code."""
        homes = {os.path.realpath(home) for home in (sys.prefix, sys.base_prefix, sys.exec_prefix)}
        return any(real.startswith(home + os.sep) for home in homes if home.startswith(self.checkout + os.sep))

    def finish(self, exit_status: Any) -> None:
        if not self.worker:
            self.tell("end", status=exit_status)


def _chosen(test_id: str, wanted: tuple[str, ...]) -> bool:
    return any(test_id == name or test_id.startswith((name + "::", name + "[")) for name in wanted)


def _is_file(collector: Any) -> bool:
    return isinstance(collector, pytest.File) and not isinstance(collector, pytest.Package)


def _path(node: Any) -> str:
    return str(node.path if _MODERN else node.fspath)


def _code(item: Any) -> CodeType:
    function: Any = getattr(item, "function", None) or getattr(item, "obj", None)
    code = inspect.unwrap(function).__code__
    if not isinstance(code, CodeType):
        raise TypeError(code)  # an object that has every attribute
    return code


def _file_of(module: Any) -> Any:
    """Read without a word from the module where possible: a lazy one would load itself now, or fail to."""
    try:
        return object.__getattribute__(module, "__dict__")["__file__"]
    except (AttributeError, KeyError):
        return getattr(module, "__file__", None)


def _cause(error: BaseException) -> BaseException:
    """What really happened below pytest's own wrappers."""
    while type(error).__name__ in _WRAPPERS:
        inner = error.__cause__ or getattr(error, "cause", None)
        if inner is None and getattr(error, "excinfo", None):
            inner = error.excinfo[1]  # type: ignore[attr-defined]
        if not isinstance(inner, BaseException):
            break
        error = inner
    return error


def _text(error: BaseException) -> str:
    if type(error).__name__ == "FixtureLookupError" and getattr(error, "argname", None):
        return f"fixture {error.argname!r} not found"  # type: ignore[attr-defined]
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - __str__ is the tested code's own
        return "<the exception cannot be shown>"


def _shorten(report: Any) -> str:
    return _cut(str(report.longreprtext), _LONGEST_TEXT)


def _theirs(now: str | None, ours: str, before: str | None) -> str | None:
    """What a variable held before ours was added. A tool in between, such as tox, may have made a value of its own."""
    if now is None or ours not in now:
        return before
    part = next(part for part in (ours + os.pathsep, " " + ours, ours) if part in now)
    return now.replace(part, "", 1) or ("" if before == "" else None)


def _take_away(name: str, ours: str) -> None:
    """What another tool's probe has put into a variable, if it is still there."""
    now = os.environ.get(name)
    if now is None or ours not in now:
        return
    rest = _theirs(now, ours, None)
    if rest:
        os.environ[name] = rest
    else:
        del os.environ[name]


def _cut(text: str, limit: int) -> str:
    half = limit // 2
    return text if len(text) <= limit else text[:half] + "\n[…]\n" + text[-half:]


def settle(file: str) -> None:
    """Told by the module that was loaded as `file`: `probe.json` lies beside it."""
    global _home  # noqa: PLW0603 - hooks are module functions
    _home = os.path.dirname(os.path.abspath(file))
    _leave_coverage(file)


def _leave_coverage(file: str) -> None:
    """Coverage ignores code that was compiled under a name such as `<trueup>`, but saw the lines that compiled it."""
    try:
        current = sys.modules["coverage"].Coverage.current()
        measured = current._collector.data  # noqa: SLF001 - nothing public takes a file out
        for path in [path for path in measured if os.path.basename(path) == os.path.basename(file)]:
            del measured[path]
    except Exception:  # noqa: BLE001, S110 - no coverage, or another one than we know: `pyvenv.cfg` has to do
        pass


_home = ""
_probe: _Probe | None = None
_broken = False


def _quietly(act: Callable[[_Probe], Any]) -> Any:
    """Do it, and never let a mistake of ours reach the session."""
    global _probe, _broken  # noqa: PLW0603 - hooks are module functions; there is one probe in a process
    try:
        if _probe is None and not _broken:
            _broken = True  # until it is built
            _probe = _Probe(_home)
            _broken = False
        return act(_probe) if _probe is not None else None
    except Exception as error:  # noqa: BLE001 - see above
        _complain(error)
        return None


def _complain(error: Exception) -> None:
    try:
        if _probe is not None:
            _probe.tell("problem", text=type(error).__name__ + ": " + _text(error))
    except Exception:  # noqa: BLE001, S110 - nothing is left to tell it with
        pass


# --- hooks -------------------------------------------------------------------------------------------------------


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> Generator[None, Any, None]:
    _quietly(lambda probe: probe.begin(early_config))
    outcome = yield
    if outcome.excinfo:
        _quietly(lambda probe: probe.conftest_failed(outcome.excinfo[1]))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    _quietly(lambda probe: probe.begin(config))


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_setupnodes(config: Any) -> None:
    def start_workers(probe: _Probe) -> None:
        probe.show()
        probe.grouped = getattr(config.option, "dist", "") == "loadgroup"

    _quietly(start_workers)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(ids: Iterable[str]) -> None:
    _quietly(lambda probe: probe.tell("collected", items=[[probe.id_of(i), None, 0, ""] for i in ids]))


if _MODERN:

    def pytest_ignore_collect(collection_path: Any) -> bool | None:
        return _ignored(str(collection_path))

else:

    def pytest_ignore_collect(path: Any) -> bool | None:  # type: ignore[misc]
        return _ignored(str(path))


def _ignored(path: str) -> bool | None:
    return _quietly(lambda probe: probe.is_ignored(path)) or None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> Generator[None, Any, None]:
    def choose(probe: _Probe) -> None:
        probe.grouped = probe.grouped or bool(getattr(config.option, "loadgroup", False))
        probe.select(items)

    _quietly(lambda probe: probe.leave_out(items))
    yield
    _quietly(choose)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: Any) -> None:
    _quietly(lambda probe: probe.collected(session.items))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: Any) -> Generator[None, Any, None]:
    _quietly(lambda probe: probe.empty(collector))
    outcome = yield

    def look(probe: _Probe) -> None:
        report = outcome.get_result()
        call = getattr(report, "call", None)
        if report.failed and call is not None and call.excinfo is not None:
            probe.remember(report, call.excinfo, (collector.nodeid.partition("::")[0], None))

    if not outcome.excinfo:
        _quietly(look)


@pytest.hookimpl(tryfirst=True)
def pytest_collectreport(report: Any) -> None:
    _quietly(lambda probe: probe.collect_report(report))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid: str) -> None:
    _quietly(lambda probe: None if probe.worker else probe.tell("begin", id=probe.id_of(nodeid)))


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_setup() -> Generator[None, Any, None]:
    yield from _watched()


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_call() -> Generator[None, Any, None]:
    yield from _watched()


def _watched() -> Generator[None, Any, None]:
    _quietly(lambda probe: probe.watch.arm())
    yield
    _quietly(lambda probe: probe.watch.disarm())


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, None]:
    outcome = yield

    def look(probe: _Probe) -> None:
        report = outcome.get_result()
        if probe.watch.rang and report.when != "teardown" and not report.failed:
            report.outcome, report.longrepr = "failed", _LATE  # the tested code took our exception for its own
        elif report.failed and call.excinfo is not None:
            probe.remember(report, call.excinfo, item.location[:2])

    if not outcome.excinfo:
        _quietly(look)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: Any) -> None:
    _quietly(lambda probe: probe.test_report(report))


def pytest_internalerror(excrepr: Any, excinfo: Any) -> None:
    _quietly(lambda probe: probe.internal_error(str(excrepr), excinfo))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session: Any, exitstatus: Any) -> Generator[None, Any, None]:
    yield
    _quietly(lambda probe: probe.tell("modules", loaded=probe.foreign_modules()))
    _quietly(lambda probe: probe.finish(getattr(session, "exitstatus", exitstatus)))
