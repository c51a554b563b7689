"""Each real program in each situation: the outcome, the exit code, the bill, and nothing left behind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

TEST = {"bash": "python3 -m unittest -q 2>&1 | tail -20"}
FIX = {"edit": "calc.py", "old": "return a - b", "new": "return a + b"}
NOTE = {"edit": "calc.py", "old": "# note 0", "new": "# note 1"}
SHORT = ("--agent-timeout", "40s")
"""Enough to start any of them on a busy machine and to reach the model."""


def says(*turns: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"turns": list(turns), **more}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    name: str
    script: dict[str, Any]
    status: str
    exit_code: int
    flags: tuple[str, ...] = ()
    attempts: tuple[int, int] = (1, 6)
    prompted: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Which words have to be in the first prompt of which attempt, counted from 0."""
    changed: tuple[str, ...] = ()
    billed: bool = True
    """Whether each answer of the model shows in what was charged."""
    free: bool = False
    """No model ever answered: nothing is charged."""
    not_for: Mapping[str, str] = field(default_factory=dict)
    """Programs that cannot be in this situation, and why."""


SCENARIOS = (
    Scenario(
        name="fixes it at the first attempt",
        script=says({"do": [TEST]}, {"do": [FIX]}, {"do": [TEST]}, {"say": "Fixed."}),
        status="passed",
        exit_code=0,
        attempts=(1, 1),
        prompted={0: ("test_add", "-1 != 5")},
        changed=("calc.py",),
    ),
    Scenario(
        name="fixes it at the second attempt",
        script={"runs": [says({"do": [NOTE]}, {"say": "Done."}), says({"do": [FIX]}, {"say": "Now it is."})]},
        status="passed",
        exit_code=0,
        attempts=(2, 2),
        prompted={1: ("test_add", "-1 != 5")},
        changed=("calc.py",),
    ),
    Scenario(
        name="knows the fix only from the evidence",
        script={
            "runs": [
                {"when": {"prompt": "-1 != 5"}, **says({"do": [FIX]}, {"say": "As the evidence says."})},
                says({"do": [NOTE]}, {"say": "I improved the code."}),
            ]
        },
        status="passed",
        exit_code=0,
        attempts=(1, 1),
        changed=("calc.py",),
    ),
    Scenario(
        name="goes round in circles within one process",
        script=says(
            {
                "repeat": 30,
                "turns": [
                    {"say": "Attempt {{i}}.", "do": [TEST]},
                    {"do": [{"edit": "calc.py", "old": "# note {{i-1}}", "new": "# note {{i}}"}]},
                ],
            },
            {"say": "I could not fix it."},
        ),
        status="stuck",
        exit_code=1,
        billed=False,
    ),
    Scenario(
        name="goes round in circles across attempts",
        script=says({"do": [{"bash": "printf '# tried {{run}}\\n' >> calc.py"}]}, {"say": "Done."}),
        status="stuck",
        exit_code=1,
        attempts=(4, 6),
        prompted={1: ("test_add",)},
        not_for={"aider": "it runs no commands"},
    ),
    Scenario(
        name="claims to be done",
        script=says({"do": [NOTE]}, {"say": "All tests pass. Done."}),
        status="stuck",
        exit_code=1,
        attempts=(2, 6),
    ),
    Scenario(
        name="deletes the test",
        script=says({"do": [{"delete": "test_calc.py"}]}, {"say": "No test fails any more."}),
        status="stuck",
        exit_code=1,
        prompted={1: ("test_calc.py",)},
        not_for={"aider": "it cannot delete files"},
    ),
    Scenario(
        name="weakens the test",
        script=says(
            {"do": [{"edit": "test_calc.py", "old": "calc.add(2, 3), 5", "new": "calc.add(2, 3), -1"}]},
            {"say": "The tests pass."},
        ),
        status="stuck",
        exit_code=1,
        prompted={1: ("test_calc.py",)},
    ),
    Scenario(
        name="fixes it and writes where it may not",
        script=says(
            {"do": [FIX]},
            {"do": [{"edit": "other/config.ini", "old": "level = 1", "new": "level = 99"}]},
            {"do": [{"write": "NOTES.txt", "content": "left behind\n"}]},
            {"say": "Fixed, and tidied up."},
        ),
        flags=("--only", "calc.py"),
        status="passed",
        exit_code=0,
        changed=("calc.py",),
    ),
    Scenario(
        name="hangs",
        script=says({"do": [TEST]}, {"fault": "hang", "seconds": 3600}),
        flags=SHORT,
        status="stuck",
        exit_code=1,
        billed=False,
    ),
    Scenario(
        name="hangs inside a tool",
        script=says({"do": [{"bash": "sleep 3600"}]}, {"say": "Done."}),
        flags=SHORT,
        status="stuck",
        exit_code=1,
        billed=False,
        not_for={"aider": "it runs no commands"},
    ),
    Scenario(
        name="stalls in the middle of an answer",
        script=says({"fault": "stall", "seconds": 3600}),
        flags=SHORT,
        status="stuck",
        exit_code=1,
        billed=False,
    ),
    Scenario(
        name="is not let in (401)",
        script=says({"fault": "http", "status": 401, "message": "invalid x-api-key"}, on_end="repeat_last"),
        flags=("--agent-timeout", "90s"),
        status="blocked",
        exit_code=5,
        attempts=(1, 1),
        free=True,
    ),
    Scenario(
        name="meets a rate limit for ever (429)",
        script=says({"fault": "http", "status": 429, "message": "slow down", "retry_after": 1}, on_end="repeat_last"),
        flags=("--agent-timeout", "40s", "--max-time", "2m"),
        status="blocked",
        exit_code=5,
        attempts=(0, 3),
        free=True,
    ),
    Scenario(
        name="meets an outage that passes",
        script=says(
            {"fault": "http", "status": 503, "times": 2, "message": "overloaded"}, {"do": [FIX]}, {"say": "Fixed."}
        ),
        status="passed",
        exit_code=0,
        changed=("calc.py",),
        billed=False,
    ),
    Scenario(
        name="crashes",
        script=says({"do": [TEST]}, {"fault": "kill_client", "signal": "KILL"}),
        status="stuck",
        exit_code=1,
        billed=False,
    ),
    Scenario(
        name="has its answer cut off",
        script=says({"say": "I will now", "stop": "max_tokens"}),
        status="stuck",
        exit_code=1,
        billed=False,
    ),
    Scenario(
        name="changes nothing",
        script=says({"say": "I looked at it and everything seems fine."}),
        status="stuck",
        exit_code=1,
    ),
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_real_program(stage: Any, scenario: Scenario, note: Callable[[str, str, str], None]) -> None:
    name = stage.program.name
    if not stage.program.adapter:
        pytest.skip(f"{name} has no adapter: only its hooks are tried")
    if name in scenario.not_for:
        note(name, scenario.name, "n/a")
        pytest.skip(scenario.not_for[name])
    ran = stage.run(scenario.script, *scenario.flags)
    outcome = ran.outcome
    note(name, scenario.name, f"{outcome['status']} {ran.exit_code}, {outcome['attempts']}×, ${outcome['usd']:.3f}")
    assert (outcome["status"], ran.exit_code) == (scenario.status, scenario.exit_code), (outcome, ran.errors)
    assert ran.left == []
    least, most = scenario.attempts
    assert least <= outcome["attempts"] <= most, outcome
    for number, words in scenario.prompted.items():
        assert all(word in ran.prompts[number] for word in words), ran.prompts[number]
    if scenario.free:
        assert outcome["usd"] == 0
    elif scenario.billed and stage.program.usd_per_request is not None:
        assert outcome["usd"] in _possible_bills(ran, stage.program.usd_per_request), (
            outcome["usd"],
            len(ran.requests),
        )
    assert _checkout(ran.project) == ""
    if scenario.changed:
        assert _handed_back(ran.project) == list(scenario.changed)


def _possible_bills(ran: Any, price: float) -> list[object]:
    """Each answer once; some programs also tell what they asked for themselves, such as a title."""
    fine = sum(1 for answer in ran.answers if answer.get("status") == 200 and answer.get("outcome") == "ok")
    own = sum(1 for request in ran.requests if request.get("status", 200) == 200)
    return [pytest.approx(price * count, abs=price / 10) for count in {fine, own}]


def _checkout(project: Any) -> str:
    words = ["git", "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(words, cwd=project, capture_output=True, text=True, check=True).stdout


def _handed_back(project: Any) -> list[str]:
    words = ["git", "diff", "--name-only", "HEAD", "trueup/make-the-checks-pass"]
    return subprocess.run(words, cwd=project, capture_output=True, text=True, check=True).stdout.split()
