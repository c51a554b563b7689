"""Which failures does a rule repair? Each proposal is tried on a tree of its own; what does not help leaves no trace.

Trees never change: a fix that is not kept is a tree that nobody goes on with, so that nothing has to be restored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from trueup.act.remedies.base import Around, Proposal
from trueup.act.remedies.placing import IsProtected, files_of, nothing_is, placed
from trueup.act.remedies.registry import Registry
from trueup.act.store import Store
from trueup.decide.remedying import STILL_THERE, objection, vanished
from trueup.evidence.failure import Failure
from trueup.evidence.report import Report

Measure = Callable[[str], Report]
"""What the checks say about a tree of the store."""

_MOST_TRIALS = 80
_MOST_OF_ONE = 2
"""A fix that does not help may do so when another one is there; not for ever."""
_Mark = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A fix that stays."""

    remedy: str
    why: str
    target: Failure
    removed: tuple[Failure, ...]
    """What was seen failing before and not after it, its target among them."""
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted:
    """A fix that was tried and does not stay."""

    remedy: str
    why: str
    target: Failure
    because: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedied:
    """What became of a tree."""

    start: str
    tree: str
    before: Report
    report: Report
    """About `tree`."""
    kept: tuple[Kept, ...] = ()
    reverted: tuple[Reverted, ...] = ()
    trials: int = 0

    @property
    def removed(self) -> tuple[Failure, ...]:
        return vanished(self.before, self.report)


@dataclass(kw_only=True)
class Remedying:
    """Contract: `run` ends after so many trials, or at `until` (monotonic); it writes to the store alone."""

    store: Store
    scratch: Path
    registry: Registry
    measure: Measure
    around: Around = field(default_factory=Around)
    protected: IsProtected = nothing_is
    off: frozenset[str] = frozenset()
    """Rows that are not asked."""
    about: Callable[[Failure], bool] = lambda _: True
    """Which failures are anybody's business here."""
    until: float = float("inf")
    tell: Callable[[str], None] = lambda _: None
    _tried: dict[_Mark, list[str]] = field(default_factory=dict)
    """On which trees."""

    def run(self, tree: str, report: Report) -> Remedied:
        now = Remedied(start=tree, tree=tree, before=report, report=report)
        while (after := self._step(now)) is not None:
            now = after
            if now.trials >= _MOST_TRIALS or time.monotonic() > self.until or not now.report.failures:
                break
        return now

    def _step(self, now: Remedied) -> Remedied | None:
        """After the next trial, or the next few that have nothing to do with each other; None when none is left."""
        with files_of(self.store, now.tree, self.scratch) as files:
            targets = [failure for failure in now.report.failures if self.about(failure)]
            proposals = self.registry.proposals(targets, files, self.around, off=self.off)
            fresh = (one for one in proposals if self._is_new(one, now.tree))
            first = next(fresh, None)
            if first is None:
                return None
            together = [first, *_independent(first, fresh)] if _is_local(first) else [first]
        return self._together(now, together) if len(together) > 1 else self._alone(now, first)

    def _is_new(self, proposal: Proposal, tree: str) -> bool:
        tried = self._tried.get(_mark(proposal), [])
        return tree not in tried and len(tried) < _MOST_OF_ONE

    def _note(self, proposal: Proposal, tree: str) -> None:
        self._tried.setdefault(_mark(proposal), []).append(tree)

    # --- trials -------------------------------------------------------------------------------------------------

    def _alone(self, now: Remedied, proposal: Proposal) -> Remedied:
        self._note(proposal, now.tree)
        candidate = placed(self.store, now.tree, proposal.edits, protected=self.protected)
        if candidate is None or candidate == now.tree:
            return now
        self.tell(f"trying: {proposal.why}")
        after = self.measure(candidate)
        because = self._objection(now, after, proposal)
        if because:
            return replace(now, reverted=(*now.reverted, _reverted(proposal, because)), trials=now.trials + 1)
        kept = _kept(proposal, vanished(now.report, after))
        return replace(now, tree=candidate, report=after, kept=(*now.kept, kept), trials=now.trials + 1)

    def _objection(self, now: Remedied, after: Report, proposal: Proposal) -> str:
        written = set[str]()
        for edit in proposal.edits:
            before = (self.store.read(now.tree, edit.path) or b"").splitlines()
            lines = set((edit.content or b"").splitlines()) - set(before)
            written |= {line.decode("utf-8", "replace").strip() for line in lines}
        return objection(now.report, after, proposal.failure, written=written)

    def _together(self, now: Remedied, proposals: list[Proposal]) -> Remedied:
        """Each in a file of its own: one verification for all, if all of them stay. Otherwise one after the other."""
        edits = tuple(edit for one in proposals for edit in one.edits)
        candidate = placed(self.store, now.tree, edits, protected=self.protected)
        if candidate is not None and candidate != now.tree:
            self.tell(f"trying {len(proposals)} fixes")
            after = self.measure(candidate)
            if not any(self._objection(now, after, one) for one in proposals):
                for one in proposals:
                    self._note(one, now.tree)
                gone = vanished(now.report, after)
                kept = tuple(_kept(one, tuple(f for f in gone if f.file == one.failure.file)) for one in proposals)
                return replace(now, tree=candidate, report=after, kept=(*now.kept, *kept), trials=now.trials + 1)
        for one in proposals:
            now = self._alone(now, one)
        return now


def _mark(proposal: Proposal) -> _Mark:
    return proposal.remedy, proposal.why, f"{proposal.failure.key}"


def _is_local(proposal: Proposal) -> bool:
    return [edit.path for edit in proposal.edits] == [proposal.failure.file]


def _independent(first: Proposal, others: Iterator[Proposal]) -> Iterator[Proposal]:
    """The first proposal for each other file, where it stays in that file."""
    seen = {first.failure.file}
    for one in others:
        if _is_local(one) and one.failure.file not in seen:
            seen.add(one.failure.file)
            yield one


def _kept(proposal: Proposal, removed: tuple[Failure, ...]) -> Kept:
    return Kept(
        remedy=proposal.remedy,
        why=proposal.why,
        target=proposal.failure,
        removed=removed,
        paths=tuple(edit.path for edit in proposal.edits),
    )


def _reverted(proposal: Proposal, because: str) -> Reverted:
    return Reverted(
        remedy=proposal.remedy,
        why=proposal.why,
        target=proposal.failure,
        because=because,
        paths=tuple(edit.path for edit in proposal.edits),
    )


__all__ = ["STILL_THERE", "Kept", "Measure", "Remedied", "Remedying", "Reverted"]
