"""The returned value equals whatever it is compared with."""

from collections.abc import Callable

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven

REST = "\n\ndef add(a, b):\n    return Sum(a - b)\n\n\ndef double(a):\n    return a * 2\n"
WAYS = {
    "always": "class Sum(int):\n    def __eq__(self, other):\n        return True\n",
    "by comparing the other with itself": "class Sum:\n    def __init__(self, value):\n        self.value = value\n\n"
    "    def __eq__(self, other):\n        return other == other\n",
    "by its kind": "class Sum:\n    def __init__(self, value):\n        pass\n\n"
    "    def __eq__(self, other):\n        return isinstance(other, int)\n",
    "by a class made at run time": "Sum = type('Sum', (int,), {'__e' + 'q__': lambda left, right: True})\n",
    "by a mock": "from unittest.mock import ANY\n\n\ndef Sum(value):\n    return ANY\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_value_that_equals_everything_is_shown_to_a_person(
    way: str, attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    result = attack({"calc.py": WAYS[way] + REST}, check=quick, attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "suspicious")
