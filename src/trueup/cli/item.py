"""`trueup item`: what is remembered of one work item, and how does it get lost or to another machine?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Directory, Json
from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.cli.shelf import Shelf
    from trueup.decide.memory import ItemMemory, RunMemory

ACTIONS = ("show", "forget", "export", "import")
STDIO = "-"


def command(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="show, forget, export or import.")],
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="The work item; for import, a file (- is stdin).")],
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="For export: where to; on stdout by default.", show_default=False)
    ] = STDIO,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Show what is remembered of a work item, forget it, or take it to another machine.

    Remembered are the reviewers' verdicts, what was tried and what came of it, the failures that were met, and the
    branch; never a change itself. `forget` leaves the runs and the branch alone; it is refused while a run goes on.

    \b
      trueup item show bulk-discount
      trueup item forget bulk-discount
      trueup item export bulk-discount bulk-discount.json
      trueup item import bulk-discount.json
    """
    from trueup.cli.shelf import open_shelf

    if action not in ACTIONS or (file != STDIO and action != "export"):
        raise UsageError(
            f"trueup item {' '.join((action, name, *([file] if file != STDIO else [])))} is not known",
            why=f"It is one of: {', '.join(ACTIONS)}; with one name, or for import one file.",
            do="For example: trueup item show NAME",
        )
    with open_shelf(directory, os.environ) as shelf:
        if action == "show":
            _show(shelf, name, json=json)
        elif action == "forget":
            _forget(shelf, name, json=json)
        elif action == "export":
            _export(shelf, name, directory / file if file != STDIO else None, json=json)
        else:
            _import(shelf, directory / name if name != STDIO else None, json=json)


# --- show -------------------------------------------------------------------------------------------------------


def _known(shelf: Shelf, name: str, notes: list[str]) -> ItemMemory:
    from trueup.remember import workitems

    notes += workitems.absorb(shelf.db, name)
    memory = workitems.read(shelf.db, name, notes=notes)
    if memory is None:
        raise workitems.unknown(shelf.db, name)
    return memory


def _show(shelf: Shelf, name: str, *, json: bool) -> None:
    from trueup.cli.items import about
    from trueup.cli.shelf import show, show_json
    from trueup.remember import workitems

    notes: list[str] = []
    memory = _known(shelf, name, notes)
    aside = workitems.asides(shelf.db, name)
    if json:
        set_aside = [{"time": when, "why": why} for when, why in aside]
        show_json({**about(shelf, memory), "memory": memory, "set_aside": set_aside, "notes": notes}, shelf.redact)
        return
    show([*_lines(shelf, memory), *_aside_lines(aside), *notes], shelf.redact)


def _lines(shelf: Shelf, memory: ItemMemory) -> Iterator[str]:
    from trueup.cli.items import about, row

    yield " · ".join(cell for cell in row(about(shelf, memory)) if cell)
    for run in reversed(memory.runs):
        yield ""
        yield from _run_lines(run)


def _run_lines(run: RunMemory) -> Iterator[str]:
    from trueup.cli.shelf import CRASHED, said_status, said_time
    from trueup.report.earlier import met_line, tried_line, verdict_text, verdict_title
    from trueup.report.text import block, labelled, one_line, plain

    why = f" ({plain(run.reason)})" if run.reason else ""
    ended = f"{plain(said_status(run.status or CRASHED))}{why}"
    yield f"run {plain(run.run)} · {said_time(run.started)} · {ended} · {one_line(run.task, 80)}"
    for tried in run.tried:
        yield labelled("tried", tried_line(tried))
    for met in run.failures:
        yield labelled("fails" if met.last else "repaired" if met.fixed_by is not None else "met", met_line(met))
    for verdict in run.verdicts:
        yield labelled("verdict", plain(verdict_title(verdict)))
        yield from (labelled("", line) for line in block(verdict_text(verdict)).splitlines())
    if run.branch:
        yield labelled("branch", plain(run.branch))


def _aside_lines(aside: tuple[tuple[float, str], ...]) -> Iterator[str]:
    from trueup.cli.shelf import said_time
    from trueup.report.text import one_line

    for when, why in aside:
        yield f"set aside {said_time(when)}, because it could not be read: {one_line(why)}"


# --- forget, export, import -------------------------------------------------------------------------------------


def _forget(shelf: Shelf, name: str, *, json: bool) -> None:
    from trueup.cli.shelf import show, show_json
    from trueup.perform.setting import refuse_nested
    from trueup.remember import workitems
    from trueup.report.text import plural

    refuse_nested(shelf.environ)
    runs = workitems.forget(shelf.db, name)
    if json:
        show_json({"item": name, "forgotten": runs}, shelf.redact)
    else:
        said = f"forgotten: what {plural(runs, 'run')} left for {name}; runs and branches are as they were"
        show([said], shelf.redact)


def _export(shelf: Shelf, name: str, file: Path | None, *, json: bool) -> None:
    from trueup.cli.shelf import show, show_bytes, show_json
    from trueup.remember import workitems

    notes: list[str] = []
    text = shelf.redact(workitems.export_json(_known(shelf, name, notes))) + "\n"
    if file is None:
        show(notes, shelf.redact, as_json=True)
        show_bytes(text.encode())
        return
    _write(file, text)
    if json:
        show_json({"item": name, "file": str(file), "notes": notes}, shelf.redact)
    else:
        show([f"written: {file}", *notes], shelf.redact)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written", why=str(error), do="Give another FILE.") from error


def _import(shelf: Shelf, file: Path | None, *, json: bool) -> None:
    from trueup.cli.shelf import show, show_json
    from trueup.perform.setting import refuse_nested
    from trueup.remember import workitems
    from trueup.report.text import plural

    refuse_nested(shelf.environ)
    given = workitems.import_json(shelf.redact(_read(file, workitems.MOST_IMPORTED)))
    workitems.absorb(shelf.db, given.item)
    memory = workitems.merge(shelf.db, given, project=shelf.project.root.name)
    if json:
        show_json({"item": memory.item, "runs": len(memory.runs)}, shelf.redact)
    else:
        show([f"imported: {memory.item}; remembered of it now: {plural(len(memory.runs), 'run')}"], shelf.redact)


def _read(file: Path | None, limit: int) -> str:
    """A little more than is allowed, so that too much is noticed."""
    try:
        if file is None:
            return sys.stdin.read(limit + 1)
        with file.open(encoding="utf-8") as stream:
            return stream.read(limit + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{file or 'stdin'} cannot be read", why=str(error), do="Give a file of `trueup item export`."
        ) from error
