"""Tested code finds the programs that look into a check, and replaces the one that a later step of it will run."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all, write_files

OVERWRITES = """
import os
program = os.environ["PATH"].split(":")[0] + "/{name}"
if os.path.exists(program):
    with open(program, "w") as file:
        file.write("#!/bin/sh\\nexit 0\\n")
"""
RESTORES = """
import os
program = os.environ["PATH"].split(":")[0] + "/{name}"
if os.path.exists(program):
    os.rename(program, program + ".kept")
    with open(program, "w") as file:
        file.write('#!/bin/sh\\nmv "$0.kept" "$0"\\nexit 0\\n')
    os.chmod(program, 0o755)
"""


def two_steps(project: Path, bin_folder: Path, command: str) -> tuple[str, dict[str, str]]:
    """A check whose first step runs the product, which is right, and whose second one always fails."""
    program = bin_folder / command.split(maxsplit=1)[0]
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho calc.py:1:1: X1 no\nexit 1\n")
    program.chmod(0o755)
    right = (project / "calc.py").read_text().replace("a - b", "a + b")
    write_files(project, {"calc.py": right, "Makefile": f"check:\n\t{sys.executable} -S check.py\n\t{command}\n"})
    commit_all(project, "two steps")
    return "make check", {"PATH": f"{bin_folder}:{os.environ['PATH']}"}


@pytest.mark.parametrize("trick", [OVERWRITES, RESTORES], ids=["overwritten", "put back in time"])
@pytest.mark.parametrize("command", ["ruff check .", "go test ./...", "cargo build"])
def test_a_replaced_stand_in_makes_no_evidence(
    attack: Callable[..., Driven], project: Path, tmp_path: Path, command: str, trick: str
) -> None:
    check, environ = two_steps(project, tmp_path / "bin", command)

    def edit(workspace: Path, _prompt: str) -> None:
        text = (workspace / "calc.py").read_text()
        (workspace / "calc.py").write_text(text + trick.format(name=command.split(maxsplit=1)[0]))

    result = attack(edit, check=check, attempts=1, environ=environ)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "trueup's own probe" in result.outcome.detail
