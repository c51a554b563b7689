"""What stands where in a module, what is in scope there, and how suspicious is it?"""

from __future__ import annotations

import ast
import builtins
import functools
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .precedence import demanded, strength_of
from .project import Project
from .spectrum import Line
from .text import Edit, Source

BUILTINS = frozenset(dir(builtins))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OPERATIONS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp)
_LONGEST = 80
"""Characters of an expression that is used again elsewhere."""
_OUTSIDE = 0.6
"""What is no line of a function, such as a default or a constant, is so much as suspicious as what uses it."""


_BY_SIZE = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(frozen=True)
class Proposal:
    kind: str
    prior: float
    edits: tuple[Edit, ...]


@dataclass
class Scope:
    """What can be named inside of one function, or at the top of a module."""

    node: ast.AST
    owner: ast.ClassDef | None
    module: Module

    @cached_property
    def names(self) -> list[str]:
        """Parameters and local names first, in the order in which they appear, then what the function refers to."""
        found: dict[str, None] = {}
        if isinstance(self.node, FUNCTIONS):
            found |= dict.fromkeys(one.arg for one in _arguments(self.node.args))
        for wanted in (ast.Store, ast.Load):
            for node in ast.walk(self.node):
                if isinstance(node, ast.Name) and isinstance(node.ctx, wanted) and node.id not in BUILTINS:
                    found.setdefault(node.id)
        return list(found)

    @cached_property
    def locals(self) -> list[str]:
        if not isinstance(self.node, FUNCTIONS):
            return []
        stored = [n.id for n in ast.walk(self.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        given = [one.arg for one in _arguments(self.node.args) if one.arg not in {"self", "cls"}]
        return list(dict.fromkeys([*given, *stored]))

    @cached_property
    def bounds(self) -> frozenset[str]:
        """Names that stand in an index, or are compared with another one by size."""
        compared = [n for n in ast.walk(self.node) if isinstance(n, ast.Compare) and isinstance(n.ops[0], _BY_SIZE)]
        parts = [part for one in compared for part in (one.left, *one.comparators)]
        parts += [one.slice for one in ast.walk(self.node) if isinstance(one, ast.Subscript)]
        inner = [one for part in parts for one in (part, *ast.iter_child_nodes(part))]
        return frozenset(one.id for one in inner if isinstance(one, ast.Name))

    @property
    def arguments(self) -> list[str]:
        if not isinstance(self.node, FUNCTIONS):
            return []
        return [one.arg for one in _arguments(self.node.args) if one.arg not in {"self", "cls"}]

    @cached_property
    def expressions(self) -> list[tuple[str, ast.expr]]:
        """Short expressions of this function, to be used elsewhere in it; each text once."""
        return self.module.expressions(self.node)

    @cached_property
    def conditions(self) -> list[str]:
        own = self.module.conditions(self.node)
        near = self.module.conditions(self.owner) if self.owner is not None else []
        return list(dict.fromkeys([*own, *near]))

    @cached_property
    def members(self) -> list[str]:
        """Attributes and methods of the class around."""
        return self.module.members(self.owner) if self.owner is not None else []

    @cached_property
    def methods(self) -> list[str]:
        """Those of the class around."""
        return [one.name for one in self.owner.body if isinstance(one, FUNCTIONS)] if self.owner is not None else []

    @cached_property
    def fields(self) -> list[str]:
        """What an object of the class around holds: its attributes without its methods."""
        return [one for one in self.members if one not in self.methods or self.module.is_property(self.owner, one)]

    @property
    def asynchronous(self) -> bool:
        return isinstance(self.node, ast.AsyncFunctionDef)


def _arguments(given: ast.arguments) -> list[ast.arg]:
    star = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *star]


@dataclass
class Spot:
    """A node, where it hangs, and how suspicious its line is."""

    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    statement: ast.stmt
    scope: Scope
    suspicion: float

    @property
    def source(self) -> Source:
        return self.scope.module.source

    @property
    def module(self) -> Module:
        return self.scope.module

    def text(self, node: ast.AST | None = None) -> str:
        return self.source.segment(self.node if node is None else node)

    def put(self, text: str) -> tuple[Edit, ...]:
        """The node replaced by an expression, in parentheses where these are needed."""
        wanted = demanded(self.parent, self.field)
        fits = wanted <= 1 or strength_of(text) >= wanted
        if self._enclosed and fits and isinstance(self.parent, _OPERATIONS):
            return (self._with_parentheses(text),)
        return (self.source.replace(self.node, text if fits or self._enclosed else f"({text})"),)

    def _with_parentheses(self, text: str) -> Edit:
        """Also the parentheses around the node are replaced: nothing needs them any more."""
        data = self.source.data
        start = data.rindex(b"(", 0, self.source.start(self.node))
        return Edit(start, data.index(b")", self.source.end(self.node)) + 1, text.encode())

    def wrapped(self, template: str) -> tuple[Edit, ...]:
        """`{}` in the template stands for the node itself, in parentheses where it needs them."""
        own = self.text()
        plain = template.startswith("{}") or not template.endswith(("({})", "[{}]", "({},)"))
        needs = strength_of(own) < _template_strength(template) if plain or "\n" in own else False
        return self.put(template.replace("{}", f"({own})" if needs or ("\n" in own and plain) else own))

    @cached_property
    def _enclosed(self) -> bool:
        data = self.source.data
        before = data[: self.source.start(self.node)].rstrip()[-1:]
        after = data[self.source.end(self.node) :].lstrip()[:1]
        return before == b"(" and after == b")"


@functools.lru_cache(maxsize=10_000)
def _template_strength(template: str) -> int:
    """How tightly what stands for `{}` has to hold together."""
    tree = ast.parse(template.replace("{}", "__it__"), mode="eval").body
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.Name) and one.id == "__it__":
                    return demanded(node, name)
    return 1


