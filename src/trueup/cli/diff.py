"""`trueup diff`: what did a run, or one attempt, change?"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Directory, Json, Run, of_the_latest

if TYPE_CHECKING:
    from trueup.cli.shelf import KnownRun


def command(
    run: Run = None,
    attempt: Annotated[
        int | None, typer.Argument(metavar="ATTEMPT", help="This attempt's result; the best state by default.")
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="What the agent really left, before files were put back.")] = False,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Show what changed between the start of a run and its best state, as a patch that `git apply` understands.

    \b
      trueup diff                  the result of the latest run
      trueup diff 2                what attempt 2 of the latest run came to
      trueup diff 7f3a 2           the same of another run
      trueup diff 7f3a 2 --raw     the same with what was put back
    """
    from trueup.cli.shelf import changed_between, open_shelf, show_bytes, show_json

    run, attempt = of_the_latest(run, attempt)
    with open_shelf(directory, os.environ) as shelf:
        known, store = shelf.run(run), shelf.store()
        result = _result(known, attempt, raw=raw)
        if json:
            files = changed_between(store, known.start, result)
            about = {"run": known.id, "attempt": attempt, "raw": raw, "start": known.start, "result": result}
            show_json({**about, "files": files}, shelf.redact)
            return
        patch = store.patch(known.start, result)
    show_bytes(patch)
    if not patch:
        print(f"no difference: {_nothing(attempt)} of run {known.id} is your files as they were", file=sys.stderr)


def _result(known: KnownRun, attempt: int | None, *, raw: bool) -> str:
    from trueup.errors import UsageError

    if attempt is None and not raw:
        return known.best
    number = known.state.best_attempt if attempt is None else attempt
    if attempt is None and number == 0:
        raise UsageError(
            f"no attempt of run {known.id} was better than the start",
            do=f"Name the attempt that you want to see: trueup diff {known.id} ATTEMPT --raw",
        )
    record = known.attempt(number).record
    return record.raw if raw else record.candidate


def _nothing(attempt: int | None) -> str:
    return "the result" if attempt is None else f"attempt {attempt}"
