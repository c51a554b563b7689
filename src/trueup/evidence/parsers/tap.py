"""What failed, in the Test Anything Protocol (node:test, tap, prove, bats)?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trueup.evidence.failure import Phase
from trueup.evidence.parsers.found import Block, Found, Lines, blocks, frames, kind_and_message, trimmed
from trueup.evidence.places import first_own

_RESULT = re.compile(r"( {0,40})(ok|not ok)\b(?: (\d{1,9}))?(?: -)? ?(.{0,1000})$")
_DIRECTIVE = re.compile(r"(?:^|\s)#\s{0,4}(?:skip|todo|time=)", re.IGNORECASE)
_SUBTEST = re.compile(r"( {0,40})# Subtest: (.{1,1000})$")
_FIELD = re.compile(r"( {0,48})([A-Za-z_]\w{0,40}): ?(.*)$")
_PLACE = r"(?P<path>(?:[A-Za-z]:[\\/]|file://)?[^\s:()'\"][^:()\n'\"]{0,500}):(?P<line>\d{1,9}):\d{1,9}"
_STACK = re.compile(rf"^\s{{0,60}}(?:at )?(?:[^()\n]{{0,400}}\()?{_PLACE}\)?$")
_LOCATION = re.compile(rf"{_PLACE}")
_COMMENT_FRAME = re.compile(r"#\s{1,8}(?:at |\(in test file )(?P<path>[^\s,]{1,500}),? line (?P<line>\d{1,9})")
_BLOCK_STYLES = {"|", "|-", ">", ">-", "|+"}


def tap(lines: Lines) -> Iterator[Found]:
    parents: list[tuple[int, str]] = []
    numbers = iter(sorted((n, m) for n, m in ((n, _SUBTEST.match(line)) for n, line in enumerate(lines)) if m))
    upcoming = next(numbers, None)
    for block in blocks(lines, _RESULT, lambda line: _SUBTEST.match(line) is not None):
        while upcoming and upcoming[0] < block.start:
            depth = len(upcoming[1][1])
            parents = [*(p for p in parents if p[0] < depth), (depth, upcoming[1][2].strip())]
            upcoming = next(numbers, None)
        if block.heading[2] == "not ok" and not _DIRECTIVE.search(block.heading[4]):
            found = _failure(block, [name for depth, name in parents if depth < len(block.heading[1])])
            if found:
                yield found


def _failure(block: Block, parents: list[str]) -> Found | None:
    fields = _fields(block.body)
    if "subtestsFailed" in "".join(fields.get("failureType", [])):
        return None
    stack = first_own(frames(fields.get("stack", []), _STACK))
    place = _LOCATION.search("".join(fields.get("location", [])))
    kind, message = _said(fields, block.body)
    names = [n for n in [*parents, block.heading[4].strip()] if not n.endswith((".js", ".mjs", ".cjs", ".ts"))]
    return Found(
        owner=place["path"] if place else _own_file(block, parents),
        name=" > ".join(names) or ("" if place else block.heading[3] or "test"),
        kind=kind,
        message=message,
        phase=Phase.RUN if names or not place else Phase.COLLECT,
        test=bool(names),
        frame=stack or first_own(frames(block.body, _COMMENT_FRAME)),
        excerpt=block.text(),
        span=block.span,
    )


def _own_file(block: Block, parents: list[str]) -> str:
    """node names the file as the outermost test."""
    return next((n for n in [*parents, block.heading[4].strip()] if n.endswith((".js", ".mjs", ".cjs", ".ts"))), "")


def _said(fields: dict[str, list[str]], body: Lines) -> tuple[str, str]:
    error = fields.get("error") or fields.get("message") or []
    if not fields:
        comments = trimmed(line.strip().removeprefix("#") for line in body if line.lstrip().startswith("#"))
        return kind_and_message(comments, "not ok")
    named = "".join(fields.get("name", []))
    kind, message = kind_and_message(error, "Error")
    values = [f"{key}: {' '.join(trimmed(fields[key]))}" for key in ("expected", "actual") if key in fields]
    return named or kind, "\n".join([message, *values])


def _fields(body: Lines) -> dict[str, list[str]]:
    """The outermost keys of the YAML block. Real YAML is not needed: the writers print one shape."""
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    depth = -1
    for line in body:
        match = _FIELD.match(line)
        if line.strip() == "...":
            break
        if match and (depth < 0 or len(match[1]) <= depth):
            depth = len(match[1])
            current = fields.setdefault(match[2], [])
            if match[3] not in _BLOCK_STYLES:
                current.append(_unquoted(match[3]))
        elif current is not None:
            current.append(line)
    return fields


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1].replace("''", "'").replace("\\n", "\n") if quoted else value
