"""What failed, as CppUnit, CppUTest, Check, Unity and Criterion print it?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.found import Found, Lines, blocks, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame

_CPPUNIT = Pattern(r"\d{1,6}\) test: (\S{1,400}) \([FE]\)(?: line: (\d{1,9}) (.{1,500}))?$")


def cppunit(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _CPPUNIT, lambda line: not line):
        place = block.heading
        yield Found(
            name=place[1],
            kind="Failure" if place[2] else "Error",
            message="\n".join(trimmed(block.body)),
            frame=Frame(path=place[3], line=int(place[2]), source=None) if place[2] else None,
            excerpt=block.text(),
            span=block.span,
        )


_CPPUTEST = Pattern(r"(.{1,500}):(\d{1,9}): error: Failure in (?:IGNORE_)?TEST\((.{1,400})\)$")
_INNER_PLACE = Pattern(r"\s{0,8}(?:.{1,500}):(\d{1,9}): error:$")


def cpputest(lines: Lines) -> Iterator[Found]:
    """Below the test stands what differs; a helper's place comes first when the claim is not in the test itself."""
    for block in blocks(lines, _CPPUTEST, lambda line: not line):
        said = [line for line in block.body if not _INNER_PLACE.match(line)]
        yield Found(
            name=block.heading[3],
            kind="Failure",
            message="\n".join(trimmed(said)),
            frame=Frame(path=block.heading[1], line=int(block.heading[2]), source=None),
            excerpt=block.text(),
            span=block.span,
        )


_CHECK = Pattern(r"(.{1,500}):(\d{1,9}):([FE]):([^:\n]{1,200}):([^:\n]{1,300}):(\d{1,9}): (.*)$")


def check(lines: Lines) -> Iterator[Found]:
    for number, line in enumerate(lines):
        told = _CHECK.match(line) if ":F:" in line or ":E:" in line else None
        if told:
            yield Found(
                owner=told[4],
                name=told[5] if told[6] == "0" else f"{told[5]}:{told[6]}",
                kind="Failure" if told[3] == "F" else "Error",
                message=told[7],
                frame=Frame(path=told[1], line=int(told[2]), source=None),
                excerpt=line,
                span=(number,),
            )


_UNITY = Pattern(r"(?P<path>[^\s:][^:\n]{0,500}):(?P<line>\d{1,9}):(\w{1,300}):FAIL(?:: ?(.*))?$")


def unity(lines: Lines) -> Iterator[Found]:
    for number, line in enumerate(lines):
        told = _UNITY.match(line) if ":FAIL" in line else None
        if told:
            yield Found(
                owner=told["path"],
                name=told[3],
                kind="Failure",
                message=told[4] or "",
                frame=Frame(path=told["path"], line=int(told["line"]), source=None),
                excerpt=line,
                span=(number,),
            )


_CRITERION = Pattern(r"\[(?:FAIL|CRASH!)\] (\w{1,200}::[^:\s]{1,300})(?:: \([\d.]{1,16}s\))?")
_CRITERION_PLACE = Pattern(r"\[----\] ([^\s:][^:\n]{0,500}):(\d{1,9}): (.*)$")


def criterion(lines: Lines) -> Iterator[Found]:
    """What a test said stands above its result, behind dashes."""
    start = 0
    for number, line in enumerate(lines):
        told = _CRITERION.match(line)
        if told:
            said = lines[start:number]
            place = next((m for m in map(_CRITERION_PLACE.match, said) if m), None)
            text = [m[3] if (m := _CRITERION_PLACE.match(one)) else one.removeprefix("[----]") for one in said]
            yield Found(
                name=told[1],
                kind="Failure" if place else "crash",
                message="\n".join(trimmed([*text, "" if place else line[told.end() :][:400]])),
                frame=Frame(path=place[1], line=int(place[2]), source=None) if place else None,
                excerpt="\n".join([*said, line]),
                span=range(start, number + 1),
            )
        if not line.startswith("[----]"):
            start = number + 1
