"""Which examples in docstrings failed?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, raised, starting, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame

_HEADING = Pattern(r'File "([^"\n]{1,1000})", line (\d{1,9}|\?), in (\S{1,400})$')
_PARTS = ("Expected:", "Expected nothing", "Got:", "Got nothing", "Exception raised:", "Differences ")


def doctest(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _HEADING, starting("*****")):
        if block.body and block.body[0] == "Failed example:":
            yield _failure(block)


def _failure(block: Block) -> Found:
    example = before(block.body[1:], starting(*_PARTS))
    said = block.body[1 + len(example) :]
    thrown = [r for r in map(raised, trimmed(said)) if r] if "Exception raised:" in said else []
    line = int(block.heading[2]) if block.heading[2].isdecimal() else 0
    return Found(
        name=block.heading[3],
        kind=thrown[-1][0] if thrown else "doctest",
        message=thrown[-1][1] if thrown else "\n".join(trimmed(said)),
        frame=Frame(path=block.heading[1], line=line, source=" ".join(trimmed(example))),
        excerpt=block.text(),
        span=block.span,
    )
