"""`trueup explain`: the run, one attempt, one failure."""

from __future__ import annotations

from typing import Any

import pytest

from trueup.decide.moves import Rung
from trueup.decide.state import Class
from trueup.errors import UsageError
from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.report.explain import explain_lines


@pytest.fixture
def told(story: Any, failure: Any, quote_failure: Failure) -> Any:
    a, b = failure(), failure("tests/test_b.py::test_b")
    return (
        story()
        .start(a, quote_failure)
        .attempt(Class.PROGRESS, quote_failure, fixed=[a])
        .attempt(Class.MIXED, b, fixed=[quote_failure], broke=[b], rung=Rung.RETHINK, note="All tests pass!")
    )


def test_the_whole_run_ends_with_what_fails_and_since_when(told: Any) -> None:
    lines = explain_lines(told.state)
    assert lines[-2] == (
        "  fails    test_api.py::test_quote  KeyError: 'discount'  src/shop/api.py:88  since the start, seen 2×"
    )


def test_one_attempt_says_how_it_was_asked_and_why_it_was_judged_so(told: Any) -> None:
    assert explain_lines(told.state, 2)[1:] == [
        "  asked    claude for a different idea, beginning with the files of attempt 1",
        "  edited   src/shop/cart.py",
        "  verdict  Something was repaired and something else broken. That is not better: undone.",
        "  fixed    test_api.py::test_quote",
        "  broke    test_b.py::test_b",
        "  fails    test_b.py::test_b  assert 90 == 85  cart.py:41",
        "  it said  All tests pass!   (not evidence)",
    ]


def test_the_start_is_attempt_zero(told: Any) -> None:
    assert explain_lines(told.state, 0)[0].startswith("  start    141 tests, 2 fail")


def test_an_attempt_that_does_not_exist_is_a_usage_error(told: Any) -> None:
    with pytest.raises(UsageError, match="there is no attempt 9"):
        explain_lines(told.state, 9)


def test_one_failure_is_followed_through_the_run(told: Any, quote_failure: Failure) -> None:
    timeline = [
        "tests/test_api.py::test_quote",
        "  start    fails: KeyError: 'discount'  api.py:88",
        "  1        fails: KeyError: 'discount'  api.py:88  the same failure",
        "  2        passes  (undone)",
    ]
    for wanted in ("tests/test_api.py::test_quote", "quote", fingerprint(quote_failure)):
        assert explain_lines(told.state, failure=wanted) == timeline


def test_a_failure_that_never_was_is_a_usage_error(told: Any) -> None:
    with pytest.raises(UsageError, match="no failure matches"):
        explain_lines(told.state, failure="nonsense")
