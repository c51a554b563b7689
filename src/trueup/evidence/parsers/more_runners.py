"""What failed, as ScalaTest, Dart's runner, Ginkgo, ExUnit, ward and test-unit print it?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, kind_and_message, starting, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame

_SBT = "[info] "
_SCALA = Pattern(r"(?:\[info\] )?(\s{0,20}+)(?:- )?+(.{1,1000}) \*{3} FAILED \*{3}(?: \([^)\n]{1,60}\))?$")
_SCALA_PLACE = Pattern(r" \(([\w.-]{1,200}\.scala):(\d{1,9})\)$")
_SCALA_SUITE = Pattern(r"(?:\[info\] )?(\w[\w.$]{0,300}):$")


def scalatest(lines: Lines) -> Iterator[Found]:
    """The message stands below the test, further in, with its place behind it."""
    suites = [n for n, line in enumerate(lines) if line.endswith(":") and _SCALA_SUITE.match(line)]
    for block in blocks(lines, _SCALA, starting("\0")):
        said = _further_in(block)
        place = next((m for m in map(_SCALA_PLACE.search, said) if m), None)
        above = bisect_right(suites, block.start)
        suite = lines[suites[above - 1]].removeprefix(_SBT).rstrip(":") if above else ""
        kind, message = kind_and_message((_SCALA_PLACE.sub("", line) for line in said), "FAILED")
        yield Found(
            owner=suite,
            name=block.heading[2],
            kind=kind,
            message=message,
            frame=Frame(path=place[1], line=int(place[2]), source=None) if place else None,
            excerpt="\n".join([block.heading[2], *said]),
            span=range(block.start, block.start + 1 + len(said)),
        )


def _further_in(block: Block) -> list[str]:
    deeper = (len(block.heading[1]) + 1) * " "
    body = [line.removeprefix(_SBT) for line in block.body]
    return trimmed(before(body, lambda line: not line.startswith(deeper)))


_DART = Pattern(r"\d{2,4}:\d{2} \+\d{1,9}(?: ~\d{1,9})?(?: -\d{1,9})?: (?:(\S{1,500}\.dart): )?(.{1,1000}) \[E\]$")
_DART_FRAME = Pattern(r"\s{1,8}(\S{1,500}) (\d{1,9}):\d{1,9}\s{1,200}\S|\s{1,8}package:\S{1,300}\s{2,200}\S")


def dart(lines: Lines) -> Iterator[Found]:
    """Message and stack stand below the test, further in."""
    for block in blocks(lines, _DART, lambda line: line[:1] not in {"", " "}):
        said = trimmed(before(block.body, _DART_FRAME.match))
        stack = (m for m in map(_DART_FRAME.match, block.body) if m and m[1])
        place = next((m for m in stack if not m[1].startswith(("package:", "dart:"))), None)
        kind, message = kind_and_message(said, "failed")
        yield Found(
            owner=block.heading[1] or "",
            name=block.heading[2],
            kind=kind,
            message=message,
            frame=Frame(path=place[1], line=int(place[2]), source=None) if place else None,
            excerpt=block.text(),
            span=block.span,
        )


_GINKGO = Pattern(r"• \[(FAILED|PANICKED|TIMEDOUT)\](?: \[[^\]\n]{1,40}\])?$")
_GINKGO_TOLD = Pattern(r"\s{1,8}\[(?:FAILED|PANICKED|TIMEDOUT)\] ?(.*)$")
_GINKGO_PLACE = Pattern(r"\s{1,8}In \[[^\]\n]{1,40}\] at: (.{1,500}):(\d{1,9})(?: @ .*)?$")


def ginkgo(lines: Lines) -> Iterator[Found]:
    """The name stands below the result; what a spec itself printed may stand between it and the message."""
    for block in blocks(lines, _GINKGO, starting("------------------------------")):
        place = next((m for m in map(_GINKGO_PLACE.match, block.body) if m), None)
        text = before(block.body, _GINKGO_PLACE.match)
        told = next((n for n, line in enumerate(text) if _GINKGO_TOLD.match(line)), len(text))
        first = _GINKGO_TOLD.sub(r"\1", text[told]) if told < len(text) else ""
        names = trimmed(block.body[:1])
        if names:
            yield Found(
                name=names[0],
                kind=block.heading[1],
                message="\n".join(trimmed([first, *text[told + 1 :]])),
                frame=Frame(path=place[1], line=int(place[2]), source=None) if place else None,
                excerpt=block.text(),
                span=block.span,
            )


_EXUNIT = Pattern(r" {2}\d{1,6}\) (.{1,1000}) \(([A-Z][\w.]{0,300})\)$")
_EXUNIT_PLACE = Pattern(r" {5}(\S{1,500}\.exs?):(\d{1,9})$")
_EXUNIT_RAISED = Pattern(r"\*{2} \(([\w.]{1,200})\) ?(.*)$")
_EXUNIT_FRAME = Pattern(r" {5,9}(?:\([^)\n]{1,100}\) )?(\S{1,500}\.exs?):(\d{1,9}): ")


def exunit(lines: Lines) -> Iterator[Found]:
    """The place of the test, the message with the code, the stack; a line that is not indented ends it."""
    for block in blocks(lines, _EXUNIT, lambda line: bool(line) and not line.startswith("     ")):
        if not any(map(_EXUNIT_PLACE.match, block.body[:1])):
            continue
        text = before(block.body[1:], lambda line: line.strip() in {"stacktrace:", "The following output was logged:"})
        said = [line for line in trimmed(text) if not line.startswith("code:")]
        code = next((line[5:].strip() for line in trimmed(text) if line.startswith("code:")), None)
        thrown = _EXUNIT_RAISED.match(said[0]) if said else None
        place = next((m for m in map(_EXUNIT_FRAME.match, block.body) if m), None)
        yield Found(
            owner=block.heading[2],
            name=block.heading[1],
            kind=thrown[1] if thrown else "ExUnit.AssertionError",
            message="\n".join([thrown[2], *said[1:]] if thrown else said),
            frame=Frame(path=place[1], line=int(place[2]), source=code) if place else None,
            excerpt=block.text(),
            span=block.span,
        )


_WARD = Pattern(r"\s{1,4}Failed at (\S{1,500}?)(?::(\d{1,9}))?$")
_WARD_TITLE = Pattern(r"─{1,400} (.{1,1000}) ─{1,400}$")
_ARROW = Pattern(r"[\s│]{1,12}❱ {0,6}(\d{1,9})(?: (.*))?$")
_RAISED = Pattern(r"\s{1,8}([A-Za-z_](?:[\w.]{0,200}\w)?): (.*)$")


def ward(lines: Lines) -> Iterator[Found]:
    """A title, the place, the code around it with an arrow; then the sides, or the stack of what was raised."""
    titles = [n for n, line in enumerate(lines) if _WARD_TITLE.match(line)]
    for block in blocks(lines, _WARD, lambda line: line[:1] == "─"):
        above = bisect_right(titles, block.start)
        title = _WARD_TITLE.match(lines[titles[above - 1]]) if above else None
        yield _ward_failure(title[1] if title else "", block)


def _ward_failure(name: str, block: Block) -> Found:
    arrows = [m for m in map(_ARROW.match, block.body) if m]
    thrown = [m for m in map(_RAISED.match, block.body) if m]
    source = (arrows[-1][2] or "").strip(" │") if arrows else None
    return Found(
        owner=block.heading[1],
        name=name,
        kind=thrown[-1][1].rpartition(".")[2] if thrown else "AssertionError",
        message=thrown[-1][2] if thrown else "",
        frame=Frame(path=block.heading[1], line=int(arrows[-1][1]), source=source) if arrows else None,
        excerpt=block.text(),
        span=block.span,
    )


_TEST_UNIT = Pattern(r"(Failure|Error): (\w.{0,400}?\([\w:]{1,200}\))(?:: ?(.*))?$")
_TEST_UNIT_CODE = Pattern(r"(  =>)? {1,12}(\d{1,9}): ?(.*)$")
_TEST_UNIT_FRAME = Pattern(r"([^\s:][^:\n]{0,500}):(\d{1,9}):in [`'].*$")


def test_unit(lines: Lines) -> Iterator[Found]:
    """Ruby's test-unit: the stack, the code with an arrow, what was expected; all of it up to the next rule."""
    for block in blocks(lines, _TEST_UNIT, starting("=====", "-----")):
        code = [m for m in map(_TEST_UNIT_CODE.match, block.body) if m]
        frames = [m for m in map(_TEST_UNIT_FRAME.match, block.body) if m]
        if not code and not frames:
            continue
        read = {m.string for m in (*code, *frames)}
        said = [block.heading[3] or "", *(line for line in block.body if line not in read)]
        kind, message = kind_and_message(said, block.heading[1])
        pointed = next(((m[2], m[3].strip()) for m in code if m[1]), (frames[0][2] if frames else "0", None))
        yield Found(
            name=block.heading[2],
            kind=kind,
            message=message,
            frame=Frame(path=frames[0][1], line=int(pointed[0]), source=pointed[1]) if frames else None,
            excerpt=block.text(),
            span=block.span,
        )
