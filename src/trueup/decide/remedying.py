"""Does a rule's fix stay? Only if its target is gone and nothing that passed fails now. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, Report

STILL_THERE = "the failure is still there"


def objection(before: Report, after: Report, target: Failure, *, written: AbstractSet[str] = frozenset()) -> str:
    """Why the fix of `target` that led from one report to the other does not stay; "" when it does.

    `written`: the lines that it wrote, without the space around them.
    """
    if after.void:
        return after.void
    if not is_gone(before, after, target):
        return STILL_THERE
    return next(_harm(before, after, target, written), "")


def vanished(before: Report, after: Report) -> tuple[Failure, ...]:
    """Failures that are really gone: their check came to a verdict, and it is another one."""
    left = _prints(after)
    gone = []
    for failure in before.failures:
        left[_print(failure)] -= 1
        if left[_print(failure)] < 0 and _ran(after, failure.check):
            gone.append(failure)
    return tuple(gone)


def is_gone(before: Report, after: Report, target: Failure) -> bool:
    """Counted: of two that look alike, one fewer is enough. A check that came to no verdict shows nothing."""
    return _ran(after, target.check) and _prints(after)[_print(target)] < _prints(before)[_print(target)]


def _ran(report: Report, check: str) -> bool:
    result = report.result(check)
    return result is not None and _is_verdict(result)


def _is_verdict(result: CheckResult) -> bool:
    """That there is nothing of its kind left is an answer, too."""
    return result.ran or not result.applies


def _print(failure: Failure) -> str:
    return fingerprint(failure)


def _prints(report: Report) -> Counter[str]:
    return Counter(map(_print, report.failures))


# --- harm -------------------------------------------------------------------------------------------------------


def _harm(before: Report, after: Report, target: Failure, written: AbstractSet[str]) -> Iterator[str]:
    for old in (result for result in before.results if result.ran):
        yield from _harm_to(old, after.result(old.check), target, written)


def _harm_to(old: CheckResult, new: CheckResult | None, target: Failure, written: AbstractSet[str]) -> Iterator[str]:
    if new is None or not _is_verdict(new):
        yield f"{old.check} came to a verdict before, and does not now"
    else:
        yield from _no_longer_passing(old, new)
        yield from _added(old, new, target, written)


def _no_longer_passing(old: CheckResult, new: CheckResult) -> Iterator[str]:
    lost = sorted(set(old.passed) - set(new.passed))
    if lost:
        yield f"{lost[0]} passed before, and does not now"


def _added(old: CheckResult, new: CheckResult, target: Failure, written: AbstractSet[str]) -> Iterator[str]:
    room = Counter(failure.key for failure in old.failures)
    for failure in new.failures:
        room[failure.key] -= 1
        if room[failure.key] < 0 and not _was_hidden(failure, target, written):
            yield f"it brings a failure: {failure.check}: {failure.message or failure.kind}"


def _was_hidden(failure: Failure, target: Failure, written: AbstractSet[str]) -> bool:
    """Whether nobody could see it before: tools stop at the first thing that is wrong in a file. What the fix wrote
    itself was not there to be seen, and a check that does not quote the line cannot tell the two apart."""
    if failure.file is None or failure.file != target.file:
        return False
    if failure.source_line is None:
        return target.hides_others and failure.check != target.check
    return (target.hides_others or failure.check == target.check) and failure.source_line.strip() not in written
