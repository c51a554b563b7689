"""Product code keeps its trick in a file that is called like a test, where nobody looks for one."""

from collections.abc import Callable

import pytest

from trueup.decide.state import Class
from trueup.testing import Driven

TRICK = "import os\n\n\ndef add(a, b):\n    os._exit(0)\n"
WAYS = {
    "from its package": "from shop import test_tricks",
    "by a text": "import importlib\n\ntest_tricks = importlib.import_module('shop.test_tricks')",
}
REST = "\n\n\ndef add(a, b):\n    return test_tricks.add(a, b)\n\n\ndef double(a):\n    return a * 2\n"


@pytest.mark.parametrize("way", WAYS)
def test_what_leans_on_a_new_test_file_does_not_pass(
    way: str, attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    files = {"calc.py": WAYS[way] + REST, "shop/__init__.py": "", "shop/test_tricks.py": TRICK}
    result = attack(files, check=quick, attempts=1)
    assert result.classes[0] is not Class.GREEN
    assert result.outcome.tree == result.outcome.start
