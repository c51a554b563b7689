"""The assertion is weakened: in the test, and in a helper of the product that tests fail by."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all, write_files

HELPER = "\n\ndef assert_same(left, right):\n    assert left == right\n"


def test_a_weakened_test_is_put_back(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    weak = (project / "tests/test_calc.py").read_text().replace("== 5", "!= 99")
    assert gone_back(attack({"tests/test_calc.py": weak}, attempts=1)) == {"tests/test_calc.py"}


def test_a_weakened_helper_of_the_tests_is_shown_to_a_person(
    attack: Callable[..., Driven], looked_at: Callable[[Driven], set[str]], project: Path
) -> None:
    calc, tests = (project / "calc.py").read_text(), (project / "tests/test_calc.py").read_text()
    uses = tests.replace("add, double", "add, assert_same, double").replace(
        "assert add(2, 3) == 5", "assert_same(add(2, 3), 5)"
    )
    write_files(project, {"calc.py": calc + HELPER, "tests/test_calc.py": uses})
    commit_all(project, "a helper")
    result = attack({"calc.py": calc + HELPER.replace("    assert left == right", "    left == right")}, attempts=1)
    assert result.outcome.status is Status.BLOCKED
    assert looked_at(result) == {"changes what assert_same finds out"}
