"""What failed, as PHPUnit prints it?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, frames, kind_and_message, starting
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, first_own
from trueup.evidence.told import Phase

_HEADING = Pattern(r"\d{1,6}\) ([\w\\]{1,400}::\w{1,200}+.{0,800}+)$")
_STACK = Pattern(r"^(?:#\d{1,4} )?(?P<path>(?:[A-Za-z]:)?[^\s:][^:\n]{0,500}\.php)(?::|\()(?P<line>\d{1,9})\)?")
_ENDS = starting("FAILURES!", "ERRORS!", "Tests: ", "There w", "--", "WARNINGS!", "OK, but")


def phpunit(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _HEADING, lambda line: _ENDS(line) and not line.startswith("--- ")):
        kind, message = kind_and_message(before(block.body, _STACK.match), "AssertionFailed")
        yield Found(
            name=block.heading[1].strip(),
            kind=kind,
            message=message,
            frame=first_own(frames(block.body, _STACK, mark=".php")),
            excerpt=block.text(),
            span=block.span,
        )
    if any("✘ " in line for line in lines):
        yield from _testdox(lines)


_SENTENCE = Pattern(r" {1,4}✘ (.{1,800}?)(?: {1,8}\d{1,9}(?:\.\d{1,3})? m?s)?$")
_CLASS_OR_SENTENCE = Pattern(r" {1,4}✘ |(?=\S)")
_EDGE = "│┐├╵╷┊┴┘┼"


def _testdox(lines: Lines) -> Iterator[Found]:
    """Below its class each test as a sentence, and its failure beside an edge. In colour, blanks of a diff are dots."""
    about = ""
    for block in blocks(lines, _CLASS_OR_SENTENCE, lambda line: line.lstrip()[:1] not in _EDGE):
        sentence = _SENTENCE.match(block.heading.string)
        if sentence is None:
            about = block.heading.string
            continue
        body = [line.replace("·", " ") if "┊" in line else line for line in block.body]
        said = [line.strip(f" {_EDGE}") for line in body]
        kind, message = kind_and_message(before(said, _STACK.match), "AssertionFailed")
        yield Found(
            name=f"{about} > {sentence[1].strip()}",
            kind=kind,
            message=message,
            frame=first_own(frames(said, _STACK)),
            excerpt=block.text(),
            span=block.span,
        )


_UNCAUGHT = Pattern(
    r"(?:PHP )?Fatal error:  ?Uncaught (?:[\w\\]{0,300}\\)?(\w{1,100}): (.{1,1000}) in "
    r"(?P<path>[^\n]{1,500}):(?P<line>\d{1,9})$"
)


def uncaught(lines: Lines) -> Iterator[Found]:
    """PHP gave up before PHPUnit could run a test: a file does not parse, or something is not there."""
    for block in blocks(lines, _UNCAUGHT, lambda line: line.startswith("  thrown in ")):
        if any("PHPUnit" in line for line in block.body):
            yield _not_loaded(block)


def _not_loaded(block: Block) -> Found:
    heading = block.heading
    return Found(
        owner=heading["path"],
        name=heading[1],
        glue=" ",
        kind=heading[1],
        message=heading[2],
        phase=Phase.COLLECT,
        test=False,
        frame=Frame(path=heading["path"], line=int(heading["line"]), source=None),
        excerpt=block.text(),
        span=block.span,
    )
