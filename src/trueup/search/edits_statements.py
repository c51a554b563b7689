"""Which statements may be missing, too many, or in the wrong place?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .places import FUNCTIONS, Proposal, Spot
from .text import Edit
from .written import NOTHING, SIMPLE, block_of, is_docstring, new_statements

_MOST_INSIDE = 6
_OTHERS = (ast.AugAssign, ast.AnnAssign)
_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.AsyncFor, ast.AsyncWith)


def _is_alone(spot: Spot) -> bool:
    """Whether nothing else stands on the statement's lines."""
    source, node = spot.source, spot.node
    before = source.data[source.first_of_line(node.lineno) : source.start(node)]  # type: ignore[attr-defined]  # a statement
    after = source.data[source.end(node) : source.after_line(node.end_lineno)]  # type: ignore[attr-defined]  # as above
    rest = after.strip()
    return not before.strip() and (not rest or rest.startswith(b"#"))


def _lines(spot: Spot, node: ast.stmt) -> tuple[int, int]:
    """The bytes of all its lines, decorators included."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return spot.source.first_of_line(first), spot.source.after_line(node.end_lineno or node.lineno)


def _line(text: str) -> bytes:
    return (text if text.endswith("\n") else text + "\n").encode()


def _shifted(text: str, old: str, new: str) -> str:
    """The lines of a statement with another indentation."""
    lines = text.split("\n")
    return "\n".join(new + line[len(old) :] if line.startswith(old) and line.strip() else line for line in lines)


def statement(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    usable = isinstance(node, ast.stmt) and not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom))
    if not usable or not isinstance(spot.scope.node, FUNCTIONS) or is_docstring(node) or not _is_alone(spot):
        return
    assert isinstance(node, ast.stmt)
    if _is_elif(spot):
        return
    yield from _deleted(spot, node)
    yield from _moved(spot, node)
    yield from _inserted(spot, node)
    yield from _turned(spot, node)
    yield from _guarded(spot, node)


def _is_elif(spot: Spot) -> bool:
    text = spot.source.data[spot.source.start(spot.node) :][:4]
    return isinstance(spot.node, ast.If) and text == b"elif"


def _deleted(spot: Spot, node: ast.stmt) -> Iterator[Proposal]:
    start, end = _lines(spot, node)
    if len(block_of(spot)) == 1:
        yield Proposal("delete statement", 0.4, (spot.source.replace(node, "pass"),))
    else:
        yield Proposal("delete statement", 0.45, (Edit(start, end, b""),))
    if isinstance(node, ast.If) and not node.orelse:
        indent = spot.source.indent(node)
        body_indent = spot.source.indent(node.body[0])
        first, last = _lines(spot, node.body[0])[0], _lines(spot, node.body[-1])[1]
        if node.body[0].lineno > node.lineno:
            body = spot.source.data[first:last].decode()
            yield Proposal("unwrap", 0.35, (Edit(start, end, _shifted(body, body_indent, indent).encode()),))


def _moved(spot: Spot, node: ast.stmt) -> Iterator[Proposal]:
    block = block_of(spot)
    number = spot.index or 0
    start, end = _lines(spot, node)
    source = spot.source
    if number + 1 < len(block):
        following = block[number + 1]
        other_start, other_end = _lines(spot, following)
        if other_start >= end:
            between = source.data[end:other_start]
            text = source.data[other_start:other_end] + between + source.data[start:end]
            yield Proposal("statements swapped", 0.6, (Edit(start, other_end, text),))
        for later in block[number + 2 : number + 6]:
            _, far = _lines(spot, later)
            edits = (Edit(start, end, b""), Edit(far, far, source.data[start:end]))
            yield Proposal("statement moved", 0.4, edits)
    yield from _outwards(spot, node)
    yield from _inwards(spot, node)


def _outwards(spot: Spot, node: ast.stmt) -> Iterator[Proposal]:
    """The last statement of a block belongs after it."""
    block = block_of(spot)
    if block[-1] is not node or not isinstance(spot.parent, _BLOCKS) or not isinstance(spot.parent, ast.stmt):
        return
    start, end = _lines(spot, node)
    source = spot.source
    last = source.after_line(spot.parent.end_lineno or 0)
    text = _shifted(source.data[start:end].decode(), source.indent(node), source.indent(spot.parent))
    if len(block) > 1:
        moved = (Edit(start, end, b""), Edit(last, last, _line(text)))
        edits = moved if last > end else (Edit(start, end, text.encode()),)
        yield Proposal("indentation", 0.75 if isinstance(node, ast.Return) else 0.6, edits)


def _inwards(spot: Spot, node: ast.stmt) -> Iterator[Proposal]:
    """A statement after a block belongs into it."""
    block, number = block_of(spot), spot.index or 0
    before = block[number - 1] if number else None
    if not isinstance(before, ast.If | ast.For | ast.While | ast.With):
        return
    last = [*before.body, *getattr(before, "orelse", [])][-1]
    if last.lineno == before.lineno:
        return
    start, end = _lines(spot, node)
    text = _shifted(spot.source.data[start:end].decode(), spot.source.indent(node), spot.source.indent(last))
    if len(block) > 1:
        yield Proposal("indentation", 0.55, (Edit(start, end, text.encode()),))
    inner = last.body[-1] if isinstance(last, ast.If | ast.For | ast.While | ast.With) else None
    if inner is not None and inner.lineno > last.lineno:
        text = _shifted(spot.source.data[start:end].decode(), spot.source.indent(node), spot.source.indent(inner))
        yield Proposal("indentation", 0.35, (Edit(start, end, text.encode()),))


def _inserted(spot: Spot, node: ast.stmt) -> Iterator[Proposal]:
    start, end = _lines(spot, node)
    indent = spot.source.indent(node)
    block, number = block_of(spot), spot.index or 0
    near = block[:number][-1:], [node], block[number + 1 :][:1]
    before, here, after = ([_effect(one) for one in part] for part in near)
    for text, prior in new_statements(spot, node):
        lines = "".join(f"{indent}{line}\n" for line in text.split("\n"))
        kind = "early return" if text.startswith("if") and "return" in text else "statement added"
        added = _effect_of(text)
        if not _makes_idle(added, before, here):
            yield Proposal(kind, prior, (Edit(start, start, lines.encode()),))
        if not text.startswith("if") and not _makes_idle(added, here, after):
            ending = b"" if spot.source.data[end - 1 : end] == b"\n" else b"\n"
            yield Proposal(kind, prior, (Edit(end, end, ending + lines.encode()),))
    if isinstance(node, ast.For | ast.While) and node.body[0].lineno > node.lineno:
        yield from _first_in_loop(spot, node)
        yield from _after_loop(spot, node)


@dataclass(frozen=True)
class _Effect:
    """What a statement does, as far as it can be seen at a glance."""

    jumps: bool
    stored: frozenset[str]
    """Names and attributes that it gives a value."""
    read: frozenset[str]
    calls: bool


@lru_cache(maxsize=4096)
def _effect_of(text: str) -> _Effect:
    """`return` and `break` are no less statements for standing outside of everything."""
    return _effect(ast.parse(text).body[0])


def _effect(node: ast.stmt) -> _Effect:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, _OTHERS) else []
    parts = [part for one in targets for part in (one.elts if isinstance(one, ast.Tuple | ast.List) else [one])]
    read = node.value if isinstance(node, ast.Assign | ast.AnnAssign) and node.value else node
    return _Effect(
        jumps=isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue),
        stored=frozenset(ast.unparse(one) for one in parts if isinstance(one, ast.Name | ast.Attribute)),
        read=frozenset(ast.unparse(one) for one in ast.walk(read) if isinstance(one, ast.Name | ast.Attribute)),
        calls=any(isinstance(one, ast.Call | ast.Await | ast.Yield | ast.YieldFrom) for one in ast.walk(read)),
    )


def _makes_idle(added: _Effect, before: list[_Effect], after: list[_Effect]) -> bool:
    return any(_is_idle(one, added) for one in before) or any(_is_idle(added, one) for one in after)


def _is_idle(first: _Effect, second: _Effect) -> bool:
    """Whether one of the two would do nothing: it is never reached, or the second overwrites what the first assigns.
    Nobody repairs a program like that; it is a deletion, or another statement, in disguise."""
    if first.jumps:
        return True
    lost = first.stored & second.stored - second.read
    return any("." not in name or not second.calls for name in lost)


def _first_in_loop(spot: Spot, node: ast.For | ast.While) -> Iterator[Proposal]:
    first = _lines(spot, node.body[0])[0]
    indent = spot.source.indent(node.body[0])
    names = [one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)] if isinstance(node, ast.For) else []
    tests = [*spot.scope.conditions[:15], *(f"not {one}" for one in names), *(f"{one} is None" for one in names)]
    tests += [f"{one} in {other}" for one in names for other in spot.scope.locals if other not in names]
    for test in tests:
        for jump in ("continue", "break"):
            text = f"{indent}if {test}:\n{indent}    {jump}\n"
            yield Proposal("guard", 0.35, (Edit(first, first, text.encode()),))


def _after_loop(spot: Spot, node: ast.For | ast.While) -> Iterator[Proposal]:
    """What is left at the end of a loop is to be handed on as it was inside."""
    _, end = _lines(spot, node)
    indent = spot.source.indent(node)
    ending = "" if spot.source.data[end - 1 : end] == b"\n" else "\n"
    inside = [one for one in ast.walk(node) if isinstance(one, ast.Expr) and one.lineno == one.end_lineno]
    for one in inside[:_MOST_INSIDE]:
        text, used = spot.text(one), {name.id for name in ast.walk(one) if isinstance(name, ast.Name)}
        for name in spot.scope.locals:
            if name in used:
                lines = f"{ending}{indent}if {name}:\n{indent}    {text}\n"
                yield Proposal("statement added", 0.4, (Edit(end, end, lines.encode()),))


def _turned(spot: Spot, node: ast.stmt) -> Iterator[Proposal]:
    """One kind of statement is written where another is meant."""
    if isinstance(node, ast.Break | ast.Continue):
        yield from _other_jump(spot, node)
    elif isinstance(node, ast.Expr):
        yield from _used(spot, node)
    elif isinstance(node, ast.Return):
        yield from _returned(spot, node)
    elif isinstance(node, ast.Assign | ast.While | ast.If):
        yield from _other_head(spot, node)


def _other_jump(spot: Spot, node: ast.stmt) -> Iterator[Proposal]:
    other = "continue" if isinstance(node, ast.Break) else "break"
    returned = ((f"return {one}", 0.3) for one in spot.scope.locals)
    for text, prior in ((other, 0.8), ("pass", 0.4), ("return", 0.3), *returned):
        yield Proposal("jump", prior, (spot.source.replace(node, text),))


def _used(spot: Spot, node: ast.Expr) -> Iterator[Proposal]:
    """Something is computed, and nothing is done with it."""
    at, value = spot.source.start(node), node.value
    if isinstance(value, ast.Yield) and value.value is not None:
        yield Proposal("yield", 0.7, (Edit(at, spot.source.start(value.value), b"yield from "),))
    elif isinstance(value, ast.YieldFrom):
        yield Proposal("yield", 0.6, (Edit(at, spot.source.start(value.value), b"yield "),))
    else:
        yield Proposal("return", 0.7, (Edit(at, at, b"return "),))
        called = value.func if isinstance(value, ast.Call) else None
        owner = [spot.text(called.value)] if isinstance(called, ast.Attribute) else []
        names = [*((one, 0.6) for one in owner), *((one, 0.3) for one in spot.scope.locals)]
        names += [(f"self.{one}", 0.2) for one in spot.scope.fields]
        for name, prior in names:
            yield Proposal("assignment", prior, (Edit(at, at, f"{name} = ".encode()),))
            yield Proposal("assignment", prior * 0.6, (Edit(at, at, f"{name} += ".encode()),))
        yield Proposal("yield", 0.25, (Edit(at, at, b"yield from "),))
        yield Proposal("yield", 0.2, (Edit(at, at, b"yield "),))


def _other_head(spot: Spot, node: ast.Assign | ast.While | ast.If) -> Iterator[Proposal]:
    at = spot.source.start(node)
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        yield Proposal("return", 0.25, (Edit(at, spot.source.start(node.value), b"return "),))
        if isinstance(target, ast.Name) and target.id in spot.scope.members:
            yield Proposal("self", 0.9, (Edit(at, at, b"self."),))
    elif isinstance(node, ast.While):
        yield Proposal("loop", 0.3, (Edit(at, at + len(b"while"), b"if"),))
    else:
        if not node.orelse:
            yield Proposal("loop", 0.45, (Edit(at, at + len(b"if"), b"while"),))
        if spot.index and isinstance(block_of(spot)[spot.index - 1], ast.If):
            yield Proposal("elif", 0.6, (Edit(at, at, b"el"),))


def _returned(spot: Spot, node: ast.Return) -> Iterator[Proposal]:
    source = spot.source
    at = source.start(node)
    if node.value is not None:
        yield Proposal("yield", 0.15, (Edit(at, source.start(node.value), b"yield "),))
    old = spot.text(node.value) if node.value is not None else ""
    values = dict.fromkeys([value.strip() for value in NOTHING], 0.25)
    for text, _ in spot.scope.expressions:
        values.setdefault(text, 0.3)
    for one in spot.scope.names:
        values[one] = 0.45
    if "self" in spot.scope.names:
        values["self"] = 0.5
    for value, prior in values.items():
        if value != old:
            yield Proposal("returned value", prior, (source.replace(node, f"return {value}".rstrip()),))


def _guarded(spot: Spot, node: ast.stmt) -> Iterator[Proposal]:
    """The statement is to be done only sometimes."""
    if not isinstance(node, SIMPLE):
        return
    start, end = _lines(spot, node)
    indent = spot.source.indent(node)
    text = spot.source.data[start:end].decode()
    inner = _shifted(text, indent, indent + "    ")
    tests = list(spot.scope.conditions[:15])
    for one in spot.scope.locals[:8]:
        tests += [one, f"not {one}", f"{one} is not None"]
    loops = _loop_names(spot)
    tests += [f"{one} {sign} {other}" for one, other in pairwise(loops) for sign in ("or", "and", "!=", "==")]
    targets = [spot.text(one) for one in getattr(node, "targets", ()) if isinstance(one, ast.Name | ast.Attribute)]
    tests += [f"{one} is None" for one in targets]
    for test in tests:
        yield Proposal("guard", 0.3, (Edit(start, end, f"{indent}if {test}:\n{inner}".encode()),))


def _loop_names(spot: Spot) -> list[str]:
    """The variables of the loops around a statement, the outermost first."""
    line = spot.node.lineno  # type: ignore[attr-defined]  # a statement
    loops = [n for n in ast.walk(spot.scope.node) if isinstance(n, ast.For) and n.lineno < line <= (n.end_lineno or 0)]
    return [one.id for loop in loops for one in ast.walk(loop.target) if isinstance(one, ast.Name)]


def handler(spot: Spot) -> Iterator[Proposal]:
    """An `else` or `elif` that should be its counterpart."""
    node = spot.node
    if isinstance(node, ast.If) and _is_elif(spot):
        at = spot.source.start(node)
        if isinstance(spot.scope.node, FUNCTIONS):
            yield Proposal("elif", 0.6, (Edit(at, at + 2, b""),))


def default(spot: Spot) -> Iterator[Proposal]:
    """A default that all calls share becomes None, and is made anew in each call."""
    node = spot.node
    if not isinstance(node, FUNCTIONS) or is_docstring(node.body[-1]):
        return
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    pairs = [*zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True)]
    pairs += [(one, value) for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is not None]
    body = next((one for one in node.body if not is_docstring(one)), None)
    if body is None or body.lineno == node.lineno:
        return
    first, indent = _lines(spot, body)[0], spot.source.indent(body)
    for argument, value in pairs:
        shared = isinstance(value, ast.List | ast.Dict | ast.Set | ast.Call)
        if shared:
            text = f"{indent}if {argument.arg} is None:\n{indent}    {argument.arg} = {spot.text(value)}\n"
            edits = (spot.source.replace(value, "None"), Edit(first, first, text.encode()))
            yield Proposal("shared default", 1.2, edits)
