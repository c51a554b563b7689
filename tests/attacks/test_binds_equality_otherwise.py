"""`__eq__` is not defined but bound: by an annotation, a loop, an import, a name that is put together."""

from collections.abc import Callable

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven

REST = "\n\ndef add(a, b):\n    return Sum(a - b)\n\n\ndef double(a):\n    return a * 2\n"
SAME = "def same(left, right):\n    return True\n\n\n"
WAYS = {
    "imported": "class Sum(int):\n    from other import same as __eq__\n",
    "under a name that is put together": f"{SAME}class Sum(int):\n    pass\n\n\nsetattr(Sum, '__%s__' % 'eq', same)\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_equality_by_whatever_name_is_shown_to_a_person(
    way: str, attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    result = attack({"calc.py": WAYS[way] + REST, "other.py": SAME}, check=quick, attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "suspicious")
