"""Killed at any word to GitHub, or any touch of a folder of issues, a run comes to the same end and says it once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trueup.testing import python_project

FILES = {"sum.txt": "2 + 2 = 5\n", "check.sh": 'grep -q "= 4" sum.txt\n'}
PROGRAMS = ("git", "grep", "sh")
AGENT = "sh -c 'echo 2 + 2 = 4 > sum.txt'"
ISSUE = "---\nstate: ready\n---\n# The sum is wrong\n\n2 + 2 is 4.\n"
# `trueup`, which counts what the folder tracker writes, makes, renames and removes, and dies right before touch DEADLY.
DEADLY = """\
import os, runpy, signal, sys
from pathlib import Path

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.utime"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
touches, deadly = Path(os.environ["TOUCHES"]), int(os.environ["DEADLY"])
count, counting = 0, False

def touched(event, args):
    global count, counting
    if counting or not (event in CHANGES or (event == "open" and args[2] & WRITES)):
        return
    if not sys._getframe(1).f_code.co_filename.endswith("trackers/folder.py"):
        return
    counting = True
    count += 1
    if count == deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    touches.write_text(str(count))
    counting = False

sys.addaudithook(touched)
runpy.run_module("trueup", run_name="__main__")
"""


class Bench:
    """A project with a remote, and a scripted GitHub with one issue that is ready."""

    def __init__(self, gh: Any, folder: Path) -> None:
        self.gh = gh
        self.project = python_project(folder / "shop", files=FILES)
        for args in (
            ("init", "-q", "--bare", str(folder / "remote.git")),
            ("remote", "add", "origin", str(folder / "remote.git")),
            ("push", "-q", "origin", "main"),
        ):
            subprocess.run(["git", *args], cwd=self.project, check=True)
        home = folder / "home"
        (home / "bin").mkdir(parents=True)
        for name in PROGRAMS:
            (home / "bin" / name).symlink_to(shutil.which(name) or name)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("TRUEUP_", "GIT_", "XDG_", "GH_"))}
        own = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "PATH": str(home / "bin")}
        self.environ = gh.environ({**inherited, **own})
        gh.set(remote=str(folder / "remote.git"))
        gh.add(42, "The sum is wrong", "", "ready")

    def trueup(self, *args: str) -> tuple[int, str]:
        argv = [sys.executable, "-m", "trueup", *args, "-C", str(self.project)]
        ended = subprocess.run(argv, env=self.environ, capture_output=True, text=True, timeout=600, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    def work(self) -> tuple[int, str]:
        return self.trueup("run", "--issue", "next", "--agent-cmd", AGENT, "--check", "sh check.sh")

    def ends_well(self) -> None:
        told = self.gh.comments(42)
        assert [("**passed**" in text, "claim run=" in text) for text in told] == [(True, False)], told
        assert self.gh.labels(42) == ["done"]
        assert len(self.gh.state["pulls"]) == 1
        assert self.gh.state["pulls"][0]["url"] in told[0]


@pytest.fixture
def calls(gh: Any, tmp_path: Path) -> int:
    """How often an undisturbed run asks GitHub."""
    bench = Bench(gh, tmp_path / "calm")
    code, said = bench.work()
    assert code == 0, said
    bench.ends_well()
    return len(gh.state["calls"])


@pytest.mark.parametrize("way", ["next", "resume"])
def test_a_kill_at_any_word_to_github_ends_as_if_nothing_had_happened(
    calls: int, way: str, tmp_path: Path, make_gh: Any
) -> None:
    died = 0
    for number in range(1, calls + 1):
        bench = Bench(make_gh(tmp_path / f"{number}-gh"), tmp_path / f"{number}")
        bench.gh.set(kill_after=number)
        code, said = bench.work()
        assert code == -signal.SIGKILL, f"call {number}: {said}"
        died += 1
        bench.gh.set(kill_after=0)
        code, said = bench.trueup("resume") if way == "resume" else bench.work()
        if "there is no run in this project yet" in said:  # killed before it had begun
            code, said = bench.work()
        # After the very last word nothing is left to be told.
        assert code == 0 or (number == calls and "has ended" in said), f"call {number}: {said}"
        bench.ends_well()
    assert died == calls > 10


class Folder:
    """A project with a folder of issues, one of them ready, and neither a remote nor `gh`."""

    def __init__(self, folder: Path) -> None:
        self.project = python_project(folder / "shop", files={**FILES, "issues/2-sum.md": ISSUE})
        self.touches = folder / "touches"
        home = folder / "home"
        (home / "bin").mkdir(parents=True)
        for name in PROGRAMS:
            (home / "bin" / name).symlink_to(shutil.which(name) or name)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("TRUEUP_", "GIT_", "XDG_", "GH_"))}
        own = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "PATH": str(home / "bin")}
        self.environ = {**inherited, **own, "TOUCHES": str(self.touches)}

    def trueup(self, *args: str, deadly: int = 0) -> tuple[int, str]:
        argv = [sys.executable, "-c", DEADLY, *args, "-C", str(self.project)]
        environ = {**self.environ, "DEADLY": str(deadly)}
        ended = subprocess.run(argv, env=environ, capture_output=True, text=True, timeout=600, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    def work(self, *, deadly: int = 0) -> tuple[int, str]:
        args = ("run", "--issue", "next", "--agent-cmd", AGENT, "--check", "sh check.sh")
        return self.trueup(*args, deadly=deadly)

    def ends_well(self) -> None:
        told = (self.project / "issues" / "2-sum.md").read_text()
        assert told.startswith(ISSUE.replace("state: ready", "state: done")), told
        assert told.count("**passed**") == 1, told
        assert told.count("To be merged: `trueup/2-sum` into `main`") == 1, told
        left = sorted(path.name for path in (self.project / "issues" / ".trueup").rglob("*") if path.is_file())
        assert left == [".gitignore", "lock"]


@pytest.mark.parametrize("way", ["next", "resume"])
def test_a_kill_at_any_touch_of_the_folder_ends_as_if_nothing_had_happened(way: str, tmp_path: Path) -> None:
    calm = Folder(tmp_path / "calm")
    code, said = calm.work()
    assert code == 0, said
    calm.ends_well()
    touches = int(calm.touches.read_text())
    assert touches > 20
    for number in range(1, touches + 1):
        place = Folder(tmp_path / f"{number}")
        code, said = place.work(deadly=number)
        assert code == -signal.SIGKILL, f"touch {number}: {said}"
        code, said = place.trueup("resume") if way == "resume" else place.work()
        if "there is no run in this project yet" in said:  # killed before it had begun
            code, said = place.work()
        assert code == 0 or "has ended" in said, f"touch {number}: {said}"
        place.ends_well()
