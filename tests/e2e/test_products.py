"""What checks leave behind: reports and databases are nobody's work, planted settings are no evidence, secrets stay out."""

import sys
from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, ScriptedAgent, Step, drive, python_project, task_for

Go = Callable[..., Driven]
CHECK = """
import pathlib, sys
sys.path.insert(0, ".")
from calc import add
pathlib.Path("report.xml").write_text("<report/>")
if add(2, 3) != 5:
    print("calc.py:2: error: wrong sum [E1]")
    raise SystemExit(1)
"""
BROKEN, FIXED = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
FILES = {"calc.py": BROKEN, "check.py": CHECK}
COMMAND = (sys.executable, "-S", "check.py")


def test_an_agent_that_runs_the_checks_does_not_hand_back_their_reports(tmp_path: Path) -> None:
    from trueup.decide.task import AgentSpec

    project = python_project(tmp_path / "calc", files=FILES)
    step = Step(writes={"calc.py": FIXED}, shell=[f"{sys.executable} -S check.py"])
    command = ScriptedAgent(step).as_command(tmp_path / "agent")
    task = task_for(COMMAND, agents=(AgentSpec(name="scripted", command=command),))
    result = drive(project, state=tmp_path / "state", task=task)
    assert result.outcome.status is Status.PASSED
    assert result.store.read(result.attempts[0].record.raw, "report.xml") == b"<report/>"
    assert result.read("report.xml") is None


def test_settings_that_the_tested_code_plants_while_it_is_checked_are_no_evidence(tmp_path: Path, go: Go) -> None:
    build = "import pathlib\npathlib.Path('conftest.py').write_text('collect_ignore_glob = [\"*\"]')\n"
    check = "import pathlib, subprocess, sys\nsubprocess.run([sys.executable, '-S', 'calc.py'])\n" + CHECK.replace(
        "if add(2, 3) != 5:", "if add(2, 3) != 5 and not pathlib.Path('conftest.py').exists():"
    )
    project = python_project(tmp_path / "calc", files={"calc.py": BROKEN, "check.py": check})
    result = go(project, ScriptedAgent({"calc.py": BROKEN + build}, then="repeat"), task_for(COMMAND))
    assert result.outcome.status is not Status.PASSED
    assert "conftest.py" in result.outcome.detail


def test_a_secret_that_a_check_prints_is_kept_nowhere(tmp_path: Path, go: Go) -> None:
    secret = "hunter2-correct-horse"
    check = CHECK.replace('[E1]")', '[E1]", "' + secret + '")')
    project = python_project(tmp_path / "calc", files={"calc.py": BROKEN, "check.py": check.replace(secret, "x")})
    (project / "check.py").write_text(check.replace('"' + secret + '"', "__import__('os').environ['API_TOKEN']"))
    result = go(project, ScriptedAgent({}, then="repeat"), task_for(COMMAND, env=("API_TOKEN",)), {"API_TOKEN": secret})
    assert result.outcome.status is Status.STUCK
    kept = [p for p in (*tmp_path.rglob("*"), *project.rglob("*")) if p.is_file()]
    assert len(kept) > 20
    assert [str(p) for p in kept if secret.encode() in p.read_bytes()] == []
