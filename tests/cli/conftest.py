"""Fixtures: two real runs, made once for all tests, and the command line called as a user calls it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trueup.act import warden
from trueup.act.project import find_project, project_state
from trueup.cli import main
from trueup.testing import SHOP_FIX, SHOP_HALF_FIX, ScriptedAgent, Step, shop

CHECK = f"{sys.executable} -m pytest -q"
ODD_BYTES = b"caf\xe9\r\n"
MAKEFILE = "all:\n\ttrue\n"
"""Runs when somebody builds the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A project, where its state is kept, and its two runs."""

    project: Path
    environ: Mapping[str, str]
    passed: str = ""
    stuck: str = ""

    @property
    def state(self) -> Path:
        return project_state(find_project(self.project), self.environ)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


Cli = Callable[..., Said]


def environment(home: Path) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("TRUEUP_", "GIT_", "XDG_", "PYTEST_"))}
    quick = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the checks' own pytest needs none of ours
    quick["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), inherited.get("PATH", "")))
    return {**inherited, **quick, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}


def start(environ: Mapping[str, str], *args: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "trueup", *args]
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, env=dict(environ), stdout=pipe, stderr=subprocess.STDOUT, text=True)


def run_once(environ: Mapping[str, str], project: Path, task: str, agent: str, *more: str) -> tuple[int, str]:
    """Exit code and output of one run."""
    process = start(environ, "run", task, "-C", str(project), "--agent-cmd", agent, *more)
    said, _ = process.communicate(timeout=300)
    return process.returncode, said


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A shop with a run that passed and, after it, one that got half way and is stuck. To be read only."""
    base = tmp_path_factory.mktemp("played")
    (base / "home").mkdir()
    environ, project = environment(base / "home"), shop(base / "shop")
    good = Step(
        writes={**SHOP_FIX, "tests/test_cart.py": "def test_nothing():\n    pass\n", "Makefile": MAKEFILE},
        shell=[r"printf 'caf\351\r\n' > notes.txt"],
        usd=0.25,
        say="all done",
    )
    half = ScriptedAgent(SHOP_HALF_FIX, {}, then="repeat", usd=0.01)
    code, said = run_once(
        environ, project, "bulk discount", ScriptedAgent(good).as_command(base / "a"), "--check", CHECK
    )
    assert code == 0, said
    code, said = run_once(environ, project, "half way", half.as_command(base / "b"), "--check", CHECK)
    assert code == 1, said
    newest, oldest = sorted((project / ".trueup" / "runs").iterdir(), key=lambda one: -_began(one))
    return Place(project=project, environ=environ, passed=oldest.name, stuck=newest.name)


def _began(folder: Path) -> float:
    with (folder / "events.jsonl").open(encoding="utf-8") as events:
        return float(json.loads(events.readline())["time"])


@pytest.fixture
def own(played: Place, tmp_path: Path) -> Place:
    """The same project and state, to be changed."""
    environ = environment(tmp_path)
    shutil.copytree(played.project, tmp_path / "shop", symlinks=True, ignore=shutil.ignore_patterns("hooks"))
    mine = Place(project=tmp_path / "shop", environ=environ, passed=played.passed, stuck=played.stuck)
    leave = shutil.ignore_patterns("workspace", "hooks")  # the agents' copies: nobody goes on with these runs
    shutil.copytree(played.state, mine.state, symlinks=True, dirs_exist_ok=True, ignore=leave)
    return mine


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop(tmp_path_factory.mktemp("template") / "shop")


@pytest.fixture
def empty(template: Path, tmp_path: Path) -> Place:
    """A shop without a run."""
    return Place(
        project=shutil.copytree(template, tmp_path / "shop", ignore=shutil.ignore_patterns("hooks")),
        environ=environment(tmp_path),
    )


@pytest.fixture
def cli(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """`cli(place, "runs", "--json")`: exit code and output of one command."""

    def call(place: Place, *args: str) -> Said:
        for name in os.environ.keys() - place.environ.keys():
            monkeypatch.delenv(name)
        for name, value in place.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["trueup", *args, "-C", str(place.project)])
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return Said(code=int(ended.value.code or 0), raw=out, err=err.decode())

    yield call
    warden.prctl(warden.PR_SET_DUMPABLE, 1)  # commands that run checks made this very process undumpable
