"""The runner is told to leave the failing test out: pytest.ini, pyproject.toml, tox.ini, setup.cfg."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven

ADDOPTS = "addopts = --deselect tests/test_calc.py::test_add\n"


def test_added_options_of_the_runner_are_dropped(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        "pytest.ini": f"[pytest]\n{ADDOPTS}",
        "tests/pytest.ini": f"[pytest]\n{ADDOPTS}",
        "tox.ini": f"[pytest]\n{ADDOPTS}",
        "setup.cfg": f"[tool:pytest]\n{ADDOPTS}",
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-k double"\n',
    }
    result = attack(planted, attempts=1)
    assert gone_back(result) == planted.keys()
    assert result.classes == [Class.NO_OP]
