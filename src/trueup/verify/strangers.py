"""Does a value that a test compares equal what it cannot equal? Asked inside the copy of a test that must fail.

A value that equals everything makes every assertion hold, whatever the code does. So the copy compares it with
strangers, too: an object that nobody knows, and the other side's value with something changed about it.
"""

from __future__ import annotations

import ast

_EQUAL_ASSERTIONS = frozenset(
    f"assert{name}Equal" for name in ("", "List", "Tuple", "Dict", "Set", "Sequence", "Count", "MultiLine", "Almost")
) | {"assertEquals", "assert_equal"}

# Only names of its own: the test may call anything `type` or `object`. The real comparison lies between two rounds,
# so that counting is not enough to know which is which. What refuses to be compared equals nothing.
_HELPER = """
def {name}(left, right, turned, unequal=None):
    import builtins as b
    value, other = (right, left) if turned else (left, right)
    plain = (b.int, b.float, b.complex, b.str, b.bytes, b.bool, b.type(None))
    def strangers():
        yield b.object()
        kind = b.type(other)
        if kind in plain[:3]:
            yield from (number for number in (other + 1, -other - 1) if number != other)
        elif kind in (b.str, b.bytes):
            yield other + (b"{nonce}" if kind is b.bytes else "{nonce}")
        elif kind in (b.list, b.tuple, b.set, b.frozenset) and other:
            yield kind([b.object() for part in other])
        elif kind is b.dict and other:
            yield {{key: b.object() for key in other}}
    def meet():
        for stranger in strangers():
            try:
                if not value != stranger if unequal else value == stranger:
                    {marks}.append(stranger)
            except b.Exception:
                pass
    b.type(value) in plain or meet()
    if unequal is None:
        return left, right
    result = left != right if unequal else left == right
    b.type(value) in plain or meet()
    return result
"""


def with_strangers(body: list[ast.stmt], nonce: str) -> tuple[list[ast.stmt], ast.expr | None]:
    """The body with its comparisons asked, what it needs put before; and the expression that is true if one lied.

    None when nothing is compared: the body is then as it was.
    """
    name, marks = f"_same_{nonce}", f"_seen_{nonce}"
    asking = _Asking(name)
    asked = [asking.visit(statement) for statement in body]
    if not asking.count:
        return body, None
    before = ast.parse(f"{marks} = []{_HELPER.format(name=name, marks=marks, nonce=nonce)}").body
    return [*before, *asked], ast.Name(id=marks, ctx=ast.Load())


class _Asking(ast.NodeTransformer):
    """`assert a == b` becomes `assert same(a, b, …)`; so does what decides in an `if`, and `assertEqual(a, b)`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.count = 0

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.test = self._decided(node.test)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = self._decided(node.test)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        spread = any(isinstance(argument, ast.Starred) for argument in node.args)
        if called in _EQUAL_ASSERTIONS and len(node.args) > 1 and not spread:
            left, right, *rest = node.args
            node.args = [ast.Starred(value=self._same(left, right), ctx=ast.Load()), *rest]
        return node

    def _decided(self, test: ast.expr) -> ast.expr:
        """Only where the answer decides: elsewhere `column == 5` may be a query."""
        match test:
            case ast.BoolOp():
                test.values = [self._decided(value) for value in test.values]
            case ast.UnaryOp(op=ast.Not()):
                test.operand = self._decided(test.operand)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
                return self._same(left, right, unequal=isinstance(operator, ast.NotEq))
        return test

    def _same(self, left: ast.expr, right: ast.expr, *, unequal: bool | None = None) -> ast.Call:
        """What is written down is what is expected; otherwise it is on the right, as most people write it."""
        self.count += 1
        told = [ast.Constant(value=_is_literal(left) and not _is_literal(right))]
        told += [ast.Constant(value=unequal)] if unequal is not None else []
        return ast.Call(func=ast.Name(id=self._name, ctx=ast.Load()), args=[left, right, *told], keywords=[])


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
