"""`trueup cancel`: stop a run that is going on, from another terminal."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Directory, Json

if TYPE_CHECKING:
    from trueup.cli.shelf import Shelf
    from trueup.remember.leases import Holder

PATIENCE = 30.0
"""Seconds that a run gets to end its children and close its journal."""
STEP = 0.1


def command(
    run: Annotated[
        str | None,
        typer.Argument(metavar="RUN", help="Run id or its beginning; the one that is going on by default."),
    ] = None,
    release: Annotated[
        bool, typer.Option("--release", help="Its process was in a container that is gone: let go of the run.")
    ] = False,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Stop a run: its agent and checks are ended, everything it had is kept, and it can be resumed.

    \b
      trueup cancel          the run that is going on
      trueup cancel 7f3a     that one
    """
    from trueup.cli.shelf import open_shelf, show, show_json

    with open_shelf(directory, os.environ) as shelf:
        chosen = _chosen(shelf, run)
        holder = _holder(shelf, chosen)
        if holder is not None:
            _release(shelf, holder) if release else _stop(shelf, holder)
        said = _said(shelf, chosen, cancelled=holder is not None)
        if json:
            show_json({"run": chosen, "cancelled": holder is not None, "detail": said}, shelf.redact)
        else:
            show([said], shelf.redact)


def _chosen(shelf: Shelf, prefix: str | None) -> str | None:
    """The run that is meant; None when nothing is going on."""
    from trueup.errors import UsageError
    from trueup.remember.journal import find_run, runs
    from trueup.remember.leases import holder_of

    if prefix is not None:
        return find_run(shelf.db, prefix)
    alive = [row.id for row in runs(shelf.db) if row.ended is None and holder_of(shelf.db, row.id)]
    if len(alive) > 1:
        raise UsageError(
            f"{len(alive)} runs are going on", why=f"Newest first: {', '.join(alive)}", do="Name one: trueup cancel RUN"
        )
    return alive[0] if alive else None


def _holder(shelf: Shelf, run: str | None) -> Holder | None:
    from trueup.remember.leases import holder_of

    return holder_of(shelf.db, run) if run is not None else None


def _stop(shelf: Shelf, holder: Holder) -> None:
    """Ask once, as Ctrl-C does, and wait until the run has let go."""
    from trueup.errors import BlockedError
    from trueup.remember.leases import holder_of

    if not _interrupted(holder) and holder_of(shelf.db, holder.run) is not None:
        raise BlockedError(
            f"run {holder.run} cannot be stopped from here",
            why=f"Process {holder.pid} holds it, in another container.",
            do=f"Stop it there. If that container is gone for good: trueup cancel {holder.run} --release",
        )
    deadline = time.monotonic() + PATIENCE
    while (still := holder_of(shelf.db, holder.run)) and still.pid == holder.pid:
        if time.monotonic() > deadline:
            raise BlockedError(
                f"run {holder.run} was told to stop and has not stopped yet",
                why=f"Process {holder.pid} is still ending what it started.",
                do=f"Wait a little. To stop it at once: kill {holder.pid}",
            )
        time.sleep(STEP)


def _interrupted(holder: Holder) -> bool:
    """Send Ctrl-C to exactly that process; False when it is not here, whoever has its number now."""
    import signal

    from trueup.errors import BlockedError
    from trueup.remember.leases import start_time

    with _pinned(holder.pid) as pinned:
        if start_time(holder.pid) != holder.started:
            return False
        try:
            if pinned is not None:
                signal.pidfd_send_signal(pinned, signal.SIGINT)
            else:
                os.kill(holder.pid, signal.SIGINT)
        except ProcessLookupError:
            return False
        except PermissionError as error:
            raise BlockedError(
                f"run {holder.run} belongs to another user", why=f"Process {holder.pid}: {error.strerror}."
            ) from error
    return True


@contextmanager
def _pinned(pid: int) -> Iterator[int | None]:
    """A handle that stays with the process even if its number is given to another one; None without such handles."""
    handle = None
    if hasattr(os, "pidfd_open"):
        with suppress(OSError):
            handle = os.pidfd_open(pid)
    try:
        yield handle
    finally:
        if handle is not None:
            os.close(handle)


def _release(shelf: Shelf, holder: Holder) -> None:
    from trueup.errors import UsageError
    from trueup.remember.leases import release_run, start_time

    if start_time(holder.pid) == holder.started:
        raise UsageError(
            f"run {holder.run} is going on here",
            why=f"Process {holder.pid} works on it.",
            do=f"Stop it: trueup cancel {holder.run}",
        )
    release_run(shelf.db, holder.run)


def _said(shelf: Shelf, run: str | None, *, cancelled: bool) -> str:
    from trueup.cli.shelf import CRASHED, said_status

    if run is None:
        return "nothing is running in this project"
    status = shelf.known(run).status
    again = f"go on with: trueup resume {run}"
    if cancelled:
        return f"run {run} is stopped and nothing is lost; {again}"
    if status == CRASHED:
        return f"run {run} is not running: it was killed; {again}"
    return f"run {run} is not running: it has ended, {said_status(status)}"
