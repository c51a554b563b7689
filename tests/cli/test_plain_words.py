"""Words of the design page never reach a person's screen."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from trueup.cli.app import app

INTERNAL = re.compile(r"\b(rungs?|bench(es)?|candidates?|universe|twins?|trees?|strikes?|sanitis\w*)\b", re.IGNORECASE)
COMMANDS = ("check", "cancel", "runs", "diff", "apply", "explain", "proof", "report", "init", "doctor", "clean")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_in_plain_words_with_an_example(command: str, played: Any, cli: Any) -> None:
    said = cli(played, command, "--help")
    assert said.code == 0
    assert f"  trueup {command}" in said.out or f"(trueup {command}" in said.out
    assert "-C DIR" in said.out
    assert "--json" in said.out
    assert INTERNAL.search(said.out) is None


def test_screens_speak_plainly(own: Any, cli: Any) -> None:
    run = own.passed
    asked = (
        ["runs"],
        ["cancel"],
        ["explain", run],
        ["explain", run, "1"],
        ["explain", run, "0"],
        ["proof", run],
        ["proof", own.stuck],
        ["apply", own.stuck],
        ["apply", run],
        ["apply", "--undo"],
        ["check", "--check", f"{sys.executable} -m pytest -q"],
        ["doctor"],
        ["init"],
        ["init"],
        ["clean", "--all"],
        ["diff"],
    )
    said = [cli(own, *args) for args in asked]
    assert all(one.out or one.err for one in said)
    assert [line for one in said for line in (one.out + one.err).splitlines() if INTERNAL.search(line)] == []


def test_every_command_has_a_file_and_a_help_text() -> None:
    assert {c.name for c in app.registered_commands} >= set(COMMANDS)
    assert all(c.callback is not None and c.callback.__doc__ for c in app.registered_commands)
