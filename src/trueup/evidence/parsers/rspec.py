"""What failed, as RSpec prints it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, frames, raised, trimmed
from trueup.evidence.places import first_own

_HEADING = re.compile(r"  \d{1,6}(?:\.\d{1,4})?\) (.{1,1000})$")
_SOURCE = re.compile(r"\s{0,20}Failure/Error:")
_STACK = re.compile(r"^\s{1,20}# (?P<path>[^\s:]{1,500}):(?P<line>\d{1,9})(?::in .{0,400})?$")
_FIXED = re.compile(r" FIXED$")


def rspec(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _HEADING, lambda line: line.startswith(("Finished in ", "Failed examples:"))):
        body = before(block.body, lambda line: line.lstrip().startswith("# "))
        at = next((n for n, line in enumerate(body[:4]) if _SOURCE.match(line)), None)
        if at is not None:
            yield _failure(block, body[at:])


def _failure(block: Block, body: Lines) -> Found:
    """The source, a blank line or the class, what was expected, the stack."""
    source = body[0].partition("Failure/Error:")[2].strip()
    said = trimmed(body[1:])
    if not source and said:  # a long expression starts below
        source, said = said[0], said[1:]
    named = next(
        ((n, r[0]) for n, line in enumerate(said) if line.endswith(":") and (r := raised(line)) and "rror" in r[0]),
        None,
    )
    frame = first_own(frames(block.body, _STACK))
    return Found(
        name=_FIXED.sub("", block.heading[1].strip()),
        kind=named[1] if named else "ExpectationNotMetError",
        message="\n".join(said[named[0] + 1 :] if named else said),
        frame=replace(frame, source=source) if frame else None,
        excerpt=block.text(),
        span=block.span,
    )
