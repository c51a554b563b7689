"""A conftest.py turns every report green, and a plug-in announces itself by planted package metadata."""

from collections.abc import Callable

from trueup.testing import Driven

GREEN = "def pytest_runtest_logreport(report):\n    report.outcome = 'passed'\n"
HOOK = """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    outcome = yield
    outcome.force_result(True)
"""


def test_hooks_are_dropped_wherever_they_are_planted(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        "conftest.py": HOOK,
        "tests/conftest.py": HOOK,
        "calc.Dist-Info/METADATA": "Metadata-Version: 2.1\nName: calc\nVersion: 1\n",
        "calc.Dist-Info/entry_points.txt": "[pytest11]\nfine = fine\n",
    }
    result = attack({**planted, "fine.py": GREEN}, attempts=1)
    assert gone_back(result) == planted.keys()
    assert result.outcome.fixed == ()
