"""What does a run get to know of the earlier runs of its work item, and of the same failures in others?

Constraints, not diffs: what a reviewer demanded, what led nowhere, what failed at the end. A verdict counts as long as
the files that it began with and what counts as done are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from trueup.decide.memory import ItemMemory, Met, RunMemory, Tried, is_over
from trueup.decide.review import ReviewVerdict, distinct

OTHER_FILES = "it began with other files"
OTHER_CHECKS = "the checks or the goal have changed since"
Aged = tuple[RunMemory, str]
_HYPOTHESES, _FAILING, _ELSEWHERE, _ATTEMPTS = 12, 12, 5, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """A verdict that no longer counts, and why."""

    run: str
    round: int
    reviewer: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """An attempt of an earlier run that led nowhere."""

    run: str
    tried: Tried
    stale: str = ""
    """Why it may say little now; "" when the files and the checks are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What is told about earlier runs of the same item."""

    item: str
    runs: int
    attempts: int
    status: str = ""
    """How the latest one ended; "" when it was killed."""
    verdicts: tuple[ReviewVerdict, ...] = ()
    expired: tuple[Expired, ...] = ()
    failing: tuple[Met, ...] = ()
    """At the end of the latest run."""
    stale: str = ""
    """Why that may say little now."""
    rejected: tuple[Hypothesis, ...] = ()
    branch: str = ""
    """Where the result of the latest run that left one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """The same failure in another item of the project."""

    fingerprint: str
    key: str
    item: str
    run: str
    status: str
    tried: tuple[Tried, ...] = ()
    fixed_by: int | None = None
    because: str = ""
    """Why a reviewer turned the result down."""


def prior(memory: ItemMemory | None, *, base: str, checks: str) -> Prior | None:
    """For a run that begins with these files and checks; None when there is nothing to tell."""
    if memory is None or not memory.runs:
        return None
    runs = _aged(memory.runs, base, checks)
    unfinished = _since_the_last_pass(runs)
    latest = unfinished[-1:]
    told = Prior(
        item=memory.item,
        runs=len(runs),
        attempts=sum(run.attempts for run, _ in runs),
        status=memory.runs[-1].status,
        verdicts=distinct([v for run, stale in runs if not stale for v in run.verdicts]),
        expired=tuple(_expired(runs)),
        failing=tuple(met for run, _ in latest for met in run.failures if met.last)[:_FAILING],
        stale=next((stale for _, stale in latest), ""),
        rejected=tuple(_rejected(unfinished))[-_HYPOTHESES:],
        branch=next((run.branch for run in reversed(memory.runs) if run.branch), ""),
    )
    worked = any(run.attempts for run, _ in latest)
    return told if worked or told.verdicts or told.expired or told.rejected else None


def _aged(runs: Sequence[RunMemory], base: str, checks: str) -> list[Aged]:
    """Each run with why its findings no longer hold; "" for those on the way to the files that this run begins with.

    A run that was begun from an earlier one's result stands in its line: what was said of the earlier one counts.
    """
    line, found = {base}, list[Aged]()
    for run in reversed(runs):
        own = not run.trees.isdisjoint(line)
        line |= {run.base} if own else set()
        found.insert(0, (run, OTHER_CHECKS if run.checks != checks else "" if own else OTHER_FILES))
    return found


def _since_the_last_pass(runs: Sequence[Aged]) -> Sequence[Aged]:
    """What led to a result that was proven is over."""
    ends = [n for n, (run, _) in enumerate(runs, 1) if is_over(run)]
    return runs[ends[-1] :] if ends else runs


def _expired(runs: Iterable[Aged]) -> Iterator[Expired]:
    for run, stale in runs:
        gone = run.verdicts if stale else ()
        yield from (Expired(run=run.run, round=v.round, reviewer=v.reviewer, why=stale) for v in gone)


def _rejected(runs: Iterable[Aged]) -> Iterator[Hypothesis]:
    for run, stale in runs:
        yield from (Hypothesis(run=run.run, tried=one, stale=stale) for one in run.tried if one.strike)


def elsewhere(others: Iterable[ItemMemory], prints: AbstractSet[str]) -> tuple[Elsewhere, ...]:
    """Where these failures were met before, the latest sight of each in each item."""
    found: dict[tuple[str, str], Elsewhere] = {}
    for memory in others:
        for run in reversed(memory.runs):
            for met in run.failures:
                if met.fingerprint in prints:
                    found.setdefault((met.fingerprint, memory.item), _sight(memory.item, run, met))
    return tuple(found.values())[:_ELSEWHERE]


def _sight(item: str, run: RunMemory, met: Met) -> Elsewhere:
    turned_down = [v.feedback for v in run.verdicts if not v.approved]
    return Elsewhere(
        fingerprint=met.fingerprint,
        key=met.key,
        item=item,
        run=run.run,
        status=run.status,
        tried=tuple(one for one in run.tried if one.attempt in met.attempts)[-_ATTEMPTS:],
        fixed_by=met.fixed_by,
        because=turned_down[-1] if turned_down else "",
    )
