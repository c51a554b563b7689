"""What does a unittest session really do? Told from inside, one JSON line for each thing that happened.

This file is not imported by trueup. The unittest runner puts its text beside a `sitecustomize.py` and an
`unittest_probe.json`; it is run when a program imports `unittest.suite`, and never before. It uses the standard library
only, works with Python >= 3.8, and nothing that goes wrong in here reaches the program. It changes no outcome, no
order and no output; it leaves tests out only when `unittest_probe.json` says so.
"""

# Tests may replace pathlib and io; plain functions of `os` are bound once and kept.
# ruff: noqa: PTH113, PTH118, PTH119, PTH123

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from traceback import format_exception
from types import TracebackType
from typing import Any

_LONGEST_TEXT = 200_000
_LONGEST_MESSAGE = 20_000
__unittest = True
"""unittest leaves frames of such modules out of what it prints: the output stays as it was."""
_NOT_FIRST_PARTY = ("site-packages", "dist-packages", "node_modules")
_LISTENED = (
    "startTest",
    "stopTest",
    "addSuccess",
    "addFailure",
    "addError",
    "addSkip",
    "addExpectedFailure",
    "addUnexpectedSuccess",
    "addSubTest",
)


class _Probe:
    """One process' view of its sessions. Everything it needs from `os` and `json` is bound before a test runs."""

    def __init__(self, folder: str) -> None:
        with open(os.path.join(folder, "unittest_probe.json"), encoding="utf-8") as file:
            self.told: dict[str, Any] = json.load(file)
        self.bench = os.path.realpath(self.told["bench"])
        self.checkout = os.path.realpath(self.told["checkout"])
        self.own = os.path.realpath(self.told["own"])
        self.ignored = {os.path.realpath(os.path.join(self.bench, path)) for path in self.told["ignore"]}
        self._pid = os.getpid()
        self._path = os.path.join(self.told["events"], f"{self._pid}-{os.urandom(4).hex()}.jsonl")
        self._dumps, self._write, self._open, self._getpid = json.dumps, os.write, os.open, os.getpid
        self._join, self._real, self._sep = os.path.join, os.path.realpath, os.sep
        self._file: int | None = None
        self.depth = 0
        self._kinds: dict[str, list[type]] = {}

    # --- writing ---------------------------------------------------------------------------------------------

    def tell(self, happened: str, **more: Any) -> None:
        if self._getpid() != self._pid:
            return  # a fork of the session: its results reach us through the parent
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

    def inside(self, path: str) -> str | None:
        """The path relative to the bench, or None when it lies elsewhere."""
        whole = self._real(self._join(self.bench, path))
        if not whole.startswith(self.bench + self._sep):
            return None
        return whole[len(self.bench) + 1 :].replace(self._sep, "/")

    def home(self, module: str) -> str:
        """The file of a module, or its name when the file is not the bench's."""
        file = getattr(sys.modules.get(module), "__file__", None)
        known = self.inside(file) if isinstance(file, str) else None
        return known or self._file_named(module)

    def _file_named(self, module: str) -> str:
        """A module that cannot be loaded has no file; its name says where it would be."""
        path = module.replace(".", "/")
        for base in ("", *(self.inside(entry) for entry in sys.path if self.inside(entry))):
            for ending in (".py", "/__init__.py"):
                whole = "/".join(part for part in (base, path + ending) if part)
                if os.path.isfile(self._join(self.bench, whole)):
                    return whole
        return module

    def id_of(self, test: Any) -> str:
        test = getattr(test, "test_case", test)  # the case that a subtest belongs to
        kind = type(test)
        name = getattr(test, "_testMethodName", None)
        if not isinstance(name, str) or kind.__module__.startswith("unittest."):
            return str(test.id())
        if kind.__module__ == "doctest":
            return self._doctest_id(test)
        plain = f"{self.home(kind.__module__)}::{kind.__qualname__.replace('.', '::')}::{name}"
        # Classes that a function makes share one name: each has a number, in the order in which they were collected.
        kinds = self._kinds.setdefault(plain, [])
        if kind not in kinds:
            kinds.append(kind)
        number = kinds.index(kind) + 1
        return plain if number == 1 else f"{plain} ({number})"

    def _doctest_id(self, test: Any) -> str:
        """All doctests are of one class; the file and the name of what holds the example tell them apart."""
        examples = getattr(test, "_dt_test", None)
        name, file = getattr(examples, "name", None), getattr(examples, "filename", None)
        home = self.inside(file) if isinstance(file, str) else None
        return f"{home}::{name}" if home else str(name or test.id())

    def place(self, test: Any) -> list[Any]:
        test_id = self.id_of(test)
        try:
            function = getattr(type(test), test._testMethodName)  # noqa: SLF001 - the only name that it has
            while hasattr(function, "__wrapped__"):
                function = function.__wrapped__
            code = function.__code__
            return [test_id, self.inside(code.co_filename), int(code.co_firstlineno), str(code.co_name)]
        except Exception:  # noqa: BLE001 - an object of the tests, which may raise anything
            return [test_id, None, 0, ""]

    # --- the session -----------------------------------------------------------------------------------------

    def begin(self, suite: Any, result: Any) -> None:
        self.hide()
        if self.told["keep_going"] and getattr(result, "failfast", False):
            result.failfast = False
        self.tell("start", python=sys.executable)
        self.leave_out(suite)
        self.tell("collected", items=[self.place(test) for test in _cases(suite) if not _is_broken(test)])
        for name in _LISTENED:
            self._listen(result, name)

    def hide(self) -> None:
        """Test runs that the tests start must not be heard."""
        for name, before in self.told["hidden"].items():
            value = _theirs(os.environ.get(name), self.told["ours"][name], before)
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        for name, ours in self.told.get("others", {}).items():
            _take_away(name, ours)

    def leave_out(self, suite: Any) -> None:
        """New files do not count; and only what was selected runs, if anything of it is here."""
        wanted = self.told["select"]
        chosen = {self.id_of(t) for t in _cases(suite) if wanted and _is_chosen(self.id_of(t), wanted)}
        _keep(suite, lambda test: not self.is_new(test) and (not chosen or self.id_of(test) in chosen))

    def is_new(self, test: Any) -> bool:
        if not self.ignored:
            return False
        module = test._testMethodName if _is_broken(test) else type(test).__module__  # noqa: SLF001 - as above
        return self._real(self._join(self.bench, self.home(module))) in self.ignored

    def finish(self) -> None:
        self.tell("modules", loaded=self.foreign_modules())
        self.tell("end")

    # --- results ---------------------------------------------------------------------------------------------

    def _listen(self, result: Any, name: str) -> None:
        original = getattr(result, name, None)
        heard = getattr(self, "on_" + name)
        if original is None or getattr(original, "_trueup", False):
            return

        def both(*args: Any, **more: Any) -> Any:
            _quietly(lambda _: heard(*args, **more))
            return original(*args, **more)

        both._trueup = True  # type: ignore[attr-defined]  # noqa: SLF001 - our own mark
        setattr(result, name, both)

    def on_startTest(self, test: Any) -> None:  # noqa: N802 - named as in unittest
        self.tell("begin", id=self.id_of(test))

    def on_stopTest(self, test: Any) -> None:  # noqa: N802
        self.report(test, "teardown", "passed")

    def on_addSuccess(self, test: Any) -> None:  # noqa: N802
        self.report(test, "call", "passed")

    def on_addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self.failed(test, err)

    def on_addError(self, test: Any, err: Any) -> None:  # noqa: N802
        self.failed(test, err)

    def on_addSkip(self, test: Any, reason: Any) -> None:  # noqa: ARG002, N802
        if hasattr(test, "test_case"):  # a part: unittest tells no success of the whole after it
            self.report(test.test_case, "call", "skipped")
            return
        owner = _owner(test)
        if owner:
            self.tell("skipped_class", id=self._class_id(owner[1]))
        else:
            self.report(test, "call", "skipped")

    def on_addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: ARG002, N802
        self.report(test, "call", "skipped", xfail=True)

    def on_addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        self.report(test, "call", "failed", kind="UnexpectedSuccess", message="expected to fail, but passed")

    def on_addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        if err is not None:
            details = self.describe(err)
            details["message"] = f"{getattr(subtest, '_subDescription', str)()} {details['message']}".strip()
            self.report(test, "call", "failed", part=True, **details)

    def failed(self, test: Any, err: Any) -> None:
        owner = _owner(test)
        if _is_broken(test):
            module = str(test._testMethodName)  # noqa: SLF001 - what could not be loaded
            details = self.describe(err)
            self.tell("collect_error", id=self.home(module), **details)
        elif owner and owner[0].startswith("setUp"):
            self.tell("collect_error", id=self._class_id(owner[1]), **self.describe(err))
        elif owner:
            self.tell("after_class", id=self._class_id(owner[1]), **self.describe(err))
        else:
            self.report(test, "call", "failed", **self.describe(err))

    def report(self, test: Any, when: str, outcome: str, **more: Any) -> None:
        self.tell("report", id=self.id_of(test), when=when, outcome=outcome, **more)

    def _class_id(self, dotted: str) -> str:
        """`tests/test_a.py::Deep` for `tests.test_a.Deep`; the file alone for a module."""
        module, rest = dotted, ""
        while module and module not in sys.modules:
            module, _, last = module.rpartition(".")
            rest = last + ("." + rest if rest else "")
        home = self.home(module or dotted)
        return home + "::" + rest.replace(".", "::") if rest and module else home

    def describe(self, err: Any) -> dict[str, Any]:
        kind, error, traceback = err
        name = kind.__qualname__ if kind.__module__ == "builtins" else kind.__module__ + "." + kind.__qualname__
        file, line = self.deepest(traceback)
        if isinstance(error, SyntaxError) and error.filename and self.inside(error.filename):
            file, line = self.inside(error.filename), error.lineno
        text = "".join(_shown(kind, error, traceback))
        return {
            "kind": name,
            "message": _cut(_text(error), _LONGEST_MESSAGE),
            "file": file,
            "line": line,
            "text": _cut(text, _LONGEST_TEXT),
        }

    def deepest(self, traceback: TracebackType | None) -> tuple[str | None, int | None]:
        """The innermost frame that runs code of the bench."""
        found: tuple[str | None, int | None] = (None, None)
        while traceback is not None:
            file = self.inside(traceback.tb_frame.f_code.co_filename)
            if file is not None and not any(part in file.split("/") for part in _NOT_FIRST_PARTY):
                found = (file, traceback.tb_lineno)
            traceback = traceback.tb_next
        return found

    # --- where code came from --------------------------------------------------------------------------------

    def foreign_modules(self) -> list[list[str]]:
        """Project code that was not loaded from the bench: [module name, file]."""
        named = [(str(name), module) for name, module in sorted(sys.modules.items(), key=lambda one: str(one[0]))]
        files = {name: self._foreign_file(name, module) for name, module in named}
        return [[name, file] for name, file in files.items() if file][:20]

    def _foreign_file(self, name: str, module: Any) -> str | None:
        try:
            file = object.__getattribute__(module, "__dict__")["__file__"]
            outside = isinstance(file, str) and not file.startswith(self.bench + self._sep)
            return str(file) if outside and self._is_foreign(name, file) else None
        except Exception:  # noqa: BLE001 - anything may stand in sys.modules, and raise anything
            return None

    def _is_foreign(self, name: str, file: str) -> bool:
        real = self._real(file)
        if real.startswith((self.bench + self._sep, self.own + self._sep)):
            return False
        homes = {self._real(home) for home in (sys.prefix, sys.base_prefix, sys.exec_prefix)}
        if real.startswith(self.checkout + self._sep):
            below = real[len(self.checkout) + 1 :].split(self._sep)
            in_environment = any(real.startswith(h + self._sep) for h in homes if h.startswith(self.checkout + "/"))
            if not in_environment and not any(part in below for part in _NOT_FIRST_PARTY):
                return True
        return name in self.told["packages"] and os.path.basename(file) == "__init__.py"


