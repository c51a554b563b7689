"""Which lines are suspicious? Those that failing tests run and passing ones do not (Ochiai)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Line = tuple[str, int]
"""A file of the project, and a line in it."""


@dataclass(frozen=True)
class Look:
    """What one test did."""

    test: str
    passed: bool
    lines: frozenset[Line]
    seconds: float = 0.0
    error: str = ""
    """The kind of exception that it ended with."""
    reached: int = 0
    """The line of the test where it ended; 0 if that is not known."""


def suspicion(looks: Iterable[Look]) -> dict[Line, float]:
    """Lines that a failing test ran, each with a score above 0 and at most 1."""
    failed = [look.lines for look in looks if not look.passed]
    passed = [look.lines for look in looks if look.passed]
    by_failing, by_passing = _counts(failed), _counts(passed)
    return {
        line: count / math.sqrt(len(failed) * (count + by_passing.get(line, 0))) for line, count in by_failing.items()
    }


def representatives(looks: Iterable[Look], most: int = 3) -> list[str]:
    """A few failing tests that run different code: what repairs none of them is looked at no further."""
    failing = sorted(
        (look for look in looks if not look.passed), key=lambda look: (look.seconds > _SLOW, len(look.lines))
    )
    chosen: list[Look] = []
    for look in failing:
        if len(chosen) < most and all(_distance(look.lines, other.lines) > _DIFFERENT for other in chosen):
            chosen.append(look)
    return [look.test for look in chosen]


_DIFFERENT = 0.15
_SLOW = 0.5


def _distance(one: frozenset[Line], other: frozenset[Line]) -> float:
    either = one | other
    return len(one ^ other) / len(either) if either else 0.0


def _counts(runs: Iterable[frozenset[Line]]) -> Mapping[Line, int]:
    counts: dict[Line, int] = {}
    for lines in runs:
        for line in lines:
            counts[line] = counts.get(line, 0) + 1
    return counts
