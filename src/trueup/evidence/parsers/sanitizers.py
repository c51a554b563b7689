"""What did a sanitizer or valgrind see a program do?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trueup.evidence.parsers.found import Block, Found, Lines, blocks
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame

_HEADING = Pattern(
    r"(?:==\d{1,10}==)?(?:ERROR|WARNING): (\w{1,20}Sanitizer): (.+?)"
    r"(?: on (?:unknown )?address\b.{0,400}| 0x[0-9a-f]{1,16}\b.{0,400}| \(pid=\d{1,10}\))?$"
)
_FRAME = Pattern(
    r"\s{1,8}#\d{1,4} (?:0x[0-9a-fA-F]{1,16} in )?(\S.{0,400}?) "
    r"(\S{1,500}\.\w{1,8}):(\d{1,9})(?::\d{1,9})?(?: \(.{1,300}\))?$"
)
_FOREIGN = Pattern(r"(?:^|/)(?:libsanitizer|sysdeps|csu|compiler-rt|nptl|asan_|tsan_)")
_ABOUT = Pattern(
    r"\s{0,4}((?:READ|WRITE) of size \d{1,9}|Location is global .{1,200}? of size|(?:Direct|Indirect) leak of)"
)
_ADDRESS = Pattern(r"0x[0-9a-f]{1,16}")


def sanitizer(lines: Lines) -> Iterator[Found]:
    """Each report up to its summary; the first frame of the program is the place."""
    for block in blocks(lines, _HEADING, lambda line: line.startswith("SUMMARY: ")):
        frames = [m for m in map(_FRAME.match, block.body) if m and not _FOREIGN.search(m[2])]
        about = {_ADDRESS.sub("<address>", m[1]) for m in map(_ABOUT.match, block.body) if m}
        yield _found(f"{block.heading[1]}: {block.heading[2]}", sorted(about), frames[:1], block)


_VALGRIND = Pattern(r"==\d{1,10}== ([A-Z\d\S].{1,400})$")
_VALGRIND_FRAME = Pattern(
    r"==\d{1,10}==\s{1,8}(?:at|by) 0x[0-9A-Fa-f]{1,16}: (\S.{0,400}?) \(([^\s():]{1,400}):(\d{1,9})\)$"
)
_STACK = Pattern(r"==\d{1,10}== {2,4}(?:at|by) 0x")
_RECORD = Pattern(r" in loss record .{1,80}$")


def valgrind(lines: Lines) -> Iterator[Found]:
    """A sentence with a stack right below it."""
    for block in blocks(lines, _VALGRIND, lambda line: line.rstrip().endswith("==")):
        if block.body and _STACK.match(block.body[0]):
            frames = [m for m in map(_VALGRIND_FRAME.match, block.body) if m]
            yield _found(_RECORD.sub("", block.heading[1]), [], frames[:1], block)


def _found(what: str, about: Iterable[str], place: list[re.Match[str]], block: Block) -> Found:
    function = place[0][1] if place else ""
    kind, _, rest = what.partition(": ")
    return Found(
        owner=place[0][2] if place else "",
        name=function,
        kind=(kind.strip() if rest else "") or "memory error",
        message="\n".join([rest or what, *about]),
        frame=Frame(path=place[0][2], line=int(place[0][3]), source=None) if place else None,
        excerpt=block.text(),
        test=False,
        span=block.span,
    )
