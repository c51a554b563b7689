"""Which constructs in Python code can make a test pass without the code being right?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_RUNNERS = frozenset({"pytest", "_pytest", "pluggy", "unittest", "xdist", "nose", "nose2"})
_TESTS = frozenset({"conftest", "tests", "test", "sitecustomize", "usercustomize"})

NAMES = {
    "os._exit": "ends the interpreter at once",
    "os.abort": "ends the interpreter at once",
    "posix._exit": "ends the interpreter at once",
    "signal.raise_signal": "signals its own process",
    "signal.signal": "handles signals",
    "signal.alarm": "handles signals",
    "signal.setitimer": "handles signals",
    "sys.settrace": "traces the running code",
    "sys.setprofile": "traces the running code",
    "sys.monitoring": "traces the running code",
    "sys.addaudithook": "traces the running code",
    "threading.settrace": "traces the running code",
    "threading.setprofile": "traces the running code",
    "sys._getframe": "reads the stack",
    "sys._current_frames": "reads the stack",
    "inspect.stack": "reads the stack",
    "inspect.trace": "reads the stack",
    "inspect.currentframe": "reads the stack",
    "inspect.getouterframes": "reads the stack",
    "traceback.extract_stack": "reads the stack",
    "traceback.walk_stack": "reads the stack",
    "gc.get_objects": "reaches objects of others",
    "gc.get_referrers": "reaches objects of others",
    "gc.get_referents": "reaches objects of others",
    "sys.modules": "reaches into loaded modules",
    "sys.meta_path": "changes how modules are loaded",
    "sys.path_hooks": "changes how modules are loaded",
    "sys.excepthook": "changes what happens with an exception",
    "sys.unraisablehook": "changes what happens with an exception",
    "threading.excepthook": "changes what happens with an exception",
    "ctypes.pythonapi": "reaches into the interpreter's memory",
    "ctypes.memmove": "reaches into the interpreter's memory",
    "ctypes.memset": "reaches into the interpreter's memory",
    "ctypes.py_object": "reaches into the interpreter's memory",
    "ctypes.string_at": "reaches into the interpreter's memory",
}
_MODULES = {
    "atexit": "acts when the interpreter ends",
    "faulthandler": "acts when the interpreter ends",
    "builtins": "reaches built-ins",
    "__builtin__": "reaches built-ins",
}
REPLACES_PROCESS = re.compile(r"os\.(?:exec[lv]p?e?|posix_spawnp?|_exit)$")
_FRAME_ATTRIBUTES = frozenset({"f_back", "f_globals", "f_locals", "tb_frame", "gi_frame", "cr_frame"})
COMPARISONS = frozenset(
    {
        "__eq__",
        "__ne__",
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
        "__contains__",
        "__instancecheck__",
        "__subclasscheck__",
    }
)
_STRINGS = (
    (
        re.compile(
            r"_?pytest(?:\.|$)|py\.test$|pytest11$|pluggy$|.*\bPYTEST_|.*_trueup_probe|PYTHONPYCACHEPREFIX$|.*TRUEUP_"
            r"|_?[Pp][Yy][Tt](?:[Ee][Ss]?[Tt]?)?_?$"
        ),
        "asks about the test runner",
    ),
    (re.compile(r".*/proc/(?:self|\d|%|\{)|/proc/?$"), "reads the process from outside"),
    (re.compile(r"(?:.*/)?(?:conftest|sitecustomize|usercustomize)(?:\.py)?$"), "touches files that steer the tests"),
    (re.compile(r"(?:" + "|".join(sorted(COMPARISONS)) + r")$"), "decides what equality means"),
    (re.compile(r"(?s).*\b_exit\b|settrace$|_getframe$"), "names what it could have called"),
)  # fmt: skip
_DECODERS = frozenset(
    {"b64decode", "b85decode", "fromhex", "unhexlify", "decompress", "loads", "decode", "chr", "join"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    line: int
    why: str
    construct: str
    """The same construct elsewhere in the file has the same text."""


def python_findings(module: ast.Module) -> Iterator[Finding]:
    aliases = _aliases(module)
    docstrings = {id(n.value) for n in ast.walk(module) if isinstance(n, ast.Expr)}
    for node in ast.walk(module):
        for why in _whys(node, aliases, docstrings):
            yield _finding(node, why)
    for node in _at_import(module.body):
        if _ends_interpreter(node, aliases):
            yield _finding(node, "ends the interpreter when it is imported")


def _finding(node: ast.AST, why: str) -> Finding:
    return Finding(line=getattr(node, "lineno", 1), why=why, construct=f"{why}: {ast.unparse(node)}")


def _whys(node: ast.AST, aliases: dict[str, str], docstrings: set[int]) -> Iterator[str]:
    match node:
        case ast.Import() | ast.ImportFrom():
            yield from _import_whys(node)
        case ast.Attribute() | ast.Name():
            yield from _name_whys(node, aliases)
        case ast.Constant(value=str(text)) if id(node) not in docstrings:
            yield from (why for pattern, why in _STRINGS if pattern.match(text))
        case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name in COMPARISONS and _ignores_other(node.args, node):
            yield "decides what equality means without looking"
        case ast.Assign(targets=targets, value=ast.Lambda() as made) if _compares(targets) and _ignores_other(
            made.args, made
        ):
            yield "decides what equality means without looking"
        case ast.Call():
            yield from _call_whys(node, aliases)
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Delete():
            yield from _replaced_whys(node)


# --- names -------------------------------------------------------------------------------------------------------


def _aliases(module: ast.Module) -> dict[str, str]:
    """What the imported names stand for: `from os import _exit as bye` -> {"bye": "os._exit"}."""
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found.update({a.asname: a.name for a in node.names if a.asname})
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
    return found


def _dotted(node: ast.AST, aliases: dict[str, str]) -> str:
    """`os._exit` for an expression that means it; "" for what is no plain name."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, aliases)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _name_whys(node: ast.Attribute | ast.Name, aliases: dict[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and node.attr in _FRAME_ATTRIBUTES:
        yield "reads the stack"
    if isinstance(node, ast.Name) and node.id == "__builtins__":
        yield "reaches built-ins"
    name = _dotted(node, aliases)
    if name in NAMES:
        yield NAMES[name]
    elif REPLACES_PROCESS.match(name):
        yield "replaces the process"


