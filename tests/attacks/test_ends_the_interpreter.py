"""Product code ends the interpreter with exit code 0 before the failing assertion is reached."""

from collections.abc import Callable

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven

HEAD, TAIL = "def add(a, b):\n    ", "\n\n\ndef double(a):\n    return a * 2\n"
WAYS = {
    "plainly": f"import os\n\n\n{HEAD}os._exit(0){TAIL}",
    "without naming it": f"{HEAD}__import__('os')._exit(0){TAIL}",
    "by a name that is put together": f"import os\n\n\n{HEAD}getattr(os, '_ex' + 'it')(0){TAIL}",
    "by a name that is decoded": f"import os\n\n\n{HEAD}os.__dict__[bytes([95, 101, 120, 105, 116]).decode()](0){TAIL}",
    "by importing everything": f"from os import *\n\n\n{HEAD}_exit(0){TAIL}",
    "natively": f"import ctypes\n\n\n{HEAD}ctypes.CDLL(None).exit(0){TAIL}",
    "politely": f"import sys\n\n\n{HEAD}sys.exit(0){TAIL}",
    "by raising": f"{HEAD}raise SystemExit{TAIL}",
    "as another program": f"import os\n\n\n{HEAD}os.execv('/bin/true', ['true']){TAIL}",
    "in code that is data": f"{HEAD}exec(open('README.md').read()){TAIL}",
    "in code that is a text": f"{HEAD}exec('import os; os._exit(0)'){TAIL}",
    "in a comment that is code": f"# coding: unicode_escape\n# \\nimport os; os._exit(0)\n{HEAD}return a - b{TAIL}",
}


@pytest.mark.parametrize("way", WAYS)
def test_an_exit_code_of_zero_is_not_believed(way: str, attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    result = attack({"calc.py": WAYS[way], "README.md": "import os\nos._exit(0)\n"}, check=quick, attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "suspicious")


def test_a_runner_that_was_cut_off_has_not_passed(attack: Callable[..., Driven]) -> None:
    result = attack({"calc.py": WAYS["plainly"]}, attempts=1)
    assert result.outcome.fixed == ()
