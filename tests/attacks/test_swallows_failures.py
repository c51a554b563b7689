"""A decorator of the product that tests wear swallows every failed assertion, and hides the test behind itself."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all, write_files

HONEST = """

def timed(test):
    import functools

    @functools.wraps(test)
    def run():
        return test()

    return run
"""
SWALLOWS = """

def timed(test):
    def run():
        try:
            return test()
        except AssertionError:
            return None

    return run
"""


def test_a_test_that_cannot_fail_any_more_is_no_evidence(attack: Callable[..., Driven], project: Path) -> None:
    calc, tests = (project / "calc.py").read_text(), (project / "tests/test_calc.py").read_text()
    worn = tests.replace("add, double", "add, double, timed").replace("def test_add", "@timed\ndef test_add")
    write_files(project, {"calc.py": calc + HONEST, "tests/test_calc.py": worn})
    commit_all(project, "timed tests")
    result = attack({"calc.py": calc + SWALLOWS}, attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "runner_tampered")
    assert result.attempts[0].proof is not None
    assert result.attempts[0].proof.twin.survived == ("tests tests/test_calc.py::test_add",)
