"""Planted modules stand in for the interpreter's own modules, and for the product's."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.state import Class
from trueup.testing import Driven

GREEN = "import sys\n\nsys.exit(0)\n"


def test_no_module_takes_the_place_of_another(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    right = (project / "calc.py").read_text().replace("a - b", "a + b")
    planted = {"traceback.py": GREEN, "tests/difflib.py": GREEN, "tests/calc/__init__.py": right}
    result = attack(planted, {"tests/calc.py": right})
    assert gone_back(result) == planted.keys() | {"tests/calc.py"}
    assert result.classes == [Class.NO_OP, Class.NO_OP]
