"""Which constructs in Python code hide what it does, or let it decide itself what a test finds out?

`suspicious_python` knows the plain names of what can fool a test. Here are the ways around a plain name: code that
is put together or loaded at run time, native code, other modules' parts replaced, and values that take part in
their own comparison.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator

from trueup.verify.suspicious_python import Finding, python_findings

_UNUSUAL_MODULES = {
    "ctypes": "calls native code",
    "_ctypes": "calls native code",
    "cffi": "calls native code",
    "__main__": "reaches the program that runs it",
    "posix": "calls the system without the usual module",
    "runpy": "runs code that is not in the text",
    "imp": "runs code that is not in the text",
    "marshal": "runs code that is not in the text",
    "zipimport": "runs code that is not in the text",
}
_UNUSUAL_NAMES = {
    "os.fork": "splits its process",
    "os.forkpty": "splits its process",
    "os.getppid": "looks at the process that runs it",
    "os.ftruncate": "writes into files that others opened",
    "os.dup2": "writes into files that others opened",
    "os.closerange": "writes into files that others opened",
    "os.pwrite": "writes into files that others opened",
    "os.pwritev": "writes into files that others opened",
    "importlib.util.spec_from_file_location": "runs code that is not in the text",
    "importlib.machinery.SourceFileLoader": "runs code that is not in the text",
    "importlib.machinery.SourcelessFileLoader": "runs code that is not in the text",
    "importlib.machinery.ExtensionFileLoader": "runs code that is not in the text",
    "__import__": "hides what it imports",
    "pkgutil.resolve_name": "hides what it imports",
}
_TELLING_ATTRIBUTES = frozenset({"_exit", "_getframe", "_current_frames", "settrace", "setprofile"})
_WIDE_MODULES = frozenset({"os", "posix", "sys", "ctypes", "signal", "inspect", "gc", "builtins", "importlib"})
_OPEN_PARTS = frozenset({"sys.stdout", "sys.stderr", "sys.stdin", "sys.argv", "sys.path", "sys.ps1", "sys.ps2"})
"""Parts of the standard library that are there to be replaced."""
_STRINGS = (
    (re.compile(r"/dev/fd\b"), "reads the process from outside"),
    (re.compile(r"(?:f_back|f_globals|f_locals|tb_frame|gi_frame|cr_frame)$"), "reads the stack"),
    (re.compile(r"pytest_\w+$"), "hooks into the test runner"),
    (re.compile(r".*(?:^|[/\\\s'\"])(?:test_\w+|\w+_test)\.py\b|.*::test_"), "names a test"),
)
_VALUES = frozenset(
    {"int", "float", "complex", "bool", "str", "bytes", "list", "tuple", "dict", "set", "frozenset", "Decimal"}
)
_EQUALITY = frozenset({"__eq__", "__ne__"})
_OPERATORS = frozenset(
    f"__{side}{name}__"
    for side in ("", "r")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "divmod")
)
_COMPARISONS = _EQUALITY | {"__lt__", "__le__", "__gt__", "__ge__", "__contains__"}
_ASSERTION = re.compile(r"_*(?:assert|expect)(?:_|[A-Z]|$)")
_COOKIE = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_PLAIN_ENCODINGS = frozenset({"utf-8", "utf8", "ascii", "us-ascii", "latin-1", "iso-8859-1", "iso-8859-15", "cp1252"})
_DEEPEST = 3

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def hidden_findings(text: str, module: ast.Module, *, opaque: bool, depth: int = 0) -> Iterator[Finding]:
    """`opaque`: a check looks at nothing but an exit code, so that every end of the interpreter counts."""
    yield from _cookie(text)
    known = _Imports(module)
    for node in _without_docstrings(module):
        for why in (why for rule in _RULES for why in rule(node, known)):
            yield _finding(node, why)
        if depth < _DEEPEST:
            yield from _inside(node, opaque=opaque, depth=depth)
    if opaque:
        yield from (_finding(node, "ends the interpreter") for node in _outside_main(module) if _exits(node, known))
        yield from (_finding(n, "decides what equality means") for n in ast.walk(module) if _takes_any_other(n))


def _without_docstrings(module: ast.Module) -> Iterator[ast.AST]:
    prose = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    return (n for n in ast.walk(module) if not (isinstance(n, ast.Constant) and id(n) in prose))


def weakened(old: ast.Module, new: ast.Module, *, opaque: bool) -> Iterator[Finding]:
    """Assertions of the old text that are gone or changed: what tests call in order to fail."""
    now = {f.name: f for f in _assertions(new)}
    for function in _assertions(old):
        kept = now.get(function.name)
        if kept is None or ast.unparse(kept) != ast.unparse(function):
            yield _finding(kept or new, f"changes what {function.name} finds out", function)
    if opaque:
        left = [ast.unparse(node) for node in ast.walk(new) if isinstance(node, ast.Assert)]
        for node in ast.walk(old):
            if isinstance(node, ast.Assert) and ast.unparse(node) not in left:
                yield _finding(new, "takes an assertion away", node)


def _finding(place: ast.AST, why: str, node: ast.AST | None = None) -> Finding:
    return Finding(line=getattr(place, "lineno", 1), why=why, construct=f"{why}: {ast.unparse(node or place)}")


def _cookie(text: str) -> Iterator[Finding]:
    """In some encodings a comment is code: the text that we read is not the text that Python runs."""
    for number, line in enumerate(text.split("\n")[:2], start=1):
        found = _COOKIE.match(line)
        if found and found[1].lower().replace("_", "-") not in _PLAIN_ENCODINGS:
            why = "is written in an encoding that can hide code"
            yield Finding(line=number, why=why, construct=f"{why}: {found[1]}")


# --- names -------------------------------------------------------------------------------------------------------


class _Imports:
    """What the names of a module stand for."""

    def __init__(self, module: ast.Module) -> None:
        self.modules: dict[str, str] = {}
        """Name -> the module that it is."""
        self.names: dict[str, str] = {}
        self.wide = False
        """Some `from os import *` brings names that cannot be told."""
        self.plain: set[int] = set()
        """Names of modules behind which stands what is used of them: `os.sep`, `hasattr(os, "fork")`."""
        self.caught: set[int] = set()
        """Names in `except …:`, which raise nothing."""
        for node in ast.walk(module):
            self.plain.update(id(place) for place in _used_plainly(node))
            if isinstance(node, ast.ExceptHandler) and node.type is not None:
                self.caught.update(id(name) for name in ast.walk(node.type))
            if isinstance(node, ast.Import):
                tops = [(a.asname, a.name) if a.asname else (a.name.partition(".")[0],) * 2 for a in node.names]
                self.modules.update(tops)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                self.names.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
                self.wide = self.wide or (node.module in _WIDE_MODULES and any(a.name == "*" for a in node.names))

    def dotted(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return self.modules.get(node.id) or self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            before = self.dotted(node.value)
            return f"{before}.{node.attr}" if before else ""
        return ""

    def is_module(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.modules

    def is_powerful(self, node: ast.AST | None) -> bool:
        return isinstance(node, ast.Name) and self.modules.get(node.id) in _WIDE_MODULES

    def is_standard(self, node: ast.AST) -> bool:
        """A part of the standard library, reached through an imported module."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        return self.is_module(root) and self.dotted(root).partition(".")[0] in sys.stdlib_module_names


