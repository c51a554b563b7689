"""What failed, in the Test Anything Protocol (node:test, tap, prove, bats)?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator

from trueup.evidence.parsers.found import (
    Block,
    Found,
    Lines,
    before,
    blocks,
    frames,
    kind_and_message,
    raised,
    trimmed,
)
from trueup.evidence.parsers.javascript import NEAR, node_file
from trueup.evidence.parsers.shells import bats_place
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import first_own
from trueup.evidence.told import Phase

_RESULT = Pattern(r"( {0,40})(ok|not ok)\b(?: (\d{1,9}))?(?: -)? ?(.{0,1000})$")
_DIRECTIVE = Pattern(r"(?:^|\s)#\s{0,4}(?:skip|todo)", re.IGNORECASE)
_TIME = Pattern(r" # time=[\d.]{1,16}m?s(?=$| \{$)| in \d{1,9}(?:ms|sec)$")
_SUBTEST = Pattern(r"( {0,40})# Subtest: (.{1,1000})$")
_FIELD = Pattern(r"( {0,48})([A-Za-z_]\w{0,40}): ?(.*)$")
_PLACE = r"(?P<path>(?:[A-Za-z]:[\\/]|file://)?[^\s:()'\"][^:()\n'\"]{0,500}):(?P<line>\d{1,9}):\d{1,9}"
_STACK = Pattern(rf"^\s{{0,60}}(?:at )?(?:[^()\n]{{0,400}}\()?{_PLACE}\)?$")
_LOCATION = Pattern(rf"{_PLACE}")
_COMMENT_FRAME = Pattern(r"#\s{1,8}(?:at |\(in test file )(?P<path>[^\s,]{1,500}),? line (?P<line>\d{1,9})")
_COMMENT = Pattern(r"# \S")
_BRACED = Pattern(r"( {0,40})(?:ok|not ok)\b(?: \d{1,9})?(?: -)? ?(.{0,1000}) \{$")
_BUSTED_PLACE = Pattern(r"\S{1,500} @ \d{1,9}$")
_FILES = (".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx", ".mts")
_ERRORS = ("Error", "Exception")
_VALUES = ("expected", "actual", "assertion", "details")
_BLOCK_STYLES = {"|", "|-", ">", ">-", "|+"}


def tap(lines: Lines) -> Iterator[Found]:
    parents: list[tuple[int, str]] = []
    openings = deque(
        (n, m) for n, line in enumerate(lines) if ("# Sub" in line or line[-1:] == "{") and (m := _opening(line))
    )
    comments = [n for n, line in enumerate(lines) if line[:1] == "#" and _COMMENT.match(line)]
    for block in blocks(lines, _RESULT, {lines[n] for n, _ in openings}.__contains__, mark="ok"):
        while openings and openings[0][0] <= block.start:
            opened = openings.popleft()[1]
            parents = [*(p for p in parents if p[0] < len(opened[1])), (len(opened[1]), _name(opened[2]))]
        if (
            block.heading[2] == "not ok"
            and not _DIRECTIVE.search(block.heading[4])
            and not _opening(lines[block.start])
        ):
            above = [name for depth, name in parents if depth < len(block.heading[1])]
            commented = bisect_right(comments, block.start)
            found = _failure(block, above, lines[comments[commented - 1]] if commented else "")
            if found and found.phase is Phase.COLLECT:
                yield node_file(found.owner, lines[max(0, block.start - NEAR) : block.start], (found.message, block))
            elif found:
                yield found


def _opening(line: str) -> re.Match[str] | None:
    """What follows deeper belongs to it: node's comment, vitest's brace."""
    opening = _SUBTEST.match(line) if "# Subtest: " in line else None
    return opening or (_BRACED.match(line) if line.endswith(" {") else None)


def _name(text: str) -> str:
    return _TIME.sub("", text).strip().replace("\\#", "#")  # a bare one begins a directive


def _failure(block: Block, parents: list[str], comment: str) -> Found | None:
    fields = _fields(block.body)
    if "subtestsFailed" in "".join(fields.get("failureType", [])):
        return None
    if (
        "operator" in fields and "location" not in fields and comment
    ):  # tape tells the test as a comment and names the assertion
        parents = [*parents, comment.removeprefix("#").strip()]
    stack = first_own(frames(fields.get("stack", []) if fields else block.body, _STACK))
    place = _LOCATION.search("".join(fields.get("location", [])))
    kind, message = _said(fields, block.body)
    path = [*parents, _name(block.heading[4])]
    names = [n for n in path if not n.endswith(_FILES)]
    owner = place["path"] if place else next((n for n in path if n.endswith(_FILES)), "")
    return Found(
        owner=owner,
        name=" > ".join(names) or ("" if owner else block.heading[3] or "test"),
        kind=kind,
        message=message,
        phase=Phase.RUN if names or not owner else Phase.COLLECT,
        test=bool(names),
        frame=bats_place(block.body) or stack or first_own(frames(block.body, _COMMENT_FRAME, mark=" line ")),
        excerpt=block.text(),
        span=block.span,
    )


def _said(fields: dict[str, list[str]], body: Lines) -> tuple[str, str]:
    error = fields.get("error") or fields.get("message") or []
    if not fields:
        return _said_plainly(body)
    inner = _fields(["---", *error]) if error and not error[0] else {}  # vitest: the error has a name and a message
    named = "".join(fields.get("name", []) or inner.get("name", []))
    bats = any(line.lstrip().startswith(("(in test file ", "(from function ")) for line in error[:2])
    kind, message = kind_and_message(inner.get("message", error), "not ok" if bats else "Error")
    # node's message has the values in it, as its other reports have.
    values = [
        f"{key}: {' '.join(trimmed(fields[key]))}" for key in _VALUES if key in fields and "location" not in fields
    ]
    return named or kind, "\n".join([message, *values])


def _said_plainly(body: Lines) -> tuple[str, str]:
    """Comments, or (mocha) the message and below it the error with its stack."""
    comments = trimmed(line.strip().removeprefix("#") for line in body if line.lstrip().startswith("#"))
    text = trimmed(before([line for line in body if line.startswith(" ") and line.strip()[0:1] != "#"], _is_stack))
    thrown = [(n, r) for n, r in ((n, raised(line)) for n, line in enumerate(text)) if r and r[0].endswith(_ERRORS)]
    if thrown:
        at, (kind, message) = thrown[-1]
        return kind, "\n".join([message, *text[at + 1 :]])
    return kind_and_message((c for c in [*comments, *text] if not _BUSTED_PLACE.match(c)), "not ok")


def _is_stack(line: str) -> bool:
    return line.lstrip().startswith("at ")


def _fields(body: Lines) -> dict[str, list[str]]:
    """The outermost keys of the YAML block. Real YAML is not needed: the writers print one shape."""
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    depth = -1
    start = next((n for n, line in enumerate(body) if line.strip() == "---"), len(body))
    for line in body[start + 1 :]:
        match = _FIELD.match(line) if ":" in line else None
        if line.strip() == "...":
            break
        if match and (depth < 0 or len(match[1]) <= depth):
            depth = len(match[1])
            current = []
            if match[2] not in fields or match[2] == "stack":  # node tells a value that is an error in the same keys
                fields[match[2]] = current
            if match[3] not in _BLOCK_STYLES:
                current.append(_unquoted(match[3]))
        elif current is not None:
            current.append(line)
    return fields


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\"`"
    return value[1:-1].replace("''", "'").replace("\\n", "\n") if quoted else value
