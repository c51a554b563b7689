"""What failed, as Catch2, doctest and Boost.Test print it?"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import pairwise

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, raised, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame

_CATCH = Pattern(r"([^\s:][^:\n]{0,500}):(\d{1,9}): (FAILED|PASSED|failed|passed)(?:: ?(.*)|)$")
_CATCH_RULE = Pattern(r"-{60,200}$")
_CATCH_ENDS = Pattern(r"(?:[-=.]{60,200}$|test cases: |Failed \d|All tests passed)")


def catch2(lines: Lines) -> Iterator[Found]:
    """The test's name stands between two rules, with its sections below it; several claims of it may fail."""
    names = deque(_catch_names(lines))
    name = ""
    passed: list[int] = []
    for block in blocks(lines, _CATCH, lambda line: _CATCH_ENDS.match(line) is not None):
        while names and names[0][0] < block.start:
            name = names.popleft()[1]
        if block.heading[3].upper() == "FAILED":
            yield _catch_failure(name, block).but(span=[*block.span, *passed])
            passed = []
        else:  # with `-s` it tells these, too, in the form of a complaint
            passed.append(block.start)


def _catch_names(lines: Lines) -> list[tuple[int, str]]:
    """A place and a row of dots follow the second rule of a test."""
    rules = [n for n, line in enumerate(lines) if _CATCH_RULE.match(line)]
    pairs = pairwise(rules)
    return [(one, " > ".join(trimmed(lines[one + 1 : two]))) for one, two in pairs if trimmed(lines[one + 1 : two])]


def _catch_failure(name: str, block: Block) -> Found:
    said = trimmed(before(block.body, lambda line: not line))
    # Only a claim is indented; `due to unexpected exception with message:` is the same for all of them.
    claim = block.heading[4] or (said[0] if block.body[:1] and block.body[0].startswith(" ") else "")
    return Found(
        owner="" if name else block.heading[1],
        name=name,
        kind="FAILED",
        message="\n".join(said),
        frame=Frame(path=block.heading[1], line=int(block.heading[2]), source=claim or None),
        excerpt=block.text(),
        span=block.span,
    )


_DOCTEST_CASE = Pattern(r"TEST CASE: {1,4}(.{1,1000})$")
_DOCTEST = Pattern(r"([^\s:][^:\n]{0,500})[:(](\d{1,9})\)?: (FATAL ERROR|ERROR|SUCCESS|MESSAGE|WARNING)(?:: (.*))?$")
_DOCTEST_CLAIM = Pattern(r"[A-Z_]{1,60}\( (.{1,1500}) \)")


def doctest_cpp(lines: Lines) -> Iterator[Found]:
    """A case, its subcases below it further in, an empty line; then each claim up to the next empty line."""
    name, others = "", [n for n, line in enumerate(lines) if (m := _DOCTEST.match(line)) and "ERROR" not in m[3]]
    for number, line in enumerate(lines):
        case = _DOCTEST_CASE.match(line)
        if case:
            inner = before(lines[number + 1 : number + 20], lambda text: text[:1] != " ")
            name = " > ".join(trimmed([case[1], *inner]))
        told = _DOCTEST.match(line)
        if told and "ERROR" in told[3]:
            below = before(lines[number + 1 : number + 60], lambda text: not text)
            claim = _DOCTEST_CLAIM.match(told[4] or "")
            yield Found(
                name=name,
                kind="FAILED",
                message="\n".join(trimmed([told[4] or "", *below])),
                frame=Frame(path=told[1], line=int(told[2]), source=claim[1] if claim else None),
                excerpt="\n".join([line, *below]),
                span=[*range(number, number + 1 + len(below)), *others],
            )
            others = []


_BOOST = Pattern(r"(.{1,500})\((\d{1,9})\): (?:fatal )?error: in \"([^\"\n]{1,800})\": (.*)$")
_BOOST_LOG = Pattern(r".{1,500}\(\d{1,9}\): (?:Entering |Leaving |info: |last checkpoint|Test case |Test suite )")
_BOOST_LINES = 20
_BOOST_GOES_ON = (
    "Mismatch at position ",
    "Collections size mismatch",
    "Failure occurred in a following context:",
    "    ",
)


def boost_test(lines: Lines) -> Iterator[Found]:
    """What it logs about tests that come and go has the form of a compiler's complaint."""
    logged = [n for n, line in enumerate(lines) if "): " in line and _BOOST_LOG.match(line)]
    for number, line in enumerate(lines):
        match = _BOOST.match(line) if 'error: in "' in line else None
        if match:
            thrown = raised(match[4])
            more = before(lines[number + 1 : number + _BOOST_LINES], lambda text: not text.startswith(_BOOST_GOES_ON))
            placed = match[1] != "unknown location"
            yield Found(
                name=match[3],
                kind=thrown[0] if thrown else "error",
                message="\n".join([thrown[1] if thrown else match[4], *trimmed(more)]),
                frame=Frame(path=match[1], line=int(match[2]), source=None) if placed else None,
                excerpt="\n".join([line, *more]),
                span=[number, *logged],
            )
            logged = []
