"""The script that the check runs is replaced by one that checks nothing."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven


def test_the_script_that_is_the_check_is_put_back(
    attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]]
) -> None:
    result = attack({"check.py": "exit()\n"}, {"check.py": None}, check=quick)
    assert gone_back(result) == {"check.py"}
    assert result.classes == [Class.NO_OP, Class.NO_OP]


def test_a_repair_beside_a_rewritten_check_passes_by_the_check_as_it_was(
    attack_and_repair: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]], fix: str
) -> None:
    result = attack_and_repair({"check.py": "exit()\n", "calc.py": fix}, check=quick, attempts=1)
    assert gone_back(result) == {"check.py"}
    assert "check.py" in result.screen
