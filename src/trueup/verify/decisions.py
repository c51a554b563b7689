"""What did this very run of a check decide? The file that it was asked to write goes first, its words second.

A decision is one more condition: `fail` makes a check fail, `pass` never outweighs an exit code or a failure that was
seen, and a check that was asked and decided nothing has not passed.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from trueup.act.process import Completed
from trueup.decide.task import CheckSpec
from trueup.evidence.decision import (
    LARGEST,
    Decision,
    NoDecisionError,
    decision_of_file,
    decision_of_words,
    failures_of,
    refuse_time,
)
from trueup.report.artifacts import folder_at
from trueup.report.text import plural
from trueup.verify.runners.base import Evidence, RunContext

T = TypeVar("T")

FILE, NONCE, CHECK_ID = "TRUEUP_DECISION_FILE", "TRUEUP_DECISION_NONCE", "TRUEUP_CHECK_ID"
_SAFELY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What one run of a check decided; nothing at all when it was not asked."""

    decision: Decision | None = None
    source: str = ""
    """Where it stood."""
    why_not: str = ""
    """Why there is no decision, although there should be one."""

    def __str__(self) -> str:
        if self.decision is None:
            return f"none: {self.why_not}" if self.why_not else ""
        reasons = max(len(self.decision.reasons), len(self.decision.fingerprints))
        why = plural(reasons, "reason") if reasons else "no reason given"
        return f"{'pass' if self.decision.passed else f'fail, {why}'} ({self.source})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One run of a check that may decide, from just before it starts."""

    check: CheckSpec
    folder: Path
    """Where the check runs."""
    nonce: str
    began: int

    @property
    def variables(self) -> dict[str, str]:
        """What the check is told; nothing unless it was declared to decide."""
        if not self.check.decision_file:
            return {CHECK_ID: self.check.name} if self.check.decision_words else {}
        file = os.fspath(self.folder / self.check.decision_file)
        return {CHECK_ID: self.check.name, FILE: file, NONCE: self.nonce}

    def answer(self, completed: Completed) -> Heard:
        """Asked when the check has ended; its file is gone then."""
        try:
            return self._heard(completed)
        except NoDecisionError as error:
            return Heard(why_not=str(error))

    def _heard(self, completed: Completed) -> Heard:
        path = self.check.decision_file
        if path:
            decision = self._written(path)
            if decision is not None:
                return Heard(decision=decision, source=path)
            if not self.check.decision_words:
                raise NoDecisionError(f"the check did not write {path}")
        elif not self.check.decision_words:
            return Heard()
        said = decision_of_words(completed.stdout.text(), whole=not completed.stdout.omitted)
        return Heard(decision=said, source="its output")

    def _written(self, path: str) -> Decision | None:
        """None when there is nothing. What is there and is no decision is not made up for by words."""
        try:
            found = _taken(self.folder, path)
            if found is None:
                return None
            written, content = found
            refuse_time(written, began=self.began, ended=max(_clock(self.folder.parent), time.time_ns()))
            return decision_of_file(content, check=self.check.name, nonce=self.nonce)
        except NoDecisionError as error:
            raise NoDecisionError(f"{path} was ignored: {error}") from None


def ask(check: CheckSpec, folder: Path) -> Question:
    """Whatever lies in the file's place is removed, and its folder is made; if that fails, the answer tells it."""
    if check.decision_file:
        with suppress(OSError):
            _at(folder, check.decision_file, lambda place, name: os.unlink(name, dir_fd=place), create=True)
    return Question(check=check, folder=folder, nonce=secrets.token_hex(16), began=_clock(folder.parent))


def with_decision(run: RunContext, completed: Completed, evidence: Evidence, heard: Heard) -> Evidence:
    """What the runner saw, together with what the check decided; unchanged when it was not asked.

    Where only some tests are run, or an agent's own ones, there is nothing to decide.
    """
    told = str(heard)
    if not told or run.select is not None or not run.decides:
        return evidence
    known = replace(evidence, decision=told)
    if heard.decision is None:
        unknown = completed.exit_code == 0 and not (completed.timed_out or evidence.failures or evidence.problem)
        return replace(known, problem=f"exit code 0, but no decision: {heard.why_not}") if unknown else known
    if heard.decision.passed:
        return known
    return replace(known, refused=True, decided=failures_of(heard.decision, check=run.check, redact=run.redact))


# --- the file ------------------------------------------------------------------------------------------------------


def _taken(folder: Path, path: str) -> tuple[int, bytes] | None:
    """When it was written, and what is in it; None when it is not there. No link is followed, no pipe waited for."""
    try:
        return _at(folder, path, _read, create=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NoDecisionError(f"it cannot be opened: {error.strerror}") from None
    finally:
        with suppress(OSError):
            _at(folder, path, lambda place, name: os.unlink(name, dir_fd=place), create=False)


def _at(folder: Path, path: str, act: Callable[[int, str], T], *, create: bool) -> T:
    """Do something to the last part of the path, in a folder that no link leads to."""
    *above, name = path.split("/")
    with folder_at(folder, tuple(above), create=create) as place:
        return act(place, name)


def _read(place: int, name: str) -> tuple[int, bytes]:
    if not stat.S_ISREG(os.stat(name, dir_fd=place, follow_symlinks=False).st_mode):
        raise NoDecisionError("it is a link, a pipe or a folder, not a regular file")
    # Nobody is left who could put something else there now; if somebody is, it is neither followed nor waited for.
    with os.fdopen(os.open(name, _SAFELY, dir_fd=place), "rb") as file:
        return os.fstat(file.fileno()).st_mtime_ns, file.read(LARGEST + 1)


def _clock(folder: Path) -> int:
    """Now, as the file system tells it: its clock and ours may differ by a step."""
    try:
        with tempfile.TemporaryFile(dir=folder) as mark:
            return os.fstat(mark.fileno()).st_mtime_ns
    except OSError:
        return time.time_ns()
