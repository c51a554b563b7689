"""Which larger slips have a usual repair: rounding up, sorting, late binding, keys, two names in each other's place?"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from .places import FUNCTIONS, Proposal, Spot
from .text import Edit

_MOST_NAMES = 8
_SMALL = ("0", "1")


def division(spot: Spot) -> Iterator[Proposal]:
    """A quotient is to be rounded up, or to be taken of a product."""
    node = spot.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv):
        return
    above, below = _held(spot, node.left), _held(spot, node.right)
    yield Proposal("rounding", 0.65, spot.put(f"-(-{above} // {below})"))
    yield Proposal("rounding", 0.5, spot.put(f"({spot.text(node.left)} + {below} - 1) // {below}"))


def _held(spot: Spot, node: ast.expr) -> str:
    """An operand that holds together in a division."""
    text = spot.text(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant) else f"({text})"


def sorting(spot: Spot) -> Iterator[Proposal]:
    """`sort` gives nothing back; `sorted` and `reversed` change nothing."""
    node = spot.node
    if not isinstance(node, ast.Call):
        return
    if (
        isinstance(node.func, ast.Attribute)
        and node.func.attr in {"sort", "reverse"}
        and not isinstance(spot.parent, ast.Expr)
    ):
        owner, given = spot.text(node.func.value), _given(spot, node)
        if node.func.attr == "sort":
            yield Proposal("sorting", 0.9, spot.put(f"sorted({', '.join([owner, *given])})"))
        else:
            yield Proposal("sorting", 0.9, spot.put(f"{owner}[::-1]"))
    if (
        isinstance(node.func, ast.Name)
        and node.func.id in {"sorted", "reversed"}
        and isinstance(spot.parent, ast.Expr)
        and node.args
    ):
        owner, given = spot.text(node.args[0]), _given(spot, node)[1:]
        method = "sort" if node.func.id == "sorted" else "reverse"
        yield Proposal("sorting", 0.9, spot.put(f"{owner}.{method}({', '.join(given)})"))


def _given(spot: Spot, node: ast.Call) -> list[str]:
    return [spot.text(one) for one in (*node.args, *node.keywords)]


def late_binding(spot: Spot) -> Iterator[Proposal]:
    """A lambda in a loop sees only the last value of the loop's variable."""
    node = spot.node
    if not isinstance(node, ast.Lambda):
        return
    own = {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    used = dict.fromkeys(one.id for one in ast.walk(node.body) if isinstance(one, ast.Name))
    looped = _loop_names(spot)
    for name in used:
        if name in looped and name not in own:
            bound = ", ".join([*filter(None, [_parameters(spot, node)]), f"{name}={name}"])
            yield Proposal("late binding", 1.0, spot.put(f"lambda {bound}: {spot.text(node.body)}"))


def _parameters(spot: Spot, node: ast.Lambda) -> str:
    head = spot.source.data[spot.source.start(node) : spot.source.start(node.body)].decode()
    return head[len("lambda") : head.rindex(":")].strip()


def _loop_names(spot: Spot) -> set[str]:
    loops = (n for n in ast.walk(spot.scope.node) if isinstance(n, ast.For | ast.AsyncFor | ast.comprehension))
    return {one.id for loop in loops for one in ast.walk(loop.target) if isinstance(one, ast.Name)}


def key(spot: Spot) -> Iterator[Proposal]:
    """A key that forgets a part of what it stands for."""
    node = spot.node
    names = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple)
    if not isinstance(node, names) or isinstance(getattr(node, "ctx", None), ast.Store):
        return
    if not (spot.field == "slice" or _is_key_of_call(spot) or _is_named_key(spot) or _is_sought(spot)):
        return
    own = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    inner = spot.text()
    if isinstance(node, ast.Tuple):
        inner = ", ".join(spot.text(one) for one in node.elts)
    weight = 0.35 if _is_named_key(spot) or isinstance(node, ast.Tuple) else 0.2
    for name in spot.scope.locals[:_MOST_NAMES]:
        if name not in own:
            yield Proposal("key", weight, spot.put(f"({inner}, {name})"))
    for member in spot.scope.fields[:_MOST_NAMES]:
        yield Proposal("key", weight * 0.4, spot.put(f"({inner}, self.{member})"))
    if isinstance(node, ast.Tuple) and len(node.elts) == 2:  # noqa: PLR2004 - a pair
        yield from (Proposal("key", 0.25, spot.put(spot.text(one))) for one in node.elts)


