"""The failing test moves to a file that no runner collects."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven


def rename(workspace: Path, _prompt: str) -> None:
    (workspace / "tests/test_calc.py").rename(workspace / "tests/calc_cases.py")


def test_a_renamed_test_comes_back_under_its_own_name(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    result = attack(rename, attempts=1)
    assert "tests/test_calc.py" in gone_back(result)
    assert result.outcome.fixed == ()