def _import_whys(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    level = node.level if isinstance(node, ast.ImportFrom) else 0
    names = [a.name for a in node.names]
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
    for module in modules:
        first = module.partition(".")[0]
        if first in _RUNNERS and not level:
            yield "imports the test runner"
        elif first in _MODULES and not level:
            yield _MODULES[first]
    if any(_is_test_module(part) for module in modules for part in module.split(".")) or _is_any_test(node, names):
        yield "imports the tests"


def _is_any_test(node: ast.AST, names: list[str]) -> bool:
    """`from . import test_helpers`: files with such a name are not looked into, because tests use the runner."""
    looked_over = (name for name in names if name == "conftest" or re.match(r"test_|.*_test$", name))
    return isinstance(node, ast.ImportFrom) and any(looked_over)


def _is_test_module(part: str) -> bool:
    return part in _TESTS or part.startswith("test_") or part.endswith("_test")


# --- what is done with them ---------------------------------------------------------------------------------------


def _call_whys(node: ast.Call, aliases: dict[str, str]) -> Iterator[str]:
    name = _dotted(node.func, aliases)
    if name in {"exec", "eval"} and any(_is_decoded(argument) for argument in node.args):
        yield "runs code that cannot be read"
    if name in {"os.kill", "os.killpg"} and any(_is_own_pid(argument, aliases) for argument in node.args):
        yield "signals its own process"
    if name in {"setattr", "delattr"} and node.args:
        owner = _dotted(node.args[0], aliases).partition(".")[0]
        if owner in {*_RUNNERS, "builtins"}:
            yield "replaces parts of the test runner or of the built-ins"


def _is_decoded(node: ast.AST) -> bool:
    """The code to run is not in the text: it is decoded or put together."""
    calls = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
    return any((f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")) in _DECODERS for f in calls)


def _is_own_pid(node: ast.AST, aliases: dict[str, str]) -> bool:
    calls = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
    return any(_dotted(f, aliases) in {"os.getpid", "os.getppid", "os.getpgrp", "os.getpgid"} for f in calls)


def _replaced_whys(node: ast.AST) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [getattr(node, "target", None)]
    for target in targets:
        if isinstance(target, ast.Name) and target.id in {"AssertionError", "isinstance", "len", "__import__"}:
            yield "replaces a built-in"


def _compares(targets: list[ast.expr]) -> bool:
    names = {t.id if isinstance(t, ast.Name) else getattr(t, "attr", "") for t in targets}
    return bool(names & COMPARISONS)


def _ignores_other(arguments: ast.arguments, function: ast.AST) -> bool:
    """The second operand is never looked at, so the answer is the same whatever it is."""
    parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    others = {*parameters[1:], *(a.arg for a in (arguments.vararg, arguments.kwarg) if a)}
    used = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return not others & used and not _refuses(function)


def _refuses(function: ast.AST) -> bool:
    """`return NotImplemented` and `raise` leave the decision to others."""
    if isinstance(function, ast.Lambda):
        return False
    returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
    return all(isinstance(v, ast.Name) and v.id == "NotImplemented" for v in returned)


def _at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported; `if __name__ == "__main__":` is left out."""
    for statement in body:
        if isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test):
            yield from _at_import(statement.orelse)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        elif isinstance(getattr(statement, "body", None), list):
            for part in ("body", "orelse", "finalbody"):
                yield from _at_import(getattr(statement, part, []))
            for handler in getattr(statement, "handlers", []):
                yield from _at_import(handler.body)
        else:
            yield statement


def _ends_interpreter(statement: ast.stmt, aliases: dict[str, str]) -> bool:
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return _dotted(raised, aliases) == "SystemExit"
    calls = (n.func for n in ast.walk(statement) if isinstance(n, ast.Call))
    return any(_dotted(f, aliases) in {"sys.exit", "exit", "quit"} for f in calls)
