"""Words of the design page never reach a person's screen."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any

import pytest

from trueup.cli.overview import COMMANDS as ALL
from trueup.cli.overview import overview

INTERNAL = re.compile(r"\b(rungs?|bench(es)?|candidates?|universe|twins?|trees?|strikes?|sanitis\w*)\b", re.IGNORECASE)
COMMANDS = (
    "check",
    "cancel",
    "runs",
    "diff",
    "apply",
    "explain",
    "proof",
    "report",
    "flaky",
    "init",
    "doctor",
    "clean",
    "replay",
)


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
        ["check", "--check", "false", "--base", "HEAD"],
        ["flaky"],
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
    assert set(ALL) >= set(COMMANDS)
    assert all(import_module(f"trueup.cli.{name}").command.__doc__ for name in ALL)


def test_the_overview_names_every_command_in_plain_words_and_fits_a_terminal() -> None:
    said = overview()
    assert [name for name in ALL if f"\n  {name} " not in said] == []
    assert INTERNAL.search(said) is None
    assert max(map(len, said.splitlines())) <= 80
