"""What does a parser hand over, and what do parsers share?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from trueup.evidence.failure import Phase
from trueup.evidence.normalize import neutralise
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame

MOST_FAILURES = 5_000
"""Of one parser in one output: whoever prints more of them wants to keep us busy."""

Lines = Sequence[str]
"""Plain lines: no escape sequences, no line ends, none very long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One failure as the text tells it; paths are as printed."""

    owner: str = ""
    """The file that the subject belongs to."""
    name: str = ""
    """The test's name, or the code of a complaint."""
    glue: str = "::"
    kind: str
    message: str = ""
    phase: Phase = Phase.RUN
    test: bool = True
    frame: Frame | None = None
    excerpt: str = ""
    span: Sequence[int] = range(0)
    """The lines that tell it: no other parser reads them again."""


def harmless(found: Found) -> Found:
    """A document can hide what acts on a terminal behind its own escapes: `\\u001b`, `&#155;`, `%1b`."""
    frame = found.frame
    texts = (found.owner, found.name, found.kind, found.message, found.excerpt)
    places = (frame.path, frame.source or "") if frame else ()
    if "".join((*texts, *places)).replace("\n", "").isprintable():
        return found
    owner, name, kind, message, excerpt = map(neutralise, texts)
    if frame:
        source = None if frame.source is None else neutralise(frame.source)
        frame = replace(frame, path=neutralise(frame.path), source=source)
    return replace(found, owner=owner, name=name, kind=kind, message=message, excerpt=excerpt, frame=frame)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A heading and what stands below it."""

    heading: re.Match[str]
    body: Lines
    start: int

    @property
    def span(self) -> range:
        return range(self.start, self.start + 1 + len(self.body))

    def text(self) -> str:
        return "\n".join([self.heading.string.strip(), *self.body]).rstrip()


def blocks(lines: Lines, heading: Pattern | re.Pattern[str], end: Callable[[str], bool]) -> Iterator[Block]:
    """Each heading with the lines up to the next heading or the end of its part."""
    opened: re.Match[str] | None = None
    start = 0
    for number, line in enumerate(lines):
        match = heading.match(line)
        if opened and (match or end(line)):
            yield Block(heading=opened, body=lines[start + 1 : number], start=start)
            opened = None
        if match:
            opened, start = match, number
    if opened:
        yield Block(heading=opened, body=lines[start + 1 :], start=start)


def starting(*prefixes: str) -> Callable[[str], bool]:
    return lambda line: line.startswith(prefixes)


_RAISED = Pattern(
    r"(?:Uncaught |Unhandled |Caused by: )?([A-Za-z_][\w$]{0,100}(?:(?:\.|::|\\)[\w$]{1,100}){0,12})"
    r"(?: ?\[\w{1,60}\])?(?: ?: (.*)|:?$)"
)
_EXCEPTION_NAME = Pattern(r"[A-Z]\w{0,100}$|\w{0,100}(?:Error|Exception|Failure)$")


def raised(line: str) -> tuple[str, str] | None:
    """`shop.errors.ValueError: text` as its class and its text."""
    match = _RAISED.match(line)
    if not match:
        return None
    name = match[1].replace("::", ".").replace("\\", ".").replace("$", ".").rpartition(".")[2]
    return (name, match[2] or "") if _EXCEPTION_NAME.match(name) else None


def kind_and_message(lines: Iterable[str], otherwise: str) -> tuple[str, str]:
    """The class that the first line names, and the text without it."""
    said = trimmed(lines)
    named = raised(said[0]) if said else None
    if named and named[0].endswith(("Error", "Exception", "Failure", "Failed")):
        return named[0], "\n".join([named[1], *said[1:]]).strip()
    return otherwise, "\n".join(said)


def trimmed(lines: Iterable[str]) -> list[str]:
    """Without indentation and without empty lines: how a tool lays text out says nothing."""
    return [stripped for stripped in map(str.strip, lines) if stripped]


def before(lines: Lines, stop: Callable[[str], object]) -> Lines:
    """The lines up to the first at which the text stops being a message."""
    return lines[: next((n for n, line in enumerate(lines) if stop(line)), len(lines))]


def frames(lines: Lines, pattern: Pattern | re.Pattern[str]) -> list[Frame]:
    """Stack levels in the order of the text. The pattern's groups are the path and the line."""
    found = map(pattern.match, lines)
    return [Frame(path=m["path"], line=int(m["line"]), source=None) for m in found if m]
