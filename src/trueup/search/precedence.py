"""Does an expression need parentheses where it is put?"""

from __future__ import annotations

import ast
import functools

ATOM = 16
_TERNARY, _OR, _AND, _NOT, _COMPARE = 2, 3, 4, 5, 6
_BINARY: dict[type[ast.operator], int] = {
    ast.BitOr: 7,
    ast.BitXor: 8,
    ast.BitAnd: 9,
    ast.LShift: 10,
    ast.RShift: 10,
    ast.Add: 11,
    ast.Sub: 11,
    ast.Mult: 12,
    ast.Div: 12,
    ast.FloorDiv: 12,
    ast.Mod: 12,
    ast.MatMult: 12,
    ast.Pow: 14,
}
_UNARY, _AWAIT = 13, 15


def strength(node: ast.AST) -> int:
    """How tightly an expression holds together."""
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)]
    if isinstance(node, ast.BoolOp):
        return _OR if isinstance(node.op, ast.Or) else _AND
    if isinstance(node, ast.UnaryOp):
        return _NOT if isinstance(node.op, ast.Not) else _UNARY
    if isinstance(node, ast.Compare):
        return _COMPARE
    if isinstance(node, ast.IfExp | ast.Lambda):
        return _TERNARY
    if isinstance(node, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Starred):
        return 0
    return _AWAIT if isinstance(node, ast.Await) else ATOM


@functools.lru_cache(maxsize=20_000)
def strength_of(text: str) -> int:
    try:
        return strength(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return 0


def demanded(parent: ast.AST, field: str) -> int:
    """How tightly an expression has to hold together as this part of its parent."""
    if isinstance(parent, ast.BinOp):
        own = _BINARY[type(parent.op)]
        power = isinstance(parent.op, ast.Pow)
        return own + (field == "right") if not power else (own + 1 if field == "left" else _UNARY)
    if isinstance(parent, ast.BoolOp | ast.Compare):
        return strength(parent) + 1
    if isinstance(parent, ast.UnaryOp | ast.Await):
        return strength(parent)
    if isinstance(parent, ast.Attribute | ast.Subscript | ast.Call) and field in {"value", "func"}:
        return ATOM
    if isinstance(parent, ast.comprehension | ast.IfExp):
        return _OR
    return 1
