"""What holds for all tests: none depends on how fast the machine is, and none has to compile pytest for each run."""

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from trueup.act.bytecode import Bytecode
from trueup.act.process import Processes
from trueup.testing import PYTEST

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def compiled_pytest(tmp_path_factory: pytest.TempPathFactory) -> Bytecode:
    """What a run begins with when its start has run pytest already."""
    base = tmp_path_factory.mktemp("compiled")
    (base / "test_it.py").write_text("def test_passes():\n    assert 1\n\n\ndef test_fails():\n    assert 0\n")
    env = {"PYTHONPYCACHEPREFIX": str(base / "made"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    with Processes() as processes:
        done = processes.run((*PYTEST, "--junitxml=report.xml"), cwd=base, env=env, timeout=600)
    assert done.exit_code == 1, done.stdout.text()
    compiled = Bytecode.saved(base / "made", base / "kept", without=base)
    assert compiled is not None
    return compiled


class ScriptedGh:
    """GitHub as `scripted_gh.py` pretends it: a program `gh` in a folder for the PATH, and what it knows, in a file."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self.file = folder / "github.json"
        program = self.bin / "gh"
        program.write_text(f"#!{sys.executable} -S\n{Path(__file__).with_name('scripted_gh.py').read_text()}")
        program.chmod(0o755)
        faults = {"offline": [], "refuse": {}, "logged_out": False, "slow": 0, "behind": 0, "clock": 0}
        kills = {"kill_before": 0, "kill_after": 0, "interrupt_at": 0}
        known = {
            "issues": [],
            "comments": [],
            "pulls": [],
            "labels": ["ready", "in progress", "stalled", "done", "bug"],
        }
        counters = {"calls": [], "last": 100, "looks": 0, "page": 100, "remote": ""}
        self.file.write_text(json.dumps({**faults, **kills, **known, **counters}))

    @contextmanager
    def changed(self) -> Iterator[dict[str, Any]]:
        """What it knows and how it behaves, to be read and altered."""
        with self.file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = json.loads(self.file.read_text())
            yield state
            self.file.write_text(json.dumps(state))

    @property
    def state(self) -> dict[str, Any]:
        with self.changed() as state:
            return state

    def set(self, **behaviour: Any) -> None:
        with self.changed() as state:
            assert behaviour.keys() <= state.keys()
            state.update(behaviour)

    def add(self, number: int, title: str = "Adding is wrong", body: str = "", *labels: str, day: int = 1) -> None:
        url = f"https://github.com/acme/shop/issues/{number}"
        written = {"number": number, "title": title, "body": body, "url": url, "state": "OPEN"}
        with self.changed() as state:
            state["issues"].append({**written, "labels": list(labels), "createdAt": f"2026-01-{day:02}T10:00:00Z"})

    def labels(self, number: int) -> list[str]:
        return next(sorted(issue["labels"]) for issue in self.state["issues"] if issue["number"] == number)

    def comments(self, number: int) -> list[str]:
        return [comment["body"] for comment in self.state["comments"] if comment["issue"] == number]

    def write(self, number: int, body: str, *, seconds_ago: float = 0) -> None:
        """A comment by somebody else."""
        import time

        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds_ago))
        with self.changed() as state:
            state["last"] += 1
            comment = {"id": state["last"], "issue": number, "body": body, "created_at": when, "updated_at": when}
            state["comments"].append({**comment, "seen_from": 0})

    def environ(self, environ: dict[str, str]) -> dict[str, str]:
        path = os.pathsep.join((str(self.bin), environ.get("PATH", "")))
        return {**environ, "PATH": path, "GH_STATE": str(self.file)}


@pytest.fixture
def gh(tmp_path: Path) -> ScriptedGh:
    return ScriptedGh(tmp_path / "gh")


@pytest.fixture
def make_gh() -> type[ScriptedGh]:
    """For tests that need several."""
    return ScriptedGh
