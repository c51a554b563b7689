"""What do the report files say that this very run of a check wrote? One from before is no evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from trueup.act.process import Completed
from trueup.evidence.cases import Cases, read_cases
from trueup.evidence.failure import known_by_name
from trueup.evidence.normalize import neutralise
from trueup.evidence.report import SeenBy, Strength
from trueup.verify.runners.base import Evidence, RunContext

_LARGEST_FILE = 64 * 1024 * 1024
_MOST_FILES = 20_000

Stamp = tuple[int, int, int, int]
"""Inode, size, time of the content, time of the last change of any kind: nobody can set the last one."""


def report_stamps(run: RunContext) -> dict[Path, Stamp]:
    """The report files that are there already, before the check is run."""
    return {path: _stamp(path) for path in _matching(run)} if run.report else {}


def with_report(run: RunContext, completed: Completed, evidence: Evidence, before: Mapping[Path, Stamp]) -> Evidence:
    """What the runner saw, together with what the report files say; unchanged when the check has none.

    What a tool told by itself stays; a report may add failures to it, and never takes one away. Where nothing but text
    was seen, the report is the evidence. Without a report exit code 0 means nothing; another exit code is a failure
    that the text has to explain.
    """
    if not run.report or completed.not_started or evidence.problem:
        return evidence
    kind, _, pattern = run.report.partition(":")
    files = _matching(run)
    if len(files) > _MOST_FILES:
        return replace(evidence, problem=f"more than {_MOST_FILES:,} report files match {pattern}: not all can be read")
    fresh = [path for path in files if _stamp(path) != before.get(path)]
    found = {path: _read(run, kind, path) for path in fresh}
    unreadable = [path for path, cases in found.items() if cases is None]
    if completed.exit_code == 0 and not fresh:
        return replace(evidence, problem=f"exit code 0, but the check wrote no report file ({pattern})")
    if completed.exit_code == 0 and unreadable:
        name = unreadable[0].relative_to(run.folder).as_posix()
        return replace(evidence, problem=f"exit code 0, but the report file {name} cannot be read as {kind}")
    return _joined(evidence, [cases for cases in found.values() if cases is not None], whole=not unreadable)


def _joined(evidence: Evidence, reports: list[Cases], *, whole: bool) -> Evidence:
    failures = tuple(failure for cases in reports for failure in cases.failures)
    if evidence.seen_by is SeenBy.STRUCTURE:
        return evidence if evidence.failures else replace(evidence, failures=failures)
    if not reports:
        return evidence
    named = [cases for cases in reports if cases.inventory is not None]
    if not named or not whole:
        return replace(evidence, failures=failures or evidence.failures, seen_by=SeenBy.REPORT)
    ids = tuple(dict.fromkeys(i for cases in named for i in cases.inventory or ()))
    bad = {*(f.subject for f in failures), *(i for cases in named for i in cases.skipped)}
    return Evidence(
        failures=known_by_name(failures, frozenset(ids)),
        passed=tuple(dict.fromkeys(i for cases in named for i in cases.passed if i not in bad)),
        skipped=tuple(dict.fromkeys(i for cases in named for i in cases.skipped)),
        inventory=ids,
        strength=Strength.INVENTORY,
        seen_by=SeenBy.REPORT,
        running=evidence.running,
    )


def _read(run: RunContext, kind: str, path: Path) -> Cases | None:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return None
        text = path.read_bytes().decode(errors="replace")
    except OSError:
        return None
    plain = run.redact(text if kind == "junit" else neutralise(text))  # before any cut can halve a secret
    return read_cases(run.check, kind, plain, sources=run.sources)


def _matching(run: RunContext) -> list[Path]:
    """Files of the bench itself, one more than are read at most. A link that leads elsewhere is not followed."""
    return sorted(islice(_globbed(run), _MOST_FILES + 1))


def _globbed(run: RunContext) -> Iterator[Path]:
    home = run.folder.resolve()
    for path in run.folder.glob(run.report.partition(":")[2]):
        try:
            inside = path.resolve().is_relative_to(home)
            if inside and path.is_file() and not path.is_symlink():
                yield path
        except (OSError, RuntimeError):  # vanished, or a link that leads to itself
            continue


def _stamp(path: Path) -> Stamp:
    try:
        stat = path.stat()
    except OSError:
        return (0, 0, 0, 0)
    return (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
