"""`trueup review`: a person decides about what a run has proven, or found suspicious; nobody else does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trueup.act.ancestry import inside_a_run
from trueup.act.project import find_project, project_state
from trueup.testing import ScriptedAgent, Step, python_project

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

CALC = "def add(a, b):\n    return a - b\n"
FIXED = CALC.replace("a - b", "a + b")
OTHER = CALC.replace("a - b", "b + a")
ODD = f"import atexit\n\natexit.register(print)\n\n\n{FIXED}"
CHECK = f"{sys.executable} -S check.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A project whose latest run waits for a person."""

    project: Path
    environ: dict[str, str]
    run: str
    agent: ScriptedAgent

    @property
    def state(self) -> Path:
        return project_state(find_project(self.project), self.environ)


def environment(home: Path) -> dict[str, str]:
    own = ("TRUEUP_", "GIT_", "XDG_", "PYTEST_")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(own)}
    return {**inherited, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}


def started(place: Path, environ: dict[str, str], project: Path, item: str, *steps: Step) -> tuple[str, ScriptedAgent]:
    agent = ScriptedAgent(*steps, usd=0.1)
    line = agent.as_command(place / f"agent-{item}")
    argv = [sys.executable, "-m", "trueup", "run", "make add add", "-C", str(project), "--item", item, "--json"]
    argv += ["--agent-cmd", line, "--check", CHECK, "--reviewer", "person"]
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 5, done.stdout[-2000:] + done.stderr
    return str(json.loads(done.stdout.splitlines()[0])["run"]), agent


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Waiting:
    base = tmp_path_factory.mktemp("waiting")
    (base / "home").mkdir()
    check = "from calc import add\n\nassert add(2, 3) == 5, 'add(2, 3) is wrong'\n"
    project, environ = python_project(base / "calc", files={"calc.py": CALC, "check.py": check}), environment(base)
    run, agent = started(
        base, environ, project, "work", Step(writes={"calc.py": FIXED}), Step(writes={"calc.py": OTHER})
    )
    return Waiting(project=project, environ=environ, run=run, agent=agent)


@pytest.fixture
def waiting(template: Waiting, tmp_path: Path) -> Waiting:
    """A copy, to be changed."""
    project = shutil.copytree(template.project, tmp_path / "calc", symlinks=True)
    mine = Waiting(project=project, environ=environment(tmp_path), run=template.run, agent=template.agent)
    shutil.copytree(template.state, mine.state, symlinks=True, dirs_exist_ok=True)
    return mine


def test_what_waits_is_shown_with_how_to_decide(template: Waiting, cli: Cli) -> None:
    said = cli(template, "review", "show")
    assert said.code == 0
    assert f"run {template.run}: attempt 1 is proven and waits for a person" in said.out
    for command in (f"trueup diff {template.run} 1", f"trueup review approve {template.run}", "trueup review reject"):
        assert command in said.out
    told = cli(template, "review", "show", template.run[:3], "--json").json
    assert (told["run"], told["waits"]["attempt"], told["verdicts"]) == (template.run, 1, [])
    assert "blocked" in cli(template, "runs").out


def test_an_approval_passes_what_was_proven_and_is_told_wherever_the_result_is(waiting: Waiting, cli: Cli) -> None:
    said = cli(waiting, "review", "approve", "-m", "just what I meant")
    assert said.code == 0, said.out + said.err
    assert "passed · 1 attempt" in said.out
    assert "review   approved by person: just what I meant" in said.out
    proof = cli(waiting, "proof", "--json").json
    assert proof["approval"]["reviewer"] == "person"
    assert proof["approval"]["tree"] == proof["result"]
    assert "approved by person: just what I meant" in cli(waiting, "proof").out
    shown = cli(waiting, "review", "show")
    assert (shown.code, "does not wait for a person; what was said" in shown.out) == (0, True)
    assert "approved by person, round 1\n  just what I meant" in shown.out
    again = cli(waiting, "review", "approve")
    assert again.code == 2
    assert "does not wait for a person" in again.err
    assert "it ended as passed" in again.err


