"""Does a message say this, and what do its placeholders stand for? In linear time, whatever the message.

A template is the message with `{name}` in the places that vary. It cannot express what would make matching slow:
every placeholder takes what it can and gives nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

LONGEST = 4000
"""Characters of a message that are looked at."""

CLASSES: Mapping[str, str] = {
    "name": r"[A-Za-z0-9_]+(?:[.-]+[A-Za-z0-9_]+)*",
    "path": r"[A-Za-z0-9_./@+-]+",
    "version": r"[0-9A-Za-z]+(?:[.+!_-]+[0-9A-Za-z*]+)*",
    "text": "",
}
"""Kinds of placeholders. `text` is anything up to what follows it on the same line, as little as possible."""

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?::([a-z]+))?\}")
_QUOTES = "'\"`"


class Template:
    """Contract: `match` is None when the message does not say it; whatever it returns holds no line break."""

    def __init__(self, text: str) -> None:
        """Raises `ValueError`, with what it has to be, for a text that is no template."""
        self.text = text
        self._pattern = re.compile(_compiled(text))

    def match(self, message: str) -> Mapping[str, str] | None:
        found = self._pattern.search(message[:LONGEST])
        return None if found is None else {name: value or "" for name, value in found.groupdict().items()}


def _compiled(text: str) -> str:
    if not text.strip():
        raise ValueError("a text that a message can hold")
    pieces, at, seen, waiting = [], 0, set[str](), ""
    for place in _PLACEHOLDER.finditer(text):
        pieces.append(_after(waiting, _literal(text[at : place.start()])))
        name, kind = place[1], place[2] or "name"
        if kind not in CLASSES:
            raise ValueError(f"a template whose placeholders are one of {', '.join(CLASSES)}, not {kind!r}")
        if name in seen:
            raise ValueError(f"a template with each placeholder once; {name!r} is there twice")
        seen.add(name)
        waiting = name if kind == "text" else ""
        # What was seen ahead is never given back. A possessive group says the same, but Python 3.11.2 gets it wrong.
        pieces.append("" if waiting else f"(?=(?P<{name}>{CLASSES[kind]}))(?P={name})")
        at = place.end()
    pieces.append(_after(waiting, _literal(text[at:])))
    return "".join(pieces)


def _after(waiting: str, literal: str) -> str:
    """A text placeholder goes on to the first place where the literal is, and is never tried again."""
    if not waiting:
        return literal
    return rf"(?>(?P<{waiting}>[^\n]*?){literal})" if literal else rf"(?P<{waiting}>[^\n]*+)"


def _literal(text: str) -> str:
    """White space stands for any, and one kind of quotes for all: tools wrap lines and change quotes."""
    return "".join(_one(part) for part in re.split(r"(\s+|['\"`])", text) if part)


def _one(part: str) -> str:
    if part.isspace():
        return r"\s++"
    return f"[{_QUOTES}]" if part in _QUOTES else re.escape(part)


def filled(text: str, groups: Mapping[str, str]) -> str:
    """A parameter with what the placeholders stand for. One that is not known stays as it is written."""
    return _PLACEHOLDER.sub(lambda place: groups.get(place[1], place[0]), text)
