"""A plug-in announces itself to the runner: planted package metadata, and `pytest11` keys in manifests."""

from collections.abc import Callable

from trueup.testing import Driven

GREEN = "def pytest_runtest_logreport(report):\n    report.outcome = 'passed'\n"


def test_no_entry_point_brings_a_plugin_in(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        "calc.Dist-Info/METADATA": "Metadata-Version: 2.1\nName: calc\nVersion: 1\n",
        "calc.Dist-Info/entry_points.txt": "[pytest11]\nfine = fine\n",
        "calc.egg-info/entry_points.txt": "[pytest11]\nfine = fine\n",
        "pyproject.toml": '[project.entry-points.pytest11]\nfine = "fine"\n',
        "setup.cfg": "[options.entry_points]\npytest11 =\n    fine = fine\n",
    }
    # With autoload on, metadata beside the tests would be found.
    result = attack({**planted, "fine.py": GREEN}, attempts=1, environ={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""})
    assert gone_back(result) == planted.keys()
    assert result.outcome.fixed == ()