def _used_plainly(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Attribute):
        yield node.value
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in {
        "getattr",
        "hasattr",
        "setattr",
        "delattr",
        "vars",
    }:
        yield from node.args[:1]  # these calls are looked at themselves


# --- rules -------------------------------------------------------------------------------------------------------


def _imports(node: ast.AST, _known: _Imports) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (_UNUSUAL_MODULES[m] for a in node.names if (m := a.name.partition(".")[0]) in _UNUSUAL_MODULES)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        first = node.module.partition(".")[0]
        if first in _UNUSUAL_MODULES:
            yield _UNUSUAL_MODULES[first]
        if node.module in _WIDE_MODULES and any(a.name == "*" for a in node.names):
            yield f"imports everything that {node.module} has"


def _names(node: ast.AST, known: _Imports) -> Iterator[str]:
    if not isinstance(node, ast.Name | ast.Attribute):
        return
    name = known.dotted(node)
    if name in _UNUSUAL_NAMES:
        yield _UNUSUAL_NAMES[name]
    elif isinstance(node, ast.Attribute) and node.attr in _TELLING_ATTRIBUTES and not name:
        yield f"reaches {node.attr} without naming its module"
    elif isinstance(node, ast.Name) and known.wide and node.id in _TELLING_ATTRIBUTES:
        yield f"reaches {node.id} without naming its module"


