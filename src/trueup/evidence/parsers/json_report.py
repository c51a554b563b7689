"""Which complaints does a tool tell in JSON: a document, or one object per line?

No tool's schema is known here. A complaint is an object with a message and a word for how bad it is (or the code of a
rule); the file is its own or that of an object around it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trueup.evidence.parsers.found import Found, Lines
from trueup.evidence.places import Frame
from trueup.evidence.values import Value

_FILES = ("filePath", "file", "filename", "fileName", "file_path", "path", "relativePath", "source")
_MESSAGES = ("message", "msg", "text", "issue_text", "description", "reason", "error", "warning", "title")
_CODES = ("ruleId", "rule", "code", "check_id", "test_id", "cop_name", "messageId", "message-id", "symbol")
_LEVELS = ("severity", "level", "type", "issue_severity", "kind", "status", "result", "lvl")
_LINES = ("line", "row", "lineNumber", "line_number", "startLine", "start_line", "start_line_no")
_PLACES = ("location", "loc", "position", "range", "start", "begin")
_DEEPEST_PLACE = 3
_ERRORS = frozenset(
    (
        *(
            "error",
            "err",
            "fatal",
            "critical",
            "severe",
            "panic",
            "failure",
            "failed",
            "fail",
            "emerg",
            "alert",
            "high",
        ),
        *("blocker", "convention", "refactor"),
    )
)
_WARNINGS = frozenset(("warning", "warn", "medium", "minor", "major", "low", "style"))
_NUMBERED_ERROR = 50
_MOST_OBJECTS = 200_000
_LONGEST_PATH = 500


class _Complaint(Value):
    rank: int
    found: Found


def json_report(lines: Lines) -> list[Found]:
    """Errors; warnings only when there is nothing worse; what is harmless never."""
    complaints = [c for number, document in _documents(lines) for c in _complaints(document, number)]
    worst = max((c.rank for c in complaints), default=0)
    return [c.found for c in complaints if c.rank == worst] if worst else []


def _documents(lines: Lines) -> Iterator[tuple[int, Any]]:
    """Each line that is an object or a list of them; else what stands between the first and the last bracket."""
    alone = False
    for number, line in enumerate(lines):
        if line[:1] in {"{", "["} and line[-1] in {"}", "]"} and len(line) > 2:  # noqa: PLR2004 - more than `{}`
            document = _decoded(line)
            alone = alone or document is not None
            yield number, document
    if not alone:
        opened = next((n for n, line in enumerate(lines) if line[:1] in {"{", "["}), 0)
        closed = next((n for n in range(len(lines) - 1, opened, -1) if lines[n][:1] in {"}", "]"}), opened)
        yield opened, _decoded("\n".join(lines[opened : closed + 1]))


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _complaints(document: Any, number: int) -> Iterator[_Complaint]:
    """Not by recursion: how deep a document is must not matter."""
    waiting: list[tuple[Any, str]] = [(document, "")]
    seen = 0
    while waiting and seen < _MOST_OBJECTS:
        seen += 1
        value, file = waiting.pop()
        if isinstance(value, list):
            waiting += [(one, file) for one in reversed(value)]
        elif isinstance(value, dict):
            file = _word(value, _FILES) or file
            complaint = _complaint(value, file, number)
            if complaint:
                yield complaint
            else:
                waiting += [(one, file) for one in reversed(value.values())]


def _complaint(told: Mapping[str, Any], file: str, number: int) -> _Complaint | None:
    message = _word(told, _MESSAGES)
    level = next((told[name] for name in _LEVELS if type(told.get(name)) in {str, int}), "")
    code = _word(told, _CODES)
    if not message or (level == "" and not code):
        return None
    if "ruleId" in told:  # eslint drops the full stop in its report for people
        message = message.removesuffix(".")
    path = file if len(file) < _LONGEST_PATH and "\n" not in file else ""
    found = Found(
        owner=path,
        name=code,
        glue=" ",
        kind=code or "error",
        message=message,
        frame=Frame(path=path, line=_line(told), source=None) if path else None,
        test=False,
        span=(number,),
    )
    return _Complaint(rank=_rank(level, code=bool(code)), found=found)


def _rank(level: str | int, *, code: bool) -> int:
    """eslint counts 1 and 2; loggers count in tens, and 50 is an error."""
    if isinstance(level, int):
        return 2 if level == 2 or level >= _NUMBERED_ERROR else int(level == 1 or level == _NUMBERED_ERROR - 10)  # noqa: PLR2004
    word = level.lower()
    return 2 if word in _ERRORS or (code and not word) else int(word in _WARNINGS or code)


def _word(told: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((told[name] for name in names if isinstance(told.get(name), str) and told[name]), "")


def _line(told: Mapping[str, Any]) -> int:
    """Its own, or that of its place: `location.row`, `loc.start.line`. A `range`, as editors have it, counts from 0."""
    place: object = told
    first = 0
    for _ in range(_DEEPEST_PLACE):
        if not isinstance(place, Mapping):
            break
        line: int | None = next((place[name] for name in _LINES if type(place.get(name)) is int), None)
        if line is not None:
            return max(0, line + first)
        name = next((name for name in _PLACES if name in place), "")
        first = max(first, int(name == "range"))
        place = place.get(name)
    return 0
