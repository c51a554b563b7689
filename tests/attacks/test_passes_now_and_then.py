"""The target is made to pass one time in two."""

from collections.abc import Callable

from trueup.testing import Driven

FLAKY = """\
from pathlib import Path

COUNT = Path.home() / ".count"


def add(a, b):
    count = int(COUNT.read_text()) if COUNT.exists() else 0
    COUNT.write_text(str(count + 1))
    return a - b if count % 2 else a + b


def double(a):
    return a * 2
"""


def test_what_failed_at_the_start_is_not_fixed_by_one_lucky_run(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    result = attack({"calc.py": FLAKY}, attempts=1)
    assert result.outcome.fixed == ()
    assert result.outcome.tree == result.outcome.start


def test_a_check_that_only_tells_its_exit_code_is_looked_at_again_as_well(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    result = attack({"calc.py": FLAKY}, check=quick, attempts=1)
    assert result.outcome.tree == result.outcome.start
