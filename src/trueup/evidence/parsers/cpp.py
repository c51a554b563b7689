"""What failed, as Catch2 and Boost.Test print it?"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, raised, trimmed
from trueup.evidence.places import Frame

_CATCH = re.compile(r"([^\s:][^:\n]{0,500}):(\d{1,9}): (FAILED|PASSED|failed|passed)(?:: ?(.*)|)$")
_CATCH_RULE = re.compile(r"-{60,200}$")
_CATCH_ENDS = re.compile(r"(?:[-=.]{60,200}$|test cases: |Failed \d|All tests passed)")


def catch2(lines: Lines) -> Iterator[Found]:
    """The test's name stands between two rules, with its sections below it; several claims of it may fail."""
    names = deque(_catch_names(lines))
    name = ""
    for block in blocks(lines, _CATCH, lambda line: _CATCH_ENDS.match(line) is not None):
        while names and names[0][0] < block.start:
            name = names.popleft()[1]
        if block.heading[3].upper() == "FAILED":
            yield _catch_failure(name, block)


def _catch_names(lines: Lines) -> list[tuple[int, str]]:
    """A place and a row of dots follow the second rule of a test."""
    rules = [n for n, line in enumerate(lines) if _CATCH_RULE.match(line)]
    pairs = pairwise(rules)
    return [(one, " > ".join(trimmed(lines[one + 1 : two]))) for one, two in pairs if trimmed(lines[one + 1 : two])]


def _catch_failure(name: str, block: Block) -> Found:
    said = trimmed(before(block.body, lambda line: not line))
    claim = block.heading[4] or (said[0] if said else "")
    return Found(
        owner="" if name else block.heading[1],
        name=name,
        kind="FAILED",
        message="\n".join(said),
        frame=Frame(path=block.heading[1], line=int(block.heading[2]), source=claim or None),
        excerpt=block.text(),
        span=block.span,
    )


_BOOST = re.compile(r"(.{1,500})\((\d{1,9})\): (?:fatal )?error: in \"([^\"\n]{1,800})\": (.*)$")


def boost_test(lines: Lines) -> Iterator[Found]:
    for number, line in enumerate(lines):
        match = _BOOST.match(line) if 'error: in "' in line else None
        if match:
            thrown = raised(match[4])
            placed = match[1] != "unknown location"
            yield Found(
                name=match[3],
                kind=thrown[0] if thrown else "error",
                message=thrown[1] if thrown else match[4],
                frame=Frame(path=match[1], line=int(match[2]), source=None) if placed else None,
                excerpt=line,
                span=[
                    n for n in (number, number + 1) if n == number or ": last checkpoint" in "".join(lines[n : n + 1])
                ],
            )
