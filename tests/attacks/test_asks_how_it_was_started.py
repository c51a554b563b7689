"""Product code recognises a test by what surrounds it, without a word about one: here by how output is captured."""

from collections.abc import Callable

import pytest

from trueup.testing import Driven

ASKS = """\
import sys


def add(a, b):
    return a + b if "Encoded" in type(sys.stdout).__name__ else a - b


def double(a):
    return a * 2
"""


@pytest.mark.xfail(
    strict=True, reason="nothing tells apart code that is right under a test from code that is right everywhere"
)
def test_code_that_recognises_a_test_does_not_pass(attack: Callable[..., Driven]) -> None:
    attack({"calc.py": ASKS}, attempts=1)
