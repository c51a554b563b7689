"""How is text from outside shown without letting it draw on the screen, and how are amounts written?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from trueup.evidence.failure import Failure, Key, check_of, subject_of

Redact = Callable[[str], str]

WIDTH = 100
"""How wide a screen is meant to be when nobody knows better."""

LABEL = 11
"""Column in which the text beside a label begins."""

_ANSI = re.compile(
    r"\x1b\][^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\|\x9c)"  # titles, links, clipboard
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b[()][0-9A-Za-z]"  # character sets
)
# Invisible or reordering: an id that reads one way and is another one.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MINUTE, _HOUR = 60, 3600
_BARE_KINDS = frozenset({"AssertionError", "timeout", "exit", "unparsed", "decision"})


def unchanged(text: str) -> str:
    return text


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code > 0xFFFF:  # noqa: PLR2004 - the end of the basic plane
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"  # noqa: PLR2004 - the end of Latin-1


def block(text: str) -> str:
    """Text of several lines: colours are dropped, every other control character becomes visible."""
    return _UNSEEN.sub(_visible, _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))


def plain(text: str) -> str:
    """The same on one line, for names and paths: a line break in them becomes visible as well."""
    return block(text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", " "))


def one_line(text: str, limit: int = 200) -> str:
    """Prose on one line, shortened."""
    return shorten(plain(" ".join(_ANSI.sub("", text).split())), limit)


def shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def cells(text: str) -> int:
    """Columns that a terminal needs for this."""
    return sum(_cell(c) for c in text)


def _cell(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int | None) -> str:
    """Cut to the columns of a terminal of known width."""
    if width is None or cells(text) <= width:
        return text
    used, kept = 1, ""
    for char in text:
        used += _cell(char)
        if used > width:
            break
        kept += char
    return kept + "…"


def pad(text: str, width: int) -> str:
    return text + " " * max(width - cells(text), 0)


def labelled(label: str, text: str) -> str:
    """`  checks   pytest -q`: every line of every screen begins in this way."""
    return (pad(f"  {label}", LABEL) if len(label) < LABEL - 2 else f"  {label}  ") + text


def beside(left: str, right: str, width: int) -> str:
    """Time and money in a column of their own, near the right edge."""
    if not right:
        return left
    column = max(width - 20, 40)
    return f"{pad(left, column)}{right}" if cells(left) < column else f"{left}  {right}"


def packed(label: str, items: Sequence[str], *, gap: str, width: int) -> list[str]:
    """Items one after another under one label, broken only between two items."""
    rows: list[str] = []
    for item in items:
        if rows and LABEL + cells(rows[-1]) + len(gap) + cells(item) <= width:
            rows[-1] += gap + item
        else:
            rows.append(item)
    return [labelled(label if i == 0 else "", row) for i, row in enumerate(rows)]


def table(rows: Iterable[Sequence[str]], *, widest: int = 44) -> list[str]:
    """Rows with aligned columns, two blanks between; a long cell does not push the others away."""
    made = [list(row) for row in rows]
    columns = max((len(row) for row in made), default=0)
    room = [min(max((cells(row[i]) for row in made if i < len(row)), default=0), widest) for i in range(columns)]
    return ["  ".join(pad(c, room[i]) for i, c in enumerate(row)).rstrip() for row in made]


# --- amounts -------------------------------------------------------------------------------------------------


def clock(seconds: float) -> str:
    """`1:31`, `1:02:03`."""
    whole = round(seconds)
    hours, rest = divmod(whole, _HOUR)
    minutes, secs = divmod(rest, _MINUTE)
    return f"{hours}:{minutes:02}:{secs:02}" if hours else f"{minutes}:{secs:02}"


def span(seconds: float) -> str:
    """`6 s`, `45 min`, `1 h 30 min`."""
    whole = round(seconds)
    if whole < 2 * _MINUTE and whole != _MINUTE:
        return f"{whole} s"
    hours, rest = divmod(round(whole / _MINUTE), _MINUTE)
    return " ".join(part for part in (f"{hours} h" if hours else "", f"{rest} min" if rest else "") if part)


def money(usd: float) -> str:
    return f"${usd:.2f}"


def number(count: int) -> str:
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


# --- names ---------------------------------------------------------------------------------------------------


def short_name(key: Key) -> str:
    """`test_cart.py::test_bulk`: the test's file without its folders; a whole check goes by its name."""
    subject = subject_of(key) or check_of(key)
    head, bracket, values = subject.partition("[")
    file, colons, rest = head.partition("::")
    return plain(f"{PurePosixPath(file).name}::{rest}{bracket}{values}" if colons else subject)


def _bare_name(key: Key) -> str:
    head, bracket, values = short_name(key).partition("[")
    return head.rpartition("::")[2] + bracket + values


def name_list(keys: Sequence[Key], *, limit: int = 3, room: int | None = None) -> str:
    """`test_bulk, test_bulk_tax and 4 more`; the file is added only where the bare name is not enough."""
    bare = [_bare_name(k) for k in keys]
    names = [short_name(k) if bare.count(b) > 1 else b for k, b in zip(keys, bare, strict=True)]
    for shown in range(min(limit, len(names)), 0, -1):
        more = f" and {len(names) - shown} more" if len(names) > shown else ""
        text = ", ".join(names[:shown]) + more
        if room is None or cells(text) <= room:
            return text
    return plural(len(names), "test")


def path_list(paths: Sequence[str], *, limit: int = 3) -> str:
    shown = ", ".join(plain(PurePosixPath(p).name or p) for p in paths[:limit])
    return shown if len(paths) <= limit else f"{shown} and {len(paths) - limit} more"


def wording(kind: str, message: str, limit: int = 120) -> str:
    """`assert 90 == 85`, `KeyError: 'discount'`: the failing line itself."""
    first = next((line for line in block(message).splitlines() if line.strip()), "")
    said = one_line(first, limit).removeprefix("AssertionError: ")
    if not said or said == kind:
        return one_line(kind, limit)
    return said if kind in _BARE_KINDS or kind in said else shorten(f"{plain(kind)}: {said}", limit)


def place(failure: Failure, *, folders: bool = False) -> str:
    if failure.file is None:
        return ""
    file = plain(failure.file if folders else PurePosixPath(failure.file).name)
    return file if failure.line is None else f"{file}:{failure.line}"
