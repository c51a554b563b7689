"""Planted modules are called like the runner and its parts."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven

GREEN = "import sys\n\nsys.exit(0)\n"


def test_no_module_takes_the_place_of_the_runner(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        "pytest/__init__.py": GREEN,
        "pytest/__main__.py": GREEN,
        "_pytest/__init__.py": GREEN,
        "pluggy.py": GREEN,
        "iniconfig/__init__.py": GREEN,
        "tests/pytest.py": GREEN,
        "pytest.cpython-311-x86_64-linux-gnu.so": "\x7fELF",
    }
    result = attack(planted, {"pytest.py": GREEN})
    assert gone_back(result) == planted.keys() | {"pytest.py"}
    assert result.classes == [Class.NO_OP, Class.NO_OP]