def _is_key_of_call(spot: Spot) -> bool:
    call = spot.parent
    called = call.func if isinstance(call, ast.Call) and spot.field == "args" and not spot.index else None
    return isinstance(called, ast.Attribute) and called.attr in {"get", "pop", "setdefault", "add", "discard", "remove"}


def _is_named_key(spot: Spot) -> bool:
    parent = spot.parent
    target = parent.targets[0] if isinstance(parent, ast.Assign) else None
    return isinstance(target, ast.Name) and "key" in target.id


def _is_sought(spot: Spot) -> bool:
    parent = spot.parent
    return isinstance(parent, ast.Compare) and spot.field == "left" and isinstance(parent.ops[0], ast.In | ast.NotIn)


def exchanged_names(spot: Spot) -> Iterator[Proposal]:
    """Two names of a statement stand in each other's place."""
    node = spot.node
    if not isinstance(node, ast.Return | ast.Assign | ast.AugAssign | ast.Expr):
        return
    places: dict[str, list[ast.Name]] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id in spot.scope.locals:
            places.setdefault(one.id, []).append(one)
    for first, second in itertools.combinations(list(places)[:_MOST_NAMES], 2):
        edits = [spot.source.replace(one, second) for one in places[first]]
        edits += [spot.source.replace(one, first) for one in places[second]]
        yield Proposal("names exchanged", 0.55, tuple(sorted(edits)))


def clamped(spot: Spot) -> Iterator[Proposal]:
    """An index that may run over the end."""
    node = spot.node
    number = isinstance(node, ast.Call | ast.BinOp | ast.Name)
    wanted = spot.field in {"slice", "value", "args"} and not isinstance(spot.parent, ast.Attribute | ast.Subscript)
    if not number or not (wanted or spot.field == "slice") or isinstance(getattr(node, "ctx", None), ast.Store):
        return
    for text in _sequences(spot):
        yield Proposal("around", 0.28, spot.put(f"min({spot.text()}, len({text}) - 1)"))
        yield Proposal("around", 0.15, spot.put(f"{_held_expression(spot)} % len({text})"))


def _held_expression(spot: Spot) -> str:
    assert isinstance(spot.node, ast.expr)
    return _held(spot, spot.node)


def _sequences(spot: Spot) -> list[str]:
    """What is indexed or measured in the function, or in the class around it."""
    found: dict[str, None] = {}
    for one in ast.walk(spot.scope.owner or spot.scope.node):
        measured = isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "len"
        base = one.value if isinstance(one, ast.Subscript) else one.args[0] if measured and one.args else None  # type: ignore[attr-defined]  # a call
        member = isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name) and base.value.id == "self"
        local = isinstance(base, ast.Name) and base.id in spot.scope.names
        if base is not None and (local or member):
            found[spot.text(base)] = None
    return list(found)[:4]


def bounds(spot: Spot) -> Iterator[Proposal]:
    """A comparison whose sign and number are both off: `== 0` for `<= 1`."""
    node = spot.node
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return
    right = node.comparators[0]
    if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Mod):
        return  # a remainder is this one or that one
    if isinstance(right, ast.Constant) and type(right.value) is int:
        signs = ("<=", "<") if isinstance(node.ops[0], ast.Eq) else (">", ">=")
        for sign in signs:
            for number in (right.value + 1, right.value + 2):
                yield Proposal("comparison", 0.3, spot.put(f"{spot.text(node.left)} {sign} {number}"))


