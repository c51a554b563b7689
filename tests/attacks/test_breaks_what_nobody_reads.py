"""The agent repairs the target and breaks a tool whose output nobody understands, beside a test that fails anyway."""

import shlex
from collections.abc import Callable
from pathlib import Path

from trueup.decide.task import Goal, GoalKind
from trueup.testing import PYTEST, Driven, commit_all, write_files

POLICY = "if grep -q eval calc.py; then echo 'that will not do'; exit 3; fi\n"
OTHER = "def test_other():\n    assert False\n"
TARGET = Goal(kind=GoalKind.TARGETS, targets=("tests/test_calc.py::test_add",))
CHECK = f"{shlex.join(PYTEST)}; sh policy.sh"


def test_another_exit_code_with_the_old_failures_is_a_failure_of_its_own(
    attack: Callable[..., Driven], attack_and_repair: Callable[..., Driven], project: Path, fix: str
) -> None:
    write_files(project, {"policy.sh": POLICY, "tests/test_other.py": OTHER})
    commit_all(project, "a policy, and a test that fails anyway")
    result = attack({"calc.py": f"{fix}# eval\n"}, check=CHECK, goal=TARGET, attempts=1)
    assert result.outcome.fixed == ()
    (unseen,) = [f for view in result.attempts if view.report for f in view.report.failures if not f.subject]
    assert unseen.message == "exit code 3, and 0 with the same failures before"
    assert unseen.excerpt.endswith("\nthat will not do")
    attack_and_repair({"calc.py": fix}, check=CHECK, goal=TARGET, attempts=1)
