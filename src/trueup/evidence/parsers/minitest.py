"""What failed, as minitest prints it?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, frames, kind_and_message
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, first_own

_HEADING = Pattern(r"(?: {2}\d{1,6}\) )?(Failure|Error):$")
_NAME = Pattern(r"([^\s#]{1,300}#.{1,300}?)(?: \[([^\[\]\n]{1,500}):(\d{1,9})\])?:$")
_KINDS = {"Failure": "Assertion", "Error": "Error"}
_STACK = Pattern(r"^\s{1,12}(?P<path>[^\s:][^:\n]{0,500}\.rb):(?P<line>\d{1,9}):in ")
# An object tells its address and what it has measured so far.
_OBJECT = Pattern(r"(#<[\w:]{1,200}?):0x[0-9a-f]{4,16}\b.*")
_ENDS = Pattern(r"\d{1,9} (?:runs|tests), |(?:bin/)?rails test |Finished in ")


def minitest(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _HEADING, lambda line: _ENDS.match(line) is not None):
        name = _NAME.match(block.body[0]) if block.body else None
        if name:
            yield _failure(block, name)


def _failure(block: Block, name: re.Match[str]) -> Found:
    kind, message = kind_and_message(before(block.body[1:], _STACK.match), _KINDS[block.heading[1]])
    message = "\n".join(_OBJECT.sub(r"\1>", line) for line in message.split("\n"))
    placed = Frame(path=name[2], line=int(name[3]), source=None) if name[2] else None
    return Found(
        name=name[1],
        kind=kind,
        message=message,
        frame=placed or first_own(frames(block.body, _STACK)),
        excerpt=block.text(),
        span=block.span,
    )
