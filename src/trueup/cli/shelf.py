"""How does a command read what is kept about a project and its runs?"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.act.environment import secret_values
from trueup.act.project import Project, find_project, project_state
from trueup.act.store import Store
from trueup.decide.fold import fold
from trueup.decide.outcome import Outcome
from trueup.decide.state import AttemptView, State
from trueup.errors import UsageError
from trueup.evidence.redact import Redactor
from trueup.remember.database import Database
from trueup.remember.journal import Journal, find_run
from trueup.remember.leases import Holder, holder_of
from trueup.report.events import ChangedFile, encode
from trueup.report.text import plural

RUNNING, CRASHED = "running", "crashed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A project with its state folder, open for reading."""

    project: Project
    environ: Mapping[str, str]
    state: Path
    db: Database
    redactor: Redactor

    @property
    def where(self) -> str:
        """The checkout, as it is shown."""
        from trueup.perform.first_screen import shown_path

        return shown_path(self.project.root, self.environ)

    def store(self) -> Store:
        from trueup.perform.setting import open_store

        return open_store(self.state)

    def redact(self, text: str) -> str:
        return self.redactor.redact(text)

    def run(self, prefix: str | None) -> KnownRun:
        """The run that the user means; the latest without a prefix."""
        return self.known(find_run(self.db, prefix))

    def known(self, run: str) -> KnownRun:
        journal = Journal.open(self.db, run)
        return KnownRun(
            id=run,
            journal=journal,
            state=fold(journal.task, journal.history),
            holder=holder_of(self.db, run),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRun:
    """One run, as its journal tells it."""

    id: str
    journal: Journal
    state: State
    holder: Holder | None
    """The living process that works on it."""

    @property
    def outcome(self) -> Outcome | None:
        return self.state.finished.outcome if self.state.finished else None

    @property
    def status(self) -> str:
        """Its outcome, or `running`, or `crashed`: begun, not ended, and nobody is at work."""
        if self.holder is not None:
            return RUNNING
        return str(self.outcome.status) if self.outcome else CRASHED

    @property
    def start(self) -> str:
        return str(self.journal.facts["start"])

    @property
    def best(self) -> str:
        """What is handed back: the best state that was verified, or the start."""
        return (self.outcome.tree if self.outcome else "") or self.state.best or self.start

    def attempt(self, number: int) -> AttemptView:
        found = next((view for view in self.state.attempts if view.number == number), None)
        if found is None:
            raise UsageError(
                f"run {self.id} has no attempt {number}",
                why=f"it has {plural(len(self.state.attempts), 'attempt')}",
                do=f"`trueup explain {self.id}` lists them.",
            )
        return found


@contextmanager
def open_shelf(directory: Path, environ: Mapping[str, str]) -> Iterator[Shelf]:
    project = find_project(directory)
    state = project_state(project, environ)
    with Database(state) as db:
        yield Shelf(
            project=project,
            environ=environ,
            state=state,
            db=db,
            redactor=Redactor(secret_values(environ)),
        )


def changed_between(store: Store, start: str, result: str) -> tuple[ChangedFile, ...]:
    notes = {"added": "new", "deleted": "deleted"}
    return tuple(
        ChangedFile(path=c.path, added=c.added, removed=c.removed, note=notes.get(c.kind, ""))
        for c in store.diff(start, result)
    )


# --- saying it ---------------------------------------------------------------------------------------------------


def show(lines: Iterable[str], redact: Callable[[str], str], *, as_json: bool = False) -> None:
    """For people: on stdout, or on stderr when stdout belongs to a machine. A poor terminal gets `?`, not an error."""
    stream = sys.stderr if as_json else sys.stdout
    encoding = stream.encoding or "utf-8"
    for line in lines:
        print(redact(line).encode(encoding, "replace").decode(encoding), file=stream)


def show_json(value: Any, redact: Callable[[str], str], *, indent: int = 2) -> None:
    """For machines, in UTF-8 whatever the terminal; names that are no text become visible."""
    show_bytes(encode(value, redact=redact, indent=indent).encode() + b"\n")


def show_bytes(content: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def said_status(status: str) -> str:
    return status.replace("_", " ")


def said_time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def short_id(tree: str) -> str:
    return tree[:10]
