"""What do a compiler's or a linter's lines complain about?

Read are `path:1:2: …` (gcc, clang, go, javac, mypy, ruff, flake8, pyright, eslint's unix format),
`a.ts(1,2): error TS1: …` and `a.ts:1:2 - error TS1: …` (tsc, MSVC), `path:[1,2] …` (Maven), a heading with
` --> path:1:2` below it (rustc, ruff), `path` with `1:2  error  …` below it (eslint) and
`::error file=path,line=1::…`. The subject is the file and the code, and each complaint counts: twenty of one rule in
one file are twenty failures with one key.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from trueup.evidence.failure import Phase
from trueup.evidence.normalize import SOURCE_EXTENSIONS
from trueup.evidence.parsers.found import Found, Lines
from trueup.evidence.places import Frame

_PATH = rf"((?:[A-Za-z]:)?[^\s:()\[][^:()\n]{{0,500}}\.(?:{SOURCE_EXTENSIONS}))"
_LEAD = r"(?:\[ERROR\] |vet: )?"
_PLACE = re.compile(r"\.\w{1,8}(?::\d|\(\d|:\[\d|:\(\.)")
_ANNOTATION_MARK = re.compile(r"::(?:error|warning) ")
_STYLISH_MARKS = (" error  ", " warning  ", " ✖  ", " ⚠  ")
_COLON = re.compile(rf"{_LEAD}{_PATH}:(\d{{1,9}})(?::(\d{{1,9}}))?(?:: | - (?=error|warning))(.+)$")
_PYRIGHT = re.compile(rf" {{2,4}}{_PATH}:(\d{{1,9}}):(\d{{1,9}}) - (?=error|warning)(.+)$")
_KOTLIN = re.compile(rf"e: (?:file://)?{_PATH}:(\d{{1,9}}):(\d{{1,9}}):? (.+)$")
_PAREN = re.compile(rf"{_LEAD}{_PATH}\((\d{{1,9}})(?:,(\d{{1,9}}))?(?:,\d{{1,9}}){{0,2}}\) ?: (.+)$")
_BRACKET = re.compile(rf"{_LEAD}{_PATH}:\[(\d{{1,9}}),(\d{{1,9}})\] (.+)$")
_ARROW = re.compile(rf"\s{{0,12}}--> {_PATH}:(\d{{1,9}}):(\d{{1,9}})$")
_LINKER = re.compile(rf"(?:\S{{1,400}}: )?{_PATH}:\(\.[\w.+-]{{1,200}}\): (undefined reference to .+)$")
_ANNOTATION = re.compile(r"::(error|warning) ([^:\n]{0,1000}(?::(?!:)[^:\n]{0,1000}){0,4})::(.+)$")
_STYLISH = re.compile(r"\s{1,8}(\d{1,9}):(\d{1,9})\s{1,12}(error|warning|✖|⚠)\s{1,12}(.+)$")
_STYLISH_RULE = re.compile(r"[@\w/-]{1,100}$")

_SEVERITY = re.compile(
    r"(fatal error|error|warning|note|info|information|help)(?:\[([\w-]{1,60})\])?(?: ([A-Z]{1,8}\d{1,6}))?: (.+)$"
)
_LEADING_CODE = re.compile(r"([A-Z]{1,8}\d{1,6}|invalid-syntax)(?: \[\*\])?:? (.+)$")
_FIXABLE = re.compile(r"\[\*\] ")
_TRAILING_CODE = re.compile(r"\s{1,4}\[([\w./@=+-]{1,80})\]$|\s\((report\w{1,60})\)$")
_REMARKS = {"note", "info", "information", "help"}
_CHECKER_CODE = re.compile(r"[a-z]+(?:-[a-z]+){0,8}$|(?:error|warning)/")
_PRINTED = re.compile(r"\s{0,12}(\d{1,9}) \| ?(.*)$")
_CARET = re.compile(r"\s{0,12}\|[\s|-]{0,400}\^[-~^]{0,800}(?: (.+))?$")
_MARKER = re.compile(r"\s{0,1000}[~^][~^ -]{0,1000}$")
_BLOCK_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class _Complaint:
    path: str
    line: int
    column: int
    severity: str
    code: str
    message: str
    compiler: bool
    at: int
    source: str | None = None


def diagnostics(lines: Lines) -> Iterator[Found]:
    """Errors; warnings only when there is nothing worse (a linter may fail on them)."""
    complaints = list(_complaints(lines))
    worst = [c for c in complaints if c.severity != "warning"] or complaints
    # A build tool that repeats a complaint in its summary, or for a second target, adds nothing.
    once = {(c.path, c.line, c.column, c.code, c.message): c for c in reversed(worst)}
    for complaint in reversed(once.values()):
        yield _found(complaint)


def strict_diagnostics(lines: Lines) -> Iterator[Found]:
    """Beside the failures of tests only what says itself that it is an error or has a code."""
    return (f for f in diagnostics(lines) if f.kind not in {"", "error"} or f.phase is Phase.BUILD)


def _complaints(lines: Lines) -> Iterator[_Complaint]:
    text = "\n".join(lines)
    if any(mark in text for mark in _STYLISH_MARKS):
        yield from _stylish_complaints(lines)
    for number in _worth_a_look(text, lines):
        complaint = _one(lines, number)
        if complaint is not None:
            yield complaint


def _worth_a_look(text: str, lines: Lines) -> Iterator[int]:
    """Few lines of an output name a place; one search over the whole is much cheaper than one per line."""
    hits = sorted(match.start() for mark in (_PLACE, _ANNOTATION_MARK) for match in mark.finditer(text))
    ends = list(accumulate(len(line) + 1 for line in lines)) if hits else []
    return iter(dict.fromkeys(bisect_right(ends, hit) for hit in hits))


def _stylish_complaints(lines: Lines) -> Iterator[_Complaint]:
    heading = ""
    for number, line in enumerate(lines):
        if line and _is_path(line):
            heading = line
        elif heading and (match := _STYLISH.match(line)):
            yield _stylish(heading, match, number)


def _is_path(line: str) -> bool:
    return " " not in line and line.endswith(
        (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte", ".css", ".scss")
    )


def _stylish(path: str, match: re.Match[str], at: int) -> _Complaint:
    message, _, rule = match[4].rpartition("  ")
    if not message or not _STYLISH_RULE.match(rule):  # a parsing error breaks no rule
        message, rule = match[4], ""
    severity = {"✖": "error", "⚠": "warning"}.get(match[3], match[3])
    return _Complaint(
        path=path,
        line=int(match[1]),
        column=int(match[2]),
        severity=severity,
        code=rule,
        message=message.strip(),
        compiler=False,
        at=at,
    )


def _one(lines: Lines, number: int) -> _Complaint | None:
    line = lines[number]
    match = _placed(line)
    if match:
        read = _read(match[1], int(match[2]), int(match[3] or 0), match[4], number)
        return replace(read, source=_shown_below(lines, number, read.line)) if read else None
    arrow = _ARROW.match(line) if "--> " in line else None
    if arrow and number:
        read = _read(arrow[1], int(arrow[2]), int(arrow[3]), lines[number - 1], number)
        return _with_block(read, lines, number) if read else None
    linker = _LINKER.match(line) if "undefined reference" in line else None
    if linker:
        return _Complaint(
            path=linker[1],
            line=0,
            column=0,
            severity="error",
            code="undefined-reference",
            message=linker[2],
            compiler=True,
            at=number,
        )
    annotation = _ANNOTATION.match(line)
    return _annotation(annotation, number) if annotation else None


def _placed(line: str) -> re.Match[str] | None:
    """A line that begins with a place. What a form cannot do without is looked for first: it costs far less."""
    return (
        _COLON.match(line)
        or (_PAREN.match(line) if "(" in line else None)
        or (_BRACKET.match(line) if ":[" in line else None)
        or (_PYRIGHT.match(line) if " - " in line else None)
        or (_KOTLIN.match(line) if line.startswith("e: ") else None)
    )


def _annotation(match: re.Match[str], at: int) -> _Complaint | None:
    given = dict(part.split("=", 1) for part in match[2].split(",") if "=" in part)
    path, line = given.get("file", "").strip(), given.get("line", "0").strip()
    if not path:
        return None
    code = given.get("title", "").strip()
    return _Complaint(
        path=path,
        line=int(line) if line.isdecimal() and len(line) < 10 else 0,  # noqa: PLR2004 - no file is longer
        column=0,
        severity=match[1],
        code=code.replace(" ", "-"),
        message=match[3],
        compiler=False,
        at=at,
    )


def _read(path: str, line: int, column: int, rest: str, at: int) -> _Complaint | None:
    severity, code, message = _severity(rest)
    if severity in _REMARKS:
        return None
    trailing = _TRAILING_CODE.search(message)
    if trailing:
        code, message = code or trailing[1] or trailing[2], message[: trailing.start()]
    lint = severity == "" and (code != "" or path.endswith((".py", ".pyi")))
    checker = trailing is not None and bool(_CHECKER_CODE.match((trailing[1] or trailing[2]).lower()))
    return _Complaint(
        path=path,
        line=line,
        column=column,
        severity=severity,
        code=code,
        message=_FIXABLE.sub("", message, count=1),
        compiler=not lint and not checker and not path.endswith((".py", ".pyi")),
        at=at,
    )


def _severity(rest: str) -> tuple[str, str, str]:
    match = _SEVERITY.match(rest)
    if match:
        return match[1], match[2] or match[3] or "", match[4]
    match = _LEADING_CODE.match(rest)
    return ("", match[1], match[2]) if match else ("", "", rest)


def _shown_below(lines: Lines, number: int, line: int) -> str | None:
    """gcc prints `12 | code`, clang, javac and mypy the bare line; a line of carets follows either."""
    following = lines[number + 1 : number + 4]
    for code, marks in pairwise(following):
        printed = _PRINTED.match(code)
        if printed:
            return printed[2].strip() if int(printed[1]) == line else None
        if _MARKER.match(marks) and code[:1] == " ":
            return code.strip()
        if _MARKER.match(marks) and code.startswith(f"{line} "):
            return code.partition(" ")[2].strip()
    return None


def _with_block(complaint: _Complaint, lines: Lines, number: int) -> _Complaint:
    """rustc and ruff: the line that the arrow names, and what stands at the carets below it."""
    source, label = None, ""
    for text in lines[number + 1 : number + _BLOCK_LINES]:
        printed = _PRINTED.match(text)
        caret = None if printed else _CARET.match(text)
        if printed and int(printed[1]) == complaint.line:
            source = printed[2].strip()
        elif caret and source is not None:
            label = caret[1] or ""
            break
        elif not text or " --> " in text:
            break
    labelled = f"{complaint.message}: {label}" if label and complaint.compiler else complaint.message
    return replace(complaint, source=source, message=labelled)


def _found(complaint: _Complaint) -> Found:
    return Found(
        owner=complaint.path,
        name=complaint.code,
        glue=" ",
        phase=Phase.BUILD if complaint.compiler else Phase.RUN,
        kind=complaint.code or complaint.severity or "error",
        message=complaint.message,
        frame=Frame(path=complaint.path, line=complaint.line, source=complaint.source),
        test=False,
        span=(complaint.at,),
    )
