"""Which scenarios failed, as behave and Robot Framework print it?"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, raised, trimmed
from trueup.evidence.parsers.python import native_frames
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import deepest_own

# The place stands at the end of a line: it is cut off first, so that no pattern has to look for it.
_PLACE = Pattern(r"(\S{1,500}):\d{1,9}$|None$")
_SCENARIO = Pattern(r" {2,8}Scenario(?: Outline)?: (.{1,800})$")
_STEP = Pattern(r" {4,12}((?:Given|When|Then|And|But|\*) .{1,800})$")
_LISTED = Pattern(r" {2}(\S{1,500}\.feature):\d{1,9} {2}(.{1,800})$")
_LISTS = ("Failing scenarios:", "Errored scenarios:")
_ASIDES = ("Captured ", "You can implement step definitions")
_SAID = Pattern(r"(?:ASSERT FAILED|Assertion Failed): ?(.*)$")


def behave(lines: Lines) -> Iterator[Found]:
    """The list at the end tells which failed, the steps tell why (where they are shown)."""
    start = next((n for n, line in enumerate(lines) if line.startswith(_LISTS)), len(lines))
    told = dict(_scenarios(lines[:start]))
    for number in range(start, len(lines)):
        match = _LISTED.match(lines[number])
        if match:
            yield _scenario(match, told.get((match[1], match[2])), number)


def _scenarios(lines: Lines) -> Iterator[tuple[tuple[str, str], Block]]:
    for block in blocks(lines, _SCENARIO, lambda line: line.startswith("Feature:")):
        name, place = _with_place(block.heading[1])
        yield (place, name), block


def _with_place(text: str) -> tuple[str, str]:
    name, _, place = text.rpartition("# ")
    match = _PLACE.match(place)
    return (name.rstrip(), match[1] or "None") if match else (text, "")


def _scenario(match: re.Match[str], block: Block | None, number: int) -> Found:
    step, said = _failed_step(block.body) if block else ("", [])
    thrown = [r for r in map(raised, said) if r]
    claim = next((m[1] for m in map(_SAID.match, said) if m), None)
    kind = "AssertionError" if claim is not None else thrown[-1][0] if thrown else "failed" if said else "undefined"
    text = [claim or "", *said[1:]] if claim is not None else [thrown[-1][1]] if thrown else said
    return Found(
        owner=match[1],
        name=match[2],
        kind=kind if block else "failed",
        message="\n".join(trimmed([step, *text])),
        frame=deepest_own(list(native_frames(said))),
        excerpt=block.text() if block else match.string.strip(),
        span=[*(block.span if block else ()), number],
    )


def _failed_step(body: Lines) -> tuple[str, list[str]]:
    """The step below which something is said, or else the one that nobody wrote."""
    steps = [(n, m) for n, m in enumerate(map(_STEP.match, body)) if m]
    ends = [*(n for n, _ in steps[1:]), len(body)]
    for (number, step), end in zip(steps, ends, strict=False):  # without a step there is one end, and nothing to read
        said = trimmed(before(body[number + 1 : end], lambda line: line.lstrip().startswith(_ASIDES)))
        text, place = _with_place(step[1])
        if said or place == "None":
            return text, said
    return "", []


_ROBOT_COUNT = Pattern(r"\d{1,9} tests?, \d{1,9} passed, \d{1,9} failed")


_ROBOT = Pattern(r"FAIL: (\S.{0,800})$|(\S.{0,800})\| FAIL \|$")


def robot(lines: Lines) -> Iterator[Found]:
    """`name | FAIL |` below the heading of its suite, or (dotted) `FAIL: suite.name`; the message follows."""
    headings = ((n, two) for n, (one, two) in enumerate(pairwise(lines), start=1) if one.startswith("====="))
    suites = deque((n, _titled(line)) for n, line in headings if line and not line.endswith(" |"))
    suite = ""
    for block in blocks(lines, _ROBOT, lambda line: line.startswith(("----", "===="))):
        while suites and suites[0][0] < block.start:
            suite = suites.popleft()[1]
        said = trimmed(block.body)
        if said and not _ROBOT_COUNT.match(said[-1]) and not (block.heading[1] or "").startswith("//"):
            yield Found(
                name=block.heading[1] or f"{suite}.{_titled(block.heading[2])}",
                kind="FAIL",
                message="\n".join(said),
                excerpt=block.text(),
                span=block.span,
            )


def _titled(line: str) -> str:
    """Without what documents it."""
    return line.partition(" :: ")[0].strip()