def test_a_rejection_is_told_to_the_agent_word_by_word_and_what_it_makes_of_it_waits_again(
    waiting: Waiting, cli: Cli
) -> None:
    words = "Sum in the other order:\n  b + a, please."
    said = cli(waiting, "review", "reject", "-m", words)
    assert said.code == 5, said.out + said.err
    assert "attempt 2 is proven and waits for a person's review" in said.out
    prompt = waiting.agent.read_prompts()[-1]
    assert "rejected by person, round 1" in prompt
    assert words in prompt
    shown = cli(waiting, "review", "show").out
    assert "rejected by person, round 1\n  Sum in the other order:\n    b + a, please." in shown
    passed = cli(waiting, "review", "approve", "--json")
    assert passed.code == 0
    ended = json.loads(passed.out.splitlines()[-1])["event"]["outcome"]
    assert (ended["status"], ended["attempts"], ended["detail"]) == (
        "passed",
        2,
        "the goal is met and proven; approved by person",
    )


def test_resumed_without_a_word_it_waits_again(waiting: Waiting, cli: Cli) -> None:
    before = len(waiting.agent.read_prompts())
    said = cli(waiting, "resume")
    assert said.code == 5, said.out + said.err
    assert len(waiting.agent.read_prompts()) == before, "nothing is paid"
    assert cli(waiting, "review", "show").code == 0


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (("reject",), "a rejection needs a reason"),
        (("reject", "-m", "  "), "a rejection needs a reason"),
        (("reject", "-m", "x" * 8_001), "longer than 8000 characters"),
        (("merge",), "trueup review merge is not known"),
        (("approve", "ffff"), "there is no run 'ffff'"),
    ],
)
def test_what_cannot_be_meant_is_refused(template: Waiting, cli: Cli, args: tuple[str, ...], what: str) -> None:
    said = cli(template, "review", *args)
    assert said.code == 2
    assert what in said.err
    assert cli(template, "review", "show").code == 0, "and changes nothing"


# --- the agent does not grade itself -----------------------------------------------------------------------------------


def approve(
    waiting: Waiting, *prefix: str, where: Path | None = None, **environ: str
) -> subprocess.CompletedProcess[str]:
    argv = [*prefix, sys.executable, "-m", "trueup", "review", "approve", waiting.run]
    argv += ["-C", str(where or waiting.project)]
    return subprocess.run(argv, env={**waiting.environ, **environ}, capture_output=True, text=True, check=False)


HIDDEN = ("env", "-u", "TRUEUP_RUN")
BY_A_SHELL = ("sh", "-c", '"$@"; exit $?', "sh")


@pytest.mark.parametrize("prefix", [(), (*BY_A_SHELL, *HIDDEN), (*BY_A_SHELL, "setsid", "--wait", *HIDDEN)])
def test_no_approval_comes_from_inside_a_run(template: Waiting, prefix: tuple[str, ...]) -> None:
    done = approve(template, *prefix, TRUEUP_RUN="0000")
    assert done.returncode == 2
    assert "an agent cannot approve or reject its own work" in done.stderr


def test_nor_from_the_folder_that_the_agent_works_in(template: Waiting) -> None:
    (workspace,) = (template.state / "runs").glob("*/workspace/calc")
    done = approve(template, where=workspace)
    assert done.returncode == 2
    assert "an agent cannot approve or reject its own work" in done.stderr


def test_this_very_process_is_inside_no_run() -> None:
    assert not inside_a_run()


# --- which run, and which files ----------------------------------------------------------------------------------------


def test_when_two_runs_wait_the_one_that_is_meant_has_to_be_named(waiting: Waiting, cli: Cli, tmp_path: Path) -> None:
    second, _ = started(tmp_path, waiting.environ, waiting.project, "other", Step(writes={"calc.py": OTHER}))
    for action in ("approve", "show"):
        said = cli(waiting, "review", action)
        assert said.code == 2
        assert "2 runs wait for a person" in said.err
        assert f"{second}: other; {waiting.run}: work" in said.err
    assert f"run {waiting.run}: attempt 1" in cli(waiting, "review", "show", waiting.run).out


def test_an_approval_of_files_that_are_gone_is_refused(waiting: Waiting, cli: Cli) -> None:
    shutil.rmtree(waiting.state / "store.git" / "objects")
    (waiting.state / "store.git" / "objects").mkdir()
    said = cli(waiting, "review", "approve")
    assert said.code == 2
    assert "are gone" in said.err


def test_a_suspicious_change_waits_for_a_person_who_can_release_it(waiting: Waiting, cli: Cli, tmp_path: Path) -> None:
    run, _ = started(tmp_path, waiting.environ, waiting.project, "odd", Step(writes={"calc.py": ODD}))
    shown = cli(waiting, "review", "show", run)
    assert "passes its checks, but looks suspicious: calc.py:1: acts when the interpreter ends" in shown.out
    said = cli(waiting, "review", "approve", run)
    assert said.code == 0, said.out + said.err
    assert "approved by person" in said.out
