"""What do the report files say that this very run of a check wrote? One from before is no evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from trueup.act.process import Completed
from trueup.evidence.cases import Cases, read_cases
from trueup.evidence.failure import Phase, known_by_name
from trueup.evidence.normalize import neutralise
from trueup.evidence.report import SeenBy, Strength
from trueup.verify.runners.base import Evidence, RunContext

_LARGEST_FILE = 64 * 1024 * 1024
_MOST_FILES = 20_000

_WORD = re.compile(r"\w+")

Stamp = tuple[int, int, int, int]
"""Inode, size, time of the content, time of the last change of any kind: nobody can set the last one."""


def report_stamps(run: RunContext) -> dict[Path, Stamp]:
    """The report files that are there already, before the check is run."""
    return {path: _stamp(path) for path in _matching(run)} if run.report else {}


def with_report(run: RunContext, completed: Completed, evidence: Evidence, before: Mapping[Path, Stamp]) -> Evidence:
    """What the runner saw, together with what the report files say; unchanged when the check has none.

    What a tool told by itself stays; a report may add tests and failures to it, and never takes one away. Where nothing
    but text was seen, the report is the evidence. Without a report exit code 0 means nothing; another exit code is a
    failure that the text has to explain.
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
    if not reports:
        return evidence
    if evidence.seen_by is SeenBy.STRUCTURE:
        return _beside(evidence, reports)
    failures = tuple(failure for cases in reports for failure in cases.failures)
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


# --- beside a tool that tells ------------------------------------------------------------------------------------


def _beside(evidence: Evidence, reports: list[Cases]) -> Evidence:
    """With what another tool of the same command wrote; what the report says once more of the same tests is left out.

    They are the same if they also came to the same end: one that fails is never taken for one that passed.
    """
    more_passed = _new((i for cases in reports for i in cases.passed), evidence.passed)
    more_skipped = _new((i for cases in reports for i in cases.skipped), evidence.skipped)
    places = {(f.file, f.line) for f in evidence.failures if f.file and not f.test}
    failing = _Told(f.subject for f in evidence.failures if f.test or f.phase is Phase.COLLECT)
    complaints = {f.subject for f in evidence.failures if f.subject}
    found = (f for cases in reports for f in cases.failures if (f.file, f.line) not in places)
    failures = tuple(f for f in found if f.subject not in complaints and not failing.holds(f.subject))
    named = any(cases.inventory is not None for cases in reports)
    tests = {i for cases in reports for i in cases.inventory or ()}
    ids = dict.fromkeys((*(f.subject for f in failures if f.subject in tests), *more_passed, *more_skipped))
    bad = {*(f.subject for f in failures), *more_skipped}
    return replace(
        evidence,
        failures=evidence.failures + known_by_name(failures, frozenset(ids)),
        passed=evidence.passed + tuple(i for i in more_passed if i not in bad),
        skipped=evidence.skipped + more_skipped,
        inventory=(*(evidence.inventory or ()), *ids) if named or evidence.inventory is not None else None,
        strength=Strength.INVENTORY if named and evidence.inventory is None else evidence.strength,
    )


def _new(ids: Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    told = _Told(known)
    return tuple(i for i in dict.fromkeys(ids) if not told.holds(i))


class _Told:
    """Tests that are known by another name: a report writes `pkg.test_a::test_x` for `pkg/test_a.py::test_x`."""

    def __init__(self, ids: Iterable[str]) -> None:
        self.with_word: dict[str, list[frozenset[str]]] = {}
        for test_id in ids:
            words = frozenset(_WORD.findall(test_id))
            for word in words:
                self.with_word.setdefault(word, []).append(words)

    def holds(self, name: str) -> bool:
        """Whether all of its words belong to one of them, but for the class that node gives to every test."""
        words = frozenset(_WORD.findall(name.removeprefix("test::")))
        rarest = min((self.with_word.get(word, []) for word in words), key=len, default=[])
        return any(words <= known for known in rarest)


# --- reading -----------------------------------------------------------------------------------------------------


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
