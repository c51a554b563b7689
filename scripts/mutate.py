"""Would the tests notice? Each small change of a file is tried once, and the tests have to fail for it.

`make mutants` does so for the identity of failures. Changes of code: comparisons, `and`/`or`, `not`, conditions that
always or never hold, constants, returned values. Changes of patterns: each group, class, border and repetition left out
or made necessary. A child process loads the changed text over the module, so nothing on the disk is touched.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import io
import os
import re
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILES = ("src/trueup/evidence/normalize.py", "src/trueup/evidence/fingerprint.py")
TESTS = (
    "tests/evidence/test_normalize_rules.py",
    "tests/evidence/test_normalize.py",
    "tests/evidence/test_fingerprint.py",
    "tests/evidence/test_fingerprint_edges.py",
)
_LONGEST = 30
"""Seconds of CPU for one change."""
_PATTERN_CALLS = {"_rule", "compile", "Pattern"}
_PATTERN_NAMES = {"_CLOCK", "_NUMBER", "_UNIT", "_ROOTS", "_PATH_CHARACTER"}
_OPPOSITE = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
}  # fmt: skip


def main() -> None:
    asked = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    asked.add_argument("files", nargs="*", default=FILES)
    asked.add_argument("--every", type=int, default=1, help="only every n-th change, for a quick look")
    given = asked.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "src"))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    tests = _tests()
    killed = total = 0
    for name in given.files:
        if _is_noticed(tests, _module(name), Path(name).read_text(encoding="utf-8")):
            raise SystemExit(f"{name}: the tests fail without any change")
        for label, changed in list(mutants(Path(name).read_text(encoding="utf-8")))[:: given.every]:
            total += 1
            if _is_noticed(tests, _module(name), changed):
                killed += 1
            else:
                sys.stdout.write(f"survived  {name}:{label}\n")
                sys.stdout.flush()
    share = 100 * killed / total if total else 0.0
    sys.stdout.write(f"\n{killed} of {total} changes were noticed: {share:.1f} %\n")


def _module(name: str) -> str:
    return ".".join(Path(name).relative_to("src").with_suffix("").parts)


# --- changes -----------------------------------------------------------------------------------------------------


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Where and what, and the changed text."""
    tree = ast.parse(source)
    count = len(list(ast.walk(tree)))
    patterns = {id(n) for n in _pattern_texts(tree)}
    skipped = {id(n) for n in _without_effect(tree)}
    numbers = [n for n, node in enumerate(ast.walk(tree)) if id(node) not in skipped]
    texts = [n for n, node in enumerate(ast.walk(tree)) if id(node) in patterns]
    for number in (n for n in numbers if n < count):
        node = list(ast.walk(tree))[number]
        changes = _pattern_changes(node) if number in texts else _changes(node)
        for what, change in changes:
            changed = copy.deepcopy(tree)
            _replace(changed, number, change)
            yield f"{getattr(node, 'lineno', 0)} {what}", ast.unparse(ast.fix_missing_locations(changed))


def _replace(tree: ast.AST, number: int, new: ast.AST) -> None:
    old = list(ast.walk(tree))[number]
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
            elif isinstance(value, list) and any(one is old for one in value):
                value[next(i for i, one in enumerate(value) if one is old)] = new