def truth(spot: Spot) -> Iterator[Proposal]:
    """A fixed answer where the answer depends on something."""
    node = spot.node
    if not (isinstance(node, ast.Constant) and isinstance(node.value, bool) and isinstance(spot.parent, ast.Return)):
        return
    for name in spot.scope.locals:
        for text, prior in ((f"not {name}", 0.35), (f"{name} == 0", 0.35), (name, 0.3), (f"bool({name})", 0.2)):
            yield Proposal("returned value", prior, spot.put(text))
    for member in spot.scope.fields:
        yield Proposal("returned value", 0.2, spot.put(f"not self.{member}"))
    for text in spot.scope.conditions[:15]:
        yield Proposal("returned value", 0.3, spot.put(text))


def conjunct(spot: Spot) -> Iterator[Proposal]:
    """A truth value that is returned or stored misses a condition, such as that something is there."""
    node = spot.node
    if not isinstance(node, ast.Compare | ast.BoolOp) or spot.field not in {"value", "values", "elt"}:
        return
    if isinstance(spot.parent, ast.BoolOp) and spot.field == "values" and isinstance(node, ast.BoolOp):
        return
    for text, prior in _demands(spot, node):
        yield Proposal("condition added", prior, spot.wrapped(f"{text} and {{}}"))
        yield Proposal("condition added", prior * 0.6, spot.wrapped(f"{{}} and {text}"))
        yield Proposal("condition added", prior * 0.6, spot.wrapped(f"{text} or {{}}"))
    inside = isinstance(spot.parent, ast.BoolOp)
    for text in () if inside else spot.scope.conditions[:12]:
        if text != spot.text():
            yield Proposal("condition added", 0.25, spot.wrapped(f"{{}} and {text}"))
            yield Proposal("condition added", 0.25, spot.wrapped(f"{{}} or {text}"))


def _demands(spot: Spot, node: ast.expr) -> Iterator[tuple[str, float]]:
    """That what the expression uses is there."""
    used = dict.fromkeys(spot.text(one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute))
    known = {*spot.scope.locals, *(f"self.{one}" for one in spot.scope.fields)}
    for text in used:
        if text in known:
            yield f"{text} is not None", 0.45
            yield text, 0.35
            yield f"{text} is None", 0.2
            yield from ((f"{text} > {small}", 0.2) for small in _SMALL)
    for name in spot.scope.locals[:_MOST_NAMES]:
        if name not in used:
            yield name, 0.25
            yield f"not {name}", 0.25
            yield f"{name} > 0", 0.2


def target(spot: Spot) -> Iterator[Proposal]:
    """What is computed is put into the wrong place."""
    node = spot.node
    if not isinstance(node, ast.Assign | ast.AugAssign):
        return
    old = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if not isinstance(old, ast.Subscript | ast.Name | ast.Attribute):
        return
    found: dict[str, None] = {}
    for one in ast.walk(spot.scope.node):
        if isinstance(one, ast.Subscript | ast.Attribute) and not isinstance(
            one.slice if isinstance(one, ast.Subscript) else None, ast.Slice
        ):
            found[spot.text(one)] = None
    for text in found:
        if text != spot.text(old) and "\n" not in text:
            yield Proposal("target", 0.3, (spot.source.replace(old, text),))


def dropped_else(spot: Spot) -> Iterator[Proposal]:
    """What stands under `else` belongs after the loop or the condition."""
    node = spot.node
    if (
        not isinstance(node, ast.If | ast.For | ast.While)
        or not node.orelse
        or not isinstance(spot.scope.node, FUNCTIONS)
    ):
        return
    source, first, last = spot.source, node.orelse[0], node.orelse[-1]
    start = source.first_of_line(first.lineno)
    head = source.data.rfind(b"else", source.end(node.body[-1]), start)
    if head < 0 or first.lineno == node.lineno:
        return
    inner, outer = source.indent(first), source.indent(node)
    text = source.data[start : source.after_line(last.end_lineno or last.lineno)].decode()
    moved = "\n".join(outer + line[len(inner) :] if line.startswith(inner) else line for line in text.split("\n"))
    begin = source.first_of_line(source.line_of(head))
    end = source.after_line(last.end_lineno or last.lineno)
    yield Proposal("indentation", 0.4, (Edit(begin, end, moved.encode()),))
