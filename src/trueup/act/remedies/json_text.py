"""Which commas are missing or too many in a JSON text, which comments stand in it, and what of it is Python?"""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\ufeff]+)
      | (?P<comment>//[^\n\r]*|\#[^\n\r]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)
      | (?P<string>"[^"\\\n\r]*(?:\\[^\n\r][^"\\\n\r]*)*")
      | (?P<single>'[^'"\\\n\r]*(?:\\[^'\n\r][^'"\\\n\r]*)*')
      | (?P<word>\b(?:True|False|None)\b)
      | (?P<atom>-?[0-9][0-9.eE+-]*+|true|false|null)
      | (?P<open>[\[{])
      | (?P<close>[\]}])
      | (?P<comma>,)
      | (?P<colon>:)""",
    re.VERBOSE,
)
_VALUES = ("string", "single", "word", "atom")
_VALUE_ENDS = frozenset({*_VALUES, "close"})
_VALUE_BEGINS = frozenset({*_VALUES, "open"})
_WORDS = {"True": "true", "False": "false", "None": "null"}
Token = tuple[str, int, int]


def repaired(text: str) -> str | None:
    """The text with its commas in order and its comments taken out; None when it is something else that is wrong."""
    tokens = _tokens(text)
    if tokens is None:
        return None
    bare = [token for token in tokens if token[0] not in {"space", "comment"}]
    changes = [*_comments(text, tokens), *_commas(text, bare), *_of_python(text, bare)]
    new = text
    for start, end, instead in sorted(changes, reverse=True):
        new = new[:start] + instead + new[end:]
    return new if new != text and is_json(new) else None


def is_json(text: str) -> bool:
    return loaded(text) is not None


def loaded(text: str) -> tuple[Any] | None:
    """The value, wrapped: null is a value too."""
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _tokens(text: str) -> list[Token] | None:
    at, tokens = 0, []
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return None
        tokens.append((str(found.lastgroup), at, found.end()))
        at = found.end()
    return tokens


def _comments(text: str, tokens: list[Token]) -> list[tuple[int, int, str]]:
    return [(*_with_its_line(text, start, end), "") for kind, start, end in tokens if kind == "comment"]


def _with_its_line(text: str, start: int, end: int) -> tuple[int, int]:
    """A comment alone on its line takes the line with it; behind a value it takes the space before it."""
    begin = len(text[:start].rstrip(" \t"))
    alone = begin == 0 or text[begin - 1] == "\n"
    if not alone:
        return begin, end
    rest = re.compile(r"[ \t]*\r?\n").match(text, end)
    return (begin, rest.end()) if rest else (start, end)


def _of_python(text: str, bare: list[Token]) -> list[tuple[int, int, str]]:
    """Strings in single quotes, and Python's words for true, false and null."""
    changes = [(at, end, _WORDS[text[at:end]]) for kind, at, end in bare if kind == "word"]
    return changes + [(at, end, f'"{text[at + 1 : end - 1]}"') for kind, at, end in bare if kind == "single"]


def _commas(text: str, bare: list[Token]) -> list[tuple[int, int, str]]:
    changes: list[tuple[int, int, str]] = []
    for (kind, start, end), (following, begin, _) in itertools.pairwise(bare):
        if kind == "comma" and following in {"close", "comma"}:
            changes.append((start, end, ""))
        elif kind in _VALUE_ENDS and following in _VALUE_BEGINS and "\n" in text[end:begin]:
            changes.append((end, end, ","))
    return changes
