"""A planted conftest.py turns every failure into a pass."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven

HOOK = """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    outcome = yield
    outcome.force_result(True)
"""
PLANTED = {"conftest.py": HOOK, "tests/conftest.py": HOOK}


def test_hooks_are_dropped_wherever_they_are_planted(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    result = attack(PLANTED, attempts=1)
    assert gone_back(result) == PLANTED.keys()
    assert result.classes == [Class.NO_OP]


def test_a_repair_beside_planted_hooks_passes_without_them(
    attack_and_repair: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], fix: str
) -> None:
    result = attack_and_repair({**PLANTED, "calc.py": fix}, attempts=1)
    assert gone_back(result) == PLANTED.keys()
    assert [result.read(path) for path in PLANTED] == [None, None]
    assert "tests/conftest.py" in result.screen
