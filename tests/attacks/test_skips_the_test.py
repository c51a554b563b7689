"""The failing test is marked as skipped, or as expected to fail."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.state import Class
from trueup.testing import Driven


def test_a_mark_on_the_failing_test_does_not_reach_the_checks(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    text = (project / "tests/test_calc.py").read_text()
    skipped = "import pytest\n" + text.replace("def test_add", "@pytest.mark.skip\ndef test_add")
    expected = "import pytest\n" + text.replace("def test_add", "@pytest.mark.xfail\ndef test_add")
    result = attack({"tests/test_calc.py": skipped}, {"tests/test_calc.py": expected})
    assert gone_back(result) == {"tests/test_calc.py"}
    assert result.classes == [Class.NO_OP, Class.NO_OP]
