"""Which files about a run can be read afterwards in `.trueup/runs/<id>/`, and how are they written safely?"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trueup.decide.moves import BaselineTaken
from trueup.decide.outcome import CurrentFailure, Outcome
from trueup.decide.state import AttemptView, State
from trueup.errors import invariant
from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import evidence_id, fingerprint
from trueup.evidence.report import Report
from trueup.report import diagnosis
from trueup.report.events import SCHEMA, Envelope, Header, Judged, MoveDone, RunEnded, RunStarted, encode, to_json
from trueup.report.html import report_html
from trueup.report.text import Redact, unchanged

FOLDER = ".trueup"
_EVENTS = "events.jsonl"
_LINKS_REFUSED = os.O_NOFOLLOW | os.O_CLOEXEC


class Artifacts:
    """A sink, and the writer of everything else that belongs to a run.

    Contract: nothing is written through a symbolic link, whoever planted it; every file appears whole or not at all
    (`events.jsonl` line by line); everything is redacted first. A folder that cannot be written is said once through
    `notice`, and the run goes on: these files are for reading, the journal is what counts.
    """

    def __init__(
        self, folder: Path, *, redact: Redact = unchanged, notice: Callable[[str], None] = lambda _: None
    ) -> None:
        invariant(folder.parent.name == "runs" and folder.parent.parent.name == FOLDER, f"{folder} is no run's folder")
        self.folder = folder
        self._project = folder.parent.parent.parent
        self._run = folder.name
        self._redact = redact
        self._notice = notice
        self._header: Header | None = None
        self._ignored = False
        self._tidied: set[tuple[str, ...]] = set()
        self.problem = ""
        """Why nothing more is written; "" while all is well."""

    # --- as a sink ---------------------------------------------------------------------------------------------

    def __call__(self, envelope: Envelope, state: State | None) -> None:
        self._append(_EVENTS, to_json(envelope, redact=self._redact) + "\n")
        match envelope.event:
            case RunStarted(header=header):
                self._header = header
                self._write((FOLDER, "latest"), f"{self._run}\n")
            case MoveDone(record=BaselineTaken() as record):
                self._json("baseline_failures.json", baseline_failures(record))
            case Judged() if state:
                self._progress(state, diagnosis.current_failures(state))
            case RunEnded() as ended if state:
                self._progress(state, ended.outcome.current_failures)
                self._json("completion_reasons.json", completion_reasons(ended.outcome, state))
                self.save("report.html", report_html(self._header, state, ended, redact=self._redact))
            case _:
                pass

    def _progress(self, state: State, failures: tuple[CurrentFailure, ...]) -> None:
        self._json("current_failures.json", {"failures": failures})
        self._json("failure_fingerprint_history.json", fingerprint_history(state))

    # --- as a writer -------------------------------------------------------------------------------------------

    def prompt(self, attempt: int, text: str) -> str:
        return self.save(f"prompts/attempt-{attempt}.md", text)

    def transcript(self, attempt: int, text: str) -> str:
        return self.save(f"transcripts/attempt-{attempt}.txt", text)

    def turns(self, attempt: int, line: str) -> str:
        """What `trueup replay` reads."""
        return self.save(f"transcripts/attempt-{attempt}.jsonl", line)

    def put_back(self, attempt: int, patch: str) -> str:
        return self.save(f"put-back/attempt-{attempt}.patch", patch)

    def check_log(self, check: str, text: str, *, label: str) -> str:
        """`label` says which run of the check it was: `start`, `attempt-2`, `proof-1`."""
        return self.save(f"checks/{file_name(label)}-{file_name(check)}.log", text)

    def save(self, name: str, text: str) -> str:
        """Write one file of the run. Returns its path relative to the run's folder."""
        parts = name.split("/")
        invariant(all(p not in {"", ".", ".."} for p in parts), f"{name!r} leaves the run's folder")
        self._write((FOLDER, "runs", self._run, *parts), self._redact(text))
        return name

    def _json(self, name: str, content: dict[str, object]) -> None:
        whole = {"schema": SCHEMA, "run": self._run, **content}
        self._write((FOLDER, "runs", self._run, name), encode(whole, redact=self._redact, indent=2) + "\n")

    def _append(self, name: str, text: str) -> None:
        with self._told(), self._opened((FOLDER, "runs", self._run)) as folder:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | _LINKS_REFUSED
            _fill(os.open(name, flags, 0o600, dir_fd=folder), text)

    def _write(self, parts: tuple[str, ...], text: str) -> None:
        with self._told(), self._opened(parts[:-1]) as folder:
            if parts[:-1] not in self._tidied and self._run in parts[:-1]:
                self._tidied.add(parts[:-1])
                _remove_half_written(folder)
            write_atomically(folder, parts[-1], text)

    @contextmanager
    def _opened(self, parts: tuple[str, ...]) -> Iterator[int]:
        """Before anything else, the folder tells git to ignore it."""
        if not self._ignored:
            with folder_at(self._project, (FOLDER,)) as top:
                write_atomically(top, ".gitignore", "*\n")
            self._ignored = True
        with folder_at(self._project, parts) as folder:
            yield folder

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say once that the folder cannot be used; later writes are tried all the same."""
        try:
            yield
        except OSError as error:
            first, self.problem = not self.problem, f"{error.filename or self.folder}: {error.strerror}"
            if first:
                self._notice(f"{FOLDER}/runs/{self._run} is not complete: {self.problem}")


def events_so_far(folder: Path) -> int:
    """How many events earlier sittings of a run wrote: the next one's number goes on from there."""
    try:
        with folder_at(folder.parent.parent.parent, (FOLDER, "runs", folder.name), create=False) as opened:
            number = os.open(_EVENTS, os.O_RDONLY | os.O_NONBLOCK | _LINKS_REFUSED, dir_fd=opened)
            with os.fdopen(number, "rb") as file:
                return sum(1 for _ in file)
    except OSError:
        return 0


