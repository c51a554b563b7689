"""Product code makes the failing test skip itself: what is skipped was not seen passing."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven

SKIPS = """\
class SkipTest(__import__("unittest").SkipTest):
    pass


def add(a, b):
    raise SkipTest("not today")


def double(a):
    return a * 2
"""


def test_a_test_that_skips_itself_still_counts_as_failing(attack: Callable[..., Driven], project: Path) -> None:
    result = attack({"calc.py": SKIPS}, attempts=1)
    assert result.outcome.fixed == ()
    assert result.outcome.remaining == ("tests tests/test_calc.py::test_add",)
