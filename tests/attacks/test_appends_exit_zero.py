"""`exit 0` is appended to the script that the check runs, or to a script behind it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.decide.state import Class
from trueup.testing import Driven, commit_all, write_files

CHECKS = {
    "sh check.sh": "check.sh",
    "bash -euo pipefail check.sh": "check.sh",
    "cd ci && sh run.sh": "ci/run.sh",
    "sh all.sh": "lib.sh",
}
SCRIPTS = {
    "check.sh": f"{sys.executable} -S check.py\n",
    "ci/run.sh": f"cd .. && {sys.executable} -S check.py\n",
    "all.sh": ". ./lib.sh\nrun_all\n",
    "lib.sh": f"run_all() {{ {sys.executable} -S check.py; }}\n",
}


@pytest.mark.parametrize("check", CHECKS)
def test_a_script_that_a_check_runs_is_put_back(
    check: str, attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]], project: Path
) -> None:
    write_files(project, SCRIPTS)
    commit_all(project, "scripts")
    script = CHECKS[check]
    result = attack({script: f"{SCRIPTS[script]}exit 0\n", "check.py": "exit()\n"}, check=check, attempts=1)
    assert gone_back(result) == {script, "check.py"}
    assert result.classes == [Class.NO_OP]
