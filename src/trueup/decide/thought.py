"""What did an agent believe? Its last words without the code that it wrote: a hypothesis, never a change."""

from __future__ import annotations

import re

LONGEST = 200

_FENCED = re.compile(r"(`{3,}|~{3,}).*?(?:\1|\Z)", re.DOTALL)
_PATCH = re.compile(r"^(?:[+-](?:\S| {2,}|\t)|[+-]$|@@|diff |index [0-9a-f]|[<=>]{4,}| {4}|\t)")
_SPAN = re.compile(r"`+([^`\n]*)`+")
_NAME = re.compile(r"[\w./:@\[\]-]+(?:\(\))?")
_CODE = re.compile(r"[=+*{};<>|\\^~`]|\w\([^)]|\S\s-\s\S|^(?:return|import|from|def|class|let|const|var)\s")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
_BULLET = re.compile(r"^(?:[-*•]|\d+[.)]|#+)\s+")


def thought(note: str) -> str:
    """The sentences of an agent's last words that hold no code: what it believed, not what it wrote."""
    lines = [line for line in _FENCED.sub("\n", note).splitlines() if not _PATCH.match(line)]
    prose = "\n".join(_BULLET.sub("", line.strip()) for line in lines)
    named = (_SPAN.sub(_only_a_name, s.strip()) for s in _SENTENCE.split(prose))
    return shortened(" ".join(s for s in named if s and not _CODE.search(s)), LONGEST)


def _only_a_name(span: re.Match[str]) -> str:
    """A name in backticks is a word; anything else is code, and stays marked as such."""
    return span[1] if _NAME.fullmatch(span[1]) else span[0]


def shortened(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"
