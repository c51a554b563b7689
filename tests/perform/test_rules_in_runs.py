"""Whole runs in which rules come first: real projects, real pytest, real trees."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.act.bytecode import Bytecode
from trueup.decide.moves import AgentStatus, RemediesTried
from trueup.decide.outcome import Status
from trueup.report.text import short_name
from trueup.testing import Driven, ScriptedAgent, drive, python_project, task_for

GOOD = 'def greet():\n    return "café — menù"\n'
CURLY = "def greet():\n    return “café — menù”\n"
TESTS = "from hello import greet\n\n\ndef test_greet():\n    assert greet() == 'café — menù'\n"

Go = Callable[..., Driven]


@pytest.fixture
def go(tmp_path: Path, compiled_pytest: Bytecode) -> Go:
    def run(project: Path, agent: ScriptedAgent, *, remedies: tuple[str, ...] = ()) -> Driven:
        task = task_for(fix_first=True, remedies=remedies)
        return drive(project, agent, state=tmp_path / "state", task=task, compiled=compiled_pytest)

    return run


def project(tmp_path: Path, files: dict[str, str]) -> Path:
    return python_project(tmp_path / "project", files={"test_hello.py": TESTS, **files})


def fixes(result: Driven) -> list[RemediesTried]:
    return [record for _, record in result.history if isinstance(record, RemediesTried)]


def test_a_rule_alone_passes_proven_and_no_agent_is_asked(tmp_path: Path, go: Go) -> None:
    agent = ScriptedAgent()
    result = go(project(tmp_path, {"hello.py": CURLY}), agent)
    assert result.outcome.status is Status.PASSED
    assert result.outcome.proof is not None
    assert result.read("hello.py") == GOOD
    assert [view.record.agent for view in result.state.attempts] == [AgentStatus.RULES]
    (tried,) = fixes(result)
    assert [fix.paths for fix in tried.kept] == [("hello.py",)]
    assert any("hello.py" in key for fix in tried.kept for key in fix.removed)
    assert "plain quotes" in result.screen
    assert "removed" in result.screen


def test_every_kept_fix_is_in_the_report_with_the_failure_that_it_removed(tmp_path: Path, go: Go) -> None:
    root = project(tmp_path, {"hello.py": CURLY})
    result = go(root, ScriptedAgent())
    (tried,) = fixes(result)
    (fix,) = tried.kept
    (run,) = (root / ".trueup" / "runs").iterdir()
    page = html.unescape((run / "report.html").read_text())
    assert fix.why in page
    assert all(short_name(key) in page for key in fix.removed)
    assert "removed " in page
    (told,) = json.loads((run / "completion_reasons.json").read_text())["attempts"]
    assert told["fixes"] == [
        {"remedy": fix.remedy, "why": fix.why, "removed": list(fix.removed), "files": ["hello.py"]}
    ]


def test_what_an_agent_left_over_escaped_is_repaired_before_it_is_verified(tmp_path: Path, go: Go) -> None:
    wrong = "def greet():\n    return 'hi'\n"
    agent = ScriptedAgent({"hello.py": GOOD.replace("\n", "\\n")})
    result = go(project(tmp_path, {"hello.py": wrong}), agent)
    assert result.outcome.status is Status.PASSED
    assert result.read("hello.py") == GOOD
    (view,) = result.state.attempts
    assert view.record.raw != view.record.candidate


def test_a_test_is_never_edited_by_a_rule(tmp_path: Path, go: Go) -> None:
    broken = TESTS.replace("'café — menù'", "“café — menù”")
    root = python_project(
        tmp_path / "project",
        files={"hello.py": GOOD, "test_hello.py": broken, "test_other.py": "def test_a():\n    assert 0\n"},
    )
    result = go(root, ScriptedAgent({"README.md": "x"}))
    assert result.outcome.status is not Status.PASSED
    assert all(fix.result == fix.tree for fix in fixes(result))


ROW = "- name: own\n  fix: replace\n  with: {file: hello.py, find: 'hi', put: 'café — menù'}\n"


def test_rows_of_ones_own_come_from_the_start_not_from_an_agent(tmp_path: Path, go: Go) -> None:
    wrong = "def greet():\n    return 'hi'\n"
    root = project(tmp_path, {"hello.py": wrong, "own.yaml": ROW.replace("hi", "nothing")})
    agent = ScriptedAgent({"own.yaml": ROW, "README.md": "x"}, {"hello.py": GOOD})
    result = go(root, agent, remedies=("own.yaml",))
    assert result.outcome.status is Status.PASSED
    assert not any(fix.kept for fix in fixes(result))
    mine = project(tmp_path / "other", {"hello.py": wrong, "own.yaml": ROW})
    assert go(mine, ScriptedAgent(), remedies=("own.yaml",)).outcome.status is Status.PASSED
