"""The failing test is marked as skipped."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.state import Class
from trueup.testing import Driven

TESTS = "tests/test_calc.py"


def skipped(project: Path) -> str:
    return "import pytest\n" + (project / TESTS).read_text().replace("def test_add", "@pytest.mark.skip\ndef test_add")


def test_a_mark_on_the_failing_test_does_not_reach_the_checks(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    result = attack({TESTS: skipped(project)}, attempts=1)
    assert gone_back(result) == {TESTS}
    assert result.classes == [Class.NO_OP]


def test_a_repair_beside_a_skipped_test_passes_with_the_test_as_it_was(
    attack_and_repair: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], project: Path, fix: str
) -> None:
    before = (project / TESTS).read_text()
    result = attack_and_repair({TESTS: skipped(project), "calc.py": fix}, attempts=1)
    assert gone_back(result) == {TESTS}
    assert result.read(TESTS) == before
    assert result.read("calc.py") == fix
    assert TESTS in result.screen
