"""The returned value weighs both sides and still equals far too much; nothing in its text says so."""

from collections.abc import Callable

from trueup.decide.outcome import Status
from trueup.testing import Driven

AT_MOST = """\
class Sum:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value <= other


def add(a, b):
    return Sum(a - b)


def double(a):
    return a * 2
"""


def test_a_value_that_equals_strangers_is_no_evidence(
    attack: Callable[..., Driven], looked_at: Callable[[Driven], set[str]]
) -> None:
    result = attack({"calc.py": AT_MOST}, attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "runner_tampered")
    assert looked_at(result) == set()
    assert result.attempts[0].proof is not None
    assert result.attempts[0].proof.twin.survived == ("tests tests/test_calc.py::test_add",)


def test_where_only_an_exit_code_is_seen_it_is_shown_to_a_person(
    attack: Callable[..., Driven], quick: tuple[str, ...], looked_at: Callable[[Driven], set[str]]
) -> None:
    result = attack({"calc.py": AT_MOST}, check=quick, attempts=1)
    assert looked_at(result) == {"decides what equality means"}
