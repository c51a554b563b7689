"""What failed, as Perl's prove, bats and Lua's busted print it for people?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame
from trueup.evidence.told import Phase

_FAILED_TEST = Pattern(
    r"\s{0,40}#\s{1,8}Failed (?:\(TODO\) )?test(?: '(.{0,800})')?(?: at (\S{1,500}) line (\d{1,9})\.)?$"
)
_AT = Pattern(r"\s{0,40}#\s{1,8}(?:in|at) (\S{1,500}) (?:at )?line (\d{1,9})\.$")
_NOT_OK = Pattern(r"\s{0,40}not ok \d{1,9}(?: - (.{0,800}))?$")
_REPORT = Pattern(
    r"(\S{1,500}) {1,400}\(Wstat: (\d{1,9})(?: \(([^)\n]{1,60})\))? Tests: (\d{1,9}) Failed: (\d{1,9})\)$"
)
_PROVE_SAYS = Pattern(
    r"\s{0,40}(?:#|ok\b|not ok\b|1\.\.\d)|\S{1,500} \.{2,400}|Dubious, |Failed |No subtests|All \d|Test Summary|\[\d\d:"
)


def prove(lines: Lines) -> Iterator[Found]:
    """Each `Failed test`, and the scripts that ended before they had run their tests."""
    results: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        result = _NOT_OK.match(line)
        if result:
            results.setdefault(result[1] or "", []).append(number)
    for block in blocks(lines, _FAILED_TEST, lambda line: not line.lstrip().startswith("#") or "# Looks like" in line):
        yield _failed_test(block, results.get(block.heading[1] or "", []))
    yield from _ended_early(lines)


def _failed_test(block: Block, results: list[int]) -> Found:
    body = [line for line in block.body if not _AT.match(line)]
    place = next((m for m in map(_AT.match, block.body) if m), None)
    path, line = (place[1], place[2]) if place else (block.heading[2] or "", block.heading[3] or "0")
    return Found(
        owner="" if block.heading[1] else path,
        name=block.heading[1] or "test",
        kind="not ok",
        message="\n".join(trimmed(line.strip().removeprefix("#") for line in body)),
        frame=Frame(path=path, line=int(line), source=None) if path else None,
        excerpt=block.text(),
        span=[*block.span, *results],
    )


def _ended_early(lines: Lines) -> Iterator[Found]:
    start = next((n for n, line in enumerate(lines) if line.startswith("Test Summary Report")), len(lines))
    said = [line for line in trimmed(lines[:start]) if not _PROVE_SAYS.match(line)]
    for number in range(start, len(lines)):
        script = _REPORT.match(lines[number])
        if script and script[5] == "0":
            below = before(lines[number + 1 :], lambda line: not line.startswith("  "))
            yield Found(
                owner=script[1],
                kind=script[3] or f"wstat {script[2]}",
                message="\n".join([*said, *trimmed(below)]),
                phase=Phase.COLLECT if script[4] == "0" else Phase.RUN,
                excerpt="\n".join([lines[number], *below, *said]),
                test=False,
                span=(number,),
            )


_BATS = Pattern(r"[^✗\n]{0,800} ✗ (.{1,800})$")
_BATS_TIME = Pattern(r" \[\d{1,9}\]$")
_BATS_PLACE = Pattern(
    r"\s{0,8}(?:#\s{1,8})?\(?(?:from function `[^'\n]{1,200}' )?"
    r"in (?:test )?file (?P<path>[^\s,]{1,500}), line (?P<line>\d{1,9})"
)
_BATS_SOURCE = Pattern(r"\s{0,8}(?:#\s{1,8})?`(.{1,1000})' failed(?: with .{1,80})?$")


def bats_place(body: Lines) -> Frame | None:
    """bats prints the line that failed, and the functions that it stands in, innermost first."""
    place = next((m for line in body if "file " in line and (m := _BATS_PLACE.match(line))), None)
    source = next((m[1] for m in map(_BATS_SOURCE.match, body) if m), None) if place else None
    return Frame(path=place["path"], line=int(place["line"]), source=source) if place and source else None


def bats(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _BATS, lambda line: not line.startswith("   ")):
        frame = bats_place(block.body)
        if frame:
            yield Found(
                name=_BATS_TIME.sub("", block.heading[1]),
                kind="not ok",
                message="\n".join(trimmed(block.body)),
                frame=frame,
                excerpt=block.text(),
                span=block.span,
            )


_BUSTED = Pattern(r"(Failure|Error) (?:->|→) (?:(\S{1,500}) @ \d{1,9}|(\S{1,500}\.lua):(\d{1,9}): (.{1,1000}))$")
_LUA_PLACE = Pattern(r"(\S{1,500}\.lua):(\d{1,9}): (.*)$")


def busted(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _BUSTED, lambda line: line.startswith("stack traceback:")):
        if block.heading[3]:
            yield _not_loaded(block)
            continue
        below = [line for line in block.body[1:] if not line.startswith("Random seed: ")]
        said = list(before(below, lambda line: not line))
        place = _LUA_PLACE.match(said[0]) if said else None
        told = [place[3], *said[1:]] if place else said
        yield Found(
            owner=block.heading[2],
            name="".join(block.body[:1]).strip(),
            kind=block.heading[1],
            message="\n".join(trimmed(told)),
            frame=Frame(path=place[1], line=int(place[2]), source=None) if place else None,
            excerpt=block.text(),
            span=block.span,
        )


def _not_loaded(block: Block) -> Found:
    """A file that Lua cannot read, or that fails before its tests: its name follows."""
    path = block.heading[3]
    return Found(
        owner=path,
        kind=block.heading[1],
        message=block.heading[5],
        phase=Phase.COLLECT,
        test=False,
        frame=Frame(path=path, line=int(block.heading[4]), source=None),
        excerpt=block.text(),
        span=block.span,
    )
