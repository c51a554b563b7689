"""What may be wrong with a call: its arguments, their order, a missing `await`, the exception that is raised?"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from .alternatives import ARGUMENTS, EXCEPTIONS
from .places import FUNCTIONS, Proposal, Spot
from .text import Edit

_MOST_ARGUMENTS = 12


def call(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.Call):
        return
    values = [*node.args, *(one.value for one in node.keywords)][:_MOST_ARGUMENTS]
    for one, other in itertools.combinations(values, 2):
        edits = (spot.source.replace(one, spot.text(other)), spot.source.replace(other, spot.text(one)))
        yield Proposal("arguments swapped", 0.75, edits)
    for value in values:
        yield Proposal("call dropped", 0.4, spot.put(spot.text(value)))
    if isinstance(node.func, ast.Attribute):
        if spot.text(node.func.value) != "self":
            yield Proposal("call dropped", 0.4, spot.put(spot.text(node.func.value)))
        yield Proposal("call dropped", 0.15, spot.put(spot.text(node.func)))
    yield from _dropped(spot, node)
    yield from _added(spot, node)
    yield from _sequence_calls(spot, node)
    yield from _sorted_first(spot, node)
    if spot.scope.asynchronous and not isinstance(spot.parent, ast.Await):
        yield Proposal("await", 0.9, spot.put(f"await {spot.text()}"))


def awaited(spot: Spot) -> Iterator[Proposal]:
    if isinstance(spot.node, ast.Await):
        yield Proposal("await", 0.5, spot.put(spot.text(spot.node.value)))


def _parts(node: ast.Call) -> list[ast.expr | ast.keyword]:
    parts: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
    return sorted(parts, key=lambda one: (one.lineno, one.col_offset))


def _dropped(spot: Spot, node: ast.Call) -> Iterator[Proposal]:
    parts = _parts(node)
    for number, part in enumerate(parts):
        if len(parts) == 1:
            edit = Edit(spot.source.start(part), spot.source.end(part), b"")
        elif number:
            edit = Edit(spot.source.end(parts[number - 1]), spot.source.end(part), b"")
        else:
            edit = Edit(spot.source.start(part), spot.source.start(parts[1]), b"")
        yield Proposal("argument dropped", 0.5, (edit,))


def _added(spot: Spot, node: ast.Call) -> Iterator[Proposal]:
    parts = _parts(node)
    if any(isinstance(one, ast.GeneratorExp) for one in node.args) or len(parts) > _MOST_ARGUMENTS:
        return
    source = spot.source
    known = {one.arg for one in node.keywords}
    for text, prior in _arguments(spot, node):
        if text.partition("=")[0] in known:
            continue
        if not parts:
            at = source.end(node) - 1
            yield Proposal("argument added", prior, (Edit(at, at, text.encode()),))
            continue
        end = source.end(parts[-1])
        yield Proposal("argument added", prior, (Edit(end, end, f", {text}".encode()),))
        if "=" not in text and not node.keywords:
            for one in node.args:
                start = source.start(one)
                yield Proposal("argument added", prior * 0.7, (Edit(start, start, f"{text}, ".encode()),))


def _arguments(spot: Spot, node: ast.Call) -> Iterator[tuple[str, float]]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    yield from ((text, prior) for prior, texts in ARGUMENTS.get(called, {}).items() for text in texts)
    names = [one for one in spot.scope.locals if all(spot.text(arg) != one for arg in node.args)]
    for one in names:
        yield one, 0.45
    for keyword in _parameters(spot, called):
        for one in names:
            yield f"{keyword}={one}", 0.6 if keyword == one else 0.3
        yield f"{keyword}=True", 0.25
    for member in spot.scope.members:
        yield f"self.{member}", 0.25
    yield "True", 0.15
    yield "None", 0.1
    yield "0", 0.1


def _parameters(spot: Spot, called: str) -> list[str]:
    """Of a function of this name in the module."""
    for node in ast.walk(spot.source.tree):
        if isinstance(node, FUNCTIONS) and node.name == called:
            return [one.arg for one in (*node.args.args, *node.args.kwonlyargs) if one.arg not in {"self", "cls"}]
    return []


def _sorted_first(spot: Spot, node: ast.Call) -> Iterator[Proposal]:
    """What a call groups or merges by a key has to be sorted by it."""
    keys = [spot.text(one.value) for one in node.keywords if one.arg == "key"]
    keys += [spot.text(one) for one in node.args[1:2] if isinstance(one, ast.Lambda | ast.Name | ast.Attribute)]
    for key in keys if node.args else ():
        given = spot.text(node.args[0])
        yield Proposal("sorting", 0.45, (spot.source.replace(node.args[0], f"sorted({given}, key={key})"),))


def _sequence_calls(spot: Spot, node: ast.Call) -> Iterator[Proposal]:
    if isinstance(node.func, ast.Name) and node.func.id == "range":
        first = node.args[0] if node.args else None
        if len(node.args) == 1 and first is not None:
            at = spot.source.start(first)
            yield Proposal("range", 0.85, (Edit(at, at, b"1, "),))
            yield Proposal("range", 0.6, (spot.source.replace(first, f"1, {spot.text(first)} + 1"),))
            yield Proposal("range", 0.45, (spot.source.replace(first, f"{spot.text(first)} - 1, -1, -1"),))
            if isinstance(first, ast.Call):
                yield Proposal("call dropped", 0.4, spot.put(spot.text(first.args[0] if first.args else first)))
        elif len(node.args) == 2 and first is not None:  # noqa: PLR2004 - from and to
            edit = Edit(spot.source.start(first), spot.source.start(node.args[1]), b"")
            yield Proposal("range", 0.5, (edit,))
        elif len(node.args) == 3 and isinstance(first, ast.BinOp):  # noqa: PLR2004 - with a step
            yield Proposal("range", 0.6, spot.put(f"range({spot.text(first.left)})"))
        yield Proposal("range", 0.3, spot.put(f"reversed({spot.text()})"))


def exception(spot: Spot) -> Iterator[Proposal]:
    """Another exception is raised or caught."""
    node = spot.node
    kind: ast.expr | None = None
    if isinstance(node, ast.Raise):
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    elif isinstance(node, ast.ExceptHandler):
        kind = node.type
    if kind is None:
        return
    if isinstance(kind, ast.Tuple):
        for one in kind.elts:
            yield from _other_exceptions(spot, node, one)
        return
    yield from _other_exceptions(spot, node, kind)


def _other_exceptions(spot: Spot, node: ast.AST, kind: ast.expr) -> Iterator[Proposal]:
    known = spot.module.project.exceptions
    tops = [one for one in spot.module.top_names if one.endswith(("Error", "Exception"))]
    for other in dict.fromkeys([*known, *tops, *EXCEPTIONS]):
        if other != spot.text(kind):
            prior = 0.75 if other in known else 0.55
            yield Proposal("exception", prior, (spot.source.replace(kind, other),))
            if isinstance(node, ast.ExceptHandler) and isinstance(kind, ast.Name):
                yield Proposal("exception", prior * 0.8, (spot.source.replace(kind, f"({spot.text(kind)}, {other})"),))
