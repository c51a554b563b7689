"""What does a parser hand over, and what do parsers share?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from trueup.evidence.gap import Gap, speaks
from trueup.evidence.normalize import neutralise
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame
from trueup.evidence.told import CUT_OFF, Phase
from trueup.evidence.values import Value

MOST_FAILURES = 50_000
"""Of one parser in one output: about as many as fit into an output that is kept. More of them want to keep us busy."""

Lines = Sequence[str]
"""Plain lines: no escape sequences, no line ends, none very long."""


class Found(Value):
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


MORE = Found(
    name=CUT_OFF,
    kind="cut off",
    message="a part of the output was not read: what failed there is not listed",
    test=False,
)
"""Stands for every failure in what was not read."""


def listed(found: Iterator[Found]) -> list[Found]:
    """As many as are read, and that there are more."""
    first = list(islice(found, MOST_FAILURES))
    return first if next(found, None) is None else [*first, MORE]


def with_the_rest(found: Sequence[Found], lines: Lines, gap: Gap) -> list[Found]:
    """What was found in these lines; when there may be more, that is told once, and last."""
    read = [one for one in found if one is not MORE]
    more = len(read) < len(found) or gap is Gap.LOUD or (gap is Gap.QUIET and _complains_quietly(read, lines))
    return [*read, MORE] if more else read


def _complains_quietly(found: Iterable[Found], lines: Lines) -> bool:
    """A linter may complain without any word of failure: then a part without such words may be full of complaints."""
    return any(not one.test and not any(speaks(lines[n]) for n in one.span if n < len(lines)) for one in found)


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
        frame = frame.but(path=neutralise(frame.path), source=source)
    return found.but(owner=owner, name=name, kind=kind, message=message, excerpt=excerpt, frame=frame)


class Block(Value):
    """A heading and what stands below it."""

    heading: re.Match[str]
    body: Lines
    start: int

    @property
    def span(self) -> range:
        return range(self.start, self.start + 1 + len(self.body))

    def text(self) -> str:
        return "\n".join([self.heading.string.strip(), *self.body]).rstrip()


def blocks(
    lines: Lines, heading: Pattern | re.Pattern[str], end: Callable[[str], bool], *, mark: str = ""
) -> Iterator[Block]:
    """Each heading with the lines up to the next heading or the end of its part. `mark`: what is in every heading."""
    opened: re.Match[str] | None = None
    start = 0
    matching = heading.match
    for number, line in enumerate(lines):
        match = matching(line) if mark in line else None
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
    r"(?: ?\[\w{1,60}\])?(?: ?: (.*)| ?:?$)"
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


def until_the_end(body: Lines) -> Lines:
    """The program ended there: behind what it said, only those who started it speak."""
    from trueup.evidence.fallback import about_the_step  # its patterns are many, and few outputs need them here

    return before(body, about_the_step)


def frames(lines: Lines, pattern: Pattern | re.Pattern[str], *, mark: str = ":") -> Iterator[Frame]:
    """Stack levels in the order of the text. The pattern's groups are the path and the line. `mark`: in every level."""
    for line in lines:
        match = pattern.match(line) if mark in line else None
        if match:
            yield Frame(path=match["path"], line=int(match["line"]), source=None)
