"""Which conditions may be meant instead, and which may be missing?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .places import Proposal, Spot
from .text import Edit

_SMALL = ("0", "1")
_IDLE = 0.5
"""What is left of an alternative that is nearly always true."""


def condition(spot: Spot) -> Iterator[Proposal]:
    """The test of `if`, `while`, a conditional expression, and the `if` of a comprehension."""
    node = spot.node
    if spot.field not in {"test", "ifs"} or not isinstance(node, ast.expr) or isinstance(spot.parent, ast.Assert):
        return
    own = spot.text()
    if not isinstance(node, ast.Compare):
        yield Proposal("negation", 0.85, spot.wrapped("not {}"))
    endless = isinstance(spot.parent, ast.While)
    yield Proposal("condition is constant", 0.1 if endless else 0.25, spot.put("True"))
    yield Proposal("condition is constant", 0.25, spot.put("False"))
    for text, prior in _extra(spot):
        if text != own:
            yield Proposal("condition added", prior, spot.wrapped(f"{{}} and {text}"))
            idle = _IDLE if text.isidentifier() or text.endswith("is not None") else 1.0
            yield Proposal("condition added", prior * idle, spot.wrapped(f"{{}} or {text}"))
            yield Proposal("condition added", prior * 0.8, spot.wrapped(f"{text} and {{}}"))
            yield Proposal("condition added", prior * idle * 0.6, spot.wrapped(f"{text} or {{}}"))
    for text, prior in _extra(spot):
        if text != own:
            yield Proposal("condition replaced", prior * 0.7, spot.put(text))


def _extra(spot: Spot) -> Iterator[tuple[str, float]]:
    own = {node.id for node in ast.walk(spot.node) if isinstance(node, ast.Name)}
    for text in spot.scope.conditions:
        yield text, 0.4
    names = spot.scope.locals
    for one in names:
        near = 0.1 if one in own else 0.0
        yield one, 0.35 + near
        yield f"not {one}", 0.35 + near
        yield f"{one} is not None", 0.35 + near
        yield f"{one} is None", 0.3 + near
        for small in _SMALL:
            yield f"{one} > {small}", 0.25 + near
            yield f"{one} == {small}", 0.2 + near
        yield f"{one} >= 0", 0.2 + near
        yield f"{one} < 0", 0.15 + near
    for member in spot.scope.fields:
        yield f"self.{member}", 0.25
        yield f"not self.{member}", 0.25
        yield f"self.{member} is not None", 0.15
    for one in names[:6]:
        for other in names[:6]:
            if one != other:
                yield f"{one} != {other}", 0.2
                yield f"{one} < {other}", 0.2
                yield f"{one} == {other}", 0.15
                yield f"{one} not in {other}", 0.25
                yield f"{one} in {other}", 0.25


def comprehension(spot: Spot) -> Iterator[Proposal]:
    node = spot.node
    if not isinstance(node, ast.comprehension):
        return
    end = spot.source.end(node.ifs[-1] if node.ifs else node.iter)
    targets = [one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)]
    if not node.ifs:
        for text in [*targets, *(f"{one} is not None" for one in targets), *(f"{one} > 0" for one in targets)]:
            yield Proposal("filter added", 0.4, (Edit(end, end, f" if {text}".encode()),))
        for text in spot.scope.conditions[:20]:
            yield Proposal("filter added", 0.3, (Edit(end, end, f" if {text}".encode()),))
        for one in targets:
            for other in spot.scope.locals[:8]:
                if other not in targets:
                    for sign in ("!=", "in", "not in", ">", "<"):
                        edit = Edit(end, end, f" if {one} {sign} {other}".encode())
                        yield Proposal("filter added", 0.25, (edit,))
    for number, test in enumerate(node.ifs):
        before = spot.source.end(node.ifs[number - 1] if number else node.iter)
        yield Proposal("filter dropped", 0.4, (Edit(before, spot.source.end(test), b""),))
