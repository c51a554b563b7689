"""Which commands are there? Each is a function in a file of its own; this is the list."""

from __future__ import annotations

import typer

from trueup.cli import (
    apply,
    cancel,
    check,
    clean,
    demo,
    diff,
    doctor,
    explain,
    fingerprint,
    init,
    proof,
    report,
    resume,
    run,
    runs,
)

app = typer.Typer(
    name="trueup",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Drives any coding agent until your own checks prove the work is done, keeps the best state it has proven, "
        "and stops early, with a diagnosis, when the work will not converge."
    ),
    epilog=(
        "Exit codes: 0 passed or nothing to do, 1 stuck (or failing checks), 2 usage, 3 out of budget, "
        "4 unverifiable, 5 a person is needed, 70 a bug in trueup, 130 cancelled."
    ),
)

for command in (
    run,
    check,
    resume,
    cancel,
    runs,
    diff,
    apply,
    explain,
    proof,
    report,
    init,
    doctor,
    demo,
    clean,
    fingerprint,
):
    app.command(name=command.__name__.rpartition(".")[2])(command.command)


def _version(value: bool) -> None:
    if value:
        from trueup import __version__

        print(f"trueup {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    pass
