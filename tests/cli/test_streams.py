"""A full disk behind an answer, a closed stream, a reader that has gone: no bug of trueup's, and no success either."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

FULL = Path("/dev/full")
RECORD = b'{"exit_code": 1, "output": "Error: disk on fire"}\n'
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}


def trueup(
    words: str, environ: Mapping[str, str], redirect: str, said: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    command = f'exec "{sys.executable}" -m trueup {words} {redirect}'
    return subprocess.run(
        ["bash", "-c", command], env=environ, cwd=environ["HOME"], input=said, capture_output=True, check=False
    )


def no_crash(environ: Mapping[str, str]) -> bool:
    return not [*Path(environ["XDG_STATE_HOME"]).glob("crash-*"), *Path(environ["HOME"]).glob("crash-*")]


@pytest.mark.parametrize(
    "words", ["fingerprint", "fingerprint --jsonl", "fingerprint -", "runs --json", "--help", "--version"]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_answer_that_a_full_disk_swallows_is_said_and_is_no_success(
    words: str, unbuffered: str, environ: dict[str, str]
) -> None:
    done = trueup(words, environ | {"PYTHONUNBUFFERED": unbuffered}, f">{FULL}", RECORD)
    assert done.returncode == 4
    assert done.stderr.decode().splitlines()[0] == "trueup: not everything could be written"
    assert b"No space left" in done.stderr
    assert no_crash(environ)


def test_an_error_whose_machine_form_cannot_be_written_is_still_told_to_people(environ: dict[str, str]) -> None:
    done = trueup("check --json", environ, f">{FULL}")
    assert done.returncode == 4
    assert b"no check is configured" in done.stderr
    assert b"not everything could be written" in done.stderr
    assert no_crash(environ)


@pytest.mark.parametrize("words", ["fingerprint", "fingerprint --jsonl", "fingerprint -"])
def test_a_closed_input_is_an_empty_one(words: str, environ: dict[str, str]) -> None:
    done = trueup(words, environ, "<&-")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == trueup(words, environ, "</dev/null").stdout


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_outputs_swallow_what_is_said(closed: str, environ: dict[str, str]) -> None:
    done = trueup("fingerprint --jsonl", environ, closed, RECORD)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert no_crash(environ)


def test_a_reader_that_has_gone_is_no_error_to_complain_about(environ: dict[str, str]) -> None:
    done = trueup("--help", environ, "| true; exit ${PIPESTATUS[0]}")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_run_whose_screen_cannot_be_written_goes_on_and_its_exit_code_is_the_outcome(environ: dict[str, str]) -> None:
    home = Path(environ["HOME"])
    (home / "p").mkdir()
    (home / "p" / "check.sh").write_text("test -f done\n")
    done = trueup("run -C p --agent-cmd 'touch done' --check 'sh check.sh' --max-attempts 2", environ, f">{FULL}")
    assert done.returncode == 0, done.stderr.decode()
    assert b"The run is recorded" in done.stderr
    shown = trueup("runs -C p --json", environ, "")
    assert b'"passed"' in shown.stdout


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_no_file_takes_the_place_of_a_closed_output(environ: dict[str, str], closed: str) -> None:
    project = Path(environ["HOME"], "p")
    project.mkdir()
    (project / "a.txt").write_text("a\n")
    done = trueup("check -C p --check 'sh -c \"echo said; exit 1\"'", environ, closed)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    assert trueup("check -C p --check true", environ, closed).returncode == 0
    (database,) = Path(environ["XDG_STATE_HOME"]).rglob("*.db")
    assert database.read_bytes().startswith(b"SQLite format 3")
