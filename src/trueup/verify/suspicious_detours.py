"""Which constructs in Python code reach by a detour what `suspicious_python` knows by its plain name?

`pathlib.os._exit` is `os._exit`; `from x import same as __eq__` is an `__eq__`; a text that is handed to `timeit` is
code; and what lies in another folder, in an archive or behind a built-in's `__self__` is in no text that we read.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable, Iterable, Iterator

from trueup.verify.suspicious_python import COMPARISONS, NAMES, REPLACES_PROCESS, Finding, python_findings

_REACHED = frozenset({"os", "sys", "builtins", "posix", "gc", "ctypes"})
"""Modules that nobody reaches through another one without a reason."""
_REACHED_IN_STANDARD = _REACHED | {"signal", "inspect", "importlib", "atexit"}
_TELLING = frozenset({"_exit", "_getframe", "_current_frames", "settrace", "setprofile"})
_RUNS_TEXT = frozenset({"timeit.timeit", "timeit.repeat", "timeit.Timer", "cProfile.run", "profile.run"})
_RUNNING_MODULES = frozenset({"code", "codeop", "bdb", "pdb", "trace", "_sitebuiltins", "_thread", "_posixsubprocess"})
_INSIDE = {
    "__globals__": "reaches into other modules",
    "__builtins__": "reaches built-ins",
    "__getattribute__": "hides which part of a module it uses",
    "__dict__": "hides which part of a module it uses",
}
_BUILT_IN = frozenset(dir(builtins))
_SPECIAL = re.compile(r"__(?:%s|\{\w*\})__")
_ELSEWHERE = "loads modules from elsewhere"
_GROWS = frozenset({"append", "insert", "extend", "__setitem__"})


def detour_findings(module: ast.Module, *, depth: int = 0) -> Iterator[Finding]:
    known = _Known(module)
    for node in ast.walk(module):
        for why in (why for rule in _RULES for why in rule(node, known)):
            yield Finding(line=getattr(node, "lineno", 1), why=why, construct=f"{why}: {ast.unparse(node)}")
        for text in _code_in(node, known) if depth == 0 else ():
            yield from _read(node, text)


class _Known:
    """What the names of a module stand for, and which of its values come from its own place."""

    def __init__(self, module: ast.Module) -> None:
        self.modules: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.here = {"__file__"}
        for node in ast.walk(module):
            if isinstance(node, ast.Import):
                self.modules.update({a.asname or a.name.partition(".")[0]: a.name for a in node.names})
            elif isinstance(node, ast.ImportFrom) and not node.level:
                self.names.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
            elif isinstance(node, ast.Assign) and self.is_from_here(node.value):
                self.here.update(t.id for t in node.targets if isinstance(t, ast.Name))

    def is_from_here(self, node: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and n.id in self.here for n in ast.walk(node))

    def dotted(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return f"{self.dotted(node.value)}.{node.attr}"
        return ""

    def root(self, node: ast.AST) -> str:
        """The module that a chain of attributes begins with; "" when it does not begin with one."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return self.modules.get(node.id, "") if isinstance(node, ast.Name) else ""


# --- rules ---------------------------------------------------------------------------------------------------------


def _through_another_module(node: ast.AST, known: _Known) -> Iterator[str]:
    reached = ""
    if isinstance(node, ast.Attribute) and (root := known.root(node.value)):
        reached = _reached(root, node.attr)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        reached = next((r for a in node.names if (r := _reached(node.module, a.name))), "")
    if reached:
        yield f"reaches {reached} through another module"


def _reached(root: str, name: str) -> str:
    bare, first = name.lstrip("_"), root.partition(".")[0]
    if bare == root:
        return ""  # `signal.signal`
    return bare if bare in (_REACHED_IN_STANDARD if first in sys.stdlib_module_names else _REACHED) else ""


def _by_the_end_of_its_name(node: ast.AST, known: _Known) -> Iterator[str]:
    if not isinstance(node, ast.Attribute):
        return
    module = known.dotted(node.value).rpartition(".")[2].lstrip("_")
    name = f"{module}.{node.attr}"
    if name in NAMES:
        yield NAMES[name]
    elif REPLACES_PROCESS.match(name):
        yield "replaces the process"
    elif node.attr in _TELLING:
        yield f"reaches {node.attr} without naming its module"


def _binds_a_comparison(node: ast.AST, _known: _Known) -> Iterator[str]:
    """A plain `def` is looked into elsewhere; every other way to give that name is a way around it."""
    bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in COMPARISONS
    called = isinstance(node, ast.ClassDef) and node.name in COMPARISONS
    if bound or called or (isinstance(node, ast.alias) and node.asname in COMPARISONS):
        yield "decides what equality means"


def _special_names(node: ast.AST, _known: _Known) -> Iterator[str]:
    """`"__%s__" % name`, `f"__{name}__"`, `"__" + name + "__"`."""
    match node:
        case ast.Constant(value=str(text)) if _SPECIAL.fullmatch(text):
            pass
        case ast.JoinedStr(values=[ast.Constant(value="__"), *_, ast.Constant(value="__")]):
            pass
        case ast.BinOp(left=ast.BinOp(left=ast.Constant(value="__")), right=ast.Constant(value="__")):
            pass
        case _:
            return
    yield "puts the name of a special method together"


