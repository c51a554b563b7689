"""What failed, as a Python program printed it: pytest's sections, unittest's, a plain traceback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trueup.evidence.failure import Failure, Phase, Sources
from trueup.evidence.places import LONGEST_MESSAGE, Frame, deepest_own, foreign, in_tree, located, shorten

_FILE_LINE = re.compile(r'\s{0,200}File "([^"]{1,1000})", line (\d{1,9})')
_LOCATION = re.compile(r"([^\s:][^:]{0,1000}\.\w{1,8}):(\d{1,9}): ?(.{0,200})")
_RAISED = re.compile(r"([A-Za-z_]\w{0,100}(?:\.\w{1,100}){0,8})(?:: (.*)|:?$)")
_EXCEPTION_NAME = re.compile(r"(?:^|\.)(?:[A-Z]\w{0,100}|\w{0,100}(?:Error|Exception))$")


def _native_frames(lines: Sequence[str]) -> Iterator[Frame]:
    for number, line in enumerate(lines):
        match = _FILE_LINE.match(line)
        if match:
            following = lines[number + 1].strip() if number + 1 < len(lines) else ""
            is_source = bool(following) and not _FILE_LINE.match(lines[number + 1])
            yield Frame(path=match[1], line=int(match[2]), source=following if is_source else None)


def _pytest_frames(lines: Sequence[str]) -> Iterator[Frame]:
    """Long style: `> source` … `path:12: …`. Short style: `path:12: in f`, and the source below it."""
    source: str | None = None
    for number, line in enumerate(lines):
        match = _LOCATION.match(line)
        if line.startswith("> "):
            source = line[1:].strip()
        elif match and match[3].startswith("in ") and number + 1 < len(lines):
            yield Frame(path=match[1], line=int(match[2]), source=lines[number + 1].strip() or None)
        elif match:
            yield Frame(path=match[1], line=int(match[2]), source=source)
            source = None


def _frames(section: Sequence[str]) -> list[Frame]:
    return [*_pytest_frames(section), *_native_frames(section)]


def _raised(line: str) -> tuple[str, str] | None:
    """`ValueError: text` as its class and its text."""
    match = _RAISED.match(line)
    if match and _EXCEPTION_NAME.search(match[1]):
        return match[1].rpartition(".")[2], match[2] or ""
    return None


def _exception(lines: Sequence[str]) -> tuple[str, str]:
    """Class and message of the last exception in a section."""
    evidence = [line[1:].strip() for line in lines if line.startswith("E  ")]
    if not evidence:
        unindented = [r for r in map(_raised, lines) if r]
        return unindented[-1] if unindented else ("", "")
    first = _raised(evidence[0])
    if first:
        return first[0], "\n".join([first[1], *evidence[1:]]).strip()
    return _class_below(evidence, lines), "\n".join(evidence)


def _class_below(evidence: Sequence[str], lines: Sequence[str]) -> str:
    """`assert …` names no class. A syntax error names it last, below the text that it could not read."""
    if evidence[0].startswith("assert"):
        return "AssertionError"
    places = [m[3] for m in map(_LOCATION.match, lines) if m]
    named = [r[0] for r in map(_raised, [*places, *evidence]) if r]
    return named[-1] if named else "AssertionError"


_RULE_HEADING = re.compile(r"_{1,400} (.{1,1800}) _{1,400}$")
_SUMMARY = re.compile(r"(FAILED|ERROR) (.+)$")
_PYTEST_FILE = re.compile(r"[^\s:]{1,1000}\.py(?=$| - |::)")
_COLLECTING = "ERROR collecting "
_FIXTURE_ERROR = re.compile(r"ERROR at (?:setup|teardown) of ")


def pytest_failures(check: str, lines: Sequence[str], sources: Sources) -> Iterator[Failure]:
    sections = _pytest_sections(lines)
    summaries = [m[2] for m in map(_SUMMARY.match, lines) if m and _PYTEST_FILE.match(m[2])]
    for summary in summaries:
        subject, message = _split_summary(summary)
        yield _pytest_failure(check, subject, message, _take(sections, subject), sources)
    if not summaries:
        yield from _without_summary(check, sections, sources)


def _without_summary(check: str, sections: dict[str, list[list[str]]], sources: Sources) -> Iterator[Failure]:
    """With `--no-summary` the first frame tells the file of a test."""
    for name, section in ((name, section) for name, found in sections.items() for section in found):
        frames = [f for f in _frames(section) if not foreign(f.path)]
        if _PYTEST_FILE.match(name):
            yield _pytest_failure(check, name, "", section, sources)
        elif frames:
            path = in_tree(frames[0].path, sources)
            yield _pytest_failure(check, f"{path}::{_renamed(name, '.', '::')}", "", section, sources)


def _renamed(name: str, old: str, new: str) -> str:
    """Only in the names of classes and functions: parameters are values and may hold anything."""
    function, bracket, parameters = name.partition("[")
    return function.replace(old, new) + bracket + parameters


def _pytest_sections(lines: Sequence[str]) -> dict[str, list[list[str]]]:
    sections: dict[str, list[list[str]]] = {}
    current: list[str] | None = None
    inside = False
    for line in lines:
        heading = _RULE_HEADING.match(line) if inside else None
        if heading and heading[1].strip("_ "):
            current = []
            sections.setdefault(_heading_name(heading[1]), []).append(current)
        elif line.startswith("===") and line.endswith("==="):
            current, inside = None, line.strip("= ") in {"FAILURES", "ERRORS"}
        elif current is not None:
            current.append(line)
    return sections


def _heading_name(heading: str) -> str:
    return _FIXTURE_ERROR.sub("", heading).removeprefix(_COLLECTING).strip()


def _split_summary(text: str) -> tuple[str, str]:
    """The id may hold ` - ` inside its parameters, so a closing bracket must come first."""
    bracket = text.find("[")
    dash = text.find(" - ")
    if 0 <= bracket < dash:
        closing = text.find("] - ", bracket)
        if closing < 0:
            return (text, "") if text.endswith("]") else (text[:dash], text[dash + 3 :])
        dash = closing + 1
    return (text, "") if dash < 0 else (text[:dash], text[dash + 3 :])


def _take(sections: dict[str, list[list[str]]], subject: str) -> list[str]:
    """The next section of this test; the same name in two files comes in the order of the summary."""
    name = _renamed(subject.partition("::")[2], "::", ".") or subject
    found = sections.get(name)
    return found.pop(0) if found else []


def _pytest_failure(check: str, subject: str, message: str, section: list[str], sources: Sources) -> Failure:
    kind, text = _exception(section)
    if not kind:
        kind, text = _raised(message) or (
            "AssertionError" if message.startswith("assert") else "error",
            message,
        )
    whole_file = "::" not in subject
    failure = Failure(
        check=check,
        subject=subject,
        phase=Phase.COLLECT if whole_file else Phase.RUN,
        kind=kind,
        message=shorten(text, LONGEST_MESSAGE),
        file=subject.partition("::")[0],
        excerpt=shorten("\n".join(section) or message),
        test=not whole_file,
    )
    return located(failure, deepest_own(_frames(section)), sources)


_UNITTEST_HEADING = re.compile(r"(?:FAIL|ERROR): (\w{1,200}) \(([\w.]{1,400})\)(.{0,200})$")


def unittest_failures(check: str, lines: Sequence[str], sources: Sources) -> Iterator[Failure]:
    starts = [n for n, line in enumerate(lines) if _UNITTEST_HEADING.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        heading = _UNITTEST_HEADING.match(lines[start])
        section = lines[start + 1 : end]
        if heading and any(line.startswith("Traceback ") for line in section):
            place = heading[2] if heading[2].endswith(f".{heading[1]}") else f"{heading[2]}.{heading[1]}"
            yield _traceback(check, place + heading[3], section, sources)


def crash(check: str, lines: Sequence[str], sources: Sources) -> Iterator[Failure]:
    """The last traceback: of a chain, it is the exception that came through."""
    starts = [n for n, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")]
    if starts and any(map(_raised, lines[starts[-1] + 1 :])):
        yield replace(_traceback(check, "", lines[starts[-1] :], sources), test=False)


def _traceback(check: str, subject: str, section: Sequence[str], sources: Sources) -> Failure:
    start = max((n for n, line in enumerate(section) if line.startswith("Traceback ")), default=0)
    body = section[start + 1 :]
    end = next((n for n, line in enumerate(body) if _raised(line)), len(body))
    kind, message = (_raised(body[end]) if end < len(body) else None) or ("error", "")
    more = _until_blank(body[end + 1 :])
    failure = Failure(
        check=check,
        subject=subject,
        kind=kind,
        message=shorten("\n".join([message, *more]).strip(), LONGEST_MESSAGE),
        excerpt=shorten("\n".join(section)),
    )
    return located(failure, deepest_own(list(_native_frames(body))), sources)


def _until_blank(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if not line or line.startswith(("----", "====")):
            return
        yield line
