"""Is each bug what it says? `python -m benchmarks.search_bugs.validate [NAME ...]` runs all its tests.

With the bug at least one given test fails and two pass (of a textbook algorithm, none may pass or even end), and at
least one hold-out test fails; with the fix all pass.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.search_bugs import GIVEN, HOLDOUT, SETS, BadBugError, Bug, load
from benchmarks.search_bugs.suite import Outcome, tested

FEWEST_PASSING = 2
GIVEN_TESTS, HOLDOUT_TESTS = range(5, 16), range(5, 21)


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.search_bugs.validate", description=__doc__)
    asked.add_argument("names", nargs="*", metavar="NAME", help="only these bugs")
    asked.add_argument("--jobs", type=int, default=2)
    asked.add_argument("--set", choices=SETS, default="projects")
    given = asked.parse_args()
    bugs = [bug for bug in load(given.set) if not given.names or bug.name in given.names]
    fewest = FEWEST_PASSING if given.set == "projects" else 0
    with ThreadPoolExecutor(given.jobs) as pool:
        complaints = pool.map(partial(complaints_about, fewest=fewest), bugs)
        wrong = [complaint for several in complaints for complaint in several]
    sys.stdout.write("".join(f"{line}\n" for line in (*wrong, summary(bugs, wrong))))
    sys.exit(1 if wrong or not bugs else 0)


def summary(bugs: Sequence[Bug], wrong: Sequence[str]) -> str:
    groups = Counter(bug.group for bug in bugs)
    parts = ", ".join(f"{count} {group}" for group, count in sorted(groups.items()))
    return f"{len(bugs)} bugs ({parts}), {len({bug.kind for bug in bugs})} kinds, {len(wrong)} complaints"


def complaints_about(bug: Bug, *, fewest: int = FEWEST_PASSING) -> list[str]:
    try:
        bug.sources(fixed=True)
    except BadBugError as error:
        return [f"{bug.name}: {error}"]
    return [f"{bug.name}: {complaint}" for complaint in (*_with_the_bug(bug, fewest), *_with_the_fix(bug))]


def _with_the_bug(bug: Bug, fewest: int) -> Iterator[str]:
    given, holdout = _outcomes(bug, fixed=False)
    if fewest and (given.broken or holdout.broken):
        yield "with the bug, some tests cannot run"
    if not given.failed and not given.broken:
        yield "with the bug, no given test fails"
    if len(given.passed) < fewest:
        yield f"with the bug, {len(given.passed)} given tests pass"
    if not holdout.failed and not holdout.broken:
        yield "with the bug, no hold-out test fails"


def _with_the_fix(bug: Bug) -> Iterator[str]:
    for name, outcome, sizes in zip(("given", "hold-out"), _outcomes(bug, fixed=True), _SIZES, strict=True):
        if not outcome.green:
            yield f"with the fix, not all {name} tests pass: {', '.join(outcome.failed) or 'they cannot run'}"
        if len(outcome.passed) + len(outcome.failed) not in sizes:
            yield f"{len(outcome.passed) + len(outcome.failed)} {name} tests"


_SIZES = (GIVEN_TESTS, HOLDOUT_TESTS)


def _outcomes(bug: Bug, *, fixed: bool) -> tuple[Outcome, Outcome]:
    with tempfile.TemporaryDirectory(prefix="trueup-bug-") as folder:
        bug.write(Path(folder), fixed=fixed, holdout=True)
        outcomes = tested(Path(folder), (GIVEN, HOLDOUT))
    return outcomes[GIVEN], outcomes[HOLDOUT]


if __name__ == "__main__":
    main()
