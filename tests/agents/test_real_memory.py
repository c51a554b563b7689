"""A real program on a stalled work item: it succeeds because it is told the verdict, and has not seen the old change."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

FEEDBACK = "No tables of answers: add has to work for all numbers."
OLD = "return a - b"
TABLE = "return {(2, 3): 5, (4, 0): 4}.get((a, b))"
"""Passes the tests, and is turned down."""
FIXED = "return a + b"
SECTION = "# Prior attempts"
ITEM = ("--item", "add")

REVIEWER = f"""\
import json, re, sys
from pathlib import Path

(nonce,) = set(re.findall(r'"nonce": "([^"]+)"', Path(sys.argv[1]).read_text()))
bad = ".get(" in Path("calc.py").read_text()
points = [{{"aspect": "approach", "subject": "add", "file": "calc.py", "demand": "compute the sum"}}] if bad else []
print(json.dumps({{"nonce": nonce, "approved": not bad, "feedback": {FEEDBACK!r} if bad else "Fine.", "points": points}}))
"""


def edits(new: str) -> list[dict[str, Any]]:
    return [{"do": [{"edit": "calc.py", "old": OLD, "new": new}]}, {"say": "Done."}]


SCRIPT = {
    "runs": [
        {"when": {"prompt": re.escape(FEEDBACK), "not_prompt": r"\.get\(\(a, b\)\)"}, "turns": edits(FIXED)},
        {"turns": edits(TABLE)},
    ],
    "after_runs": "last",
}
"""The model knows the repair only if the verdict is in its prompt and the change that was turned down is not."""


def test_a_stalled_item_succeeds_because_of_the_verdict(stage: Any, tmp_path: Path, note: Callable[..., None]) -> None:
    reviewer = tmp_path / "reviewer.py"
    reviewer.write_text(REVIEWER)
    stage.program = replace(stage.program, env={**stage.program.env, "TRUEUP_REVIEW_ROUNDS": "1"})
    flags = (*ITEM, "--reviewer-cmd", f"{sys.executable} {reviewer} {{prompt_file}}")

    first = stage.run(SCRIPT, *flags)
    assert (first.outcome["status"], first.outcome["reason"]) == ("blocked", "review_rounds"), first.errors
    assert first.exit_code == 5
    asked = len(first.requests)
    assert all(SECTION not in first.prompts(request) for request in first.requests), "a fresh item"

    second = stage.run(SCRIPT, *flags)
    assert second.outcome["status"] == "passed", second.errors
    assert second.exit_code == 0
    told = second.prompts(second.requests[asked if len(second.requests) > asked else 0])
    assert SECTION in told
    assert FEEDBACK in told
    assert "The branch `trueup/add` holds what was tried; you may read it, you need not continue from it." in told
    assert TABLE not in told
    assert ".get(" not in told
    kept = git(second.project, "show", "trueup/add:calc.py")
    assert FIXED in kept
    assert second.left == []

    # The counter-test: without its memory the same model falls for the same idea again.
    trueup = Path(sys.executable).parent / "trueup"
    env = stage._environment("http://127.0.0.1:9")
    subprocess.run([trueup, "item", "forget", "add"], cwd=second.project, env=env, check=True, capture_output=True)
    third = stage.run(SCRIPT, *flags)
    assert third.outcome["status"] == "blocked", third.errors
    note(stage.program.name, "a stalled item, run again", "passed because of the verdict; blocked without it")


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout
