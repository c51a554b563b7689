"""A number of thousands of digits in a manifest makes whoever reads it fail: the attempt shall be free, the run broken."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all, write_files

START = '[project]\nname = "calc"\nversion = "1"\n'


def test_the_manifest_goes_back_and_the_attempt_is_charged(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], quick: tuple[str, ...], project: Path
) -> None:
    write_files(project, {"pyproject.toml": START, "package.json": "{}\n"})
    commit_all(project, "manifests")
    endless = "9" * 5000
    written = {"pyproject.toml": f"{START}x = {endless}\n", "package.json": f'{{"x": {endless}}}\n'}
    result = attack(written, check=quick, attempts=1, command=True, usd=0.25)
    assert result.outcome.status is Status.OUT_OF_BUDGET
    assert result.outcome.usd == 0.25
