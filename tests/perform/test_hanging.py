"""Limits for single tests: only where one never ends, and shorter where that is known."""

from __future__ import annotations

from dataclasses import replace

from trueup.decide.task import AgentSpec, CheckSpec, Task
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.perform.hanging import SEARCHED, PerTestLimits, hangs, limits_of
from trueup.testing import task_for

LATE = Failure(check="tests", subject="", kind="timeout", message="not finished in time", test=False)
ENDED = Failure(check="tests", subject="test_a.py::test_a", kind="timeout", message="not finished in time")
WHOLE = CheckResult(
    check="tests",
    status=CheckStatus.TIMEOUT,
    failures=(LATE,),
    reason="not finished after 40 s",
    inventory=("test_a.py::test_a",),
    tool="pytest",
)
SINGLE = CheckResult(
    check="tests", status=CheckStatus.FAILED, failures=(ENDED,), inventory=("test_a.py::test_a",), duration=12.0
)


def report(*results: CheckResult) -> Report:
    return Report(tree="0" * 40, results=results)


def test_a_check_that_never_ended_gets_limits_once() -> None:
    limits = PerTestLimits()
    assert limits.set_for(report(WHOLE), {"tests": 40.0}) == {"tests": 10.0}
    assert limits.set_for(report(WHOLE), {"tests": 40.0}) == {}
    assert limits(at_the_start=True) == limits(at_the_start=False) == {"tests": 10.0}


def test_other_tools_and_checks_without_known_tests_get_none() -> None:
    limits = PerTestLimits()
    others = (replace(WHOLE, tool="jest"), replace(WHOLE, inventory=None), SINGLE)
    for other in others:
        assert limits.set_for(report(other), {"tests": 40.0}) == {}
    assert limits(at_the_start=False) == {}


def test_what_is_known_to_hang_at_the_start_is_looked_at_for_less() -> None:
    limits = PerTestLimits({"tests": 10.0})
    limits.learn(report(SINGLE))
    assert limits(at_the_start=True) == {"tests": 2.5}
    assert limits(at_the_start=False) == {"tests": 10.0}


def test_a_resumed_run_learns_its_limits_from_the_start() -> None:
    limits = PerTestLimits()
    limits.learn(report(SINGLE))
    assert limits(at_the_start=False) == {"tests": 12.0}


def test_only_a_single_test_that_was_ended_hangs() -> None:
    assert hangs(SINGLE)
    assert not hangs(WHOLE)
    assert not hangs(replace(SINGLE, failures=(replace(ENDED, kind="AssertionError"),)))


def test_the_search_alone_has_limits_from_the_beginning_unless_the_check_has_its_own() -> None:
    checks = (CheckSpec(name="tests", run="pytest"), CheckSpec(name="slow", run="pytest slow", timeout=600.0))
    task = replace(task_for(check="pytest"), checks=checks)
    assert limits_of(_asking(task, "search")).seconds == {"tests": SEARCHED}
    assert limits_of(_asking(task, "search", "command")).seconds == {}


def _asking(task: Task, *kinds: str) -> Task:
    return replace(task, agents=tuple(AgentSpec(name=kind, kind=kind) for kind in kinds))
