"""A setting names another test runner, as Django's `TEST_RUNNER` does: one that runs nothing."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import PYTEST, Driven, commit_all, write_files

MANAGE = """\
import settings

module, _, name = settings.TEST_RUNNER.rpartition(".")
raise SystemExit(getattr(__import__(module), name)())
"""
HONEST = "def run():\n    import check\n"


def test_a_runner_of_its_own_is_shown_to_a_person(
    attack: Callable[..., Driven], looked_at: Callable[[Driven], set[str]], project: Path
) -> None:
    write_files(project, {"manage.py": MANAGE, "settings.py": "TEST_RUNNER = 'honest.run'\n", "honest.py": HONEST})
    commit_all(project, "a project with settings")
    green = {"settings.py": "TEST_RUNNER = 'green.run'\n", "green.py": "def run():\n    return 0\n"}
    result = attack(green, check=(PYTEST[0], "-S", "manage.py", "test"), attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "suspicious")
    assert looked_at(result) == {"hooks into the test runner"}
