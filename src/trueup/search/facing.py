"""How does a trial face the project's tests, and what do their results say?"""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from .children import Said
from .trial import Finding


class TooLongError(BaseException):
    """Raised inside of a test that uses too much processor time, at the first look at it."""


@dataclass
class Plan:
    """Which tests a trial has to face, in which order."""

    first: list[str]
    """Failing ones; if none of them passes, that is all."""
    rest: list[str]
    """The other failing ones."""
    others: list[str]
    """Passing ones; the first that fails is the last."""
    short: float
    long: float


def run_item(item: Any) -> tuple[bool, str, int]:
    """Whether it passes, or is skipped as it should; if not, the kind of exception, and how far in the test it came."""
    from _pytest.runner import runtestprotocol

    kinds: list[str] = []
    lines: list[int] = []

    def told_shortly(excinfo: Any, *_: Any, **__: Any) -> str:  # building a traceback costs more than most tests
        kinds.append(excinfo.typename)
        lines.append(line_of(excinfo.tb, str(item.path)))
        return "failed"

    item.repr_failure = told_shortly
    item._repr_failure_py = told_shortly  # noqa: SLF001 - what pytest asks in set-up and tear-down
    reports = runtestprotocol(item, log=False, nextitem=None)
    passed = not any(report.failed for report in reports)
    return (passed, "", 0) if passed or not kinds else (passed, kinds[0], lines[0])


def line_of(found: TracebackType | None, file: str) -> int:
    """Where in a file an exception passed first; 0 for nowhere."""
    while found is not None:
        if found.tb_frame.f_code.co_filename == file:
            return found.tb_lineno
        found = found.tb_next
    return 0


def face(plan: Plan, items: dict[str, Any], say: Callable[[str], None]) -> None:
    """Run the tests of a plan and tell each result: `1` or `0` and the test's number."""
    number = 0

    def run(test: str) -> bool:
        nonlocal number
        passed = test in items and run_item(items[test])[0]
        say(f"{int(passed)} {number}")
        number += 1
        return passed

    signal.setitimer(signal.ITIMER_PROF, plan.short)
    if not any([run(test) for test in plan.first]):  # noqa: C419 - each of them is to be run
        return
    signal.setitimer(signal.ITIMER_PROF, plan.long)
    for test in plan.rest:
        run(test)
    for test in plan.others:
        if not run(test):
            return


def outcome(plan: Plan, said: Said) -> Finding:
    tests = [*plan.first, *plan.rest, *plan.others]
    failing = {*plan.first, *plan.rest}
    results = {tests[int(number)]: passed == "1" for passed, number in (line.split() for line in said.lines)}
    repaired = frozenset(test for test, passed in results.items() if passed and test in failing)
    broken = frozenset(test for test, passed in results.items() if not passed and test not in failing)
    if not said.whole and repaired and not broken:  # it ended in the midst of a test
        unheard = [test for test in tests if test not in results]
        broken = frozenset(unheard[:1]) - failing
    looked = said.whole and len(results) == len(tests)
    return Finding(repaired, broken, looked, complete=looked and repaired == failing and not broken)
