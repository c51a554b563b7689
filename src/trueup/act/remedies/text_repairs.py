"""What can be wrong with a whole text, and what was it meant to be? From text to text; None = not this one."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from trueup.act.remedies.strings import LiteralEnd, parts

_ESCAPE = re.compile(r"\\(?:(n|r|t|\"|'|/|\\)|u([0-9a-fA-F]{4}))")
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "'": "'", "/": "/", "\\": "\\"}
_WHITE = re.compile(r"\\(?:r\\n|n|t)")
_FEW_LINES = 3
_FENCE = re.compile(r"\A\s*(`{3,}|~{3,})[\w.+-]*[ \t]*\r?\n(.*?)\r?\n?^\1[ \t]*\s*\Z", re.DOTALL | re.MULTILINE)
_ONE_FENCE = re.compile(
    r"\A(?P<before>(?:(?!```)[^\n]*\n)*)```[\w.+-]*[ \t]*\r?\n(?P<code>.*?)\r?\n?^```[ \t]*(?:\r?\n(?P<after>.*))?\Z",
    re.DOTALL | re.MULTILINE,
)
_PROSE = re.compile(r"[A-Z*][^\"(){}\[\]=;#<>\\]*[.:!*]")
"""A sentence of a chat answer, and no line of code."""
_FEW_SENTENCES = 3
_MARKER = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?: [^\n]*)?$")
_CURLY = {"“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'"}
_CURLY_STRING = re.compile(r"[“„‟”]([^“”„‟\n]*)[”“‟]|[‘‚‛’]([^‘’‚‛\n]*)[’‘‛]")
_TYPOGRAPHIC = str.maketrans(
    {
        "\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u3000": " ", "\u2003": " ", "\u2002": " ", "\u2009": " ",
        "\u200b": None, "\u200c": None, "\u200d": None, "\u2060": None, "\ufeff": None, "\u200e": None, "\u200f": None,
        "–": "-", "—": "-", "−": "-", "×": "*", "÷": "/", "，": ",", "：": ":", "；": ";", "（": "(", "）": ")",
        "［": "[", "］": "]", "｛": "{", "｝": "}", "＝": "=", "．": ".", "＂": '"', "＇": "'",
    }
)  # fmt: skip
"""What editors, word processors and input methods put in the place of the character that was meant."""


# --- line breaks written as backslash and letter ----------------------------------------------------------------


def unescaped(text: str, literal_end: LiteralEnd) -> Iterator[str]:
    """The text of a file that was written with its line breaks as `\\n`: the likeliest reading first."""
    if text.count("\n") > _FEW_LINES or not _WHITE.search(text):
        return
    outside = "".join(_broken_up(part.text) if part.code else part.text for part in parts(text, literal_end))
    everywhere = _ESCAPE.sub(_meant, text)
    yield from (everywhere, outside) if '\\"' in text else (outside, everywhere)


def _broken_up(code: str) -> str:
    return _WHITE.sub(lambda found: {"\\n": "\n", "\\t": "\t"}.get(found[0], "\r\n"), code)


def _meant(found: re.Match[str]) -> str:
    return _UNESCAPED[found[1]] if found[1] else chr(int(found[2], 16))


def unfenced(text: str) -> str | None:
    """Without the ``` lines of the chat answer that it was copied from, and without its sentences before and after."""
    found = _FENCE.match(text)
    if found is not None:
        return None if f"\n{found[1]}" in f"\n{found[2]}" else found[2] + "\n"
    found = _ONE_FENCE.match(text)
    if found is None or "\n```" in f"\n{found['code']}":
        return None
    return f"{found['code']}\n" if _is_prose(found["before"]) and _is_prose(found["after"]) else None


def _is_prose(text: str | None) -> bool:
    said = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return len(said) <= _FEW_SENTENCES and all(_PROSE.fullmatch(line) for line in said)


# --- merge conflicts --------------------------------------------------------------------------------------------


def unmarked(text: str) -> str | None:
    """Without merge-conflict markers, where it is clear what stays: a marker that nothing belongs to goes; of two sides
    that are the same, or of which one is the common ancestor, the changed one stays."""
    lines = text.splitlines(keepends=True)
    kinds = [_marker(line) for line in lines]
    if not any(kind in {"<", ">"} for kind in kinds):
        return None
    return _resolved(lines, kinds) if _is_complete(kinds) else _without_strays(lines, kinds)


def _marker(line: str) -> str:
    found = _MARKER.match(line.rstrip("\r\n"))
    return found[1][0] if found else ""


def _is_complete(kinds: list[str]) -> bool:
    return bool(re.fullmatch(r"(<(\|)?=>)+", "".join(kinds)))


def _without_strays(lines: list[str], kinds: list[str]) -> str | None:
    """With two kinds of markers there were two sides, and nobody knows which."""
    if len({kind for kind in kinds if kind}) != 1:
        return None
    return "".join(line for line, kind in zip(lines, kinds, strict=True) if not kind)


def _resolved(lines: list[str], kinds: list[str]) -> str | None:
    kept: list[str] = []
    sides: dict[str, list[str]] = {}
    now = ""
    for line, kind in zip(lines, kinds, strict=True):
        if kind == ">":
            side = _one_side(sides)
            if side is None:
                return None
            kept += side
            now, sides = "", {}
        elif kind:
            now = kind
            sides[kind] = []
        else:
            (sides[now] if now else kept).append(line)
    return "".join(kept)


def _one_side(sides: dict[str, list[str]]) -> list[str] | None:
    ours, theirs, base = sides["<"], sides["="], sides.get("|")
    if ours == theirs or (base is not None and theirs == base):
        return ours
    return theirs if base is not None and ours == base else None


# --- typography -------------------------------------------------------------------------------------------------


def straightened(text: str, literal_end: LiteralEnd) -> str | None:
    """With plain quotes, dashes and spaces in the code. Strings and comments keep theirs."""
    pieces, at = [], 0
    while at < len(text):
        end = literal_end(text, at)
        found = _CURLY_STRING.match(text, at) if end == at else None
        string = _straight_string(found) if found else None
        if found and string is not None:
            piece, end = string, found.end()
        elif end > at:
            piece = text[at:end]
        else:
            piece, end = _CURLY.get(text[at], text[at]).translate(_TYPOGRAPHIC), at + 1
        pieces.append(piece)
        at = end
    new = "".join(pieces)
    return new if new != text else None


def _straight_string(found: re.Match[str]) -> str | None:
    """A string between curly quotes, between plain ones; None when it holds a plain one itself."""
    inner, quote = (found[1], '"') if found[1] is not None else (found[2], "'")
    if quote in inner:
        quote = "'" if quote == '"' else '"'
    return None if quote in inner else f"{quote}{inner}{quote}"


# --- indentation ------------------------------------------------------------------------------------------------


def untabbed(text: str, meaning: Callable[[str], str | None] | None = None) -> str | None:
    """With its indentation in spaces, if every usual width of a tab makes the same of it. `meaning`: for another
    language than Python."""
    if "\t" not in text:
        return None
    ways = {width: _spaced(text, width) for width in (8, 4, 2)}
    programs = {width: dump for width, way in ways.items() if (dump := (meaning or program)(way)) is not None}
    if len(set(programs.values())) != 1:
        return None
    return ways[4 if 4 in programs else next(iter(programs))]  # noqa: PLR2004 - what most people use


def _spaced(text: str, width: int) -> str:
    return re.sub(r"^[ \t]+", lambda found: found[0].expandtabs(width), text, flags=re.MULTILINE)


def program(text: str) -> str | None:
    """What a text means as Python; None when it does not parse."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
