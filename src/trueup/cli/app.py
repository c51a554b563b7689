"""How does the word on the command line become a command? Only the file of the one that is asked for is read."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import typer

from trueup.cli.overview import COMMANDS


def application(words: Sequence[str]) -> typer.Typer:
    """The command that the words begin with; every command when they name none, so that one can be suggested."""
    asked = words[0] if words else ""
    app = typer.Typer(
        name="trueup",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_nothing)  # with it, a single command keeps its name
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        app.command(name=name)(import_module(f"trueup.cli.{name}").command)
    return app


def _nothing() -> None:
    """Options before the command: there are none but those that `main` answers itself."""
