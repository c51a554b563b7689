"""A standard output that is closed or full is no bug of ours: the exit code still answers, or three lines say why not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trueup.testing import write_files

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


def trueup(place: Any, words: str, redirected: str) -> subprocess.CompletedProcess[str]:
    line = f'exec "$0" -m trueup {words} {redirected}'
    return subprocess.run(
        ["sh", "-c", line, sys.executable],
        cwd=place.project,
        env=dict(place.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("redirected", [">&-", "<&- >&- 2>&-"])
def test_a_closed_output_leaves_the_exit_code_and_no_file_takes_its_place(empty: Any, redirected: str) -> None:
    write_files(empty.project, {"a.txt": "a\n"})
    ended = trueup(empty, "check --check 'sh -c \"echo said; exit 1\"'", redirected)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")
    assert trueup(empty, "check --check true", redirected).returncode == 0
    assert next(empty.state.glob("*.db")).read_bytes().startswith(b"SQLite format 3")


@needs_full
@pytest.mark.parametrize("words", ["check --check true", "check --check true --json", "--help", "--version"])
def test_a_full_disk_is_told_in_three_lines(empty: Any, words: str) -> None:
    write_files(empty.project, {"a.txt": "a\n"})
    ended = trueup(empty, words, "> /dev/full")
    assert ended.returncode == 4
    assert ended.stderr == (
        f"trueup: the output cannot be written\n  why   {os.strerror(28)}\n  do    Make room, and try again.\n"
    )
