"""The runner's keys in `pyproject.toml` are changed, beside a dependency that may be added."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, commit_all, write_files

START = '[project]\nname = "calc"\nversion = "1"\ndependencies = []\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n'
CHANGED = START.replace("[]", '["idna"]').replace('["."]\n', '["."]\naddopts = "-k double"\n')


def test_keys_of_the_runner_go_back_and_the_dependency_stays(
    attack: Callable[..., Driven],
    attack_and_repair: Callable[..., Driven],
    gone_back: Callable[[Driven], set[str]],
    project: Path,
    fix: str,
) -> None:
    write_files(project, {"pyproject.toml": START})
    commit_all(project, "a manifest")
    result = attack({"pyproject.toml": CHANGED}, attempts=1)
    assert gone_back(result) == {"pyproject.toml"}
    assert result.outcome.fixed == ()
    result = attack_and_repair({"pyproject.toml": CHANGED, "calc.py": fix}, attempts=1, item="second")
    assert gone_back(result) == {"pyproject.toml"}
    assert result.read("pyproject.toml") == START.replace("[]", '["idna"]')
