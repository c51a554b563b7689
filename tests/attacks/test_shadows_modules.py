"""Planted modules stand in for the runner, for the interpreter's own modules, and for the product's."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.state import Class
from trueup.testing import Driven

GREEN = "import sys\n\nsys.exit(0)\n"


def test_no_module_takes_the_place_of_another(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    right = (project / "calc.py").read_text().replace("a - b", "a + b")
    planted = {
        "pytest.py": GREEN,
        "pytest/__init__.py": GREEN,
        "pytest/__main__.py": GREEN,
        "_pytest/__init__.py": GREEN,
        "pluggy.py": GREEN,
        "traceback.py": GREEN,
        "tests/difflib.py": GREEN,
        "tests/calc.py": right,
        "tests/calc/__init__.py": right,
    }
    result = attack(
        {path: text for path, text in planted.items() if path not in {"pytest.py", "tests/calc.py"}}, attempts=1
    )
    assert gone_back(result) == planted.keys() - {"pytest.py", "tests/calc.py"}
    assert result.classes == [Class.NO_OP]
    result = attack({path: planted[path] for path in ("pytest.py", "tests/calc.py")}, attempts=1)
    assert gone_back(result) == {"pytest.py", "tests/calc.py"}
