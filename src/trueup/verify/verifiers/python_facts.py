"""What does one Python file say about itself? Found out once for each content, for all verifiers, in plain JSON."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, TypedDict

from trueup.act.source_files import SourceFiles

NAME = "python/1"
TRIED, CONDITIONAL, TYPING = "tried", "conditional", "typing"
"""How an import is meant: it may fail; it depends on something; it is for type checkers alone. "" = it has to work."""
_SHOWN = 200
_INSIDE = re.compile(rb"^[ \t]+(?:import|from|global)\b|[:;][ \t]*(?:import|from|global)\b", re.MULTILINE)
_ANYWHERE = re.compile(rb"^\S.*:=|\b(?:globals|exec|vars|locals|getenv)\(|\benviron\b|\bsys\.modules\[", re.MULTILINE)


class Step(TypedDict):
    """Something that happens when the module is imported, in order."""

    does: str
    """`import`, `from`, `star` or `define`."""
    module: str
    """For `import` and `from`; relative ones without their dots."""
    level: int
    names: list[str]
    """What `from` takes, or what is defined from here on."""
    line: int
    how: str


class PythonFacts(TypedDict):
    error: list[Any] | None
    """Class, message, line and the line's text; None when it parses."""
    steps: list[Step]
    deep: list[Step]
    """Imports inside functions and classes: they happen later, or never."""
    dynamic: bool
    """Names may come about in a way that cannot be seen here."""
    maybe: list[str]
    """Names that functions put into the module."""
    variables: list[str]
    """Environment variables that are read by name."""
    main: bool
    """Whether it asks if it is the program."""


def python_facts(files: SourceFiles, path: str) -> PythonFacts:
    """Of a file that may be broken, unreadable, or no Python at all."""
    facts: PythonFacts = files.fact(NAME, path, lambda one: _facts(files, one))
    return facts


def _facts(files: SourceFiles, path: str) -> PythonFacts:
    tree = files.python(path)
    if not isinstance(tree, ast.Module):
        return _nothing(_error(tree, files.content(path)))
    try:
        return _Reader(files.content(path) or b"").read(tree)
    except RecursionError:  # parsed, and nested deeper than we can follow: nothing is claimed about it
        return {**_nothing(None), "dynamic": True}


def _nothing(error: list[Any] | None) -> PythonFacts:
    return {
        "error": error,
        "steps": [],
        "deep": [],
        "dynamic": error is not None,
        "maybe": [],
        "variables": [],
        "main": False,
    }


def _error(problem: SyntaxError | None, content: bytes | None) -> list[Any] | None:
    if problem is None:
        return None
    line = problem.lineno
    lines = (content or b"").splitlines()
    text = lines[line - 1].decode("utf-8", "backslashreplace") if line and line <= len(lines) else None
    return [type(problem).__name__, str(problem.msg)[:_SHOWN], line, text.strip()[:_SHOWN] if text else None]


