"""What is new in a report, compared with the report about an earlier state of the same project?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from trueup.evidence.failure import CUT_OFF, Failure, Key
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, Report


class Newness(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    """The same thing failed before, in another way."""
    KNOWN = "known"
    """The very same failure as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One failure, with its identity, and what the earlier report says of it."""

    failure: Failure
    print: str
    newness: Newness | None = None
    """None when there is no earlier report."""
    from_new_test: bool = False
    """Seen in a test file that the earlier state does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    found: tuple[Found, ...]
    vanished: tuple[Key, ...] = ()
    """Tests that the earlier state has and this one does not; or that passed there and did not come to an end here."""
    fixed: tuple[Key, ...] = ()
    """Failed there, seen passing here."""
    uncompared: tuple[str, ...] = ()
    """Checks that came to no verdict there: what fails in them counts as new, and tests that are gone go unseen."""
    inconclusive: tuple[str, ...] = ()
    """Checks that came to no verdict here, for a reason that is not this state's own."""

    @property
    def new(self) -> tuple[Found, ...]:
        return tuple(f for f in self.found if f.newness is Newness.NEW)

    @property
    def changed(self) -> tuple[Found, ...]:
        return tuple(f for f in self.found if f.newness is Newness.CHANGED)

    @property
    def known(self) -> tuple[Found, ...]:
        return tuple(f for f in self.found if f.newness is Newness.KNOWN)


def findings(report: Report) -> tuple[Found, ...]:
    """Every failure of a report that stands alone."""
    return tuple(Found(failure=f, print=fingerprint(f)) for f in report.failures)


def compare(before: Report, now: Report) -> Comparison:
    """Keys decide what is new, counted: 20 → 21 lint errors of one rule in one file is one new failure.

    Fingerprints tell the known ones from those that fail in another way. An earlier report that is void, or a
    check in it that could not run, excuses nothing.
    """
    old = {} if before.void else {r.check: r for r in before.results}
    new_tests = [f for r in now.results for extra in r.extra for f in extra.failures]
    return Comparison(
        found=(
            *_judged(now.failures, (f for r in old.values() for f in r.failures)),
            *(Found(failure=f, print=fingerprint(f), newness=Newness.NEW, from_new_test=True) for f in new_tests),
        ),
        vanished=tuple(key for r in now.results for key in _vanished(old.get(r.check), r)),
        fixed=tuple(key for r in now.results for key in _fixed(old.get(r.check), r)),
        uncompared=tuple(r.check for r in now.results if not _has_verdict(old.get(r.check))),
        inconclusive=tuple(r.check for r in now.results if _is_inconclusive(r, old)),
    )


def wavering(one: Report, other: Report) -> frozenset[Key]:
    """Tests that pass in one of two reports about the same files and fail in the other."""
    if one.void or other.void:
        return frozenset()
    (passed, failed), (passed_there, failed_there) = _passed_and_failed(one), _passed_and_failed(other)
    return (passed & failed_there) | (failed & passed_there)


def _passed_and_failed(report: Report) -> tuple[frozenset[Key], frozenset[Key]]:
    failed = frozenset(f.key for f in report.failures if f.test)
    return frozenset(key for r in report.results for key in r.keys(r.passed)) - failed, failed


def _judged(failures: Iterable[Failure], before: Iterable[Failure]) -> Iterator[Found]:
    """First those that are exactly alike; then as many as failed before under the same key; the rest is new.

    What was not read, then or now, is never known.
    """
    prints, keys = Counter[tuple[Key, str]](), Counter[Key]()
    for old in (one for one in before if one.subject != CUT_OFF):
        prints[old.key, fingerprint(old)] += 1
        keys[old.key] += 1
    named = [(failure, fingerprint(failure)) for failure in failures]
    alike = set[int]()
    for number, (failure, its_print) in enumerate(named):
        if prints[failure.key, its_print]:
            prints[failure.key, its_print] -= 1
            keys[failure.key] -= 1
            alike.add(number)
    for number, (failure, its_print) in enumerate(named):
        newness = Newness.KNOWN if number in alike else Newness.CHANGED if keys[failure.key] else Newness.NEW
        if newness is Newness.CHANGED:
            keys[failure.key] -= 1
        yield Found(failure=failure, print=its_print, newness=newness)


def _vanished(before: CheckResult | None, now: CheckResult) -> list[Key]:
    """A check that came to no verdict hides its tests: that is said of the check, not of each of them.

    A test may be there and have no result: something ended the tool before its turn came.
    """
    if before is None or not now.ran:
        return []
    gone = before.keys(before.inventory or ()) - now.keys(now.inventory or ())
    silent = before.keys(before.passed) - now.keys(now.passed)
    return sorted((gone | silent) - {f.key for f in now.failures})


def _fixed(before: CheckResult | None, now: CheckResult) -> list[Key]:
    """Seen passing; of what is not a test: its check ran, and it is not there any more."""
    if before is None or not now.ran:
        return []
    failing = {f.key for f in now.failures}
    passed = now.keys(now.passed)
    return sorted({f.key for f in before.failures if (f.key in passed if f.test else f.key not in failing)})


def _has_verdict(before: CheckResult | None) -> bool:
    return before is not None and (before.ran or not before.applies)


def _is_inconclusive(now: CheckResult, before: Mapping[str, CheckResult]) -> bool:
    """A time-out where none was before is this state's own failure; one that was there before hides what is new."""
    if now.status is not CheckStatus.TIMEOUT:
        return not now.ran and now.applies
    earlier = before.get(now.check)
    return earlier is not None and earlier.status is CheckStatus.TIMEOUT
