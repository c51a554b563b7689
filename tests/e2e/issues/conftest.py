"""A small project with a remote, beside it a scripted GitHub; and `trueup` as a user starts it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from trueup.testing import python_project

PATIENCE = 300.0
"""Seconds; only a hang is longer."""
PROGRAMS = ("cp", "date", "git", "grep", "sh", "sleep", "touch", "true")
CHECK = "sh check.sh"
FILES = {
    "sum.txt": "2 + 2 = 5\n",
    "check.sh": 'grep -q "= 4" sum.txt || { echo "sum.txt:1: error: wrong sum [E1]"; exit 1; }\n',
}
FIX = "printf '2 + 2 = 4\\n' > sum.txt"


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        return self.out + self.err


@dataclass(slots=True, kw_only=True)
class Place:
    """A checkout, its state folder, and how agents behave there."""

    project: Path
    environ: dict[str, str]
    notes: Path
    extra: dict[str, str] = field(default_factory=dict)

    def agent(self, script: str = FIX) -> str:
        """A command that runs this script in the agent's copy. `$NOTES` is a folder for what it saw."""
        file = self.notes / "agent.sh"
        file.write_text(f'echo >> "$NOTES/calls"\ncp "$1" "$NOTES/prompt.md"\n{script}\n')
        return f"sh {file} {{prompt_file}}"

    def start(self, *args: str) -> subprocess.Popen[str]:
        argv = [sys.executable, "-m", "trueup", *args, "-C", str(self.project)]
        pipe = subprocess.PIPE
        environ = {**self.environ, **self.extra}
        return subprocess.Popen(argv, env=environ, stdout=pipe, stderr=pipe, text=True)

    def trueup(self, *args: str) -> Said:
        process = self.start(*args)
        out, err = process.communicate(timeout=PATIENCE)
        return Said(code=process.returncode, out=out, err=err)

    def run_args(self, issue: str, *more: str, agent: str = FIX) -> list[str]:
        return ["run", "--issue", issue, "--agent-cmd", self.agent(agent), "--check", CHECK, *more]

    def work(self, issue: str, *more: str, agent: str = FIX) -> Said:
        """`trueup run --issue …`."""
        return self.trueup(*self.run_args(issue, *more, agent=agent))

    @property
    def prompt(self) -> str:
        return (self.notes / "prompt.md").read_text()

    @property
    def calls(self) -> int:
        file = self.notes / "calls"
        return file.read_text().count("\n") if file.exists() else 0

    def runs(self) -> list[dict[str, Any]]:
        told: dict[str, list[dict[str, Any]]] = json.loads(self.trueup("runs", "--json").out)
        return told["runs"]

    def wait_for(self, name: str, process: subprocess.Popen[str]) -> None:
        """Until the agent has left this note."""
        deadline = time.monotonic() + PATIENCE
        while not (self.notes / name).exists():
            if process.poll() is not None:
                raise AssertionError(f"it ended: {process.communicate()}")
            assert time.monotonic() < deadline
            time.sleep(0.01)


def environment(home: Path, notes: Path) -> dict[str, str]:
    home.mkdir(parents=True)
    notes.mkdir(parents=True)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("TRUEUP_", "GIT_", "XDG_", "PYTEST_", "GH_"))}
    own = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "NOTES": str(notes)}
    # What lies on the PATH is looked at in each run: a few programs are enough.
    own["PATH"] = str(home / "bin")
    (home / "bin").mkdir()
    for name in PROGRAMS:
        (home / "bin" / name).symlink_to(shutil.which(name) or name)
    identity = {"GIT_CONFIG_GLOBAL": str(home / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    (home / "gitconfig").write_text("[user]\n\tname = me\n\temail = me@example.com\n")
    return {**inherited, **own, **identity}


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """What others can see."""
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    return tmp_path / "remote.git"


@pytest.fixture
def place(tmp_path: Path, gh: Any, remote: Path) -> Place:
    """A clean checkout of `main`, which is pushed."""
    project = python_project(tmp_path / "shop", files=FILES)
    git(project, "remote", "add", "origin", str(remote))
    git(project, "push", "-q", "origin", "main")
    gh.set(remote=str(remote))
    environ = gh.environ(environment(tmp_path / "home", tmp_path / "notes"))
    return Place(project=project, environ=environ, notes=tmp_path / "notes")


@pytest.fixture
def elsewhere(place: Place, remote: Path, gh: Any, tmp_path: Path) -> Callable[[str], Place]:
    """The same project on another machine: a clone and a state of its own."""

    def clone(name: str) -> Place:
        git(tmp_path, "clone", "-q", str(remote), name)
        environ = gh.environ(environment(tmp_path / f"{name}-home", tmp_path / f"{name}-notes"))
        return Place(project=tmp_path / name, environ=environ, notes=tmp_path / f"{name}-notes")

    return clone


@pytest.fixture
def branches(remote: Path) -> Callable[[], Mapping[str, str]]:
    """Name -> commit, of what was pushed."""

    def pushed() -> Mapping[str, str]:
        rows = git(remote, "for-each-ref", "--format=%(refname:short) %(objectname)").splitlines()
        return dict(row.split(" ", 1) for row in rows)

    return pushed