def _cases(suite: Any) -> Iterator[Any]:
    """Every single test of a suite, in its order. What is no suite is a test."""
    pending = [suite]
    while pending:
        one = pending.pop()
        inner = getattr(one, "_tests", None) or getattr(one, "subsuites", None)  # the latter in Django's parallel ones
        if inner is None:
            if one is not None and getattr(one, "_tests", None) is None:  # unittest forgets tests that have run
                yield one
        else:
            pending.extend(reversed(list(inner)))


def _keep(suite: Any, wanted: Callable[[Any], bool]) -> None:
    inner = getattr(suite, "_tests", None)
    if isinstance(inner, list):
        inner[:] = [one for one in inner if hasattr(one, "_tests") or one is None or wanted(one)]
        for one in inner:
            _keep(one, wanted)


def _is_broken(test: Any) -> bool:
    """What the loader puts in the place of a module that cannot be imported."""
    return type(test).__module__ == "unittest.loader" and type(test).__name__ == "_FailedTest"


def _owner(test: Any) -> tuple[str, str] | None:
    """`("setUpClass", "tests.test_a.Deep")` for what stands in when a class or module cannot be prepared."""
    if type(test).__name__ != "_ErrorHolder":
        return None
    what, _, rest = str(getattr(test, "description", "")).partition(" (")
    return what, rest.rstrip(")")


