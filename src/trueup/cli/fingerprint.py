"""`trueup fingerprint`: which failures does a log or report hold, and by which identities are they known again?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from trueup.cli.identities import answer
from trueup.cli.options import HERE, Directory, Json


def command(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A log, JUnit XML, SARIF or TAP; - or nothing is standard input."),
    ] = None,
    jsonl: Annotated[
        bool,
        typer.Option("--jsonl", help="Each input line is a record {command, exit_code, output, junit_xml?}."),
    ] = False,
    no_xml: Annotated[bool, typer.Option("--no-xml", help="Read the text, also where there is JUnit XML.")] = False,
    directory: Directory = HERE,
    json: Json = False,  # noqa: ARG001 - the output is always JSON
) -> None:
    """Tell the failures of a log or report with their identities, as JSON.

    The same failure has the same fingerprint in another folder, on another day, with other colours or line numbers.
    With --jsonl each answer is one line: the list of the fingerprints of that record. A line that is no record
    gets [] and is named; exit code 2 if there is no record at all.

    \b
      pytest | trueup fingerprint
      trueup fingerprint build.log
      trueup fingerprint --jsonl records.jsonl
    """
    if file is None or str(file) == "-":
        answer(sys.stdin.buffer, jsonl=jsonl, no_xml=no_xml)
        return
    with _opened(directory / file) as source:
        answer(source, jsonl=jsonl, no_xml=no_xml)


def _opened(path: Path) -> BinaryIO:
    from trueup.errors import UsageError

    try:
        return path.open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read", why=str(error), do="name a file that is there") from error
