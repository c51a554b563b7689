"""Which statements may be missing in a place, written out, and how likely is each?"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from .places import BUILTINS, FUNCTIONS, Spot

SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Delete)
NOTHING = ("", " None", " []", " 0", " False", " True", " ''", " {}", " 1", " -1", " set()", " ()")
_MOST_COPIED = 12
_CHANGING = ("append", "add", "remove", "discard", "update", "extend")


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def block_of(spot: Spot) -> list[ast.stmt]:
    found = getattr(spot.parent, spot.field)
    return found if isinstance(found, list) else []


Written = Iterator[tuple[str, float]]
"""Statements as text, each with its prior."""


def new_statements(spot: Spot, node: ast.stmt) -> Written:
    yield from _copied(spot, node)
    if spot.parent is spot.scope.node and all(map(is_docstring, block_of(spot)[: spot.index or 0])):
        yield from _at_the_beginning(spot)
    yield from _of_names(spot)
    yield from _of_members(spot)
    yield from _of_the_class_above(spot)
    if _in_loop(spot):
        yield from (("break", 0.35), ("continue", 0.35))
    yield from ((f"return {one}", 0.25) for one in spot.scope.locals)
    yield "return", 0.2


def _usual_values(spot: Spot) -> set[str]:
    """What the function returns elsewhere, as the empty value of its kind."""
    found: set[str] = set()
    for node in ast.walk(spot.scope.node):
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            constant = isinstance(value, ast.Constant)
            found |= _EMPTY_OF_CONSTANT.get(type(value.value), set()) if constant else _EMPTY_OF.get(type(value), set())  # type: ignore[attr-defined]  # see above
    return found


_EMPTY_OF: dict[type[ast.expr], set[str]] = {
    ast.JoinedStr: {"''"},
    ast.Compare: {"False", "True"},
    ast.BoolOp: {"False", "True"},
    ast.List: {"[]"},
    ast.ListComp: {"[]"},
    ast.Dict: {"{}"},
    ast.DictComp: {"{}"},
    ast.SetComp: {"set()"},
    ast.Tuple: {"()"},
}
_EMPTY_OF_CONSTANT: dict[type, set[str]] = {str: {"''"}, bool: {"False", "True"}, int: {"0", "1", "-1"}, float: {"0"}}
_UNUSUAL = 0.6


def _fits(usual: set[str], value: str) -> float:
    return 1.0 if not usual or value.strip() in usual else _UNUSUAL


def _at_the_beginning(spot: Spot) -> Written:
    arguments, usual = spot.scope.arguments, _usual_values(spot)
    for one in arguments:
        tests = (f"not {one}", f"{one} is None", f"{one} <= 0", f"{one} < 0", f"{one} == 0")
        for number, test in enumerate(tests):
            for value in (*NOTHING, f" {one}"):
                yield f"if {test}:\n    return{value}", (0.3 if number else 0.4) * _fits(usual, value)
            for error in spot.module.project.exceptions[:4]:
                yield f"if {test}:\n    raise {error}", 0.3
        yield f"{one} = list({one})", 0.3
        yield f"{one} = {one}.copy()", 0.25
    for member in spot.scope.fields:
        for test in (f"not self.{member}", f"self.{member} is None"):
            yield from ((f"if {test}:\n    return{value}", 0.25 * _fits(usual, value)) for value in NOTHING[:8])
            yield from ((f"if {test}:\n    raise {error}", 0.25) for error in spot.module.project.exceptions[:4])
    for one in spot.scope.locals:
        if one not in arguments:
            yield from ((f"{one} = {value}", 0.2) for value in ("0", "[]", "None", "{}", "''", "set()", "1"))


def _of_names(spot: Spot) -> Written:
    names = spot.scope.locals
    called = {n.attr for n in ast.walk(spot.scope.node) if isinstance(n, ast.Attribute)}
    methods = [one for one in _CHANGING if one in called]
    made = _made(spot)
    for one in names:
        yield from ((f"{one} += 1", 0.35), (f"{one} -= 1", 0.35), (f"{one} = 0", 0.25), (f"{one} = []", 0.2))
        yield f"{one} = None", 0.12
        for other in names:
            if one != other:
                yield f"{one} = {other}", 0.25
                usual = made.get(one, "")
                yield from ((f"{one}.{method}({other})", 0.3) for method in methods if method != usual)
                if usual:
                    yield f"{one}.{usual}({other})", 0.35
                yield f"{one} += {other}", 0.15
                yield f"{one} = max({one}, {other})", 0.1


def _made(spot: Spot) -> dict[str, str]:
    """Names of collections, and how something is put into them."""
    found: dict[str, str] = {}
    for node in ast.walk(spot.scope.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = spot.text(node.value)
            usual = "append" if text.startswith(("[", "list(", "deque(")) else "add" if text.startswith("set(") else ""
            if usual:
                found[node.targets[0].id] = usual
    return found


def _of_members(spot: Spot) -> Written:
    methods = [one for one in _CHANGING if one in spot.module.attributes]
    for member in spot.scope.fields:
        for one in spot.scope.locals:
            yield f"self.{member} = {one}", 0.3
            yield from ((f"self.{member}.{method}({one})", 0.25) for method in methods)
            yield f"self.{member} += {one}", 0.15
            yield f"self.{member} -= {one}", 0.12
        kinds = _stored(spot, member)
        values = (one for one in _VALUES if not kinds or type(ast.literal_eval(one)) in kinds or one == "None")
        yield from ((f"self.{member} = {value}", 0.25) for value in values)
        yield from ((f"self.{member} += 1", 0.3), (f"self.{member} -= 1", 0.25))
        yield f"self.{member}.clear()", 0.25
        for other in spot.scope.fields:
            if other != member:
                yield f"self.{member} = self.{other}", 0.2
    for method in spot.scope.methods:
        if method != getattr(spot.scope.node, "name", ""):
            yield f"self.{method}()", 0.3


_VALUES = ("0", "[]", "None", "True", "False", "{}", "''")


def _stored(spot: Spot, member: str) -> set[type]:
    """Of which types are the fixed values that the class puts into a member?"""
    found: set[type] = set()
    for node in ast.walk(spot.scope.owner) if spot.scope.owner is not None else ():
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Attribute) and one.attr == member for one in targets):
                value = node.value
                kind = type(value.value) if isinstance(value, ast.Constant) else _DISPLAYS.get(type(value))
                found |= {kind} if kind is not None else set()
    return found - {type(None)}


_DISPLAYS: dict[type, type] = {ast.List: list, ast.Dict: dict}


def _of_the_class_above(spot: Spot) -> Written:
    scope = spot.scope
    if isinstance(scope.node, FUNCTIONS) and scope.owner is not None and scope.owner.bases:
        wanted = _wanted_above(spot, scope.node.name)
        if wanted is not None:
            yield f"super().{scope.node.name}({', '.join(wanted)})", 0.7
        yield f"super().{scope.node.name}({', '.join(scope.arguments)})", 0.5
        yield f"super().{scope.node.name}()", 0.4


def _wanted_above(spot: Spot, method: str) -> list[str] | None:
    """The parameters of the method in a class above that are known here; None if there is no such class."""
    above = {base.id for base in (spot.scope.owner.bases if spot.scope.owner else ()) if isinstance(base, ast.Name)}
    for source in spot.module.project.sources.values():
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and node.name in above:
                for one in node.body:
                    if isinstance(one, FUNCTIONS) and one.name == method:
                        return [arg.arg for arg in one.args.args[1:] if arg.arg in spot.scope.arguments]
    return None


def _in_loop(spot: Spot) -> bool:
    loops = (n for n in ast.walk(spot.scope.node) if isinstance(n, ast.For | ast.While))
    line = spot.node.lineno  # type: ignore[attr-defined]  # a statement
    return any(loop.lineno < line <= (loop.end_lineno or 0) for loop in loops)


def _copied(spot: Spot, node: ast.stmt) -> Iterator[tuple[str, float]]:
    found: dict[str, None] = {}
    for one in ast.walk(spot.scope.node):
        if isinstance(one, SIMPLE) and one is not node and not is_docstring(one):
            text = spot.text(one)
            if "\n" not in text:
                found[text] = None
    for text in list(found)[: 4 * _MOST_COPIED]:
        yield text, 0.45
    yield from _of_other_methods(spot, found)


def _of_other_methods(spot: Spot, known: Container[str]) -> Iterator[tuple[str, float]]:
    """What other methods of the class do, and what can be done here: all that it names is known."""
    here = {*spot.scope.names, "self"}
    found: dict[str, None] = {}
    for one in ast.walk(spot.scope.owner) if spot.scope.owner is not None else ():
        if isinstance(one, ast.Assign | ast.AugAssign | ast.Expr) and not is_docstring(one):
            names = {name.id for name in ast.walk(one) if isinstance(name, ast.Name)}
            text = spot.text(one)
            if "self" in names and names <= here | BUILTINS and "\n" not in text and text not in known:
                found[text] = None
    yield from ((text, 0.4) for text in list(found)[: 2 * _MOST_COPIED])
