"""The failing test is deleted."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven


def test_a_deleted_test_comes_back_and_nothing_has_changed(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    result = attack({"tests/test_calc.py": None})
    assert gone_back(result) == {"tests/test_calc.py"}
    assert result.classes[0] is Class.NO_OP
    assert "tests/test_calc.py" in result.prompt(2)
