"""Tested code plants a module where every Python of the check looks first: beside the probe that watches it."""

import sys
from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all, write_files

PLANTS = """
import glob, os
for probe in glob.glob(os.environ["TMPDIR"] + "/probe-*/**/sitecustomize.py", recursive=True):
    with open(os.path.join(os.path.dirname(probe), "tokenize.py"), "w") as file:
        file.write("raise SystemExit(0)\\n")
"""


def test_a_module_beside_our_own_makes_no_evidence(attack: Callable[..., Driven], project: Path) -> None:
    right = (project / "calc.py").read_text().replace("a - b", "a + b")
    steps = f"\t{sys.executable} -S check.py\n\t{sys.executable} -m tokenize data.txt\n"
    write_files(project, {"calc.py": right, "data.txt": "(\n", "Makefile": f"check:\n{steps}"})
    commit_all(project, "two steps")

    def edit(workspace: Path, _prompt: str) -> None:
        (workspace / "calc.py").write_text((workspace / "calc.py").read_text() + PLANTS)

    result = attack(edit, check="make check", attempts=1)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "trueup's own probe" in result.outcome.detail
