"""What failed, as RSpec prints it?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, frames, raised, starting, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import first_own
from trueup.evidence.told import Phase

_HEADING = Pattern(r"  \d{1,6}(?:\.\d{1,4})?\) (.{1,1000})$")
_SOURCE = Pattern(r"\s{0,20}Failure/Error:")
_STACK = Pattern(r"^\s{0,20}# (?P<path>[^\s:]{1,500}):(?P<line>\d{1,9})(?::in .{0,400})?$")
_FRAMES = ("# ", 'File "')
"""How a level of a stack begins: in Ruby, and in Python, where mamba prints the same form."""
_FIXED = Pattern(r" FIXED$")
_PART = Pattern(r"\s{4,12}\d{1,6}\.\d{1,4}\) (Failure/Error:.{0,1000})$")
_LOADING = Pattern(r"An error occurred while loading (\S{1,500}?)\.$")


def rspec(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _HEADING, lambda line: line.startswith(("Finished in ", "Failed examples:"))):
        body = before(block.body, lambda line: line.lstrip().startswith(_FRAMES))
        at = next((n for n, line in enumerate(body[:4]) if _SOURCE.match(line)), None)
        if at is not None:
            yield _failure(block, body[at:])
        elif _FIXED.search(block.heading[1]):  # a pending example that works: no line of it failed
            yield _failure(block, body).but(frame=None, message="\n".join(trimmed(body)))
        else:
            yield from _together(block)
    for block in blocks(lines, _LOADING, starting("No examples found", "Finished in ", "Run options")):
        yield _not_loaded(block)


def _failure(block: Block, body: Lines) -> Found:
    """The source, a blank line or the class, what was expected, the stack."""
    source = body[0].partition("Failure/Error:")[2].strip() if body else ""
    said = trimmed(body[1:])
    if not source and said:  # a long expression stands below, up to a blank line
        code = len(trimmed(before(body[1:], lambda line: not line.strip())))
        code = code if 0 < code < len(said) else 1
        source, said = " ".join(said[:code]), said[code:]
    named = next(
        ((n, r[0]) for n, line in enumerate(said) if line.endswith(":") and (r := raised(line)) and "rror" in r[0]),
        None,
    )
    frame = first_own(frames(block.body, _STACK))
    return Found(
        name=_FIXED.sub("", block.heading[1].strip()),
        kind=named[1] if named else "ExpectationNotMetError",
        message="\n".join(said[named[0] + 1 :] if named else said),
        frame=frame.but(source=source) if frame else None,
        excerpt=block.text(),
        span=block.span,
    )


def _together(block: Block) -> Iterator[Found]:
    """`aggregate_failures`: one example with several failures, each numbered below it."""
    parts = [_part(block, part) for part in blocks(block.body, _PART, starting("\0"))]
    if parts:
        sources = [part.frame.source or "" for part in parts if part.frame]
        frame = parts[0].frame.but(source="\n".join(sources)) if parts[0].frame else None
        yield parts[0].but(message="\n".join(part.message for part in parts), frame=frame)


def _part(block: Block, part: Block) -> Found:
    said = before(part.body, lambda line: line.lstrip().startswith("# "))
    told = _failure(block.but(body=part.body), [part.heading[1], *said])
    return told.but(excerpt=block.text(), span=block.span)


def _not_loaded(block: Block) -> Found:
    """None of the file's examples is known then. What was raised stands below the line that raised it."""
    said = before(block.body, lambda line: line.startswith("# "))
    failure = _failure(block, said) if said and _SOURCE.match(said[0]) else None
    return Found(
        owner=block.heading[1],
        kind=failure.kind if failure else "error",
        message=failure.message if failure else "\n".join(trimmed(said)),
        phase=Phase.COLLECT,
        test=False,
        frame=failure.frame if failure else None,
        excerpt=block.text(),
        span=block.span,
    )
