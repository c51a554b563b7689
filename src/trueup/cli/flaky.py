"""`trueup flaky`: which tests gave different answers although no file had changed?"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueup.cli.options import HERE, Directory, Json

if TYPE_CHECKING:
    from trueup.remember.flips import Flip

RUNS_NAMED = 3


def command(
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only what was seen in this time, such as 30d or 12h.")
    ] = None,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """List the tests of this project that passed and failed on the very same files, the most frequent first.

    trueup looks twice before it blames or credits a change; what it saw of such tests is kept over all runs. A test
    that wavered before any change was flaky already; one that did so only after a change may be the change's fault.

    \b
      trueup flaky
      trueup flaky --since 30d --json
    """
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.remember.flips import flips

    began = _began(since)
    with open_shelf(directory, os.environ) as shelf:
        found = flips(shelf.db, since=began)
        if json:
            show_json({"flaky": [_told(flip) for flip in found], "since": began or None}, shelf.redact)
        else:
            show(_lines(found, since), shelf.redact)


def _began(since: str | None) -> float:
    from trueup.config import parse_duration
    from trueup.errors import UsageError

    if since is None:
        return 0.0
    try:
        return time.time() - parse_duration(since)
    except ValueError as error:
        raise UsageError(f"--since {since} cannot be used", why=f"It has to be {error}.", do="--since 30d") from error


def _told(flip: Flip) -> dict[str, Any]:
    from trueup.evidence.failure import check_of, subject_of

    return {
        "key": flip.key,
        "check": check_of(flip.key),
        "test": subject_of(flip.key),
        "times": flip.times,
        "last": flip.last,
        "before_any_change": flip.at_start,
        "after_a_change": flip.later,
        "runs": flip.runs,
    }


def _lines(found: tuple[Flip, ...], since: str | None) -> list[str]:
    from trueup.report.text import table

    if not found:
        when = f" in the last {since}" if since else ""
        return [f"no test gave different answers on unchanged files{when}"]
    return [*table([_row(flip) for flip in found], widest=60), "", "a run that saw it: trueup explain RUN"]


def _row(flip: Flip) -> list[str]:
    from trueup.cli.shelf import said_time
    from trueup.report.text import plain, plural, short_name

    runs = ", ".join(plain(run) for run in flip.runs[:RUNS_NAMED])
    more = f" and {len(flip.runs) - RUNS_NAMED} more" if len(flip.runs) > RUNS_NAMED else ""
    return [
        short_name(flip.key),
        plural(flip.times, "time"),
        f"last {said_time(flip.last)}",
        _where(flip),
        f"run {runs}{more}" if runs else "",
    ]


def _where(flip: Flip) -> str:
    places = ((flip.at_start, "before any change"), (flip.later, "after a change"))
    said = [f"{count} {where}" for count, where in places if count]
    if len(said) == 1 and flip.times in {flip.at_start, flip.later}:
        return said[0].partition(" ")[2]
    return ", ".join(said)
