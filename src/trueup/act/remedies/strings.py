"""Where in a source text are its strings and comments? For repairs that must leave both as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

LiteralEnd = Callable[[str, int], int]
"""Where the string or comment ends that begins at this place; the place itself when none does."""


class Part(NamedTuple):
    text: str
    code: bool
    """Neither inside a string nor inside a comment."""


def in_python(text: str, at: int) -> int:
    """Strings with ASCII quotes, triple ones too, and comments. A string that does not end ends with its line."""
    if text[at] == "#":
        return _end_of_line(text, at)
    return _end_of_string(text, at) if text[at] in "'\"" else at


def in_json(text: str, at: int) -> int:
    return _end_of_string(text, at, triple=False) if text[at] == '"' else at


def in_javascript(text: str, at: int) -> int:
    """Strings, templates with all that stands in them, and comments."""
    if text.startswith("//", at):
        return _end_of_line(text, at)
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return len(text) if end < 0 else end + 2
    if text[at] == "`":
        end = _closing(text, at + 1, "`", across_lines=True)
        return len(text) if end < 0 else end
    return _end_of_string(text, at, triple=False) if text[at] in "'\"" else at


def parts(text: str, literal_end: LiteralEnd) -> Iterator[Part]:
    at = start = 0
    while at < len(text):
        end = literal_end(text, at)
        if end == at:
            at += 1
            continue
        yield Part(text[start:at], code=True)
        yield Part(text[at:end], code=False)
        at = start = end
    yield Part(text[start:], code=True)


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _end_of_string(text: str, at: int, *, triple: bool = True) -> int:
    quote = text[at]
    if triple and text.startswith(quote * 3, at):
        end = _closing(text, at + 3, quote * 3, across_lines=True)
        return len(text) if end < 0 else end
    end = _closing(text, at + 1, quote, across_lines=False)
    return _end_of_line(text, at + 1) if end < 0 else end


def _closing(text: str, at: int, quote: str, *, across_lines: bool) -> int:
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith(quote, at):
            return at + len(quote)
        elif text[at] == "\n" and not across_lines:
            return -1
        else:
            at += 1
    return -1