def latest_run(project: Path) -> str | None:
    """Id of the run that was started last, as far as its files tell."""
    try:
        with folder_at(project, (FOLDER,), create=False) as folder:
            number = os.open("latest", os.O_RDONLY | os.O_NONBLOCK | _LINKS_REFUSED, dir_fd=folder)
            with os.fdopen(number, encoding="utf-8", errors="replace") as file:
                name = file.read(200).strip()
    except OSError:
        return None
    return name if name and file_name(name) == name else None


def file_name(text: str) -> str:
    """A safe part of a file name; two texts never get the same one."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", text)[:60].lstrip(".")
    if safe == text and safe:
        return safe
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}".lstrip("-")


@contextmanager
def folder_at(base: Path, parts: tuple[str, ...], *, create: bool = True) -> Iterator[int]:
    """A descriptor of a folder below `base`. A link on the way below `base` is refused."""
    here = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            below = _step_into(here, part, create=create)
            os.close(here)
            here = below
        yield here
    finally:
        os.close(here)


def _step_into(parent: int, name: str, *, create: bool) -> int:
    if create:
        with suppress(FileExistsError):  # a folder is what we want; anything else is refused below
            os.mkdir(name, 0o700, dir_fd=parent)
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | _LINKS_REFUSED, dir_fd=parent)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise OSError(error.errno, "is no folder of its own; links are not followed", name) from error
        raise


def write_atomically(folder: int, name: str, text: str) -> None:
    partial = f".{name}.{os.getpid()}.partial"
    _remove(folder, partial)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _LINKS_REFUSED
        _fill(os.open(partial, flags, 0o600, dir_fd=folder), text)
        os.replace(partial, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        _remove(folder, partial)
        raise


def _remove_half_written(folder: int) -> None:
    """What a sitting that was killed left in a folder of its run, which nobody else writes to."""
    for name in os.listdir(folder):
        if name.startswith(".") and name.endswith(".partial"):
            _remove(folder, name)


def _fill(number: int, text: str) -> None:
    with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.write(text)


def _remove(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


# --- contents ------------------------------------------------------------------------------------------------


def baseline_failures(record: BaselineTaken) -> dict[str, object]:
    report = record.report
    if report is None:
        return {"tree": record.tree, "problem": record.problem, "failures": []}
    return {"tree": record.tree, "checks": _checks(report), "failures": [_failure(f) for f in report.failures]}


def _checks(report: Report) -> list[dict[str, object]]:
    return [
        {
            "check": r.check,
            "command": r.command,
            "status": r.status,
            "exit_code": r.exit_code,
            "reason": r.reason,
            "decision": r.decision,
            "tests": None if r.inventory is None else len(r.inventory),
            "passed": len(r.passed),
            "skipped": len(r.skipped),
            "tool": r.tool,
            "seen_by": r.seen_by,
            "duration": r.duration,
            "log": r.log,
        }
        for r in report.results
    ]


def _failure(failure: Failure) -> dict[str, object]:
    return {
        "key": failure.key,
        "check": failure.check,
        "subject": failure.subject,
        "fingerprint": fingerprint(failure),
        "evidence_id": evidence_id(failure),
        "phase": failure.phase,
        "kind": failure.kind,
        "message": failure.message,
        "file": failure.file,
        "line": failure.line,
        "source_line": failure.source_line,
        "repro": failure.repro,
        "excerpt": failure.excerpt,
    }


def fingerprint_history(state: State) -> dict[str, object]:
    """Every verdict with the fingerprints that it showed, oldest first; attempt 0 is the start."""
    kinds = {v.number: v.judgement.kind for v in state.attempts if v.judgement}
    return {
        "verdicts": [
            {
                "attempt": v.attempt,
                "tree": v.snapshot.tree,
                "class": kinds.get(v.attempt, "start"),
                "kept": not v.undone,
                "fingerprints": v.snapshot.prints,
            }
            for v in diagnosis.verdicts(state)
        ]
    }


def completion_reasons(outcome: Outcome, state: State) -> dict[str, object]:
    """Why the run ended as it did, and why each attempt was judged as it was."""
    return {
        "exit_code": outcome.exit_code,
        "outcome": outcome,
        "attempts": [
            {
                "attempt": v.number,
                "rung": v.move.rung,
                "class": v.judgement.kind if v.judgement else None,
                "strike": v.judgement.strike if v.judgement else False,
                "reason": diagnosis.summary(v),
                "usd": v.charged_usd,
                "seconds": v.record.duration,
                "learned": v.record.learned,
                "fixes": _fixes(v),
            }
            for v in state.attempts
        ],
    }


def _fixes(view: AttemptView) -> list[dict[str, object]]:
    """What rules repaired in it, each with the failures that it removed."""
    kept = view.remedied.kept if view.remedied else ()
    return [{"remedy": one.remedy, "why": one.why, "removed": one.removed, "files": one.paths} for one in kept]
