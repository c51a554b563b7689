"""`trueup resume`: go on after a crash, a cancel or an end."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from trueup.cli.options import HERE, Directory, Json, Run


def command(
    run: Run = None,
    max_usd: Annotated[str | None, typer.Option(metavar="USD", help="New dollar cap, in all.")] = None,
    max_time: Annotated[str | None, typer.Option(metavar="T", help="New active time, in all.")] = None,
    max_attempts: Annotated[str | None, typer.Option(metavar="N", help="New number of attempts, in all.")] = None,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Go on with a run that was killed, cancelled or ended without success.

    The values are new totals: what was spent stays spent. A run that ended begins again with a fresh idea from the
    best state it had.
    """
    from trueup.cli.sitting import resume_run

    raise typer.Exit(
        resume_run(
            directory,
            run,
            os.environ,
            max_usd=max_usd,
            max_time=max_time,
            max_attempts=max_attempts,
            as_json=json,
        )
    )
