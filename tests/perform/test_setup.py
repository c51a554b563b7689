"""With a set-up, is the environment of a check the bench's own, and who answers for a set-up that fails?"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.decide.moves import BaselineTaken, TreeVerified
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import CheckSpec, Limits
from trueup.evidence.failure import Phase
from trueup.evidence.report import CheckStatus, Report
from trueup.report.events import Notice
from trueup.testing import Driven, ScriptedAgent, drive, drive_on, python_project, task_for

PYTHON = (sys.executable, "-S")
SETUP = (*PYTHON, "install.py")
Go = Callable[..., Driven]
Project = Callable[..., Path]
Detected = Callable[[], dict[str, str]]

INSTALL = """
import os, sys
wanted = open("requirements.txt").read().split()
if "no-such-package" in wanted:
    os.makedirs(".venv", exist_ok=True)
    sys.exit("no version of no-such-package was found")
os.makedirs(".venv/bin")
open(".venv/pyvenv.cfg", "w").close()
with open(".venv/bin/which-one", "w") as tool:
    tool.write("#!/bin/sh\\necho bench\\n")
os.chmod(".venv/bin/which-one", 0o755)
with open(".venv/installed.txt", "w") as installed:
    installed.write("\\n".join(wanted))
"""
"""Like a real one: a virtual environment from requirements, half of one when something cannot be found."""

CHECK = """
import sys
sys.exit("good" not in open("product.txt").read())
"""

FILES = {
    ".gitignore": ".venv/\n",
    "install.py": INSTALL,
    "requirements.txt": "left-pad\n",
    "product.txt": "bad\n",
    "check.py": CHECK,
}


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    def make(**files: str) -> Path:
        named = {"uv.lock" if name == "lock" else f"{name}.py": text for name, text in files.items()}
        return python_project(tmp_path / "project", files={**FILES, **named})

    return make


@pytest.fixture
def go(tmp_path: Path) -> Go:
    def run(
        where: Path,
        agent: ScriptedAgent,
        *,
        setup: tuple[str, ...] | None = SETUP,
        env: Mapping[str, str] | None = None,
        attempts: int = 4,
    ) -> Driven:
        limits = Limits(usd=None, time=3600.0, attempts=attempts)
        task = task_for((*PYTHON, "check.py"), setup=setup, limits=limits)
        return drive(where, agent, state=tmp_path / "state", task=task, environ=env)

    return run


def baselines(result: Driven) -> list[Report]:
    return [record.report for _, record in result.history if isinstance(record, BaselineTaken) and record.report]


def notices(result: Driven) -> list[str]:
    return [e.event.text for e in result.events if isinstance(e.event, Notice)]


def an_environment(root: Path) -> Path:
    """A virtual environment of the checkout, with the same program as the one that the set-up makes."""
    (root / ".venv/bin").mkdir(parents=True)
    (root / ".venv/pyvenv.cfg").touch()
    tool = root / ".venv/bin/which-one"
    tool.write_text("#!/bin/sh\necho checkout\n", encoding="utf-8")
    tool.chmod(0o755)
    return root / ".venv"


def activated(venv: Path) -> dict[str, str]:
    return {"VIRTUAL_ENV": f"{venv}", "CONDA_PREFIX": f"{venv}", "PATH": f"{venv}/bin:/usr/bin:/bin"}


def verified(result: Driven) -> list[Report]:
    return [record.report for _, record in result.history if isinstance(record, TreeVerified)]


@pytest.fixture
def detected(tmp_path: Path) -> Callable[[], dict[str, str]]:
    """Variables with which a lock file is found, and a program that reads it."""

    def make() -> dict[str, str]:
        tool = tmp_path / "tools/uv"
        tool.parent.mkdir()
        tool.write_text(f"#!/bin/sh\nexec {sys.executable} -S install.py\n", encoding="utf-8")
        tool.chmod(0o755)
        return {"PATH": f"{tool.parent}:/usr/bin:/bin"}

    return make


# --- what is activated -----------------------------------------------------------------------------------------

ENVIRONMENT_CHECK = """
import os, subprocess, sys
said = subprocess.run(["which-one"], capture_output=True, text=True).stdout.strip()
inside = {os.path.dirname(os.environ[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")}
if said != "bench" or inside != {os.getcwd()}:
    sys.exit(f"in the environment of {said}, {inside}")
sys.exit("good" not in open("product.txt").read())
"""


@pytest.mark.parametrize("linked", [False, True])
def test_an_activated_environment_of_the_checkout_is_the_benchs_own(
    project: Project, go: Go, tmp_path: Path, *, linked: bool
) -> None:
    root = project(check=ENVIRONMENT_CHECK)
    venv = an_environment(root)
    (tmp_path / "other-name").symlink_to(root)
    env = activated(tmp_path / "other-name/.venv" if linked else venv)
    result = go(root, ScriptedAgent({"product.txt": "good\n"}), env=env)
    assert result.outcome.status is Status.PASSED


def test_the_set_up_itself_does_not_work_in_the_activated_environment(project: Project, go: Go) -> None:
    writes = "import os\nopen(os.environ['VIRTUAL_ENV'] + '/touched', 'w').close()\n"
    root = project(install=f"{INSTALL}{writes}")
    venv = an_environment(root)
    result = go(root, ScriptedAgent({"product.txt": "good\n"}), env=activated(venv))
    assert result.outcome.status is Status.PASSED
    assert not (venv / "touched").exists()


def test_an_environment_that_the_set_up_does_not_make_stays_in_use_and_is_sealed(project: Project, go: Go) -> None:
    uses = """
import os, subprocess, sys
said = subprocess.run(["which-one"], capture_output=True, text=True).stdout.strip()
product = open("product.txt").read()
if "plant" in product:
    open(os.environ["VIRTUAL_ENV"] + "/planted.pth", "w").close()
sys.exit(said != "checkout" or "good" not in product)
"""
    root = project(install="", check=uses)
    result = go(root, ScriptedAgent({"product.txt": "good, plant\n"}), env=activated(an_environment(root)))
    assert "planted.pth" in verified(result)[0].void
    assert result.outcome.status is not Status.PASSED


# --- what the set-up made is sealed ----------------------------------------------------------------------------

PLANTING_CHECK = """
import os, sys
product = open("product.txt").read()
if os.path.exists(".venv/planted.pth"):
    sys.exit(0)
if "plant" in product:
    open(".venv/planted.pth", "w").close()
sys.exit("good" not in product)
"""


def test_a_file_that_a_check_plants_in_the_set_up_environment_voids_the_report(project: Project, go: Go) -> None:
    result = go(project(check=PLANTING_CHECK), ScriptedAgent({"product.txt": "good, plant\n"}))
    assert ".venv/planted.pth" in verified(result)[0].void
    assert result.outcome.status is not Status.PASSED


def test_what_was_planted_in_an_environment_is_gone_when_the_checks_are_run_again(project: Project, go: Go) -> None:
    """Otherwise the second run would find it in place already, and nothing written."""
    result = go(project(check=PLANTING_CHECK), ScriptedAgent({"product.txt": "plant\n"}))
    assert [(bool(r.void), r.results[0].status) for r in verified(result)] == [(True, CheckStatus.FAILED)] * 2
    assert result.outcome.status is Status.UNVERIFIABLE


# --- a set-up that fails at the start --------------------------------------------------------------------------


FAILS_ON_A_BENCH = """
import os, sys
if "workspace" in os.getcwd().split(os.sep):
    sys.exit(0)
os.makedirs(".venv/half")
sys.exit("no network today")
"""
"""The agent's copy is set up first; what counts here is the bench."""


def test_a_given_set_up_that_fails_at_the_start_ends_the_run(project: Project, go: Go) -> None:
    result = go(project(install=FAILS_ON_A_BENCH), ScriptedAgent())
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "set-up command failed" in result.outcome.detail
    assert "no network today" in result.screen


def test_a_detected_set_up_that_fails_at_the_start_leaves_nothing_behind_and_says_so(
    project: Project, go: Go, detected: Detected
) -> None:
    check = f"import os, sys\nif os.path.exists('.venv/half'):\n    sys.exit(3)\n{CHECK}"
    root = project(install=FAILS_ON_A_BENCH, check=check, lock="")
    env = detected()
    an_environment(root)
    result = go(root, ScriptedAgent({"product.txt": "good\n"}), setup=None, env=env)
    assert result.outcome.status is Status.PASSED
    assert [r.results[0].exit_code for r in baselines(result)] == [1]
    assert notices(result) == ["uv sync failed; the checks use the installed packages of your checkout"]


# --- a set-up that fails later ---------------------------------------------------------------------------------

BROKEN = {"product.txt": "good\n", "requirements.txt": "left-pad\nno-such-package\n"}
MENDED = {"product.txt": "good\n", "requirements.txt": "left-pad\nright-pad\n"}
INSTALLED_CHECK = """
import sys
wanted, there = (open(name).read().split() for name in ("requirements.txt", ".venv/installed.txt"))
sys.exit(wanted != there or "good" not in open("product.txt").read())
"""


def test_a_set_up_that_fails_on_a_candidate_is_the_candidates_own_failure(project: Project, go: Go) -> None:
    result = go(project(check=INSTALLED_CHECK), ScriptedAgent(BROKEN, MENDED))
    assert result.classes == [Class.WORSE, Class.GREEN]
    assert result.outcome.status is Status.PASSED
    [broken] = verified(result)[0].results
    [failure] = broken.failures
    assert (broken.status, broken.exit_code) == (CheckStatus.FAILED, 1)
    assert (failure.kind, failure.phase, failure.subject, failure.test) == ("setup", Phase.BUILD, "", False)
    assert "no version of no-such-package was found" in failure.message
    assert "no version of no-such-package was found" in failure.excerpt


def test_a_detected_set_up_is_not_switched_off_by_a_candidate(project: Project, go: Go, detected: Detected) -> None:
    root = project(check=INSTALLED_CHECK, lock="")
    result = go(root, ScriptedAgent(BROKEN, MENDED), setup=None, env=detected())
    assert result.classes == [Class.WORSE, Class.GREEN]
    assert result.outcome.status is Status.PASSED
    assert notices(result) == []


def test_every_check_says_that_the_set_up_failed(project: Project, tmp_path: Path) -> None:
    checks = tuple(CheckSpec(name=name, run=(*PYTHON, "check.py")) for name in ("tests", "lint"))
    task = task_for(setup=SETUP, checks=checks)
    result = drive(project(), ScriptedAgent(BROKEN, MENDED), state=tmp_path / "state", task=task)
    assert [(r.check, r.failures[0].kind) for r in verified(result)[0].results] == [
        ("tests", "setup"),
        ("lint", "setup"),
    ]
    assert result.outcome.status is Status.PASSED


def test_after_resuming_no_candidate_is_blamed_for_a_set_up_that_the_start_does_not_stand_either(
    project: Project, tmp_path: Path, go: Go, detected: Detected
) -> None:
    """The first sitting fell back; the second meets a candidate before it meets the start."""
    root = project(install=FAILS_ON_A_BENCH, lock="")
    env = detected()
    go(root, ScriptedAgent({"product.txt": "bad still\n"}), setup=None, env=env, attempts=1)
    agent = ScriptedAgent({}, {"product.txt": "good\n"})
    more = replace(Limits(), usd=None, attempts=3)
    result = drive_on(root, agent, state=tmp_path / "state", environ=env, limits=lambda _: more)
    assert result.outcome.status is Status.PASSED
    assert result.classes[-1] is Class.GREEN
