"""Whole runs with a program that tells what it costs: what it may cost is kept, and nothing that it did is free."""

import json
import sys
from pathlib import Path

import pytest

from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec, Limits
from trueup.testing import Driven, drive, python_project, task_for

CHECK = "print('code.py:1: error: A is wrong [E1]')\nraise SystemExit(1)\n"


def step(number: int, cost: float | None) -> list[dict[str, object]]:
    tokens = {"input": 5, "output": 5}
    finish = {"id": f"p{number}", "cost": cost, "tokens": tokens}
    return [
        {"type": "step_start", "sessionID": "ses_1", "part": {}},
        {"type": "text", "sessionID": "ses_1", "part": {"text": f"thought {number}"}},
        {"type": "step_finish", "sessionID": "ses_1", "part": finish},
    ]


REFUSED: dict[str, object] = {
    "type": "error",
    "error": {"name": "APIError", "data": {"message": "the key has been revoked", "statusCode": 401}},
}


def run(folder: Path, events: list[dict[str, object]], then: str, *, usd: float, attempts: int) -> Driven:
    program = folder / "program.py"
    said = "".join(f"print({json.dumps(event)!r}, flush=True)\n" for event in events)
    program.write_text(f"import sys, time\nsys.stdin.read()\n{said}{then}\n")
    spec = AgentSpec(name="paid", kind="opencode", command=(sys.executable, "-S", str(program)), reports_cost=True)
    limits = Limits(usd=usd, time=3600.0, attempts=attempts)
    task = task_for((sys.executable, "-S", "check.py"), agents=(spec,), limits=limits)
    project = python_project(folder / "project", files={"code.py": "A = 1\n", "check.py": CHECK})
    return drive(project, state=folder / "state", task=task)


def test_a_cap_in_dollars_is_kept_while_the_program_works(tmp_path: Path) -> None:
    events = [event for number in range(50) for event in step(number, 1.0)]
    result = run(tmp_path, events, "time.sleep(600)", usd=1.0, attempts=3)
    (view,) = result.attempts
    assert view.record.agent is AgentStatus.OVERSPENT
    assert "the agent cost more than it may and was stopped" in result.screen


def test_who_was_refused_after_the_model_had_answered_is_charged(tmp_path: Path) -> None:
    result = run(tmp_path, [*step(1, None), REFUSED], "sys.exit(1)", usd=3.0, attempts=1)
    (view,) = result.attempts
    assert view.record.agent is AgentStatus.CREDENTIALS
    assert view.charged_usd == pytest.approx(1.0)  # what was reserved


def test_a_cost_that_is_no_longer_known_is_not_cheaper_than_what_was_told(tmp_path: Path) -> None:
    result = run(tmp_path, [*step(1, 2.5), *step(2, None)], "", usd=3.0, attempts=1)
    (view,) = result.attempts
    assert view.charged_usd == 2.5
