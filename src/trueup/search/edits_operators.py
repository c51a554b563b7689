"""Which operators may be meant instead: comparisons, arithmetic, boolean structure, signs?"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from .places import Proposal, Spot
from .text import Edit

_COMPARISONS = re.compile(r"not\s+in\b|is\s+not\b|\bin\b|\bis\b|<=|>=|==|!=|<|>")
_BINARY = re.compile(r"\*\*|//|<<|>>|[-+*/%&|^@]")
_BOOLEAN = re.compile(r"\b(?:and|or)\b")
_ORDER = ("<", "<=", ">", ">=", "==", "!=")
_NEAR = {"<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",), "==": ("!=",), "!=": ("==",)}
_OPPOSITE = {"<": (">", ">="), "<=": (">", ">="), ">": ("<", "<="), ">=": ("<", "<="), "==": (), "!=": ()}
_IDENTITY = {
    "is": ("is not", "=="),
    "is not": ("is", "!="),
    "in": ("not in", "=="),
    "not in": ("in", "!="),
    "==": ("is", "in"),
    "!=": ("is not", "not in"),
}
_ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")
_BITS = ("&", "|", "^", "<<", ">>")
_PAIRS = "+ -,- +,* /,/ //,// /,% //,** *,& |,| &,<< >>,>> <<,^ |"
_LIKELY = {old: new for old, new in (pair.split() for pair in _PAIRS.split(","))}  # noqa: C416 - two words each


def comparison(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.Compare):
        return
    lefts = [node.left, *node.comparators[:-1]]
    returned = isinstance(spot.parent, ast.Return)
    for left, right in zip(lefts, node.comparators, strict=True):
        for edit, old, new in _exchanged(spot, left, right, _COMPARISONS, _instead_of_comparison):
            prior = 1.0 if new in _NEAR.get(old, ()) else 0.75 if new in _OPPOSITE.get(old, ()) else 0.3
            prior *= 0.7 if returned and old in {"in", "not in"} else 1.0
            yield Proposal("comparison", prior, (edit,))
    if len(node.comparators) == 1:
        yield Proposal("operands swapped", 0.6, _swapped(spot, node.left, node.comparators[0]))
        yield Proposal("negation", 0.22 if returned else 0.7, spot.wrapped("not {}"))


def _instead_of_comparison(old: str) -> list[str]:
    found = [*_NEAR.get(old, ()), *_OPPOSITE.get(old, ()), *(_ORDER if old in _ORDER else ()), *_IDENTITY.get(old, ())]
    return [one for one in dict.fromkeys(found) if one != old]


def binary(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.BinOp):
        return
    for edit, old, new in _exchanged(spot, node.left, node.right, _BINARY, _instead_of_binary):
        if not (new not in {"+", "-"} and _is_one(node.right)):
            yield Proposal("arithmetic", 0.95 if _LIKELY.get(old) == new else _otherwise(new), (edit,))
    extra = isinstance(node.right, ast.Constant) and isinstance(node.op, ast.Add | ast.Sub)
    yield Proposal("operand dropped", 0.75 if extra else 0.4, spot.put(spot.text(node.left)))
    yield Proposal("operand dropped", 0.4, spot.put(spot.text(node.right)))
    if not isinstance(node.op, ast.Add | ast.Mult) or not _is_number(node):
        yield Proposal("operands swapped", 0.6, _swapped(spot, node.left, node.right))
    if isinstance(node.left, ast.BinOp):
        inner = f"{spot.text(node.left.left)}{spot.source.between(node.left.left, node.left.right)}"
        rest = f"({spot.text(node.left.right)}{spot.source.between(node.left, node.right)}{spot.text(node.right)})"
        yield Proposal("grouping", 0.6, spot.put(inner + rest))
    if isinstance(node.right, ast.BinOp):
        start = f"({spot.text(node.left)}{spot.source.between(node.left, node.right.left)}{spot.text(node.right.left)})"
        rest = f"{spot.source.between(node.right.left, node.right.right)}{spot.text(node.right.right)}"
        yield Proposal("grouping", 0.6, spot.put(start + rest))


def _otherwise(sign: str) -> float:
    """Nobody writes another sign where a power or a remainder is meant."""
    return 0.18 if sign in {"**", "%"} else 0.4


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _is_number(node: ast.BinOp) -> bool:
    return any(isinstance(one, ast.Constant) and isinstance(one.value, int) for one in (node.left, node.right))


def _instead_of_binary(old: str) -> list[str]:
    family = _ARITHMETIC if old in _ARITHMETIC else _BITS
    return [one for one in family if one != old]


def augmented(spot: Spot) -> Iterator[Proposal]:
    """`+=` and its kin; a plain assignment that should add, and the reverse."""
    node = spot.node
    if isinstance(node, ast.AugAssign):
        for edit, old, new in _exchanged(spot, node.target, node.value, _BINARY, _instead_of_binary):
            yield Proposal("arithmetic", 0.9 if _LIKELY.get(old) == new else _otherwise(new), (edit,))
        place = spot.source.end(node.target)
        gap = spot.source.between(node.target, node.value)
        sign = re.search(r"[-+*/%&|^@<>]+=", gap)
        if sign:
            # What was counted would be the same number for ever.
            prior = 0.2 if isinstance(node.value, ast.Constant) else 0.5
            yield Proposal("assignment", prior, (Edit(place + sign.start(), place + sign.end(), b"="),))
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Attribute):
        place = spot.source.end(node.targets[0])
        gap = spot.source.between(node.targets[0], node.value)
        for sign_text, prior in (("+=", 0.45), ("-=", 0.25), ("|=", 0.1), ("*=", 0.15)):
            at = place + gap.index("=")
            yield Proposal("assignment", prior, (Edit(at, at + 1, sign_text.encode()),))


def boolean(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.BoolOp):
        return
    changed = []
    for left, right in pairwise(node.values):
        for edit, _, _ in _exchanged(spot, left, right, _BOOLEAN, lambda old: ["or" if old == "and" else "and"]):
            changed.append(edit)
            yield Proposal("boolean", 0.9, (edit,))
    if len(changed) > 1:
        yield Proposal("boolean", 0.9, tuple(changed))
    for number, value in enumerate(node.values):
        yield Proposal("condition dropped", 0.55, _without(spot, node.values, number))
        yield Proposal("negation", 0.6, (_negated(spot, value),))
    if len(node.values) == 2:  # noqa: PLR2004 - two of them
        yield Proposal("operands swapped", 0.4, _swapped(spot, node.values[0], node.values[1]))


def _without(spot: Spot, values: list[ast.expr], number: int) -> tuple[Edit, ...]:
    """The chain without one of its links, and without the word beside it."""
    if len(values) == 2:  # noqa: PLR2004 - what is left is no chain any more
        return spot.put(spot.text(values[1 - number]))
    source = spot.source
    if number:
        return (Edit(source.end(values[number - 1]), source.end(values[number]), b""),)
    return (Edit(source.start(values[0]), source.start(values[1]), b""),)


def _negated(spot: Spot, value: ast.expr) -> Edit:
    text = spot.text(value)
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return spot.source.replace(value, spot.text(value.operand))
    return spot.source.replace(value, f"not ({text})" if isinstance(value, ast.BoolOp | ast.IfExp) else f"not {text}")


def unary(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if isinstance(node, ast.UnaryOp):
        kind = "negation" if isinstance(node.op, ast.Not) else "sign"
        yield Proposal(kind, 0.85, spot.put(spot.text(node.operand)))
    if isinstance(node, ast.IfExp):
        edits = _swapped(spot, node.body, node.orelse)
        yield Proposal("branches swapped", 0.7, edits)
        yield Proposal("condition is constant", 0.3, spot.put(spot.text(node.body)))
        yield Proposal("condition is constant", 0.3, spot.put(spot.text(node.orelse)))


def _swapped(spot: Spot, one: ast.AST, other: ast.AST) -> tuple[Edit, ...]:
    return spot.source.replace(one, spot.text(other)), spot.source.replace(other, spot.text(one))


def _exchanged(
    spot: Spot, left: ast.AST, right: ast.AST, pattern: re.Pattern[str], instead: Callable[[str], list[str]]
) -> Iterator[tuple[Edit, str, str]]:
    """Edits of the one word or sign between two operands, with the old and the new one."""
    gap = spot.source.between(left, right)
    found = pattern.search(re.sub(r"#[^\n]*", lambda match: " " * len(match[0].encode()), gap))
    if found is None:
        return
    place = spot.source.end(left)
    old = " ".join(found[0].split())
    for new in instead(old):
        yield Edit(place + found.start(), place + found.end(), new.encode()), old, new
