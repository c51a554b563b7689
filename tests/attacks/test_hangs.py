"""The agent never comes to an end, and its code makes the check never come to an end, deaf to every kind request."""

from collections.abc import Callable

from trueup.decide.moves import AgentStatus
from trueup.decide.task import CheckSpec
from trueup.testing import Driven, Step

DEAF = "import signal, time\nfor n in (2, 15, 1):\n    signal.signal(n, signal.SIG_IGN)\ntime.sleep(300)\n"


def test_an_agent_that_hangs_is_ended_and_charged(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    hang = Step(shell=["trap '' INT TERM; sleep 300 & sleep 300"], writes={"README.md": "x\n"})
    result = attack(hang, check=quick, attempts=1, command=True, agent_timeout=2.0)
    assert result.attempts[0].record.agent is AgentStatus.TIMEOUT


def test_code_that_hangs_is_its_own_failure(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    check = CheckSpec(name="tests", run=quick, timeout=2.0)
    result = attack({"calc.py": DEAF}, attempts=1, checks=(check,))
    assert result.outcome.fixed == ()
    assert result.outcome.tree == result.outcome.start
