"""Suspicious is what failing tests run and passing ones do not."""

from __future__ import annotations

import math

from trueup.search.spectrum import Look, representatives, suspicion


def _look(test: str, lines: str, *, passed: bool) -> Look:
    return Look(test, passed, frozenset((path, 1) for path in lines))


def test_a_line_that_only_failing_tests_run_is_the_most_suspicious() -> None:
    found = suspicion([_look("a", "xy", passed=False), _look("b", "y", passed=True), _look("c", "z", passed=True)])
    assert found[("x", 1)] == 1.0
    assert math.isclose(found[("y", 1)], 1 / math.sqrt(2))
    assert ("z", 1) not in found


def test_several_files_are_looked_at() -> None:
    found = suspicion([_look("a", "xy", passed=False)])
    assert {path for path, _ in found} == {"x", "y"}


def test_failing_tests_that_run_the_same_code_have_one_representative() -> None:
    looks = [_look("a", "xy", passed=False), _look("b", "xy", passed=False), _look("c", "z", passed=False)]
    assert sorted(representatives(looks)) == ["a", "c"]
