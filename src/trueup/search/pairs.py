"""Which two edits are worth trying together? Those of which each repairs a part of the failing tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from .trial import Finding, Trial

_BASES = 12
_SECONDS = 1500
_UNGUIDED = 400


def pairs(
    partial: Sequence[tuple[Trial, Finding]], failing: Sequence[str], singles: Iterable[Trial]
) -> Iterator[Trial]:
    """First two that together repair everything, then each good one with the likeliest others."""
    best = sorted(partial, key=lambda pair: (-len(pair[1].repaired), -pair[0].score))
    everything = frozenset(failing)
    seen: set[tuple[object, ...]] = set()
    for number, (one, first) in enumerate(best[: 10 * _BASES]):
        for other, second in best[number + 1 : 20 * _BASES]:
            if first.repaired | second.repaired == everything:
                yield from _fresh(joined(one, other), seen)
    likely = list(singles)[:_SECONDS]
    bases = _different(best)[:_BASES]
    for other in likely:
        for base in bases:
            yield from _fresh(joined(base, other), seen)
    yield from _unguided(likely[:_UNGUIDED], seen)


def _unguided(likely: Sequence[Trial], seen: set[tuple[object, ...]]) -> Iterator[Trial]:
    """No single edit repairs anything alone: the likeliest ones, two at a time, the best first."""
    for total in range(1, 2 * len(likely)):
        for first in range(max(0, total - len(likely) + 1), (total + 1) // 2):
            yield from _fresh(joined(likely[first], likely[total - first]), seen)


def _different(best: Sequence[tuple[Trial, Finding]]) -> list[Trial]:
    """One for each place and set of tests."""
    found: dict[tuple[object, ...], Trial] = {}
    for trial, finding in best:
        found.setdefault((next(iter(trial.edits)), trial.line, finding.repaired), trial)
    return list(found.values())


def _fresh(trial: Trial | None, seen: set[tuple[object, ...]]) -> Iterator[Trial]:
    if trial is not None and trial.key() not in seen:
        seen.add(trial.key())
        yield trial


def joined(one: Trial, other: Trial) -> Trial | None:
    """Both together; None when they touch the same place."""
    edits = {
        path: tuple(sorted({*one.edits.get(path, ()), *other.edits.get(path, ())}))
        for path in sorted({*one.edits, *other.edits})
    }
    for found in edits.values():
        for left, right in pairwise(found):
            if right.start < left.end or (right.start, right.end) == (left.start, left.end):
                return None
    parts = (*(one.parts or (one,)), *(other.parts or (other,)))
    return Trial(edits, f"{one.kind} + {other.kind}", one.line, one.score * other.score, parts)
