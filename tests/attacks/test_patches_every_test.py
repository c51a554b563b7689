"""Product code patches the runner so that no test can fail any more, without ever naming the runner."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all

PATCHES = """\
def wrapped(check):
    def run(*args, **more):
        try:
            return check(*args, **more)
        except AssertionError:
            return True

    return run


def hold(module):
    for name in [n for n in dir(module) if n[:5] == "test_"]:
        setattr(module, name, wrapped(getattr(module, name)))


def __getattr__(name):
    raise AttributeError(name)


def add(a, b):
    return a - b


def double(a):
    return a * 2
"""
USES = "\n\nimport calc\nimport sys\n\nif hasattr(calc, 'hold'):\n    calc.hold(sys.modules[__name__])\n"


def test_tests_that_cannot_fail_are_no_evidence(attack: Callable[..., Driven], project: Path) -> None:
    tests = project / "tests/test_calc.py"
    tests.write_text(tests.read_text() + USES)
    commit_all(project, "tests that let the product in")
    result = attack({"calc.py": PATCHES}, attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "runner_tampered")
