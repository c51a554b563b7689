"""No agent was named: a person at a terminal chooses among those that are here; nothing is started otherwise."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

CLAUDE = """#!/bin/sh
cat > /dev/null
touch "$PAID" fixed.txt
echo '{"type": "result", "subtype": "success", "is_error": false, "total_cost_usd": 0.25, "session_id": "s-1"}'
"""
CHECK = ("--check", "test -f fixed.txt")


@pytest.fixture
def at_a_terminal(empty: Any, tmp_path: Path) -> Any:
    """`trueup run` with a terminal for input and output, and what a person types there."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("claude", "mini"):
        (programs / name).write_text(CLAUDE)
        (programs / name).chmod(0o755)

    def run(typed: str, *flags: str) -> tuple[int, str, list[str]]:
        ours, theirs = pty.openpty()
        environ = {**empty.environ, "PATH": f"{programs}:/usr/bin:/bin", "PAID": str(tmp_path / "paid")}
        argv = [sys.executable, "-m", "trueup", "run", "-C", str(empty.project), *CHECK, *flags]
        with subprocess.Popen(argv, env=environ, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, text=True) as it:
            os.close(theirs)
            shown = threading.Thread(target=_drain, args=(ours,))
            shown.start()
            os.write(ours, typed.encode())
            _, said = it.communicate(timeout=120)
            shown.join()
        os.close(ours)
        return it.returncode, said, [path.name for path in tmp_path.glob("paid")]

    return run


def _drain(terminal: int) -> None:
    try:
        while os.read(terminal, 65_536):
            pass
    except OSError:  # closed at the other end
        return


def test_those_that_are_here_are_offered_and_the_chosen_one_works(at_a_terminal: Any) -> None:
    code, said, paid = at_a_terminal("1\n")
    assert "  1  claude: edits files" in said
    assert "  2  mini: runs any command" in said
    assert "codex" not in said
    assert (code, paid) == (0, ["paid"]), said


def test_enter_chooses_none_and_nothing_is_started(at_a_terminal: Any) -> None:
    code, said, paid = at_a_terminal("\n")
    assert (code, paid) == (2, [])
    assert "no agent was named" in said


def test_what_is_none_of_them_is_asked_again_and_not_for_ever(at_a_terminal: Any) -> None:
    code, said, paid = at_a_terminal("0\n3\nyes\n1\n")
    assert (code, paid) == (2, [])
    assert said.count("is none of them") == 3


def test_who_wants_json_is_not_asked(at_a_terminal: Any) -> None:
    code, said, paid = at_a_terminal("1\n", "--json")
    assert (code, paid) == (2, [])
    assert "Which one?" not in said