def _without_effect(tree: ast.Module) -> Iterator[ast.AST]:
    """Docstrings, annotations, imports, names of types and what only checkers of types see."""
    for node in ast.walk(tree):
        if (
            (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            or isinstance(node, ast.Import | ast.ImportFrom)
            or _target(node) in {"Replacement", "Rule", "TYPE_CHECKING"}
            or (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING")
        ):
            yield from ast.walk(node)
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                yield from ast.walk(getattr(node, name))


def _pattern_texts(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and _called(node) in _PATTERN_CALLS:
            yield from (part for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant))
        if _target(node) in _PATTERN_NAMES:
            yield from [node.value] if isinstance(node, ast.Assign) else []


def _target(node: ast.AST) -> str:
    return getattr(node.targets[0], "id", "") if isinstance(node, ast.Assign) else ""


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:  # noqa: C901 - a table, one row per kind of change
    match node:
        case ast.Compare(ops=[op]) if type(op) in _OPPOSITE:
            changed = copy.deepcopy(node)
            changed.ops = [_OPPOSITE[type(op)]()]
            yield f"{ast.unparse(node)} -> {ast.unparse(changed)}", changed
        case ast.BoolOp():
            changed_bool = copy.deepcopy(node)
            changed_bool.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield f"{ast.unparse(node)} -> the other of and/or", changed_bool
        case ast.UnaryOp(op=ast.Not()):
            yield f"{ast.unparse(node)} -> without not", node.operand
        case ast.If() | ast.IfExp():
            for value in (True, False):
                changed_if = copy.deepcopy(node)
                changed_if.test = ast.Constant(value)
                yield f"if {ast.unparse(node.test)} -> if {value}", changed_if
        case ast.Return(value=ast.expr()):
            yield "return nothing", ast.Return(ast.Constant(None))
        case ast.Break():
            yield "no break", ast.Pass()
        case ast.Call(func=ast.Attribute(value=inner, attr="strip" | "rstrip" | "lstrip" | "lower" | "removeprefix")):
            yield f"{ast.unparse(node)} -> {ast.unparse(inner)}", inner
        case ast.Attribute(attr="IGNORECASE" | "MULTILINE"):
            yield f"no {node.attr}", ast.Constant(0)
        case ast.Constant(value=bool(truth)):
            yield "the other truth", ast.Constant(not truth)
        case ast.Constant(value=int(number)):
            yield f"{number} -> {number + 1}", ast.Constant(number + 1)
        case ast.Constant(value=str(text)):
            yield f"{text!r} -> longer", ast.Constant(f"{text}XX")


def _pattern_changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    text: Any = getattr(node, "value", None)
    if not isinstance(text, str):
        return
    for what, changed in pattern_mutants(text):
        yield f"{text!r}: {what}", ast.Constant(changed)


_PARTS = (
    ("a border left out", re.compile(r"\\b|(?<!\[)\^|\$")),
    ("a look-around left out", re.compile(r"\(\?<?[!=](?:[^()\\]|\\.)*\)")),
    ("what may be missing has to be there", re.compile(r"(?<=[\w)\]}])\?(?![:!=<])")),
    ("a part left out", re.compile(r"\(\?:(?:[^()\\]|\\.)*\)\??")),
    ("an alternative left out", re.compile(r"\|(?:[\w .\\]+)(?=[|)]|$)")),
    ("another class", re.compile(r"\\[dws]")),
    ("another class of characters", re.compile(r"\[(?![\]^])")),
)
_TIMES = re.compile(r"\{(\d+),(\d+)\}|\{\{(\d+),(\d+)\}\}")


def pattern_mutants(text: str) -> Iterator[tuple[str, str]]:
    for what, part in _PARTS:
        for match in part.finditer(text):
            new = {"another class": match.group().swapcase(), "another class of characters": "[^"}.get(what, "")
            changed = text[: match.start()] + new + text[match.end() :]
            yield f"{what} at {match.start()}", changed
    for match in _TIMES.finditer(text):
        least, most = int(match[1] or match[3]), int(match[2] or match[4])
        braces = ("{", "}") if match[1] else ("{{", "}}")
        for low, high in ((least + 1, most), (least, least)):
            if low <= high:
                new = f"{braces[0]}{low},{high}{braces[1]}"
                yield f"{match.group()} -> {new} at {match.start()}", text[: match.start()] + new + text[match.end() :]


# --- trying one --------------------------------------------------------------------------------------------------


class _Collected:
    """What pytest finds, to be called without it: thousands of runs of pytest would take hours."""

    def __init__(self) -> None:
        self.tests: list[Callable[[], object]] = []

    def pytest_collection_finish(self, session: Any) -> None:
        """Without those that try many generated texts: an example has to notice."""
        for item in session.items:
            given = item.callspec.params if hasattr(item, "callspec") else {}
            if set(item.fixturenames) <= {*given, "request"} and not hasattr(item.obj, "hypothesis"):
                self.tests.append(partial(item.obj, **given))


def _tests() -> list[Callable[[], object]]:
    import pytest

    collected = _Collected()
    options = ["--collect-only", "-qqq", "-p", "no:cacheprovider", "-k", "not hostile and not never_raises"]
    with contextlib.redirect_stdout(io.StringIO()):
        code = pytest.main([*options, *TESTS], plugins=[collected])
    if code or not collected.tests:
        raise SystemExit("the tests cannot be collected")
    return collected.tests


def _is_noticed(tests: Sequence[Callable[[], object]], name: str, source: str) -> bool:
    """By a child of ours, which may take no longer than the limit: a test that hangs has noticed it, too."""
    pid = os.fork()
    if pid == 0:
        _be_tested(tests, name, source)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0


def _be_tested(tests: Sequence[Callable[[], object]], name: str, source: str) -> None:
    """Never returns. A file that cannot be loaded any more has been noticed."""
    resource.setrlimit(resource.RLIMIT_CPU, (_LONGEST, _LONGEST))
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    code = 1
    try:
        _change(name, source)
        for test in tests:
            test()
        code = 0
    finally:
        os._exit(code)


def _change(name: str, source: str) -> None:
    """In place: who imported a function by its name has the changed one, too."""
    module = sys.modules[name]
    old = {key: value for key, value in vars(module).items() if isinstance(value, FunctionType)}
    own = {key: function for key, function in old.items() if function.__module__ == name}
    exec(compile(source, f"<changed {name}>", "exec"), module.__dict__)  # noqa: S102 - our own file
    for key, function in own.items():
        new = module.__dict__[key]
        function.__code__, function.__kwdefaults__ = new.__code__, new.__kwdefaults__
        function.__defaults__ = new.__defaults__
        module.__dict__[key] = function
    sys.modules["trueup.evidence.fingerprint"].__dict__["_normal"].cache_clear()


if __name__ == "__main__":
    main()
