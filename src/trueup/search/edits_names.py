"""Which names and attributes may be meant instead?"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from .alternatives import INSTEAD
from .places import BUILTINS, Proposal, Spot
from .text import Edit


def name(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.Name) or node.id in {"self", "cls"} or isinstance(node.ctx, ast.Del):
        return
    for other in INSTEAD.get(node.id, ()):
        if other in BUILTINS or other in spot.scope.names:
            yield Proposal("name", 0.75, spot.put(other))
    if node.id in BUILTINS and spot.field == "func":
        yield from (Proposal("name", 0.15, spot.put(other)) for other in spot.module.top_names)
        return
    local, siblings = set(spot.scope.locals), _siblings(spot)
    double = _DOUBLE if _stands_twice(spot) else 1.0
    for other in dict.fromkeys([*spot.scope.names, *spot.module.top_names]):
        if other not in {node.id, "self", "cls"}:
            base = 0.6 if other in local else 0.35
            twice = _TWICE if other in siblings else 1.0
            yield Proposal("name", double * twice * (base + 0.2 * alike(other, node.id)), spot.put(other))
    yield from _with_self(spot, node)


_TWICE = 0.45
"""What is left of a name that then stands twice in one call, comparison or operation."""


def _siblings(spot: Spot) -> set[str]:
    if not isinstance(spot.parent, ast.Call | ast.Compare | ast.BinOp | ast.BoolOp):
        return set()
    children = ast.iter_child_nodes(spot.parent)
    return {one.id for one in children if isinstance(one, ast.Name) and one is not spot.node}


_DOUBLE = 1.3
"""Who compares or combines a thing with itself may have meant another."""


def _stands_twice(spot: Spot) -> bool:
    if not isinstance(spot.parent, ast.Call | ast.Compare | ast.BinOp | ast.BoolOp):
        return False
    own = ast.dump(spot.node)
    return sum(ast.dump(one) == own for one in ast.iter_child_nodes(spot.parent)) > 1


def _with_self(spot: Spot, node: ast.Name) -> Iterator[Proposal]:
    for member in spot.scope.members:
        same = member == node.id
        if same or isinstance(node.ctx, ast.Load):
            prior = 0.95 if same else 0.2 + 0.3 * alike(member, node.id)
            yield Proposal("self", prior, spot.put(f"self.{member}"))


def attribute(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.Attribute):
        return
    own = isinstance(node.value, ast.Name) and node.value.id == "self"
    end = spot.source.end(node)
    start = end - len(node.attr.encode())
    double = _DOUBLE if _stands_twice(spot) else 1.0
    for other, prior in _attributes(spot, node, own=own).items():
        if other != node.attr:
            yield Proposal("attribute", double * prior, (Edit(start, end, other.encode()),))
    if isinstance(node.ctx, ast.Load):
        yield Proposal("attribute dropped", 0.35, spot.put(spot.text(node.value)))
        if own and node.attr in spot.scope.names:
            yield Proposal("self", 0.6, spot.put(node.attr))
        if own and spot.field != "func":
            yield Proposal("call", 0.3, spot.wrapped("{}()"))


def _attributes(spot: Spot, node: ast.Attribute, *, own: bool) -> dict[str, float]:
    found = dict.fromkeys(INSTEAD.get(node.attr, ()), 0.8)
    base = node.value.id if isinstance(node.value, ast.Name) else "?"
    same = spot.module.project.methods.get(base, ())
    for names, prior, weight in (
        (spot.scope.members if own else (), 0.5, 0.25),
        (same, 0.4, 0.2),
        (() if own else spot.module.attributes, 0.3, 0.25),
    ):
        for other in names:
            found.setdefault(other, prior + weight * alike(other, node.attr))
    return found


def alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()
