"""Asking for help or the version loads nothing but what it takes to answer."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("typer", "click", "rich", "pydantic", "sqlite3", "psutil", "msgspec", "pathspec", "tomlkit", "subprocess")
PROGRAM = """\
import sys
sys.argv = ["trueup", *sys.argv[1:]]
from trueup.cli import main
try:
    main()
finally:
    print("loaded:", *[name for name in {heavy!r} if name in sys.modules])
"""


def asked(*words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", PROGRAM.format(heavy=HEAVY), *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("word", ["--help", "-h", "--version"])
def test_help_and_version_load_no_library(word: str) -> None:
    said = asked(word)
    assert said.returncode == 0
    assert said.stdout.startswith(("Usage: trueup", "trueup "))
    assert said.stdout.splitlines()[-1] == "loaded:"
    assert said.stderr == ""


def test_nothing_asked_is_a_usage_error_that_shows_the_help() -> None:
    said = asked()
    assert said.returncode == 2
    assert said.stdout == "loaded:\n"
    assert said.stderr.startswith("Usage: trueup")


def test_a_command_loads_no_other_command() -> None:
    program = "import sys; sys.argv = ['trueup', 'diff', '--help']\nfrom trueup.cli import main\ntry:\n    main()\n"
    program += "finally:\n    print(*sorted(n for n in sys.modules if n.startswith('trueup.cli.')))\n"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    loaded = said.stdout.splitlines()[-1].split()
    assert "trueup.cli.diff" in loaded
    assert not {"trueup.cli.run", "trueup.cli.check", "trueup.cli.doctor"}.intersection(loaded)


def test_a_mistyped_command_is_a_usage_error_that_suggests_the_right_one() -> None:
    said = asked("chekc")
    assert said.returncode == 2
    assert "check" in said.stderr
    assert "Traceback" not in said.stderr


def test_an_unknown_option_is_a_usage_error() -> None:
    said = asked("--nonsense")
    assert said.returncode == 2
    assert "--nonsense" in said.stderr
