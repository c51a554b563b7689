"""What failed, as C and C++ programs and their runners print it: ctest, GoogleTest, a failed `assert`?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.found import Block, Found, Lines, blocks, trimmed, until_the_end
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame

_CTEST = Pattern(
    r"\s{0,8}\d{1,6}/\d{1,6} Test {1,6}#(?P<number>\d{1,6}): (?P<name>\S{1,300}) [ .]{0,400}(?:\*{3}|\.)?\s?"
    r"(?P<status>Failed|Timeout|Not Run|Exception: \w{1,40}|Passed|Subprocess \w{1,40})"
)
_CTEST_LIST = Pattern(r"\s{1,12}\d{1,6} - (\S{1,300}) \(([\w :]{1,60})\)(?: [\w ]{1,200})?$")
_CTEST_START = Pattern(r"\s{0,12}Start {1,6}\d{1,6}: |\d{1,3}% tests passed|The following tests FAILED:")
_VERBOSE = Pattern(
    r"(\d{1,6}): (?!Test command: |Working Directory: |Test timeout computed |Environment variables)(.*)$"
)


def ctest(lines: Lines) -> Iterator[Found]:
    """With the output of each when ctest was asked to show it; otherwise the list at the end."""
    streamed: dict[str, list[str]] = {}
    verbose = any(": Test command: " in line for line in lines)
    for told in filter(None, map(_VERBOSE.match, lines if verbose else ())):
        streamed.setdefault(told[1], []).append(told[2])
    found = [
        _ctest_failure(b, streamed.get(b.heading["number"], []) if verbose else None)
        for b in blocks(lines, _CTEST, lambda line: _CTEST_START.match(line) is not None)
        if b.heading["status"] != "Passed"
    ]
    yield from found
    known = {one.name for one in found}
    start = next((n for n, line in enumerate(lines) if line.startswith("The following tests FAILED:")), len(lines))
    for number, match in ((n, _CTEST_LIST.match(lines[n])) for n in range(start, len(lines))):
        if match and match[1] not in known:
            yield Found(name=match[1], kind=_kind(match[2]), excerpt=lines[number].strip(), span=(number,))


def _ctest_failure(block: Block, streamed: list[str] | None) -> Found:
    """With `-V` its output stands above the result, each line with the number of the test."""
    said = block.body if streamed is None else streamed
    return Found(
        name=block.heading["name"],
        kind=_kind(block.heading["status"]),
        message="\n".join(trimmed(said)),
        excerpt=block.text() if streamed is None else "\n".join([*streamed, block.heading.string.strip()]),
        span=block.span,
    )


def _kind(status: str) -> str:
    status = status.removeprefix("Exception: ")
    return {"Timeout": "timeout", "SEGFAULT": "SegFault"}.get(status, status)


_GTEST_RUN = Pattern(r"\[ RUN {6}\] (\S{1,400})$")
_GTEST_PLACE = Pattern(r"([^\s:][^:\n]{0,500})(?::(\d{1,9}))?: (?:Failure|error: )(.*)$")
_GTEST_END = Pattern(r"\[  FAILED  \] |\[       OK \] |\[  SKIPPED \] |\[-{10}\]")
_GTEST_RESULT = Pattern(r"\[  FAILED  \] (\S{1,400}?),? (?:where .{0,1000} )?\(\d{1,12} ms\)$")


_BYTES = Pattern(r"(?<=-byte object )<[0-9A-F][0-9A-F .-]{1,1900}>")


def _without_bytes(line: str) -> str:
    """A value that nobody knows how to print is told as its bytes, with the addresses in them."""
    return _BYTES.sub("<bytes>", line) if "-byte object <" in line else line


def googletest(lines: Lines) -> Iterator[Found]:
    """From the name to the result; with `--gtest_brief` only what a test said stands above its result."""
    brief = not any(map(_GTEST_RUN.match, lines))
    for block in _briefly(lines) if brief else blocks(lines, _GTEST_RUN, lambda line: bool(_GTEST_END.match(line))):
        end = block.span.stop
        if not brief and end < len(lines) and not lines[end].startswith("[  FAILED  ]"):
            continue
        body = block.body if end < len(lines) else until_the_end(block.body)
        places = [m for m in map(_GTEST_PLACE.match, body) if m]
        said = [m[3] if (m := _GTEST_PLACE.match(line)) else _without_bytes(line) for line in body]
        yield Found(
            name=block.heading[1],
            kind="Failure" if places else "crash",
            message="\n".join(trimmed(said)),
            frame=Frame(path=places[0][1], line=int(places[0][2]), source=None) if places and places[0][2] else None,
            excerpt=block.text(),
            span=block.span,
        )


def _briefly(lines: Lines) -> Iterator[Block]:
    start = 0
    for number, line in enumerate(lines):
        result = _GTEST_RESULT.match(line)
        if result:
            said = lines[start:number]
            first = next((n for n, text in enumerate(said) if _GTEST_PLACE.match(text)), 0)
            yield Block(heading=result, body=said[first:], start=start + first)
            start = number + 1


_ASSERT = Pattern(
    r"(?:[^\s:]{1,300}: )?([^\s:]{1,500}\.\w{1,8}):(\d{1,9}): (?:(.{1,600}): )?"
    r"Assertion [^\w\s](.{1,1500})[^\w\s] failed\.?$"
)
_MAC_ASSERT = Pattern(r"Assertion failed: \((.{1,1500})\), function (\S{1,300}), file (.{1,500}), line (\d{1,9})\.?$")


def failed_assert(lines: Lines) -> Iterator[Found]:
    for number, line in enumerate(lines):
        linux = _ASSERT.match(line) if "Assertion" in line and line.endswith((" failed", " failed.")) else None
        mac = _MAC_ASSERT.match(line) if "Assertion failed: (" in line else None
        if linux:
            yield _assert(linux[1], int(linux[2]), linux[4], line, number)
        elif mac:
            yield _assert(mac[3], int(mac[4]), mac[1], line, number)


def _assert(path: str, line: int, claim: str, said: str, number: int) -> Found:
    return Found(
        owner=path,
        name="assert",
        glue=" ",
        kind="assert",
        message=claim,
        frame=Frame(path=path, line=line, source=None),
        excerpt=said,
        test=False,
        span=(number,),
    )
