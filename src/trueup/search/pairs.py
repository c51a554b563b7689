"""Which two edits are worth trying together? Those that repair different tests, and the same slip made twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, pairwise, zip_longest

from .spectrum import Line
from .text import Source
from .trial import Finding, Trial

_BASES = 12
_FURTHER = 8
_SECONDS = 1200
_UNGUIDED = 400
_MOST_TWINS = 6
_LIKELIEST = 6000
_TWIN = 1.5
"""The same slip twice is likelier than two that have nothing to do with each other."""

Relevance = Callable[[frozenset[str]], Mapping[Line, float]]
"""Which lines concern these failing tests, and how much."""


def pairs(
    partial: Sequence[tuple[Trial, Finding]],
    failing: Sequence[str],
    singles: Iterable[Trial],
    *,
    further: Sequence[Trial] = (),
    relevance: Relevance | None = None,
    sources: Mapping[str, Source] | None = None,
) -> Iterator[Trial]:
    """First two that together repair everything, then twins and each good one with the likeliest others in turn."""
    best = sorted(partial, key=lambda pair: (-len(pair[1].repaired), -pair[0].score))
    everything, likely = frozenset(failing), list(singles)
    seen: set[tuple[object, ...]] = set()
    for trial in _complementary(best, everything):
        yield from _fresh(trial, seen)
    same = twins(likely[:_LIKELIEST], sources or {})
    bases = [(trial, everything - finding.repaired) for trial, finding in _different(best)[:_BASES]]
    bases += [(trial, everything) for trial in _spread(further)[:_FURTHER]]
    guided = _guided(bases, likely[:_SECONDS], relevance)
    for found in zip_longest(same, guided):
        for trial in found:
            yield from _fresh(trial, seen)
    yield from chain.from_iterable(_fresh(trial, seen) for trial in _unguided(likely[:_UNGUIDED]))


def _complementary(best: Sequence[tuple[Trial, Finding]], everything: frozenset[str]) -> Iterator[Trial | None]:
    for number, (one, first) in enumerate(best[: 10 * _BASES]):
        for other, second in best[number + 1 : 20 * _BASES]:
            if first.repaired | second.repaired == everything:
                yield joined(one, other)


def twins(likely: Sequence[Trial], sources: Mapping[str, Source]) -> list[Trial]:
    """The same change at two places, or at all places where it can be made; the likeliest first."""
    groups: dict[tuple[object, ...], list[Trial]] = {}
    for trial in likely:
        shape = _shape(trial, sources)
        if shape is not None:
            groups.setdefault((trial.kind, shape), []).append(trial)
    found: list[Trial] = []
    for group in groups.values():
        apart = _apart(group[:_MOST_TWINS])
        found += [one for pair in combinations(apart, 2) if (one := joined(*pair, weight=_TWIN)) is not None]
        if len(apart) > 2:  # noqa: PLR2004 - more than a pair
            found += [one for one in [_all_of(apart)] if one is not None]
    return sorted(found, key=lambda trial: (-trial.score, trial.key()))


def _apart(group: Sequence[Trial]) -> list[Trial]:
    return list({trial.key(): trial for trial in group}.values())


def _all_of(group: Sequence[Trial]) -> Trial | None:
    whole: Trial | None = group[0]
    for other in group[1:]:
        whole = joined(whole, other, weight=_TWIN) if whole is not None else None
    return whole


def _shape(trial: Trial, sources: Mapping[str, Source]) -> tuple[bytes, ...] | None:
    """What is done, without what it is done to: `{} + 1`, or `a` for `b`."""
    found: list[bytes] = []
    for path, edits in trial.edits.items():
        if path not in sources:
            return None
        for edit in edits:
            old = sources[path].data[edit.start : edit.end]
            found += [edit.new.replace(old, b"{}", 1)] if old and old in edit.new else [old, edit.new.strip()]
    return tuple(found)


def _guided(
    bases: Sequence[tuple[Trial, frozenset[str]]], likely: Sequence[Trial], relevance: Relevance | None
) -> Iterator[Trial | None]:
    """Each base with what concerns the tests that it does not repair, the likeliest pairs first."""
    ranked: list[tuple[float, int, int]] = []
    for number, (base, missing) in enumerate(bases):
        lines = relevance(missing) if relevance is not None else None
        for place, other in enumerate(likely):
            weight = 1.0 if lines is None else _concerned(other, lines)
            if weight > 0:
                ranked.append((-weight * other.score * base.score, number, place))
    for _, number, place in sorted(ranked):
        yield joined(bases[number][0], likely[place])


def _concerned(trial: Trial, lines: Mapping[Line, float]) -> float:
    return math.sqrt(max((lines.get((path, trial.line), 0.0) for path in trial.edits), default=0.0))


def _unguided(likely: Sequence[Trial]) -> Iterator[Trial | None]:
    """No single edit repairs anything alone: the likeliest ones, two at a time, the best first."""
    for total in range(1, 2 * len(likely)):
        for first in range(max(0, total - len(likely) + 1), (total + 1) // 2):
            yield joined(likely[first], likely[total - first])


def _different(best: Sequence[tuple[Trial, Finding]]) -> list[tuple[Trial, Finding]]:
    """One for each place and set of tests."""
    found: dict[tuple[object, ...], tuple[Trial, Finding]] = {}
    for trial, finding in best:
        found.setdefault((next(iter(trial.edits)), trial.line, finding.repaired), (trial, finding))
    return list(found.values())


def _spread(further: Sequence[Trial]) -> list[Trial]:
    """At most two for each line, the likeliest first."""
    kept: list[Trial] = []
    for trial in sorted(further, key=lambda one: (-one.score, one.key())):
        if sum(one.line == trial.line for one in kept) < 2:  # noqa: PLR2004 - see above
            kept.append(trial)
    return kept


def _fresh(trial: Trial | None, seen: set[tuple[object, ...]]) -> Iterator[Trial]:
    if trial is not None and trial.key() not in seen:
        seen.add(trial.key())
        yield trial


def joined(one: Trial, other: Trial, *, weight: float = 1.0) -> Trial | None:
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
    return Trial(edits, f"{one.kind} + {other.kind}", one.line, weight * one.score * other.score, parts)
