"""A check that itself writes to where programs lie does so already at the start, and is believed all the same."""

import os
import sys
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, ScriptedAgent, drive, python_project, task_for

WRONG, RIGHT = "A = 1\n", "A = 2\n"


def go(tmp_path: Path, agent: ScriptedAgent, installs: str) -> Driven:
    project = python_project(tmp_path / "p", files={"a.py": WRONG, "check.py": "import a\nassert a.A == 2\n"})
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "tool").write_text("")
    command = f"{installs.format(programs=programs)}; exec {sys.executable} -S check.py"
    return drive(
        project,
        agent,
        state=tmp_path / "state",
        task=task_for(("/bin/sh", "-c", command)),
        environ={"PATH": f"{programs}:{os.environ['PATH']}"},
    )


def test_what_a_check_installs_each_time_is_known_from_the_start(tmp_path: Path) -> None:
    result = go(tmp_path, ScriptedAgent({"a.py": RIGHT}), "cp /bin/true {programs}/tool")
    assert result.outcome.status is Status.PASSED, result.screen
    assert result.state.baseline is not None
    assert result.state.baseline.report is not None
    assert str(tmp_path / "programs/tool") in result.state.baseline.report.rewritten


def test_what_it_did_not_install_at_the_start_is_no_evidence(tmp_path: Path) -> None:
    only_later = "grep -q 'A = 2' a.py && cp /bin/true {programs}/other"
    result = go(tmp_path, ScriptedAgent({"a.py": RIGHT}), only_later)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "`other` was added to" in result.outcome.detail