def _shown(kind: Any, error: Any, traceback: TracebackType | None) -> list[str]:
    """As unittest prints it: without its own frames around the test and below the assertion."""
    while traceback is not None and "__unittest" in traceback.tb_frame.f_globals:
        traceback = traceback.tb_next
    length, last = 0, traceback
    while last is not None and "__unittest" not in last.tb_frame.f_globals:
        length, last = length + 1, last.tb_next
    return format_exception(kind, error, traceback, limit=length or None)


def _is_chosen(test_id: str, wanted: Iterable[str]) -> bool:
    return any(test_id == name or test_id.startswith(name + "::") for name in wanted)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - __str__ is the tested code's own
        return "<the exception cannot be shown>"


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


_home = ""
_probe: _Probe | None = None
_broken = False


def _quietly(act: Callable[[_Probe], Any]) -> Any:
    """Do it, and never let a mistake of ours reach the program."""
    global _probe, _broken  # noqa: PLW0603 - there is one probe in a process
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


def _watched(original: Callable[..., Any]) -> Callable[..., Any]:
    """A session is the outermost call of a suite, whoever makes it."""

    def run(self: Any, *args: Any, **more: Any) -> Any:
        probe = _quietly(lambda probe: probe)
        result = args[0] if args else more.get("result")
        if probe is None or probe.depth or result is None:
            return original(self, *args, **more)
        probe.depth += 1
        try:
            _quietly(lambda probe: probe.begin(self, result))
            done = original(self, *args, **more)
            _quietly(lambda probe: probe.finish())
            return done
        finally:
            probe.depth -= 1

    run.__name__, run.__doc__ = original.__name__, original.__doc__
    return run


