"""A new configuration file tells the runner to leave the failing test out."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven

ADDOPTS = "addopts = --deselect tests/test_calc.py::test_add\n"


def test_added_options_of_the_runner_are_dropped(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        "pytest.ini": f"[pytest]\n{ADDOPTS}",
        ".pytest.ini": f"[pytest]\n{ADDOPTS}",
        "pytest.toml": '[pytest]\naddopts = ["-k", "double"]\n',
        "tests/pytest.ini": f"[pytest]\n{ADDOPTS}",
        "tox.ini": f"[pytest]\n{ADDOPTS}",
        "setup.cfg": f"[tool:pytest]\n{ADDOPTS}",
    }
    result = attack(planted, attempts=1)
    assert gone_back(result) == planted.keys()
    assert result.classes == [Class.NO_OP]
