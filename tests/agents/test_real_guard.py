"""The guard inside the real programs: a false "done" goes on until the check passes, and nothing goes on for ever."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

TEST = {"bash": "python3 -m unittest -q 2>&1 | tail -20"}
FIX = {
    "edit": "calc.py",
    "old": "# note 1\n\n\ndef add(a, b):\n    return a - b",
    "new": "# note 1\n\n\ndef add(a, b):\n    return sum((a, b))",
}
"""Of another length: a scripted model edits twice within a second, and Python's bytecode tells such files apart by it."""
NOTE = {"edit": "calc.py", "old": "# note 0", "new": "# note 1"}
HEARD = "Not done: trueup ran the checks"


@pytest.fixture
def guarded(stage: Any) -> Any:
    if not stage.program.guard:
        pytest.skip(f"{stage.program.name} has no hook for the end of an agent")
    return stage


def passes(project: Any) -> bool:
    done = subprocess.run([sys.executable, "-B", "-m", "unittest", "-q"], cwd=project, capture_output=True)
    return done.returncode == 0


def false_done() -> dict[str, Any]:
    return {
        "turns": [
            {"do": [TEST]},
            {"do": [NOTE]},
            {"say": "All tests pass. Done."},
            {"if": {"seen": HEARD}, "say": "Right, it still fails.", "do": [FIX]},
            {"say": "Now it is really fixed."},
        ]
    }


def test_a_false_done_goes_on_until_the_check_passes(guarded: Any) -> None:
    ran = guarded.guarded(false_done(), on=True)
    assert passes(ran.project), ran.errors
    news = "\n".join(str(request.get("news")) for request in ran.requests)
    assert HEARD in news
    assert "-1 != 5" in news
    assert ran.left == []


def test_a_check_that_the_agent_saw_fail_is_no_pass(guarded: Any) -> None:
    """Nothing changes after it: whoever takes it for a pass lets the agent go."""
    plain = {"bash": "python3 -m unittest -q"}
    turns = [{"do": [NOTE]}, {"do": [plain]}, {"say": "Done."}, {"if": {"seen": "Not done: "}, "do": [FIX]}]
    ran = guarded.guarded({"turns": turns}, on=True)
    assert passes(ran.project), ran.errors


def test_the_doctor_proves_that_the_hook_holds_it_back(guarded: Any) -> None:
    said = guarded.doctor("--hooks")
    finding = next(one for one in said["findings"] if one["what"] == f"guard {guarded.program.name}")
    assert finding["works"] is True, finding["text"]
    assert "the reason reached the model" in finding["text"]
    assert guarded.left() == []


def test_off_changes_nothing(guarded: Any) -> None:
    ran = guarded.guarded(false_done(), on=False)
    assert not passes(ran.project)
    assert HEARD not in str(ran.requests)


def test_an_agent_that_never_repairs_it_is_let_go(guarded: Any) -> None:
    script = {"turns": [{"do": [TEST]}, {"do": [NOTE]}, {"say": "Done."}], "on_end": "repeat_last"}
    ran = guarded.guarded(script, on=True)
    stops = sum(
        HEARD in str(request.get("news")) or "Not done: the last" in str(request.get("news"))
        for request in ran.requests
    )
    assert 1 <= stops <= 3
    assert len(ran.requests) <= 9
    assert ran.left == []
