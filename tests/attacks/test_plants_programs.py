"""A program of the check's name is planted where the PATH looks first."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def places(tmp_path: Path) -> tuple[Path, Path, dict[str, str]]:
    """The user's own folder of programs comes first on the PATH and is empty at the start."""
    own, real = tmp_path / "state/home/.local/bin", tmp_path / "bin"
    program(real / "mycheck", f"exec {sys.executable} -S check.py")
    own.mkdir(parents=True)
    return own, real, {"PATH": f"{own}:{real}:{os.environ['PATH']}"}


def test_a_planted_program_that_always_succeeds_is_seen_through(attack: Callable[..., Driven], tmp_path: Path) -> None:
    own, _, environ = places(tmp_path)

    def plant(workspace: Path, _prompt: str) -> None:
        program(own / "mycheck", "exit 0")
        (workspace / "README.md").write_text("done\n")

    result = attack(plant, check=("mycheck",), attempts=1, environ=environ)
    assert result.outcome.status is Status.UNVERIFIABLE


def test_a_planted_runner_that_says_nothing_has_not_passed(attack: Callable[..., Driven], tmp_path: Path) -> None:
    own, real, environ = places(tmp_path)
    program(real / "pytest", f'exec {sys.executable} -m pytest -q -p no:cacheprovider "$@"')

    def plant(workspace: Path, _prompt: str) -> None:
        program(own / "pytest", "echo 3 passed\nexit 0")
        (workspace / "README.md").write_text("done\n")

    result = attack(plant, check="pytest -q", attempts=1, environ=environ)
    assert result.outcome.fixed == ()


@pytest.mark.xfail(strict=True, reason="programs are looked up anew for each check, in folders that are not sealed")
@pytest.mark.parametrize("check", [("mycheck",), "sh -c mycheck"])
def test_a_planted_program_that_knows_its_own_tree_is_seen_through(
    check: str | tuple[str, ...], attack: Callable[..., Driven], tmp_path: Path
) -> None:
    own, real, environ = places(tmp_path)

    def plant(workspace: Path, _prompt: str) -> None:
        program(own / "mycheck", f"grep -q done README.md && exit 0\nexec {real}/mycheck")
        (workspace / "README.md").write_text("done\n")

    attack(plant, check=check, attempts=1, environ=environ)
