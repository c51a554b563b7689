"""What do the `key: value` lines at the top of a markdown file say, and how is one of them alone changed?"""

from __future__ import annotations

import re

BOM = b"\xef\xbb\xbf"
FENCE = re.compile(rb"---[ \t]*(\r?\n|\Z)")
PAIR = re.compile(rb"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:[ \t]*(.*?)[ \t]*(\r?\n|\Z)", re.DOTALL)
MARK = b"<!-- trueup: comments -->"
"""From here on nothing is part of the issue's text; a heading alone could be the author's own."""


def fields(content: bytes) -> dict[str, str]:
    """The first value of each key; {} without such lines. Quotes around a value, and remarks after it, are left out."""
    found: dict[str, str] = {}
    for line in _head(content)[1]:
        pair = PAIR.fullmatch(line)
        if pair:
            value = pair[2].decode("utf-8", "replace")
            found.setdefault(pair[1].decode().lower(), _unquoted(value))
    return found


def text(content: bytes) -> str:
    """What people wrote below those lines, without the comments."""
    before, head, after = _head(content)
    body = content[len(before) + sum(map(len, head)) + len(after) :]
    return body.partition(MARK)[0].decode("utf-8", "replace")


def with_field(content: bytes, key: str, value: str | None) -> bytes:
    """The same bytes, but for this one line: changed, added, or (None) removed wherever it stands."""
    before, head, after = _head(content)
    end = b"\r\n" if b"\r\n" in content[:4096] else b"\n"
    written = f"{key}: {value}".encode() + end
    rest = content[len(before) + sum(map(len, head)) + len(after) :]
    if not after:
        return content if value is None else _bom(content) + b"---" + end + written + b"---" + end + rest
    if value is None:
        return before + b"".join(line for line in head if not _is(line, key)) + after + rest
    place = next((n for n, line in enumerate(head) if _is(line, key)), len(head))
    return before + b"".join([*head[:place], written, *head[place + 1 :]]) + after + rest


def with_comment(content: bytes, comment: str) -> bytes:
    """The same bytes with a paragraph at the end, under the heading `## Comments`."""
    end = b"\r\n" if b"\r\n" in content[:4096] else b"\n"
    heading = b"" if MARK in content else MARK + end + b"## Comments" + end + end
    gap = b"" if not content else end if content.endswith(b"\n") else end + end
    return content + gap + heading + end.join(comment.encode("utf-8", "replace").split(b"\n")) + end


def _head(content: bytes) -> tuple[bytes, list[bytes], bytes]:
    """Opening line, lines between, closing line; the last one is b"" when there is no such block."""
    bom = _bom(content)
    lines = content[len(bom) :].splitlines(keepends=True)
    if not lines or not FENCE.fullmatch(lines[0]):
        return bom, [], b""
    last = next((n for n, line in enumerate(lines[1:], 1) if FENCE.fullmatch(line)), None)
    if last is None:
        return bom, [], b""
    return bom + lines[0], lines[1:last], lines[last]


def _bom(content: bytes) -> bytes:
    return BOM if content.startswith(BOM) else b""


def _is(line: bytes, key: str) -> bool:
    pair = PAIR.fullmatch(line)
    return pair is not None and pair[1].decode().lower() == key


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].rstrip()
