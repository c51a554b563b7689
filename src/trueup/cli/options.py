"""Options that several commands share, described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Directory = Annotated[Path, typer.Option("-C", metavar="DIR", help="Work as if started in this directory.")]
Json = Annotated[bool, typer.Option("--json", help="Machine output on stdout, everything else on stderr.")]
Run = Annotated[str | None, typer.Argument(metavar="RUN", help="Run id or its beginning; the latest by default.")]
Checks = Annotated[
    list[str] | None,
    typer.Option("--check", metavar="CMD", help="A command that must succeed; repeatable. Detected when not given."),
]
Sandboxed = Annotated[
    bool | None,
    typer.Option(
        "--sandbox/--no-sandbox",
        help="Run agent and checks in a sandbox (bubblewrap): see docs/sandbox.md. [default: no]",
        show_default=False,
    ),
]
HERE = Path()

LONGEST_NUMBER = 2


def of_the_latest(run: str | None, attempt: int | None) -> tuple[str | None, int | None]:
    """`trueup diff 2` means attempt 2 of the latest run: run ids are longer than two characters."""
    if attempt is None and run is not None and run.isdecimal() and len(run) <= LONGEST_NUMBER:
        return None, int(run)
    return run, attempt
