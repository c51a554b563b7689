"""Which tests failed, in a JUnit XML report? Documents that declare types or entities are refused."""

from __future__ import annotations

from xml.parsers import expat

from trueup.evidence.normalize import neutralise
from trueup.evidence.parsers.found import Found, Lines, frames, kind_and_message
from trueup.evidence.parsers.java import java_frames
from trueup.evidence.parsers.javascript import is_stack, js_frames
from trueup.evidence.parsers.python import exception, python_frames
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, deepest_own, first_own
from trueup.evidence.told import Phase

_LONGEST_BODY = 200_000
_LONGEST_COUNT = 10
_NOT_RUN = frozenset({"notrun", "disabled", "skipped"})
_PYTHON = ("E  ", "Traceback (most recent call last)")
_ALONE = Pattern(r"(?P<path>[^\s:][^:\n]{0,500}\.\w{1,5}):(?P<line>\d{1,9})$")
"""A place on a line of its own: PHPUnit ends with it, GoogleTest begins with it."""


class _RefusedError(ValueError):
    """The document holds what a report has no need of."""


class _Reader:
    """Collects the failing cases while expat walks through the document."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self.cases: list[tuple[Found, str]] = []
        """Every case, and whether it `passed`, `failed` or was `skipped`."""
        self.claimed = 0
        """How many failures a suite counts, named or not."""
        self._outcome = ""
        self.is_report = False
        self._case: dict[str, str] = {}
        self._failure: dict[str, str] | None = None
        self._text: list[str] = []
        # The text is decoded already: what it says about its encoding is void, and could name one that does not exist.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data

    @staticmethod
    def _refuse(*_: object) -> None:
        raise _RefusedError

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.is_report = self.is_report or name in {"testsuites", "testsuite", "testcase"}
        self.claimed = max(self.claimed, _count(attributes.get("failures")), _count(attributes.get("errors")))
        if name == "testcase":
            self._case = attributes
            self._outcome = "skipped" if attributes.get("status", "").lower() in _NOT_RUN else "passed"
        elif name == "skipped" and self._case:
            self._outcome = "skipped"
        elif name in {"failure", "error"} and self._case:
            self._failure, self._text = attributes, []

    def _data(self, text: str) -> None:
        if self._failure is not None:
            self._text.append(text)

    def _end(self, name: str) -> None:
        if name in {"failure", "error"} and self._failure is not None:
            self.found.append(_failure(self._case, self._failure, "".join(self._text)[:_LONGEST_BODY]))
            self._failure, self._outcome = None, "failed"
        elif name == "testcase":
            self.cases.append((_failure(self._case, {}, ""), self._outcome))
            self._case = {}


def junit_xml(text: str) -> list[Found] | None:
    """None when the document is damaged, refused or no report at all."""
    reader = _read(text)
    return None if reader is None else reader.found


def junit_cases(text: str) -> tuple[list[tuple[Found, str]], int] | None:
    """Every case with its outcome, and how many failures are counted at least; None as above."""
    reader = _read(text)
    return None if reader is None else (reader.cases, reader.claimed)


def _read(text: str) -> _Reader | None:
    reader = _Reader()
    try:
        reader.parser.Parse(text.lstrip("\ufeff \t\r\n").encode("utf-8", "replace"), True)
    except (expat.ExpatError, _RefusedError, ValueError):
        return None
    return reader if reader.is_report else None


def _count(number: str | None) -> int:
    return int(number) if number and number.isascii() and number.isdigit() and len(number) < _LONGEST_COUNT else 0


def _failure(case: dict[str, str], failure: dict[str, str], text: str) -> Found:
    lines = [line.rstrip() for line in neutralise(text).split("\n")]
    where, name = case.get("classname", ""), case.get("name", "")
    lines = lines[lines[0] == f"{case.get('class', '')}::{name}" :]  # PHPUnit says the test's name once more
    kind, message = _said(failure, lines)
    collecting = failure.get("message", "") == "collection failure"
    return Found(
        owner=where.replace("\\", "/") if "/" in where else "",
        name=name if "/" in where or not where else f"{where}::{name}",
        kind=kind,
        message=message,
        phase=Phase.COLLECT if collecting else Phase.RUN,
        test=not collecting,
        frame=_frame(lines),
        excerpt="\n".join(lines).strip() or message,
    )


def _said(failure: dict[str, str], lines: Lines) -> tuple[str, str]:
    """The class from `type`, where it says one; pytest and others leave it to the text."""
    kind, message = exception(lines) if any(line.startswith(_PYTHON) for line in lines) else ("", "")
    if not kind:
        said = [line for line in neutralise(failure.get("message", "")).split("\n") if not is_stack(line)]
        kind, message = kind_and_message(said if any(said) else [n for n in lines if not _ALONE.match(n)], "")
    given = failure.get("type", "").replace("\\", ".").replace("::", ".").rpartition(".")[2]
    return kind or given or "failure", message


def _frame(lines: Lines) -> Frame | None:
    python = deepest_own(python_frames(lines))
    java = next(iter(java_frames(lines)), None)
    return python or java or first_own(js_frames(lines)) or first_own(frames(lines, _ALONE))
