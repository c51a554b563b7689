"""Runs in a test need not compile the same tools again and again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trueup.act.bytecode import Bytecode
from trueup.decide.outcome import Status
from trueup.testing import drive, python_project, task_for

CHECK = (
    "from importlib.util import find_spec\nfrom pathlib import Path\n"
    'assert Path(find_spec("pyclbr").cached).exists(), "nobody compiled it"\n'
)


@pytest.mark.parametrize("given", [True, False])
def test_checks_begin_with_the_compiled_modules_that_the_caller_gives(tmp_path: Path, *, given: bool) -> None:
    env = {"PYTHONPYCACHEPREFIX": str(tmp_path / "made"), "PATH": os.defpath}
    subprocess.run((sys.executable, "-S", "-c", "import pyclbr"), env=env, check=True)
    compiled = Bytecode.saved(tmp_path / "made", tmp_path / "kept", without=tmp_path)
    project = python_project(tmp_path / "project", files={"check.py": CHECK})
    task = task_for((sys.executable, "-S", "check.py"))
    result = drive(project, lambda _: None, state=tmp_path / "state", task=task, compiled=compiled if given else None)
    assert (result.outcome.status is Status.NOTHING_TO_DO) == given
