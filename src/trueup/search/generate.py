"""Which edits are there for the suspicious places, and which of them come first?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from . import edits_calls, edits_conditions, edits_idioms, edits_names, edits_operators, edits_statements, edits_values
from .places import Module, Proposal, Spot, modules
from .spectrum import Line
from .text import Source
from .trial import Trial

EDITORS: tuple[Callable[[Spot], Iterator[Proposal]], ...] = (
    edits_operators.comparison,
    edits_operators.binary,
    edits_operators.augmented,
    edits_operators.boolean,
    edits_operators.unary,
    edits_values.constant,
    edits_names.name,
    edits_names.attribute,
    edits_values.subscript,
    edits_values.collection,
    edits_calls.call,
    edits_calls.awaited,
    edits_calls.exception,
    edits_conditions.condition,
    edits_conditions.comprehension,
    edits_statements.statement,
    edits_statements.handler,
    edits_statements.default,
    edits_values.around,
    edits_idioms.division,
    edits_idioms.sorting,
    edits_idioms.late_binding,
    edits_idioms.key,
    edits_idioms.exchanged_names,
    edits_idioms.clamped,
    edits_idioms.bounds,
    edits_idioms.truth,
    edits_idioms.conjunct,
    edits_idioms.target,
    edits_idioms.dropped_else,
)
_MOST = 60_000
_FITTING: Mapping[str, frozenset[str]] = {
    "NameError": frozenset({"name", "self", "initial value", "statement added"}),
    "UnboundLocalError": frozenset({"name", "statement added", "indentation", "statement moved"}),
    "AttributeError": frozenset({"attribute", "self", "call", "guard", "early return", "condition added"}),
    "IndexError": frozenset({"range", "index", "comparison", "constant", "slice", "condition added", "early return"}),
    "KeyError": frozenset({"get", "condition added", "guard", "text"}),
    "TypeError": frozenset(
        {"around", "argument added", "argument dropped", "call", "await", "guard", "early return", "initial value"}
    ),
    "ZeroDivisionError": frozenset({"early return", "guard", "condition added", "arithmetic"}),
    "RecursionError": frozenset({"comparison", "constant", "early return", "arithmetic", "around"}),
    **dict.fromkeys(("TooLong", "TooLongError"), frozenset({"comparison", "constant", "arithmetic", "around"})),
}
"""Kinds of edits that fit to how a test fails."""


def edits_of(sources: Mapping[str, Source], suspicion: Mapping[Line, float], errors: set[str]) -> list[Trial]:
    """Every edit once, the likeliest first; the order depends on nothing but the arguments."""
    fitting = frozenset(kind for error in errors for kind in _FITTING.get(error, ()))
    found: dict[tuple[object, ...], Trial] = {}
    missing = not errors.isdisjoint(_NOTHING_THERE)
    for module in modules(sources, suspicion):
        for trial in _of_module(module, fitting, missing=missing):
            key = trial.key()
            known = found.get(key)
            if known is None or trial.score > known.score:
                found[key] = trial
    return sorted(found.values(), key=lambda trial: (-trial.score, trial.key()))[:_MOST]


_NOTHING_THERE = frozenset({"TypeError", "AttributeError"})
"""Exceptions that often mean that something was None."""
_ASKED = 1.4
"""So much likelier it is then that a guard asks for None."""


def _of_module(module: Module, fitting: frozenset[str], *, missing: bool) -> Iterator[Trial]:
    for spot in module.spots:
        for editor in EDITORS:
            for proposal in editor(spot):
                score = math.sqrt(spot.suspicion) * proposal.prior * (1.3 if proposal.kind in fitting else 1.0)
                asks = missing and any(b" None" in edit.new and b" is " in edit.new for edit in proposal.edits)
                score *= _ASKED if asks else 1.0
                line = getattr(spot.node, "lineno", spot.statement.lineno)
                yield Trial({module.source.path: tuple(sorted(proposal.edits))}, proposal.kind, line, score)


def proposals(text: str) -> list[tuple[str, str]]:
    """Every edit of a whole text as (kind, text afterwards); for looking at what there is."""
    from .text import apply, read

    source = read("module.py", text.encode())
    assert source is not None
    lines = {("module.py", number): 1.0 for number in range(1, text.count("\n") + 2)}
    found = []
    for trial in edits_of({"module.py": source}, lines, set()):
        after = apply(source.data, trial.edits["module.py"])
        if after is not None:
            found.append((trial.kind, after.decode()))
    return found