def _matched(original: Callable[..., Any]) -> Callable[..., Any]:
    """New test files are not even imported."""

    def match(self: Any, path: str, full_path: str, pattern: str) -> Any:
        if _quietly(lambda probe: os.path.realpath(full_path) in probe.ignored):
            return False
        return original(self, path, full_path, pattern)

    return match


def watched_spec(home: str, finders: Iterable[Any], name: str, path: Any, target: Any) -> Any:
    """The module as Python finds it; when it is loaded, the session's way in is watched."""
    global _home  # noqa: PLW0603 - as above
    _home = home
    spec = next((found for found in (f.find_spec(name, path, target) for f in finders) if found is not None), None)
    if spec is not None and spec.loader is not None:
        loader, original = spec.loader, spec.loader.exec_module

        def exec_module(module: Any) -> None:
            original(module)
            _quietly(lambda _: _settle(module))

        loader.exec_module = exec_module
    return spec


def _not_stopped(original: Callable[..., Any], stop: type[Exception]) -> Callable[..., Any]:
    """unittest ends a test in silence by an exception of its own; from anywhere else it is a failure."""

    def call(self: Any, method: Any) -> Any:
        try:
            return original(self, method)
        except stop as error:
            trace = error.__traceback__
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            if trace is not None and "__unittest" not in trace.tb_frame.f_globals:
                raise AssertionError("the test was ended by an exception that is unittest's own") from error
            raise

    return call


def _settle(module: Any) -> None:
    if module.__name__ == "unittest.suite":
        module.BaseTestSuite.__call__ = _watched(module.BaseTestSuite.__call__)
        module.TestSuite.run = _watched(module.TestSuite.run)
    elif module.__name__ == "unittest.case":
        module.TestCase._callTestMethod = _not_stopped(module.TestCase._callTestMethod, module._ShouldStop)  # noqa: SLF001
    elif module.__name__ == "unittest.async_case":
        own, stop = module.IsolatedAsyncioTestCase, sys.modules["unittest.case"]._ShouldStop  # noqa: SLF001
        own._callTestMethod = _not_stopped(own._callTestMethod, stop)  # noqa: SLF001 - the one way in
    elif hasattr(module.TestLoader, "_match_path"):
        module.TestLoader._match_path = _matched(module.TestLoader._match_path)  # noqa: SLF001 - made for this
