"""What does a report mean to the judge, once every look at the same tree is taken together?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from trueup.decide.state import Snapshot, flips
from trueup.decide.task import Task, stages
from trueup.evidence.failure import Failure, Key, check_of, make_key
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, Report, Seen

Looks = Mapping[Key, tuple[Seen, ...]]
UNSTABLE = "unstable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """How other looks at the same tree change what one report says.

    `excused` keys are flaky on the start's own tree and did not fail there at first: neither blamed nor credited.
    """

    looks: Looks
    """Every look at this tree, by key."""
    excused: frozenset[Key] = frozenset()
    universe: frozenset[Key] = frozenset()
    may_vanish: bool = False


def take(report: Report, task: Task, lens: Lens) -> Snapshot:
    """The report as the judge sees it. A check that could not run is a failure of its own, named by the check."""
    failing, prints, tests = _failing(report, lens)
    passing = _passing(report, failing, lens)
    depth = stages(task.checks)
    red = frozenset(check_of(k) for k in failing)
    return Snapshot(
        tree=report.tree,
        failing=dict(failing),
        prints=prints,
        passing=passing,
        skipped=frozenset(k for r in report.results for k in r.keys(r.skipped)),
        tests=tests,
        stage=min((depth[c] for c in red if c in depth), default=max(depth.values(), default=0)),
        blockers=_blockers(report),
        hidden=frozenset(r.check for r in report.results if r.status is CheckStatus.SKIPPED),
        defects=frozenset(r.check for r in report.results if _defective(r, lens)),
        opaque=frozenset(r.check for r in report.results if r.inventory is None),
    )


def _failing(report: Report, lens: Lens) -> tuple[Counter[Key], dict[Key, tuple[str, ...]], frozenset[Key]]:
    counts: Counter[Key] = Counter()
    prints: defaultdict[Key, list[str]] = defaultdict(list)
    tests: set[Key] = set()
    for failure in report.failures:
        if _excused(failure.key, lens):
            continue
        counts[failure.key] += 1
        prints[failure.key].append(fingerprint(failure))
        if failure.test:
            tests.add(failure.key)
    for key, kind in _unstable(report, lens) + _could_not_run(report):
        counts[key] += 1
        prints[key].append(f"{kind}:{key}")
        if kind == UNSTABLE:
            tests.add(key)
    return counts, {k: tuple(sorted(v)) for k, v in prints.items()}, frozenset(tests)


def _excused(key: Key, lens: Lens) -> bool:
    """A quarantined key that passed at least once on this tree too."""
    return key in lens.excused and Seen.PASSED in lens.looks.get(key, ())


def _unstable(report: Report, lens: Lens) -> list[tuple[Key, str]]:
    """Keys that this report saw passing and another look at the same tree saw failing."""
    seen = {k for r in report.results for k in r.keys(r.passed)}
    return [
        (key, UNSTABLE)
        for key, looks in sorted(lens.looks.items())
        if key in seen and flips(looks) and key not in lens.excused
    ]


def _could_not_run(report: Report) -> list[tuple[Key, str]]:
    return [(make_key(r.check, ""), "error") for r in report.results if r.status is CheckStatus.ERROR]


def _passing(report: Report, failing: Mapping[Key, int], lens: Lens) -> frozenset[Key]:
    seen = {k for r in report.results for k in r.keys(r.passed)}
    excused = {f.key for f in report.failures if f.test and _excused(f.key, lens)}
    return frozenset((seen | excused) - failing.keys())


def _blockers(report: Report) -> int:
    errors = sum(r.status is CheckStatus.ERROR for r in report.results)
    return errors + sum(f.hides_others for f in report.failures)


def _defective(result: CheckResult, lens: Lens) -> bool:
    """Could not run, timed out, or collected less than was collected before."""
    if result.status in {CheckStatus.ERROR, CheckStatus.TIMEOUT}:
        return True
    if result.inventory is None or not result.ran or lens.may_vanish:
        return False
    expected = {k for k in lens.universe if check_of(k) == result.check}
    return not expected <= result.keys(result.inventory)


def observe(report: Report, tests: frozenset[Key]) -> Callable[[Key], Seen]:
    """What one report says about a key. A test has to be seen; anything else passes when its check ran without it."""
    failing = {f.key for f in report.failures}
    passed = {k for r in report.results for k in r.keys(r.passed)}
    skipped = {k for r in report.results for k in r.keys(r.skipped)}
    finished = {r.check for r in report.results if r.ran}

    def look(key: Key) -> Seen:
        if key in failing:
            return Seen.FAILED
        if key in passed:
            return Seen.PASSED
        if key in skipped:
            return Seen.SKIPPED
        return Seen.PASSED if check_of(key) in finished and key not in tests else Seen.ABSENT

    return look


def first_failure(report: Report, key: Key) -> Failure | None:
    return next((f for f in report.failures if f.key == key), None)
