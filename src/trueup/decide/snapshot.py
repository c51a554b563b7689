"""What does a report mean to the judge, once every look at the same tree is taken together?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from trueup.decide.state import Snapshot, unsteady
from trueup.decide.task import Task, stages
from trueup.evidence.failure import Failure, Key, check_of, make_key, subject_of
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
        hiding=frozenset(f.key for f in report.failures if f.hides_others),
        hidden=frozenset(r.check for r in report.results if r.status is CheckStatus.SKIPPED),
        aside=frozenset(r.check for r in report.results if not r.applies),
        defects=frozenset(r.check for r in report.results if _defective(r, lens)),
        opaque=frozenset(r.check for r in report.results if r.inventory is None),
    )


def _failing(report: Report, lens: Lens) -> tuple[Counter[Key], dict[Key, tuple[str, ...]], frozenset[Key]]:
    counts: Counter[Key] = Counter()
    prints: defaultdict[Key, list[str]] = defaultdict(list)
    tests: set[Key] = set()
    whole = whole_checks(report)
    for failure in report.failures:
        if _excused(failure.key, lens, whole):
            continue
        counts[failure.key] += 1
        prints[failure.key].append(fingerprint(failure))
        if failure.test:
            tests.add(failure.key)
    unstable = _unstable(report, lens)
    for key, kind in unstable + _could_not_run(report):
        counts[key] += 1
        prints[key].append(f"{kind}:{key}")
    tests.update(key for key, _ in unstable if key in _passed(report))
    return counts, {k: tuple(sorted(v)) for k, v in prints.items()}, frozenset(tests)


def _excused(key: Key, lens: Lens, whole: Mapping[Key, Seen]) -> bool:
    """A quarantined key, or its quarantined check that cannot be looked into, that passed at least once here too."""
    names = {key, make_key(check_of(key), "")} if make_key(check_of(key), "") in whole else {key}
    return any(Seen.PASSED in lens.looks.get(name, ()) for name in names & lens.excused)


def _unstable(report: Report, lens: Lens) -> list[tuple[Key, str]]:
    """Keys that this report saw passing and another look at the same tree did not.

    A check that cannot be looked into stands for itself only when none of its own keys does.
    """
    look = observe(report, lens.universe)
    found = [
        key
        for key, looks in sorted(lens.looks.items())
        if unsteady(looks) and key not in lens.excused and look(key) is Seen.PASSED
    ]
    named = {check_of(key) for key in found if subject_of(key)}
    return [(key, UNSTABLE) for key in found if subject_of(key) or check_of(key) not in named]


def _could_not_run(report: Report) -> list[tuple[Key, str]]:
    return [(make_key(r.check, ""), "error") for r in report.results if r.status is CheckStatus.ERROR]


def _passing(report: Report, failing: Mapping[Key, int], lens: Lens) -> frozenset[Key]:
    excused = {f.key for f in report.failures if f.test and _excused(f.key, lens, {})}
    return frozenset((_passed(report) | excused) - failing.keys())


def _passed(report: Report) -> frozenset[Key]:
    return frozenset(k for r in report.results for k in r.keys(r.passed))


def whole_checks(report: Report) -> dict[Key, Seen]:
    """Checks that cannot be looked into, each as one key: all that can be said of them is whether they passed."""
    return {
        make_key(r.check, ""): Seen.PASSED if r.status is CheckStatus.PASSED else Seen.FAILED
        for r in report.results
        if r.inventory is None and r.ran
    }


def _blockers(report: Report) -> int:
    errors = sum(r.status is CheckStatus.ERROR for r in report.results)
    return errors + sum(f.hides_others for f in report.failures)


def _defective(result: CheckResult, lens: Lens) -> bool:
    """Could not run, timed out, or collected less than was collected before."""
    if result.status in {CheckStatus.ERROR, CheckStatus.TIMEOUT}:
        return True
    if not result.ran or lens.may_vanish:
        return False
    expected = {k for k in lens.universe if check_of(k) == result.check}
    return not expected <= result.keys(result.inventory or ())


def observe(report: Report, tests: frozenset[Key]) -> Callable[[Key], Seen]:
    """What one report says about a key. A test has to be seen; anything else passes when its check ran without it."""
    failing = {f.key for f in report.failures}
    passed = _passed(report)
    whole = whole_checks(report)
    skipped = {k for r in report.results for k in r.keys(r.skipped)}
    finished = {r.check for r in report.results if r.ran}

    def look(key: Key) -> Seen:
        if key in failing:
            return Seen.FAILED
        if key in passed:
            return Seen.PASSED
        if key in skipped:
            return Seen.SKIPPED
        if key in whole:
            return whole[key]
        return Seen.PASSED if check_of(key) in finished and key not in tests else Seen.ABSENT

    return look


def first_failure(report: Report, key: Key) -> Failure | None:
    return next((f for f in report.failures if f.key == key), None)
