"""Which values may be meant instead: constants, names, attributes, indices, what is around a value?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from .alternatives import (
    AROUND,
    CODES,
    EMPTY_DICTS,
    EMPTY_LISTS,
    MODES,
    NONES,
    OFF_BY_ONE,
    PATTERNS,
    TEXTS,
    WITH_MEMBER,
    WITH_NAME,
)
from .edits_names import alike
from .places import FUNCTIONS, Proposal, Spot
from .text import Edit


def constant(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.Constant) or isinstance(spot.parent, ast.JoinedStr | ast.FormattedValue):
        return
    value = node.value
    yield from _variables(value, spot)
    if isinstance(value, bool):
        yield Proposal("constant", 0.8, spot.put(str(not value)))
        yield Proposal("constant", 0.2, spot.put("None"))
    elif isinstance(value, int | float):
        for new, prior in _numbers(value, spot):
            if not _is_idle(spot, new):
                yield Proposal("constant", prior, spot.put(repr(new)))
    elif isinstance(value, str):
        yield from _texts(value, spot)
    elif value is None:
        yield from _each("constant", NONES, spot)


def _variables(value: object, spot: Spot) -> Iterator[Proposal]:
    """A fixed value where a variable is meant."""
    if spot.field in {"slice", "func"} and isinstance(value, str):
        return
    prior = 0.35 if isinstance(value, int | float) and not isinstance(value, bool) else 0.25
    for name in spot.scope.locals if isinstance(spot.scope.node, FUNCTIONS) else ():
        yield Proposal("variable", prior, spot.put(name))


def _each(kind: str, table: Mapping[float, tuple[str, ...]], spot: Spot) -> Iterator[Proposal]:
    return (Proposal(kind, prior, spot.put(text)) for prior, texts in table.items() for text in texts)


def _is_idle(spot: Spot, value: float) -> bool:
    """Adding 0 or multiplying by 1 is better said by leaving it out; what is multiplied by 0 is no use at all."""
    if not isinstance(spot.parent, ast.BinOp):
        return False
    if isinstance(spot.parent.op, ast.Add | ast.Sub):
        return value == 0
    return value == 1 or (value == 0 and spot.field == "right")


def _numbers(value: float, spot: Spot) -> Iterator[tuple[float, float]]:
    found: dict[float, float] = {}
    tenth = value / 10 if isinstance(value, float) else value // 10
    for prior, numbers in (
        (0.9, (value + 1, value - 1) if value else (1,)),
        (0.6, (0, 1, -value)),
        (0.5, (-1,)),
        (0.45, (value * 10, tenth) if value not in {0, 1} else ()),
        (0.3, (2, value * 2, value // 2, *spot.module.numbers)),
        (0.2, (3, 4, 5, 7, 10, 12, 24, 60, 100, 1000)),
        (0.2, (value / 2, int(value)) if isinstance(value, float) else ()),
    ):
        for new in numbers:
            found.setdefault(new, prior)
    return ((new, prior) for new, prior in found.items() if new != value or type(new) is not type(value))


def _texts(value: str, spot: Spot) -> Iterator[Proposal]:
    quote = spot.text()[-1:]
    found = dict.fromkeys((value + " ", " " + value, value + "\n", *TEXTS), 0.3)
    found |= dict.fromkeys((value.upper(), value.lower(), value.title(), value.strip(), value.rstrip()), 0.5)
    for one in spot.module.strings:
        found[one] = max(found.get(one, 0.0), 0.3 + 0.3 * alike(one, value))
    found |= dict.fromkeys(_formats(value), 0.5)
    for new, prior in found.items():
        if new != value:
            yield Proposal("text", prior, spot.put(_quoted(new, quote)))


def _quoted(text: str, quote: str) -> str:
    """As the text was quoted before, if that is as short."""
    written = repr(text)
    return f'"{written[1:-1]}"' if quote == '"' and not {"'", '"'} & set(text) else written


def _formats(value: str) -> Iterator[str]:
    """Codes of dates, modes of files, parts of patterns, one at a time."""
    if value in MODES:
        yield from MODES
    for old, new in (pair.split() for pair in CODES.split(",")) if "%" in value else ():
        if old in value:
            yield value.replace(old, new)
    if re.search(r"[\\^$*+\[]", value):
        for old, new in PATTERNS:
            for place in re.finditer(re.escape(old), value):
                yield value[: place.start()] + new + value[place.end() :]
        yield value + "$"
        yield "^" + value


def subscript(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.Subscript):
        return
    if isinstance(node.slice, ast.Slice):
        yield from _slice(spot, node.slice)
    elif isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:  # noqa: PLR2004 - a pair
        yield Proposal("index", 0.6, _exchanged(spot, *node.slice.elts))
    else:
        yield from _index(spot, node)


def _exchanged(spot: Spot, one: ast.AST, other: ast.AST) -> tuple[Edit, ...]:
    return spot.source.replace(one, spot.text(other)), spot.source.replace(other, spot.text(one))


def _index(spot: Spot, node: ast.Subscript) -> Iterator[Proposal]:
    index, base = spot.text(node.slice), spot.text(node.value)
    if isinstance(node.slice, ast.Name | ast.BinOp | ast.Attribute | ast.Constant | ast.Call | ast.UnaryOp):
        nearby = {f"{index} - 1": 0.7, f"{index} + 1": 0.7, "-1": 0.45, "0": 0.4, "1": 0.25, f"-({index})": 0.25}
        for new, prior in nearby.items():
            yield Proposal("index", prior, (spot.source.replace(node.slice, _summed(new)),))
    yield Proposal("index", 0.35, spot.put(f"{base}[{index}:]"))
    yield Proposal("index", 0.35, spot.put(f"{base}[:{index}]"))
    if not isinstance(node.ctx, ast.Load):
        return
    for given, prior in (("", 0.45), (", 0", 0.4), (", []", 0.25), (', ""', 0.2)):
        yield Proposal("get", prior, spot.put(f"{base}.get({index}{given})"))
    yield Proposal("index dropped", 0.4, spot.put(base))
    if isinstance(node.value, ast.Subscript):
        outer = spot.text(node.value.value)
        yield Proposal("index", 0.6, spot.put(f"{outer}[{index}][{spot.text(node.value.slice)}]"))


def _slice(spot: Spot, given: ast.Slice) -> Iterator[Proposal]:
    assert isinstance(spot.node, ast.Subscript)
    low, high, step = (spot.text(part) if part is not None else "" for part in (given.lower, given.upper, given.step))
    bounds: dict[tuple[str, str, str], float] = {}
    for new in [f"{low} + 1", f"{low} - 1", ""] if low else ["1", "-1"]:
        bounds.setdefault((_summed(new), high, step), 0.7)
    for new in [f"{high} + 1", f"{high} - 1", ""] if high else ["-1"]:
        bounds.setdefault((low, _summed(new), step), 0.7)
    bounds.setdefault((high, low, step), 0.5)
    bounds.setdefault((low, high, "" if step == "-1" else "-1"), 0.4)
    if low:
        bounds.setdefault((_minus(low), high, step), 0.3)
    if high:
        bounds.setdefault((low, _minus(high), step), 0.3)
    for one in spot.scope.locals:
        for new, prior in ((one, 0.3), (f"{one} + 1", 0.2)):
            bounds.setdefault((new, high, step), prior)
            bounds.setdefault((low, new, step), prior)
    for (first, last, by), prior in bounds.items():
        text = f"{first}:{last}" + (f":{by}" if by else "")
        yield Proposal("slice", prior, (spot.source.replace(given, text),))
    base = spot.text(spot.node.value)
    yield Proposal("slice", 0.3, spot.put(base))
    if isinstance(spot.node.ctx, ast.Load) and (low or high):
        yield Proposal("slice", 0.2, spot.put(f"{base}[{low or high}]"))


def _minus(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text}" if text.isalnum() else f"-({text})"


def _summed(text: str) -> str:
    """`1 + 1` is written as `2`."""
    found = re.fullmatch(r"(-?\d+) ([+-]) 1", text)
    return str(int(found[1]) + (1 if found[2] == "+" else -1)) if found else text


def collection(spot: Spot) -> Iterator[Proposal]:
    """Displays of lists, tuples and dictionaries; initial values."""
    node = spot.node
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return
    if isinstance(node, ast.Tuple | ast.List):
        for one, other in pairwise(node.elts):
            yield Proposal("order", 0.6, _exchanged(spot, one, other))
    if isinstance(node, ast.List) and not node.elts:
        yield from _each("initial value", EMPTY_LISTS, spot)
        yield from (Proposal("initial value", 0.35, spot.put(f"[{one}]")) for one in spot.scope.names)
    if isinstance(node, ast.Dict) and not node.keys:
        yield from _each("initial value", EMPTY_DICTS, spot)
    if isinstance(node, ast.Dict) and len(node.keys) == 1 and node.keys[0] is not None:
        yield Proposal("order", 0.4, _exchanged(spot, node.keys[0], node.values[0]))
    if isinstance(node, ast.DictComp):
        yield Proposal("order", 0.5, _exchanged(spot, node.key, node.value))
    if isinstance(node, ast.SetComp | ast.ListComp):
        inner = spot.text()[1:-1]
        yield Proposal("collection", 0.3, spot.put(f"[{inner}]" if isinstance(node, ast.SetComp) else f"{{{inner}}}"))


_NO_VALUES = (ast.Starred, ast.Slice, ast.Constant)
_NOT_HERE = frozenset({"func", "ifs", "decorator_list", "bases", "keywords", "format_spec"})


def around(spot: Spot) -> Iterator[Proposal]:
    """Something is to be done to a value, or another expression of the same function is meant."""
    node = spot.node
    if not isinstance(node, ast.expr) or isinstance(node, _NO_VALUES) or spot.field in _NOT_HERE:
        return
    stored = not isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)
    if stored or isinstance(spot.parent, ast.Attribute | ast.JoinedStr | ast.FormattedValue):
        return
    if not isinstance(node, ast.Compare | ast.BoolOp):
        weight = 0.6 if spot.field == "value" and isinstance(spot.parent, ast.Subscript) else 1.0
        for template, prior in _templates(spot, node):
            yield Proposal("around", prior * weight, spot.wrapped(template))
    own = spot.text()
    for text, _ in spot.scope.expressions:
        if text != own:
            yield Proposal("expression", 0.22, spot.put(text))


_MOST_COMPANIONS = 8


def _companions(spot: Spot) -> list[str]:
    """Elements, attributes and results in the same function that may have to be compared or summed with a value."""
    if not isinstance(spot.parent, ast.Assign | ast.Return | ast.Tuple | ast.Call | ast.Compare | ast.AugAssign):
        return []
    found = (text for text, one in spot.scope.expressions if isinstance(one, ast.Subscript | ast.Attribute))
    return [text for text in found if text != spot.text()][:_MOST_COMPANIONS]


_COUNTED = 2.5
"""So much likelier is a slip by one where things are counted or compared."""


def _is_handed_out(spot: Spot) -> bool:
    """A collection that is stored or given away may have to be a copy."""
    call = spot.parent
    stored = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _STORING
    return stored or isinstance(call, ast.Return | ast.Yield)


_STORING = frozenset({"append", "add", "insert", "appendleft", "setdefault", "put"})


def _is_counting(spot: Spot) -> bool:
    parent, own = spot.parent, getattr(spot.scope.node, "name", "")
    if isinstance(parent, ast.Call):
        called = parent.func.id if isinstance(parent.func, ast.Name) else ""
        return called in {"range", "islice"} or (called == own and _is_bound(spot))
    if isinstance(parent, ast.Assign):
        return _is_bound(spot)
    place = isinstance(parent, ast.Subscript) and spot.field == "slice"
    return place or isinstance(parent, ast.Compare | ast.Slice | ast.Tuple)


def _is_bound(spot: Spot) -> bool:
    """A name that is an index or a border elsewhere in the function."""
    return isinstance(spot.node, ast.Name) and spot.node.id in spot.scope.bounds


def _templates(spot: Spot, node: ast.expr) -> Iterator[tuple[str, float]]:
    counted = isinstance(spot.parent, ast.BinOp) and isinstance(spot.parent.op, ast.Add | ast.Sub)
    counted = counted or (isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant))
    for text in _companions(spot):
        yield f"max({{}}, {text})", 0.25
        yield f"min({{}}, {text})", 0.25
        yield f"{{}} + {text}", 0.15
        yield f"{{}} - {text}", 0.15
    for prior, templates in AROUND.items():
        sure = _COUNTED if OFF_BY_ONE[0] in templates and _is_counting(spot) else 1.0
        yield from ((one, prior * sure) for one in templates if not (counted and one in OFF_BY_ONE))
    if isinstance(node, ast.Name) and _is_handed_out(spot):
        yield from (("list({})", 0.45), ("{}.copy()", 0.4))
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.BinOp | ast.ListComp):
        return
    own = spot.text()
    for table, names in ((WITH_NAME, spot.scope.locals), (WITH_MEMBER, spot.scope.fields)):
        for prior, templates in table.items():
            yield from ((one.replace("{v}", name_), prior) for one in templates for name_ in names if name_ != own)
