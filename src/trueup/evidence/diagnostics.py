"""What do a compiler's or a linter's lines complain about?

Read are `path:1:2: …` (gcc, clang, go, javac, mypy, ruff, flake8, eslint's unix format), `a.ts(1,2): error TS1: …`
and `a.ts:1:2 - error TS1: …` (tsc, MSVC), and a heading with ` --> path:1:2` below it (rustc, ruff). The subject is
the file and the code, and each complaint counts: twenty of one rule in one file are twenty failures with one key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trueup.evidence.failure import Failure, Phase, Sources
from trueup.evidence.normalize import SOURCE_EXTENSIONS
from trueup.evidence.places import in_tree, shorten, source_at

_PATH = rf"((?:[A-Za-z]:)?[^\s:()][^:()\n]{{0,500}}\.(?:{SOURCE_EXTENSIONS}))"
_COLON = re.compile(rf"{_PATH}:(\d{{1,9}})(?::\d{{1,9}})?(?:: | - (?=error ))(.+)$")
_PAREN = re.compile(rf"{_PATH}\((\d{{1,9}})(?:,\d{{1,9}})?\): (.+)$")
_ARROW = re.compile(rf"\s{{0,12}}--> {_PATH}:(\d{{1,9}}):\d{{1,9}}$")
_SEVERITY = re.compile(r"(fatal error|error|warning|note|info|help)(?:\[(\w{1,16})\])?(?: ([A-Z]{1,8}\d{1,6}))?: (.+)$")
_LEADING_CODE = re.compile(r"([A-Z]{1,8}\d{1,6})(?: \[\*\])?:? (.+)$")
_TRAILING_CODE = re.compile(r"\s{1,4}\[([\w./@=-]{1,80})\]$")
_REMARKS = {"note", "info", "help"}
_TYPE_CHECKER_CODE = re.compile(r"[a-z]+(?:-[a-z]+){0,8}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Complaint:
    path: str
    line: int
    severity: str
    code: str
    message: str
    compiler: bool


def diagnostics(check: str, lines: Sequence[str], sources: Sources) -> Iterator[Failure]:
    """Errors; warnings only when there is nothing worse (a linter may fail on them)."""
    complaints = list(_complaints(lines))
    errors = [c for c in complaints if c.severity != "warning"]
    for complaint in errors or complaints:
        yield _failure(check, complaint, sources)


def _complaints(lines: Sequence[str]) -> Iterator[_Complaint]:
    for number, line in enumerate(lines):
        match = _COLON.match(line) or _PAREN.match(line)
        arrow = _ARROW.match(line)
        if match:
            complaint = _read(match[1], int(match[2]), match[3])
        elif arrow and number:
            complaint = _read(arrow[1], int(arrow[2]), lines[number - 1])
        else:
            continue
        if complaint is not None:
            yield complaint


def _read(path: str, line: int, rest: str) -> _Complaint | None:
    severity, code, message = _severity(rest)
    if severity in _REMARKS:
        return None
    trailing = _TRAILING_CODE.search(message)
    if trailing:
        code, message = code or trailing[1], message[: trailing.start()]
    lint = severity == "" and (code != "" or path.endswith((".py", ".pyi")))
    type_check = trailing is not None and bool(_TYPE_CHECKER_CODE.match(trailing[1]))
    return _Complaint(
        path=path,
        line=line,
        severity=severity,
        code=code,
        message=message,
        compiler=not lint and not type_check,
    )


def _severity(rest: str) -> tuple[str, str, str]:
    match = _SEVERITY.match(rest)
    if match:
        return match[1], match[2] or match[3] or "", match[4]
    match = _LEADING_CODE.match(rest)
    return ("", match[1], match[2]) if match else ("", "", rest)


def _failure(check: str, complaint: _Complaint, sources: Sources) -> Failure:
    path = in_tree(complaint.path, sources)
    return Failure(
        check=check,
        subject=f"{path} {complaint.code}".rstrip(),
        phase=Phase.BUILD if complaint.compiler else Phase.RUN,
        kind=complaint.code or complaint.severity or "error",
        message=complaint.message,
        file=path,
        line=complaint.line,
        source_line=source_at(path, complaint.line, sources),
        excerpt=shorten(f"{path}:{complaint.line}: {complaint.message}"),
        test=False,
    )
