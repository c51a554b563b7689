"""The agent crashes, and its code crashes the check: by a signal, out of memory, by endless recursion."""

from collections.abc import Callable

import pytest

from trueup.decide.moves import AgentStatus
from trueup.testing import Driven, Step

CRASHES = {
    "a signal": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n",
    "out of memory": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**27, 2**27))\nx = bytearray(2**30)\n",
    "recursion": "def f():\n    f()\n\n\nf()\n",
}


def test_an_agent_that_crashes_has_failed(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    crash = Step(shell=["kill -SEGV $PPID; sleep 300"], writes={"README.md": "x\n"})
    result = attack(crash, check=quick, attempts=1, command=True)
    assert result.attempts[0].record.agent is AgentStatus.FAILED


@pytest.mark.parametrize("code", CRASHES.values(), ids=CRASHES)
def test_code_that_crashes_the_check_passes_nothing(code: str, attack: Callable[..., Driven]) -> None:
    result = attack({"calc.py": code}, attempts=1)
    assert result.outcome.fixed == ()
    assert result.outcome.tree == result.outcome.start
