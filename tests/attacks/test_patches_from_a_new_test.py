"""A new test file, which is collected first, replaces the product's function before the old tests run."""

from collections.abc import Callable

from trueup.testing import Driven

PATCHES = """\
import calc

calc.add = lambda a, b: a + b


def test_patch():
    calc.add = lambda a, b: a + b
"""


def test_a_new_test_reaches_nothing_that_counts(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    result = attack({"tests/test_a.py": PATCHES, "test_0.py": PATCHES, "a_test.py": PATCHES}, attempts=1)
    assert gone_back(result) == set()
    assert result.outcome.fixed == ()
    (verified,) = (view.report for view in result.attempts)
    assert verified is not None
    assert [len(r.extra) for r in verified.results] == [1]