class _Reader:
    """One pass over a module. Function bodies are looked into for imports and for what they do to the module.

    Walking a whole syntax tree costs more than making it: done only where the text has something to find.
    """

    def __init__(self, content: bytes) -> None:
        self._looks_inside = bool(_INSIDE.search(content))
        self._looks_everywhere = bool(_ANYWHERE.search(content))
        self.steps: list[Step] = []
        self.deep: list[Step] = []
        self.maybe: set[str] = set()
        self.variables: set[str] = set()
        self.dynamic = False
        self.main = False

    def read(self, tree: ast.Module) -> PythonFacts:
        self._body(tree.body, "")
        if self._looks_everywhere:
            self._whole(tree)
        return {
            "error": None,
            "steps": self.steps,
            "deep": self.deep,
            "dynamic": self.dynamic,
            "maybe": sorted(self.maybe),
            "variables": sorted(self.variables),
            "main": self.main,
        }

    # --- what happens on import, in order ---------------------------------------------------------------------

    def _body(self, body: list[ast.stmt], how: str) -> None:
        for node in body:
            self._statement(node, how)

    def _statement(self, node: ast.stmt, how: str) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self.steps.extend(_imports(node, how))
                self.dynamic |= any(step["does"] == "star" for step in self.steps[-1:])
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._define([node.name], node.lineno)
                self.dynamic |= node.name == "__getattr__"
                self._later(node)
            case ast.If():
                self._if(node, how)
            case ast.Try() | ast.TryStar():
                self._try(node, how)
            case ast.With() | ast.AsyncWith():
                self._define(_bound(*(item.optional_vars for item in node.items)), node.lineno)
                self._body(node.body, TRIED if _suppresses(node) else how or CONDITIONAL)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._define(_bound(getattr(node, "target", None)), node.lineno)
                self._body([*node.body, *node.orelse], how or CONDITIONAL)
            case ast.Match():
                for one in node.cases:
                    self._body(one.body, how or CONDITIONAL)
            case _:
                self._define(_assigned(node), node.lineno)

    def _if(self, node: ast.If, how: str) -> None:
        self.main |= _is_main_guard(node.test)
        if _is_main_guard(node.test):
            for one in node.body:
                self._later(one)
        elif _is_typing(node.test):
            self._body(node.body, how or TYPING)
        else:
            self._body(node.body, how or CONDITIONAL)
        self._body(node.orelse, how or CONDITIONAL)

    def _try(self, node: ast.Try | ast.TryStar, how: str) -> None:
        forgiving = any(_forgives(handler) for handler in node.handlers)
        self._body(node.body, TRIED if forgiving else how)
        for handler in node.handlers:
            self._define([handler.name] if handler.name else [], handler.lineno)
            self._body(handler.body, TRIED)
        self._body(node.orelse, TRIED if forgiving else how)
        self._body(node.finalbody, how)

    def _define(self, names: list[str], line: int) -> None:
        if not names:
            return
        last = self.steps[-1] if self.steps else None
        if last and last["does"] == "define":
            last["names"] += names
        else:
            self.steps.append(_step("define", line=line, names=list(names)))

    def _later(self, node: ast.stmt) -> None:
        for inner in ast.walk(node) if self._looks_inside else ():
            if isinstance(inner, ast.Import | ast.ImportFrom):
                self.deep.extend(_imports(inner, CONDITIONAL))
            elif isinstance(inner, ast.Global):
                self.maybe.update(inner.names)

    # --- what can be anywhere -----------------------------------------------------------------------------------

    def _whole(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            match node:
                case ast.NamedExpr(target=ast.Name(id=name)):
                    self.maybe.add(name)
                case ast.Call(func=ast.Name(id="globals" | "exec" | "vars" | "locals")):
                    self.dynamic = True
                case ast.Subscript(value=ast.Attribute(attr="modules", value=ast.Name(id="sys")), ctx=ast.Store()):
                    self.dynamic = True
                case ast.Call(func=ast.Attribute(attr="get" | "setdefault" | "pop", value=where)):
                    self._variable(where, node.args)
                case ast.Call(func=ast.Attribute(attr="getenv") | ast.Name(id="getenv")):
                    self._variable(node.func, node.args)
                case ast.Subscript(value=where, slice=key):
                    self._variable(where, [key])

    def _variable(self, where: ast.expr, args: list[ast.expr]) -> None:
        name = where.attr if isinstance(where, ast.Attribute) else getattr(where, "id", "")
        key = args[0] if args else None
        if name in {"environ", "getenv"} and isinstance(key, ast.Constant) and isinstance(key.value, str):
            self.variables.add(key.value[:_SHOWN])


def _step(does: str, *, line: int, names: list[str], module: str = "", level: int = 0, how: str = "") -> Step:
    return {"does": does, "module": module, "level": level, "names": names, "line": line, "how": how}


def _imports(node: ast.Import | ast.ImportFrom, how: str) -> Iterator[Step]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            yield _step("import", line=node.lineno, names=[bound], module=alias.name, how=how)
        return
    module = node.module or ""
    if any(alias.name == "*" for alias in node.names):
        yield _step("star", line=node.lineno, names=[], module=module, level=node.level, how=how)
        return
    taken = [alias.name for alias in node.names]
    yield _step("from", line=node.lineno, names=taken, module=module, level=node.level, how=how)
    renamed = [alias.asname for alias in node.names if alias.asname and alias.asname != alias.name]
    if renamed:
        yield _step("define", line=node.lineno, names=renamed)


def _assigned(node: ast.stmt) -> list[str]:
    match node:
        case ast.Assign():
            return _bound(*node.targets)
        case ast.AnnAssign(value=value) if value is None:
            return []
        case ast.AnnAssign() | ast.AugAssign():
            return _bound(node.target)
    alias = getattr(node, "name", None)  # `type X = …`, where Python knows it
    return _bound(alias) if isinstance(alias, ast.AST) else []


def _bound(*targets: ast.AST | None) -> list[str]:
    return [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)]


def _is_main_guard(test: ast.expr) -> bool:
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    return "__name__" in names


def _is_typing(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING" or (isinstance(test, ast.Constant) and not test.value)


def _forgives(handler: ast.ExceptHandler) -> bool:
    """Whether it catches an import that fails."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "") for kind in kinds}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _suppresses(node: ast.With | ast.AsyncWith) -> bool:
    calls = (item.context_expr for item in node.items)
    names = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for c in calls for n in ast.walk(c)}
    return bool(names & {"suppress", "ImportError", "ModuleNotFoundError", "try_import", "optional_imports"})
