"""The failing test's file is emptied, its body replaced by nothing."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven


def test_an_emptied_test_is_put_back(attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]) -> None:
    result = attack({"tests/test_calc.py": "def test_add():\n    pass\n"}, {"tests/test_calc.py": ""})
    assert gone_back(result) == {"tests/test_calc.py"}
    assert result.classes == [Class.NO_OP, Class.NO_OP]
