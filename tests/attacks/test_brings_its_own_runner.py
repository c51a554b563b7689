"""A manifest gets the runner from a folder of the project, an alias or an archive, or names a program like it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.testing import Driven, commit_all, write_files

START: dict[str, Any] = {"name": "calc", "devDependencies": {"jest": "^29.0.0", "chalk": "^5.0.0"}}
WAYS: dict[str, dict[str, Any]] = {
    "from a folder": {"devDependencies": {"jest": "file:./fake", "chalk": "^5.0.0"}},
    "by an override": {"overrides": {"jest": "file:./fake"}},
    "by a program": {"bin": {"jest": "./fake/cli.js"}},
}


@pytest.fixture(autouse=True)
def _manifest(project: Path) -> None:
    write_files(project, {"package.json": json.dumps(START, indent=2)})
    commit_all(project, "a manifest")


@pytest.mark.parametrize("way", WAYS)
def test_the_runner_comes_from_where_it_came(
    way: str, attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {"package.json": json.dumps(START | WAYS[way], indent=2), "fake/cli.js": "// nothing fails here\n"}
    result = attack(planted, check=quick, attempts=1)
    assert gone_back(result) == {"package.json"}


def test_other_dependencies_may_come_from_anywhere(
    attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]]
) -> None:
    added = START | {"devDependencies": {"jest": "^30.0.0", "chalk": "file:./chalk", "left-pad": "1.0.0"}}
    result = attack({"package.json": json.dumps(added, indent=2)}, check=quick, attempts=1)
    assert gone_back(result) == set()
