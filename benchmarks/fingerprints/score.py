"""How many pairs of runs of one failure are equal, and how many of two failures are not?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from benchmarks.fingerprints.run import Record
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text

Identity = frozenset[str]
Pair = tuple[Record, Record]


def identity(record: Record) -> Identity:
    """What the text alone says: no tree, no report."""
    failures = failures_from_text("log", record.output, exit_code=record.exit_code, sources=lambda _: None)
    return frozenset(fingerprint(failure) for failure in failures)


@dataclass(slots=True, kw_only=True)
class Score:
    runs: int = 0
    same: int = 0
    known: int = 0
    hard: int = 0
    apart: int = 0
    merged: int = 0
    split: list[Pair] = field(default_factory=list)
    mixed: list[Pair] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.known / self.same if self.same else 1.0

    @property
    def precision(self) -> float:
        equal = self.known + self.merged
        return self.known / equal if equal else 1.0


def scores(records: Sequence[Record], known_by: Callable[[Record], Identity] = identity) -> dict[str, Score]:
    """Per tool. A pair of two tools is never one failure, and no tool prints like another: those are left out."""
    by_tool: dict[str, list[tuple[Record, Identity]]] = defaultdict(list)
    for record in records:
        by_tool[record.tool].append((record, known_by(record)))
    return {tool: _score(runs) for tool, runs in by_tool.items()}


def _score(runs: Sequence[tuple[Record, Identity]]) -> Score:
    score = Score(runs=len(runs))
    for (one, mine), (other, its) in combinations(runs, 2):
        equal = bool(mine) and mine == its
        if one.label_group == other.label_group:
            score.same += 1
            score.known += equal
            if not equal:
                score.split.append((one, other))
        elif one.coarse_key != other.coarse_key:
            hard = bool(set(one.failure_ids) & set(other.failure_ids))
            score.hard += hard
            score.apart += hard and not equal
            score.merged += equal
            if equal:
                score.mixed.append((one, other))
    return score


def table(found: dict[str, Score]) -> Iterator[str]:
    yield "| tool | runs | pairs of one failure | recall | precision | failures of one test kept apart |"
    yield "|---|---|---|---|---|---|"
    for tool, one in found.items():
        yield (
            f"| {tool} | {one.runs} | {one.same} | {one.recall:.3f} | {one.precision:.3f} | {one.apart} of {one.hard} |"
        )