def _insides(node: ast.AST, known: _Known) -> Iterator[str]:
    if isinstance(node, ast.Constant) and node.value in {"__builtins__", "__globals__"}:
        yield _INSIDE[node.value]
    if not isinstance(node, ast.Attribute):
        return
    of_module = known.root(node.value).partition(".")[0] in sys.stdlib_module_names
    if node.attr in {"__globals__", "__builtins__"} or (node.attr in _INSIDE and of_module):
        yield _INSIDE[node.attr]
    elif node.attr == "__self__" and getattr(node.value, "id", "") in _BUILT_IN:
        yield "reaches built-ins"
    elif node.attr == "__subclasses__" and (not isinstance(node.value, ast.Name) or node.value.id in _BUILT_IN):
        yield "reaches objects of others"
    elif node.attr == "__code__" and isinstance(node.ctx, ast.Store):
        yield "replaces code that runs"


def _parts_of_others(node: ast.AST, known: _Known) -> Iterator[str]:
    """`from json import JSONEncoder; JSONEncoder.encode = …`."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
        module = known.names.get(node.value.id, "").partition(".")[0]
        if module in sys.stdlib_module_names:
            yield "replaces parts of the standard library"


def _other_places(node: ast.AST, known: _Known) -> Iterator[str]:
    """The project's own folders are read; a folder, or an archive, that is not of the project is not."""
    if isinstance(node, ast.Call) and known.dotted(node.func) in {"site.addsitedir", "site.addpackage"}:
        yield _ELSEWHERE
    grown = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GROWS
    if grown and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        place, given = node.func.value, list(node.args)
    elif isinstance(node, ast.Assign | ast.AugAssign):
        place, given = (node.targets[0] if isinstance(node, ast.Assign) else node.target), [node.value]
    else:
        return
    bare = place.value if isinstance(place, ast.Subscript) else place
    if known.dotted(bare) in {"sys.path", "__path__"} and not _is_own_place(given, known):
        yield _ELSEWHERE


def _is_own_place(given: Iterable[ast.expr], known: _Known) -> bool:
    inside = [n for g in given for n in ast.walk(g)]
    texts = [n.value for n in inside if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    relative = texts and not any(t.startswith(("/", "~", "..")) for t in texts) and all(map(_is_plain, given))
    archive = any(isinstance(n, ast.Constant) and re.search(r"\.(zip|whl|egg|pyz)", str(n.value)) for n in inside)
    extended = any(known.dotted(n) in {"pkgutil.extend_path", "extend_path"} for n in inside)
    return not archive and bool(relative or extended or any(known.is_from_here(g) for g in given))


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.List | ast.Tuple) and all(map(_is_plain, node.elts)))


def _running_modules(node: ast.AST, _known: _Known) -> Iterator[str]:
    names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module]
    if not _RUNNING_MODULES.isdisjoint(names):
        yield "runs code that is not in the text"


def _hooks_elsewhere(node: ast.AST, _known: _Known) -> Iterator[str]:
    """Names by which other runners than pytest let a project in; and modules that are run by hand."""
    named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "load_tests"
    told = isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "TEST_RUNNER" for t in node.targets)
    if named or told:
        yield "hooks into the test runner"
    if isinstance(node, ast.Attribute) and node.attr in {"exec_module", "load_module"}:
        yield "runs code that is not in the text"


_RULES: tuple[Callable[[ast.AST, _Known], Iterable[str]], ...] = (
    _through_another_module, _by_the_end_of_its_name, _binds_a_comparison, _special_names, _insides, _parts_of_others,
    _other_places, _running_modules, _hooks_elsewhere,
)  # fmt: skip


# --- texts that are code -------------------------------------------------------------------------------------------


def _code_in(node: ast.AST, known: _Known) -> Iterator[str]:
    """Texts that will be run or resolved: by `timeit`, as an annotation, as the name of a module."""
    if isinstance(node, ast.Call):
        name, given = known.dotted(node.func), [*node.args, *(k.value for k in node.keywords)]
        texts = [a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if name in _RUNS_TEXT:
            yield from texts
        elif name == "importlib.import_module":
            yield from (f"import {text}" for text in texts[:1])
    annotation = getattr(node, "returns", None) or getattr(node, "annotation", None)
    if isinstance(annotation, ast.AST):
        yield from (n.value for n in ast.walk(annotation) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def _read(place: ast.AST, text: str) -> Iterator[Finding]:
    try:
        module = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError):
        return
    calls_import = (n for n in ast.walk(module) if isinstance(n, ast.Name) and n.id in {"__import__", "exec", "eval"})
    whys = [f.why for f in (*python_findings(module), *detour_findings(module, depth=1))]
    for why in (*whys, *("hides what it imports" for _ in calls_import)):
        yield Finding(line=getattr(place, "lineno", 1), why=why, construct=f"{why}: {text}")