@dataclass
class Module:
    source: Source
    suspicion: Mapping[Line, float]
    project: Project
    spots: list[Spot] = field(default_factory=list)
    """Expressions and statements with a suspicion above 0."""

    def __post_init__(self) -> None:
        self._members: dict[int, list[str]] = {}
        self._scores = {line: score for (path, line), score in self.suspicion.items() if path == self.source.path}
        top = Scope(self.source.tree, None, self)
        for number, statement in enumerate(self.source.tree.body):
            self._visit(statement, self.source.tree, "body", number, statement, top)

    @cached_property
    def top_names(self) -> list[str]:
        found: dict[str, None] = {}
        for node in self.source.tree.body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                found[node.name] = None
            elif isinstance(node, ast.Assign):
                found |= dict.fromkeys(one.id for one in node.targets if isinstance(one, ast.Name))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found[node.target.id] = None
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= dict.fromkeys((one.asname or one.name).partition(".")[0] for one in node.names)
        return [name for name in found if name != "annotations"]

    @cached_property
    def attributes(self) -> list[str]:
        return list(dict.fromkeys(n.attr for n in ast.walk(self.source.tree) if isinstance(n, ast.Attribute)))

    @cached_property
    def strings(self) -> list[str]:
        values = (n.value for n in ast.walk(self.source.tree) if isinstance(n, ast.Constant))
        return list(dict.fromkeys(v for v in values if isinstance(v, str) and len(v) <= 20))[:60]  # noqa: PLR2004 - short ones

    @cached_property
    def numbers(self) -> list[float]:
        values = (n.value for n in ast.walk(self.source.tree) if isinstance(n, ast.Constant))
        wanted = (v for v in values if isinstance(v, int | float) and not isinstance(v, bool))
        return list(dict.fromkeys(wanted))[:40]

    def members(self, owner: ast.ClassDef) -> list[str]:
        if id(owner) not in self._members:
            found: dict[str, None] = {}
            for node in ast.walk(owner):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                    found[node.attr] = None
            for one in owner.body:
                if isinstance(one, FUNCTIONS):
                    found[one.name] = None
                elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                    found[one.target.id] = None
                elif isinstance(one, ast.Assign):
                    found |= dict.fromkeys(t.id for t in one.targets if isinstance(t, ast.Name))
            self._members[id(owner)] = list(found)
        return self._members[id(owner)]

    def is_property(self, owner: ast.ClassDef | None, name: str) -> bool:
        found = (
            [one for one in owner.body if isinstance(one, FUNCTIONS) and one.name == name] if owner is not None else []
        )
        return any("property" in self.source.segment(mark) for one in found for mark in one.decorator_list)

    def expressions(self, node: ast.AST) -> list[tuple[str, ast.expr]]:
        found: dict[str, ast.expr] = {}
        for one in _walk(node):
            if isinstance(one, ast.expr) and _is_reusable(one):
                text = self.source.segment(one)
                if "\n" not in text and len(text) <= _LONGEST:
                    found.setdefault(text, one)
        return list(found.items())

    def conditions(self, node: ast.AST) -> list[str]:
        found: dict[str, None] = {}
        for one in _walk(node):
            if isinstance(one, ast.Compare) or (isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not)):
                text = self.source.segment(one)
                if "\n" not in text and len(text) <= _LONGEST:
                    found[text] = None
        return list(found)

    # --- the walk ----------------------------------------------------------------------------------------------------

    def _visit(
        self, node: ast.AST, parent: ast.AST, name: str, index: int | None, statement: ast.stmt, scope: Scope
    ) -> None:
        if isinstance(node, ast.stmt):
            statement = node
        score = self._score(node, statement, scope)
        if score > 0 and isinstance(node, ast.expr | ast.stmt | ast.excepthandler | ast.comprehension):
            self.spots.append(Spot(node, parent, name, index, statement, scope, score))
        inner = self._inner(node, scope)
        for field_name, value in ast.iter_fields(node):
            if field_name in {"annotation", "returns", "type_comment", "type_params"} or _is_opaque(node):
                continue
            for number, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(one, ast.AST):
                    where = inner if field_name == "body" or not isinstance(node, FUNCTIONS) else scope
                    self._visit(one, node, field_name, number, statement, where)

    def _inner(self, node: ast.AST, scope: Scope) -> Scope:
        if isinstance(node, FUNCTIONS):
            nested = isinstance(scope.node, FUNCTIONS)
            return scope if nested and not isinstance(node, ast.AsyncFunctionDef) else Scope(node, scope.owner, self)
        return Scope(node, node, self) if isinstance(node, ast.ClassDef) else scope

    def _score(self, node: ast.AST, statement: ast.stmt, scope: Scope) -> float:
        if not hasattr(node, "lineno"):
            return self._scores.get(statement.lineno, 0.0)
        own = self._scores.get(node.lineno, 0.0)
        if own or isinstance(scope.node, FUNCTIONS):
            simple = not hasattr(statement, "body")
            span = range(statement.lineno, (statement.end_lineno or 0) + 1) if simple else (statement.lineno,)
            inside = max((self._scores.get(line, 0.0) for line in span), default=0.0)
            return max(own, 0.0 if isinstance(node, ast.stmt) and not simple else inside)
        return _OUTSIDE * self._of_users(statement, scope)

    def _of_users(self, statement: ast.stmt, scope: Scope) -> float:
        """How suspicious are the functions that a statement outside of them concerns?"""
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return self._most(statement)
        if isinstance(scope.node, ast.ClassDef):
            return self._most(scope.node)
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = {one.id for one in targets if isinstance(one, ast.Name)}
            return max((self.project.uses.get(name, 0.0) for name in names), default=0.0)
        return 0.0

    def _most(self, node: ast.stmt) -> float:
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return max((self._scores.get(line, 0.0) for line in lines), default=0.0)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Like `ast.walk`, without what stands inside of texts where places are not to be trusted."""
    waiting = [node]
    while waiting:
        one = waiting.pop(0)
        yield one
        if not _is_opaque(one):
            waiting += ast.iter_child_nodes(one)


def _is_opaque(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) and sys.version_info < (3, 12)


def _is_reusable(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant | ast.Slice | ast.Starred | ast.JoinedStr | ast.FormattedValue | ast.Lambda):
        return False
    return isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)


def modules(sources: Mapping[str, Source], suspicion: Mapping[Line, float]) -> Iterable[Module]:
    project = Project(sources, suspicion)
    return [Module(source, suspicion, project) for source in sources.values()]
