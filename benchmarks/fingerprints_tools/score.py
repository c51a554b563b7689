"""Which pairs of runs are told right: the same failure as the same, another one as another?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from benchmarks.fingerprints_tools.runs import Record

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    runs: int
    same: int
    """Pairs of runs with one failure …"""
    known: int
    """… that have the same fingerprints."""
    hard: int
    """Pairs of runs with different failures of one subject …"""
    apart: int
    """… that have different fingerprints."""
    merged: Sequence[Pair] = field(default_factory=list)
    split: Sequence[Pair] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.known / self.same if self.same else 1.0

    @property
    def precision(self) -> float:
        equal = self.known + len(self.merged)
        return self.known / equal if equal else 1.0


def score(records: Sequence[Record], prints: Sequence[frozenset[str]]) -> Score:
    same = known = hard = apart = 0
    merged: list[Pair] = []
    split: list[Pair] = []
    for a, b in combinations(range(len(records)), 2):
        equal = bool(prints[a]) and prints[a] == prints[b]
        if records[a]["label_group"] == records[b]["label_group"]:
            same, known = same + 1, known + equal
            split += [] if equal else [(a, b)]
            continue
        merged += [(a, b)] if equal else []
        if _subject(records[a]) == _subject(records[b]):
            hard, apart = hard + 1, apart + (not equal)
    return Score(runs=len(records), same=same, known=known, hard=hard, apart=apart, merged=merged, split=split)


def together(scores: Sequence[Score]) -> Score:
    """Pairs of two tools are not counted: two formats of one linter tell the same failure."""
    return Score(
        runs=sum(s.runs for s in scores),
        same=sum(s.same for s in scores),
        known=sum(s.known for s in scores),
        hard=sum(s.hard for s in scores),
        apart=sum(s.apart for s in scores),
        merged=[pair for s in scores for pair in s.merged],
    )


def _subject(record: Record) -> str:
    return str(record["label_group"]).rpartition(":")[0]


def table(rows: Iterable[tuple[str, Score]]) -> str:
    lines = [
        "| tool | runs | pairs of one failure | recall | precision | other failures of one file kept apart |",
        "|---|---|---|---|---|---|",
        *(
            f"| {name} | {s.runs} | {s.same} | {s.recall:.3f} | {s.precision:.3f} | {s.apart} of {s.hard} |"
            for name, s in rows
        ),
    ]
    return "\n".join(lines)
