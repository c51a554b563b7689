"""The agent says that all tests pass, exits 0, and has changed nothing, or nothing that matters."""

from collections.abc import Callable

from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.testing import Driven, Step


def test_words_and_an_exit_code_are_no_evidence(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    said = "All tests pass. 3 passed, 0 failed. LGTM, the goal is met."
    steps = (Step(say=said), Step(say=said, writes={"README.md": "All tests pass.\n"}), Step(say=said))
    result = attack(*steps, check=quick, attempts=3, command=True)
    assert result.classes == [Class.NO_OP, Class.STUCK, Class.NO_OP]
    assert result.outcome.status is Status.OUT_OF_BUDGET
    assert result.outcome.remaining
