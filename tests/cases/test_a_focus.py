"""A long check, and an attempt that moved nothing: is the whole check spared, and is nothing else concluded?"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from trueup.decide.moves import FocusTree, TreeFocused, VerifyTree
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import Task
from trueup.testing import PYTEST, Driven, ScriptedAgent, task_for

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIXED = CALC.replace("a - b", "a + b")
WITNESS = """\
import os
from pathlib import Path


def pytest_runtest_call(item):
    with open(Path(os.environ["CASE_OUTSIDE"], "ran"), "a") as ran:
        print(item.name, file=ran)
"""

Project = Callable[..., Path]
Go = Callable[..., Driven]


def long(check: tuple[str, ...]) -> Task:
    """Any duration counts as long."""
    return replace(task_for(check=check), focus_above=0.0)


def ran(outside: Path) -> list[str]:
    return (outside / "ran").read_text().split()


def checks_of(result: Driven) -> list[type]:
    return [type(move) for move, _ in result.history if isinstance(move, FocusTree | VerifyTree)]


def test_only_what_failed_is_run_while_it_fails_as_before(tested: Project, go: Go, outside: Path) -> None:
    where = tested({"conftest.py": WITNESS})
    agent = ScriptedAgent({"calc.py": f"{CALC}# no idea\n"}, {"calc.py": FIXED})
    result = go(where, agent, long(PYTEST))
    assert result.outcome.status is Status.PASSED
    assert result.classes == [Class.STUCK, Class.GREEN]
    assert checks_of(result) == [FocusTree, FocusTree, VerifyTree]
    start, second_look, stuck = ["test_add", "test_double"], ["test_add"], ["test_add"]
    focus, whole = ["test_add"], ["test_add", "test_double"]
    assert ran(outside)[:7] == [*start, *second_look, *stuck, *focus, *whole]
    assert "only what failed before was run" in result.screen
    looked = [record.report for _, record in result.history if isinstance(record, TreeFocused)]
    assert [r.results[0].passed for r in looked] == [(), ("tests/test_calc.py::test_add",)]


def test_what_breaks_beside_the_failure_is_not_missed_when_the_failure_is_gone(tested: Project, go: Go) -> None:
    """Run alone the failing test passes; the whole check sees that another one does not."""
    result = go(tested(), ScriptedAgent({"calc.py": FIXED.replace("a * 2", "a * 3")}, {"calc.py": FIXED}), long(PYTEST))
    assert result.classes == [Class.MIXED, Class.GREEN]
    assert result.outcome.status is Status.PASSED


def test_a_run_that_gets_nowhere_ends_with_the_whole_check(tested: Project, go: Go) -> None:
    agent = ScriptedAgent(*({"calc.py": f"{CALC}# {n}\n"} for n in range(1, 5)))
    result = go(tested(), agent, long(PYTEST))
    assert (result.outcome.status, result.outcome.reason) == (Status.STUCK, "ladder")
    assert checks_of(result) == [FocusTree, FocusTree, FocusTree, VerifyTree]
    assert result.outcome.current_failures[0].streak == 5


def test_the_next_prompt_still_shows_the_failure(tested: Project, go: Go) -> None:
    agent = ScriptedAgent({"calc.py": f"{CALC}# no idea\n"}, {"calc.py": FIXED})
    go(tested(), agent, long(PYTEST))
    assert "assert add(2, 3) == 5" in agent.prompts[1]
    assert "test_add" in agent.prompts[1]
