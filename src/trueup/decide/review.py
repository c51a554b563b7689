"""What did a reviewer say, and is it what was demanded before?

A verdict is bound to one tree. Its points have fingerprints, as failures have: another wording of the same demand is
the same demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

VERSION = "r1"
"""Of the fingerprints; part of each."""
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_EMPTY = "the and for with that this these those from into must should would could shall will can may now still again"
_WEAK = "please also just yet was were are been being have has had does did you your its"
_FILLERS = frozenset(f"{_EMPTY} {_WEAK}".split())
"""They say nothing about what is wanted. `not` does."""


class Aspect(StrEnum):
    """What a reviewer looks at, in this order: a wrong approach makes all the rest idle."""

    APPROACH = "approach"
    CORRECTNESS = "correctness"
    REGRESSIONS = "regressions"
    EDGE_CASES = "edge_cases"
    COMPLETENESS = "completeness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One demand."""

    aspect: Aspect
    demand: str
    """In the reviewer's own words."""
    subject: str = ""
    """What it is about: a function, a test, a behaviour; "" when the reviewer named nothing."""
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewVerdict:
    """What one reviewer decided about one tree."""

    approved: bool
    feedback: str
    """Verbatim."""
    points: tuple[Point, ...] = ()
    round: int = 1
    reviewer: str = ""
    tree: str = ""
    time: float = 0.0


def point_fingerprint(point: Point) -> str:
    """The same demand in other words is the same: the subject that it names tells it, else the words that it uses."""
    told = _words(point.subject) or _gist(point.demand)
    return f"{VERSION}:{sha256(f'{point.aspect}|{_words(point.file)}|{told}'.encode()).hexdigest()[:16]}"


def fingerprints(verdict: ReviewVerdict) -> frozenset[str]:
    """Of all that is demanded. A rejection without a point is one demand: its feedback."""
    points = verdict.points or (Point(aspect=Aspect.APPROACH, demand=verdict.feedback),)
    return frozenset(map(point_fingerprint, points))


def repeated(earlier: Iterable[ReviewVerdict], now: ReviewVerdict) -> ReviewVerdict | None:
    """The earlier rejection of other files whose every demand is made again; None when something was met.

    Any earlier one, not just the latest: who demands A, then B, then A again goes round in a circle.
    """
    demanded = fingerprints(now)
    for verdict in earlier:
        if not verdict.approved and verdict.tree != now.tree and fingerprints(verdict) <= demanded:
            return verdict
    return None


def distinct(verdicts: Sequence[ReviewVerdict]) -> tuple[ReviewVerdict, ...]:
    """In their order, without those whose words a later one says again."""
    latest: dict[object, ReviewVerdict] = {}
    for verdict in reversed(verdicts):
        latest.setdefault((verdict.approved, " ".join(verdict.feedback.split()), verdict.points), verdict)
    return tuple(latest.values())[::-1]


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _gist(text: str) -> str:
    """Which words are used, whatever their order and number."""
    return " ".join(sorted({w for w in _WORD.findall(text.casefold()) if w not in _FILLERS}))
