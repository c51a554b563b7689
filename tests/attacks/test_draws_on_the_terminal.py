"""Control sequences in everything that an agent can word: titles, clipboard, cursor, hidden and reversed text."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import Driven

HOSTILE = (
    "\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x1b[2J\x1b[1A\r\x9b31m\x08\x00\u202egnp.exe\u2066\x1bP+q\x1b\\all passed"
)
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LEAKS = (
    f"def add(a, b):\n    raise ValueError({HOSTILE!r})\n\n\ndef double(a):\n    print({HOSTILE!r})\n    return a * 2\n"
)


def leave(workspace: Path, _prompt: str) -> None:
    (workspace / "calc.py").write_text(LEAKS)
    (workspace / f"new{HOSTILE.replace(chr(0), '').replace('/', '_')}.txt").write_text("x\n")
    (workspace / f"tests/test_{chr(27)}[31m.py").write_text("")


@pytest.mark.parametrize("runner", ["pytest", "another"])
def test_nothing_that_a_terminal_acts_upon_reaches_the_screen_or_a_prompt(
    runner: str, attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    how = {} if runner == "pytest" else {"check": quick}
    result = attack(leave, {"README.md": HOSTILE.replace("\x00", "")}, attempts=2, **how)
    assert not ACTS.search(result.screen)
    assert not ACTS.search(result.prompt(2))