def _calls(node: ast.AST, known: _Imports) -> Iterator[str]:
    if not isinstance(node, ast.Call):
        return
    name, (first, second) = known.dotted(node.func), (*node.args, None, None)[:2]
    match name:
        case "exec" | "eval" | "compile" if not _is_text(first):
            yield "runs code that is not in the text"
        case "types.CodeType" | "types.FunctionType":
            yield "runs code that is not in the text"
        case "importlib.import_module" if not _is_text(first):
            yield "hides what it imports"
        case "pickle.loads" | "dill.loads" | "cloudpickle.loads" if isinstance(first, ast.Constant):
            yield "runs code that cannot be read"
        case "getattr" if known.is_powerful(first) and not _is_text(second):
            yield "hides which part of a module it uses"
        case "vars" if known.is_powerful(first):
            yield "hides which part of a module it uses"
        case "setattr" | "delattr" if first is not None and known.is_standard(first):
            yield "replaces parts of the standard library"


def _parts(node: ast.AST, known: _Imports) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and node.attr == "__dict__" and known.is_powerful(node.value):
        yield "hides which part of a module it uses"
    targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [getattr(node, "target", None)]
    for target in targets if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete) else ():
        is_part = isinstance(target, ast.Attribute) and known.is_standard(target)
        if target is not None and is_part and known.dotted(target) not in _OPEN_PARTS:
            yield "replaces parts of the standard library"


def _modules_as_values(node: ast.AST, known: _Imports) -> Iterator[str]:
    """`m = os` and `reduce(getattr, names, os)`: from there on nobody can tell what is used."""
    if isinstance(node, ast.Name) and known.is_powerful(node) and id(node) not in known.plain:
        yield "hides which part of a module it uses"


def _texts(node: ast.AST, _known: _Imports) -> Iterator[str]:
    text = _put_together(node)
    if text is not None:
        yield from (why for pattern, why in _STRINGS if pattern.match(text))


def _hooks(node: ast.AST, _known: _Imports) -> Iterator[str]:
    if isinstance(node, _Function) and node.name.startswith("pytest_"):
        yield "hooks into the test runner"


def _comparisons(node: ast.AST, known: _Imports) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        bases = {known.dotted(base).rpartition(".")[2] for base in node.bases}
        defined = {statement.name for statement in node.body if isinstance(statement, _Function)}
        if bases & _VALUES and defined & _EQUALITY:
            yield "is a value that decides itself what it equals"
    targets = node.targets if isinstance(node, ast.Assign) else ()
    if any((getattr(t, "id", "") or getattr(t, "attr", "")) in _COMPARISONS for t in targets):
        yield "decides what equality means"
    if isinstance(node, _Function) and node.name in _COMPARISONS | _OPERATORS and not _weighs_both(node):
        yield "decides what equality means without looking"


_RULES: tuple[Callable[[ast.AST, _Imports], Iterable[str]], ...] = (
    _imports, _names, _calls, _parts, _modules_as_values, _texts, _hooks, _comparisons,
)  # fmt: skip


