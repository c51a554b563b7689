"""What is tried, and what came of it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .text import Edit


@dataclass(frozen=True)
class Trial:
    """A set of edits, by file of the project."""

    edits: Mapping[str, tuple[Edit, ...]]
    kind: str
    """Of what sort the edit is, such as `comparison`; `a + b` for two."""
    line: int
    score: float
    parts: tuple[Trial, ...] = ()
    """The single ones that this one is made of."""

    @property
    def size(self) -> int:
        return max(len(self.parts), 1)

    def key(self) -> tuple[tuple[str, tuple[Edit, ...]], ...]:
        return tuple(sorted((path, tuple(sorted(edits))) for path, edits in self.edits.items()))


@dataclass(frozen=True)
class Finding:
    """What the tests said about a trial."""

    repaired: frozenset[str] = frozenset()
    """Tests that failed before and pass now."""
    broken: frozenset[str] = frozenset()
    """Tests that passed before and do not now; the first one found ends the look."""
    looked: bool = False
    """Every test that it could break was run."""
    complete: bool = False
    """All failing tests pass, and none is broken."""
    further: bool = False
    """None passes, but one of them came to a later line."""
    late: bool = False
    """The first tests came to no end in their time."""


@dataclass
class Learned:
    """What a search came to."""

    plausible: list[tuple[Trial, Finding]] = field(default_factory=list)
    partial: list[tuple[Trial, Finding]] = field(default_factory=list)
    further: list[Trial] = field(default_factory=list)
    """Those that repair nothing, but with which a failing test comes further."""
    tried: int = 0
    spent: bool = False
    """The budget ended it."""
