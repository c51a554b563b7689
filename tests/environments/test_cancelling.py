"""Whoever presses Ctrl-C does not wait for a verifier: not for a tool that hangs, nor for code that ignores signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from trueup.act.process import BRIEF_GRACES, Completed, Processes
from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers import entry_probe, running
from trueup.verify.verifiers.base import Bench, Reach, Verdict
from trueup.verify.verifiers.running import Workshop, verify_one

CANCELLED = 130
LIMIT = 120.0
"""Far more than it takes, however busy the machine is: it ends, or it hangs."""
STUBBORN = "#!/bin/sh\ntrap '' INT TERM\nwhile :; do sleep 1; done\n"
DEAF = "import signal, time\nfor one in (signal.SIGINT, signal.SIGTERM):\n    signal.signal(one, signal.SIG_IGN)\n"
FOREVER = f"{DEAF}import threading\nthreading.Event().wait()\n"
WHEN_STARTED = "if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in FOREVER.splitlines())
HANGING: dict[str, tuple[Mapping[str, str], str]] = {
    "syntax": ({"a.sh": "true\n"}, "programs/bash"),
    "dependencies": ({"requirements.txt": "idna\n"}, "programs/uv"),
    "smoke": ({"main.py": "import hanging\n", "hanging.py": FOREVER}, "import_probe"),
    "entrypoint": ({"Procfile": "web: python serve.py\n", "serve.py": WHEN_STARTED}, "entry_probe"),
    "browser": ({"index.html": "<h1>Hello</h1>"}, "programs/chromium --headless"),
}
"""Verifier -> the files, and the word by which the hanging process is known."""
STAND_IN = f"""{DEAF}
import json, subprocess, sys
subprocess.run([json.loads(sys.argv[2])["program"], "--headless"])
"""
"""For Playwright, which need not be installed: it starts the browser and waits for it, and so does this."""
WITH_STAND_IN = """
import importlib.util, sys
from trueup.verify.verifiers import browser_probe
browser_probe.__file__ = {probe!r}
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: True if name == "playwright" else found(name, *more)
sys.argv[0] = "trueup"
from trueup.cli import main
main()
"""


@pytest.mark.parametrize("name", HANGING)
def test_ctrl_c_ends_a_verifier_whose_child_hangs_and_everything_that_it_started(tmp_path: Path, name: str) -> None:
    files, word = HANGING[name]
    project = tmp_path / "project"
    project.mkdir()
    for path, content in files.items():
        (project / path).write_text(content)
    check = _started(tmp_path, project, name)
    try:
        _wait_for(check, word)
        family = psutil.Process(check.pid).children(recursive=True)
        check.send_signal(signal.SIGINT)
        assert check.wait(LIMIT) == CANCELLED
    finally:
        check.kill()
    _, alive = psutil.wait_procs(family, timeout=LIMIT)
    assert not alive


def _started(base: Path, project: Path, verifier: str) -> subprocess.Popen[bytes]:
    programs = base / "programs"
    programs.mkdir()
    for name in {"syntax": ("bash",), "dependencies": ("uv",), "browser": ("chromium",)}.get(verifier, ()):
        (programs / name).write_text(STUBBORN)
        (programs / name).chmod(0o755)
    env = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(base),
        "XDG_STATE_HOME": str(base / "state"),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
    }
    how = ("-m", "trueup")
    if verifier == "browser":
        (programs / "probe.py").write_text(STAND_IN)
        how = ("-c", WITH_STAND_IN.format(probe=str(programs / "probe.py")))
    words = (*how, "check", "--builtin", "--verifier", verifier, "-C", str(project))
    heard = ("/usr/bin/env", "--default-signal=INT")  # whoever runs this in the background may have it ignored
    command = (*heard, sys.executable, *words)
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _wait_for(check: subprocess.Popen[bytes], word: str) -> None:
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        assert check.poll() is None, f"it ended by itself, with {check.returncode}"
        if any(word in " ".join(_words(one)) for one in psutil.Process(check.pid).children(recursive=True)):
            return
        time.sleep(0.05)
    raise AssertionError(f"{word} was never started")


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_nothing_that_waits_does_so_for_a_second() -> None:
    assert running._LOOK < 0.5
    assert entry_probe.LOOK < 0.5
    assert BRIEF_GRACES.interrupt + BRIEF_GRACES.terminate < 0.8


def test_what_a_verifier_starts_is_ended_with_brief_graces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    class Spied(Processes):
        def run(self, *_: Any, **how: Any) -> Completed:
            asked.append(how.get("graces"))
            raise RuntimeError

    class Starting:
        name, question, reach, needs = "starting", "?", Reach.STATIC, ()

        def verify(self, bench: Bench) -> Verdict:
            bench.processes.run(("true",), cwd=tmp_path, env={}, timeout=1.0)
            return Verdict()

    monkeypatch.setattr(running, "verifier", lambda _: Starting())
    workshop = Workshop(processes=Spied(), env={}, scratch=tmp_path / "s", cache=tmp_path / "c")
    verify_one("starting", SourceFiles(tmp_path, ()), workshop, {})
    assert asked == [BRIEF_GRACES]