# --- what they ask -----------------------------------------------------------------------------------------------


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _put_together(node: ast.AST) -> str | None:
    """The text that a constant expression makes; None for everything else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            parts = [_put_together(left), _put_together(right)]
            return "".join(p for p in parts if p is not None) if None not in parts else None
        case ast.JoinedStr(values=values) if all(_is_text(v) for v in values):
            return "".join(str(getattr(v, "value", "")) for v in values)
        case ast.Subscript(value=ast.Constant(value=str(text)), slice=ast.Slice(lower=None, upper=None)):
            return text[::-1]
    return None


def _inside(node: ast.AST, *, opaque: bool, depth: int) -> Iterator[Finding]:
    """Code in a constant text that is run, and constants that were put together, are read like the rest."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"exec", "eval", "compile"} and node.args:
        code = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        yield from _read(node, str(code), opaque=opaque, depth=depth) if isinstance(code, str) else ()
    elif not isinstance(node, ast.Constant) and (text := _put_together(node)) is not None:
        yield from (_finding(node, found.why) for found in python_findings(ast.parse(f"_ = {text!r}")))


def _read(place: ast.AST, code: str, *, opaque: bool, depth: int) -> Iterator[Finding]:
    try:
        module = ast.parse(code.strip())
    except (SyntaxError, ValueError, RecursionError):
        return
    for found in (*python_findings(module), *hidden_findings(code, module, opaque=opaque, depth=depth + 1)):
        yield _finding(place, found.why)


def _weighs_both(function: _Function) -> bool:
    """Both operands take part in the answer, and none is only compared with itself."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    used = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    returned = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    if len(names) != 2 or not returned or all(_is_refusal(r) for r in returned):  # noqa: PLR2004 - self and other
        return True
    return ("super" in used or set(names) <= used) and not any(_is_idle(n) for n in ast.walk(function))


def _takes_any_other(node: ast.AST) -> bool:
    """An `__eq__` that weighs the other itself, not a part of it: `self.x <= other` holds for many others."""
    if not (isinstance(node, _Function) and node.name in _EQUALITY and len(node.args.args) > 1):
        return False
    other = node.args.args[1].arg
    compared = (n for n in ast.walk(node) if isinstance(n, ast.Compare) and not isinstance(n.ops[0], ast.Is))
    return any(getattr(side, "id", "") == other for n in compared for side in (n.left, *n.comparators))


def _is_refusal(node: ast.Return) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in {"NotImplemented", "NotImplementedError"}


def _is_idle(node: ast.AST) -> bool:
    """`other == other`, or `… or True`."""
    if isinstance(node, ast.Compare):
        return any(ast.dump(node.left) == ast.dump(right) for right in node.comparators)
    return isinstance(node, ast.BoolOp) and any(isinstance(v, ast.Constant) and v.value is True for v in node.values)


def _assertions(module: ast.Module) -> list[_Function]:
    return [n for n in ast.walk(module) if isinstance(n, _Function) and _ASSERTION.match(n.name)]


def _outside_main(module: ast.Module) -> Iterator[ast.AST]:
    for statement in module.body:
        if not (isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)):
            yield from ast.walk(statement)


_EXITS = frozenset({"sys.exit", "exit", "quit", "SystemExit"})


def _exits(node: ast.AST, known: _Imports) -> bool:
    """By its name, whatever is done with it: `bye = sys.exit` and `class Done(SystemExit)` end it later."""
    if isinstance(node, ast.Name | ast.Attribute):
        return isinstance(node.ctx, ast.Load) and known.dotted(node) in _EXITS and id(node) not in known.caught
    if isinstance(node, ast.Constant):
        return node.value in {"sys.exit", "SystemExit"}
    return isinstance(node, ast.Call) and _ends_by_parsing(node)


def _ends_by_parsing(call: ast.Call) -> bool:
    """`parser.exit()`, and `parser.parse_args(["--help"])`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    written = any(isinstance(n, ast.Constant) for a in call.args for n in ast.walk(a))
    return (name == "exit" and not (isinstance(call.func, ast.Attribute) and _is_sys(call.func.value))) or (
        name in {"parse_args", "parse_known_args"} and written
    )


def _is_sys(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "sys"
