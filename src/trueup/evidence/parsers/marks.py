"""Which of many marks occur in an output? Most of them can stand only in the few lines that speak of a failure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LOUD = ("rror", "ail", "AIL", "RROR")
_RARE = (*'●›✖✘✗→━╭‘•`%*|!<"\t>#/([JPWUM,S=', "FAIL", "A", "Fail", "fail", "ERROR", "Error", "error", "")
"""Signs, the rarest first: one character is found many times as quickly as a word. What has none is searched for."""

_Filed = dict[str, list[tuple[str, int]]]


def searchable(lines: Iterable[str]) -> str:
    """A mark may begin or end with the end of a line; the first and the last line have one, too."""
    return "\n".join(["", *lines, ""])


def loud(lines: Iterable[str]) -> list[str]:
    """The lines that speak of a failure or an error. (One by one: this runs for every line of every output.)"""
    return [line for line in lines if "rror" in line or "ail" in line or "AIL" in line or "RROR" in line]


class Marks:
    """Rows of marks. A mark is searched for only where it can be: in loud lines, or in a text that has its sign."""

    def __init__(self, rows: Iterable[Sequence[str]]) -> None:
        self._loud: _Filed = {}
        self._others: _Filed = {}
        for number, marks in enumerate(rows):
            for mark in marks:
                self._file(mark, number)
        self._plain = tuple(map(_in_ascii, (self._others, self._loud)))

    def _file(self, mark: str, number: int) -> None:
        is_loud = any(word in mark for word in _LOUD) and "\n" not in mark.strip("\n")
        filed = self._loud if is_loud else self._others
        filed.setdefault(next(sign for sign in _RARE if sign in mark), []).append((mark, number))

    def rows(self, text: str, loud_text: str | None = None) -> list[int]:
        """The rows that have a mark in the text, in their order. Its loud lines spare most of the work."""
        others, loud = self._plain if text.isascii() else (self._others, self._loud)
        found = _rows(others, text) + _rows(loud, text if loud_text is None else loud_text)
        return sorted(set(found)) if found else found


def _in_ascii(filed: _Filed) -> _Filed:
    """Those that can be in plain ASCII, as most outputs are."""
    plain = {sign: [one for one in marks if one[0].isascii()] for sign, marks in filed.items()}
    return {sign: marks for sign, marks in plain.items() if marks}


def _rows(filed: _Filed, text: str) -> list[int]:
    return [number for sign, marks in filed.items() if sign in text for mark, number in marks if mark in text]
