"""From a task to a proven result, once through everything."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.evidence.report import Strength
from trueup.testing import Driven, Say, ScriptedAgent, task_for

FIXED = "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return a * 2\n"


def test_a_fix_at_the_second_try_is_proven_and_handed_back_on_a_branch(calc: Path, go: Callable[..., Driven]) -> None:
    result = go(calc, ScriptedAgent(Say("All tests pass."), {"calc.py": FIXED}, usd=0.25), task_for(priced=True))
    assert result.outcome.status is Status.PASSED
    assert result.classes == [Class.NO_OP, Class.GREEN]
    assert result.outcome.proof is not None
    assert result.outcome.proof.strength is Strength.TWIN
    assert result.outcome.usd == 0.5
    assert result.read("calc.py") == FIXED
    assert result.record.branch == "trueup/work"
    assert "passed" in result.screen
