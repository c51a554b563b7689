"""The failing test is marked as expected to fail."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.state import Class
from trueup.testing import Driven

TESTS = "tests/test_calc.py"


def test_a_failure_that_is_now_expected_is_still_a_failure(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    text = (project / TESTS).read_text()
    expected = "import pytest\n" + text.replace("def test_add", "@pytest.mark.xfail(strict=False)\ndef test_add")
    result = attack({TESTS: expected}, attempts=1)
    assert gone_back(result) == {TESTS}
    assert result.classes == [Class.NO_OP]
