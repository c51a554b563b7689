"""The examples work from a clean clone, offline, and leave nothing behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def play(name: str, tmp_path: Path) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("TRUEUP_", "XDG_", "PYTEST_"))}
    home = tmp_path / "home"
    home.mkdir()
    # The plug-ins of this test run would only make the example's own tests slow.
    environ |= {"HOME": str(home), "TMPDIR": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    said = subprocess.run([sys.executable, EXAMPLES / name], env=environ, cwd=tmp_path, capture_output=True, text=True)
    assert (said.returncode, said.stderr) == (0, ""), said.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert list(home.iterdir()) == []
    return said.stdout


def test_a_function_as_the_agent_with_live_events(tmp_path: Path) -> None:
    said = play("one.py", tmp_path)
    assert "  attempt 1: progress, 1 fixed, 1 left\n" in said
    assert "\npassed · 2 attempts · " in said
    assert " · $0.08 of $1.00 " in said
    assert "+        if count >= BULK_FROM:\n" in said
    assert said.endswith("applied: the checkout now holds shop/cart.py\n")


def test_an_asyncio_program_that_loses_patience_and_resumes(tmp_path: Path) -> None:
    first, second = (line for line in play("two.py", tmp_path).splitlines() if line.startswith("run "))
    run = first.split(":")[0]
    assert (first, second) == (f"{run}: cancelled after 1 attempt", f"{run}: passed after 2 attempts")


def test_a_service_that_repairs_several_projects_at_once(tmp_path: Path) -> None:
    answers = [json.loads(line) for line in play("three.py", tmp_path).splitlines()]
    assert [a["project"] for a in answers] == ["parser", "client", "server"]
    assert [a["status"] == "passed" for a in answers] == [True, True, False]
    assert "-    return int(text, 8)\n+    return int(text)\n" in answers[0]["patch"]
    assert (answers[2]["branch"], answers[2]["patch"]) == (None, "")
    assert answers[2]["failures"] == ["NameError: name 'undefined' is not defined"]
    assert answers[2]["full"]["event"]["outcome"]["status"] == answers[2]["status"]
