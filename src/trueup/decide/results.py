"""Which failures are live after one more result of a check, and since when has each been there?"""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

from trueup.decide.live import Live, LiveFailure
from trueup.decide.verification import Checked

_MOST_FAILURES = 200
"""Of one result, and they are told apart by their fingerprints."""
_MOST_CHECKS = 8
_MOST_MET = 16
_LONGEST_EXCERPT = 2_000
MOST_REFUSED = 10
"""In one session. From then on no progress and no pass begins a new count: whatever flips, there is an end."""


def taken(live: Live, result: Checked, at: int) -> Live:
    """The state after a result that belongs to this turn."""
    others = tuple(one for one in live.failures if one.check != result.check)
    old = next((one for one in live.failures if one.check == result.check), None)
    if result.passed:
        return live if result.part else _passed(live, others, at, cleared=old is not None)
    new = _failure(result, old, at)
    moved_on = old is not None and set(new.fingerprints) < set(old.fingerprints) and new.fewest < old.fewest
    tried = live.tried if live.failures else ()
    live = replace(live, failures=(*others, new)[-_MOST_CHECKS:], checked_at=at, tried=tried)
    if moved_on:
        return replace(live, met=_visited((), new), answered=_begun_again(live), nudged=False)
    return replace(live, met=_visited(live.met, new))


def _passed(live: Live, others: tuple[LiveFailure, ...], at: int, *, cleared: bool) -> Live:
    """Success clears the failure first; an episode ends when nothing fails any more."""
    now = replace(live, failures=others, passed_at=at, checked_at=at)
    if not cleared:
        return now
    now = replace(now, met=(), nudged=False)
    return now if others else replace(now, tried=(), answered=_begun_again(now), level=0, settled=0, reasons=())


def _begun_again(live: Live) -> int:
    return 0 if live.refused < MOST_REFUSED else live.answered


def _failure(result: Checked, old: LiveFailure | None, at: int) -> LiveFailure:
    from trueup.evidence.fingerprint import evidence_id, fingerprint  # a step without a result does not need it

    found = {fingerprint(failure): failure for failure in result.failures[:_MOST_FAILURES]}
    known = dict(zip(old.fingerprints, old.counts, strict=True)) if old else {}
    counts = _counts(frozenset(found), known, part=result.part)
    longest = max(found, key=lambda one: counts[one])
    first = found[longest]
    return LiveFailure(
        check=result.check,
        fingerprints=tuple(sorted(counts)),
        counts=tuple(counts[one] for one in sorted(counts)),
        evidence=crc32(" ".join(sorted(map(evidence_id, found.values()))).encode()),
        kind=first.kind,
        subject=first.subject,
        excerpt=(first.excerpt or first.message)[:_LONGEST_EXCERPT],
        since=old.since if old and max(counts.values()) > 1 else at,
        seen=at,
        fewest=_fewest(result, old, len(found)),
    )


def _fewest(result: Checked, old: LiveFailure | None, count: int) -> int:
    """Of whole runs: how many a part of the check shows says nothing."""
    before = old.fewest if old else _MOST_FAILURES
    return before if result.part else min(before, count)


def _counts(found: frozenset[str], known: dict[str, int], *, part: bool) -> dict[str, int]:
    """How often in a row each was there. Fewer than before is progress: everything starts again."""
    if part:
        return {**known, **{one: known.get(one, 0) + 1 for one in found}}
    if found < known.keys():
        return dict.fromkeys(found, 1)
    return {one: known.get(one, 0) + 1 for one in found}


def _visited(met: tuple[tuple[int, int], ...], failure: LiveFailure) -> tuple[tuple[int, int], ...]:
    mark = crc32(" ".join((failure.check, *failure.fingerprints)).encode("utf-8", "surrogatepass"))
    times = dict(met)
    times[mark] = times.pop(mark, 0) + 1
    return tuple(times.items())[-_MOST_MET:]
