"""Whole runs with built-in verifiers: they advise, and those that are required decide."""

from __future__ import annotations

from pathlib import Path

from trueup.act.bytecode import Bytecode
from trueup.decide.outcome import Status
from trueup.decide.task import BuiltinWishes, Task
from trueup.evidence.report import CheckStatus
from trueup.perform.builtin import builtin_checks
from trueup.testing import Driven, ScriptedAgent, drive, python_project, task_for

WRONG = "def double(x):\n    return x\n"
RIGHT = "def double(x):\n    return 2 * x\n"
TESTS = "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
UNDECLARED = "import yaml\n"
DECLARED = "idna\nPyYAML\n"


def project(tmp_path: Path) -> Path:
    files = {"calc.py": WRONG, "test_calc.py": TESTS, "report.py": UNDECLARED, "requirements.txt": "idna\n"}
    return python_project(tmp_path / "project", files=files)


def went(tmp_path: Path, compiled: Bytecode, agent: ScriptedAgent, task: Task) -> Driven:
    return drive(project(tmp_path), agent, state=tmp_path / "state", task=task, compiled=compiled)


def with_required(*names: str) -> Task:
    wishes = BuiltinWishes(required=names)
    task = task_for(builtin=wishes)
    return task_for(builtin=wishes, checks=(*task.checks, *builtin_checks(names, wishes)))


def test_what_an_adviser_sees_is_told_and_given_to_the_agent_and_decides_nothing(
    tmp_path: Path, compiled_pytest: Bytecode
) -> None:
    agent = ScriptedAgent({"calc.py": RIGHT})

    result = went(tmp_path, compiled_pytest, agent, task_for())

    assert result.outcome.status is Status.PASSED
    assert "seen by trueup (imports, advice): No module named 'yaml'" in result.screen
    assert "# Hints" in agent.prompts[0]
    assert "No module named 'yaml'" in agent.prompts[0]


def test_an_adviser_that_is_off_says_nothing(tmp_path: Path, compiled_pytest: Bytecode) -> None:
    agent = ScriptedAgent({"calc.py": RIGHT})
    task = task_for(builtin=BuiltinWishes(off=("imports",)))

    result = went(tmp_path, compiled_pytest, agent, task)

    assert "seen by trueup" not in result.screen
    assert "# Hints" not in agent.prompts[0]


def test_a_required_verifier_is_a_check_like_any_other_and_part_of_the_proof(
    tmp_path: Path, compiled_pytest: Bytecode
) -> None:
    half = ScriptedAgent({"calc.py": RIGHT}, {"requirements.txt": DECLARED})

    result = went(tmp_path, compiled_pytest, half, with_required("imports"))

    assert result.outcome.status is Status.PASSED
    assert [str(kind) for kind in result.classes] == ["progress", "green"]
    assert result.outcome.proof is not None
    assert result.read("requirements.txt") == DECLARED


def test_a_required_verifier_that_does_not_apply_is_told_and_is_no_obstacle(
    tmp_path: Path, compiled_pytest: Bytecode
) -> None:
    result = went(tmp_path, compiled_pytest, ScriptedAgent({"calc.py": RIGHT}), with_required("coherence"))

    assert result.outcome.status is Status.PASSED
    baseline = result.state.baseline
    assert baseline is not None
    assert baseline.report is not None
    (said,) = [one for one in baseline.report.results if one.check == "coherence"]
    assert (said.status, said.applies) == (CheckStatus.SKIPPED, False)
    assert "nothing that refers to anything else" in said.reason
    assert "coherence" in result.screen


def test_one_that_begins_to_apply_during_the_run_counts(tmp_path: Path, compiled_pytest: Bytecode) -> None:
    broken = {"calc.py": RIGHT, "compose.yml": "services:\n  web:\n    image: x\n    depends_on: [db]\n"}
    whole = {
        "calc.py": RIGHT,
        "compose.yml": "services:\n  web:\n    image: x\n    depends_on: [db]\n  db:\n    image: y\n",
    }
    agent = ScriptedAgent(broken, whole)

    result = went(tmp_path, compiled_pytest, agent, with_required("coherence"))

    assert result.outcome.status is Status.PASSED
    assert len(result.state.attempts) == 2
    assert "New failures (passed before): `compose.yml web db`" in agent.prompts[1]
