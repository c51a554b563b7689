"""A real program as the reviewer: it reads, cannot write, answers by a record, and its words reach the author."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

FEEDBACK = "No tables of answers: add has to work for all numbers."
TABLE, FIXED = "return {(2, 3): 5, (4, 0): 4}.get((a, b))", "return a + b"
"""The first passes the tests, and is turned down."""
_SHELL = "echo broken > calc.py"
_BREAK = {"bash": _SHELL}
_EDIT = {"edit": "calc.py", "old": "def add", "new": "def broken"}
WRITES: dict[str, list[dict[str, Any]]] = {
    "claude": [
        {"tool": "Write", "input": {"file_path": "{{cwd}}/calc.py", "content": "raise SystemExit\n"}},
        {"tool": "Bash", "input": {"command": _SHELL}},
    ],
    "codex": [_BREAK],
    "copilot": [_BREAK, _EDIT],
    "gemini": [
        {"tool": "run_shell_command", "input": {"command": _SHELL}},
        {"tool": "write_file", "input": {"file_path": "{{cwd}}/calc.py", "content": "raise SystemExit\n"}},
    ],
    "opencode": [
        {"tool": "bash", "input": {"command": _SHELL, "description": "break it"}},
        {"tool": "write", "input": {"filePath": "{{cwd}}/calc.py", "content": "raise SystemExit\n"}},
    ],
    "qwen": [
        {"tool": "run_shell_command", "input": {"command": _SHELL, "is_background": False}},
        {"tool": "write_file", "input": {"file_path": "{{cwd}}/calc.py", "content": "raise SystemExit\n"}},
    ],
}
"""What a reviewer must not do, by the tools that the program may have."""
REFUSED = (
    r"(?i)no such tool|not allowed|permission|denied|disallowed|read-only|not permitted|isn't available|not available"
    r"|unavailable tool|tool .{0,40}not found"
)


def edits(old: str, new: str) -> list[dict[str, Any]]:
    return [{"do": [{"edit": "calc.py", "old": old, "new": new}]}, {"say": "Done."}]


def verdict(**body: Any) -> dict[str, str]:
    return {"say": f"I have read it.\n\n```json\n{json.dumps({'nonce': '{{nonce}}', **body})}\n```"}


def script(program: str) -> dict[str, Any]:
    point = {"aspect": "approach", "subject": "add", "file": "calc.py", "demand": "Compute the sum."}
    no = verdict(approved=False, feedback=FEEDBACK, points=[point])
    review = r"\A\s*# Review\b"
    return {
        "runs": [
            {
                "when": {"prompt": review, "not_prompt": "# Earlier verdicts"},
                "turns": [{"do": [one]} for one in WRITES[program]] + [no],
            },
            {"when": {"prompt": review}, "turns": [verdict(approved=True, feedback="Fine now.")]},
            {"when": {"prompt": re.escape(FEEDBACK)}, "turns": edits(TABLE, FIXED)},
            {"turns": edits("return a - b", TABLE)},
        ],
        "after_runs": "last",
    }


def test_a_real_program_reviews_what_another_one_of_its_kind_did(stage: Any, note: Callable[..., None]) -> None:
    if stage.program.name not in WRITES:
        pytest.skip("it has no tools: it only answers (aider), or cannot be told to read only (mini)")
    ran = stage.run(script(stage.program.name), "--reviewer", stage.program.name)
    reviews = [e["event"] for e in ran.events if e["event"].get("record", {}).get("kind") == "tree_reviewed"]
    assert [r["record"]["status"] for r in reviews if "record" in r] == ["answered", "answered"], ran.errors
    assert ran.outcome["status"] == "passed", ran.errors
    assert ran.exit_code == 0
    assert len(ran.attempts) == 2
    asked = [request for request in ran.requests if "# Review" in ran.prompts(request)]
    assert all(f"+    {text}" in ran.prompts(asked[at]) for at, text in ((0, TABLE), (-1, FIXED)))
    answers = str([request["tool_results"] for request in asked])
    assert re.search(REFUSED, answers), answers
    assert len(asked) == len(WRITES[stage.program.name]) + 2, "each attempt to write was answered by the program itself"
    said = [result["record"]["verdict"] for result in reviews]
    assert [v["approved"] for v in said] == [False, True]
    assert FEEDBACK in ran.attempts[1].arrived, "word for word"
    if stage.program.usd_per_request is not None:
        cost = [r["record"]["claimed_usd"] for r in reviews]
        least = [stage.program.usd_per_request * n for n in (len(asked) - 1, 1)]
        own = stage.program.usd_per_request * sum(request["kind"] != "main" for request in ran.asked)
        assert all(0 <= told - meant + 1e-9 <= own + 2e-9 for told, meant in zip(cost, least, strict=True)), cost
        assert ran.outcome["usd"] == pytest.approx(sum(cost) + sum(a.charged for a in ran.attempts))
    assert FIXED in git(ran.project, "show", f"{branch(ran)}:calc.py")
    assert ran.left == []
    note(stage.program.name, "as the reviewer", "rejected, then approved; could not write")


def branch(ran: Any) -> str:
    return str(next(e["event"]["branch"] for e in ran.events if e["kind"] == "run_ended"))


def git(folder: Any, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout
