"""Which of many marks occur in a text? A few searches answer for most of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

_WHOLE_WORD = re.compile(r"(?<=\s)\S+(?=\s)")
_RARE = ("!", "`", "#", "●", "›", "✖", "✘", "✗", "→", "━", "╭", "|", "[", "‘")
_SHARED = ("Fail", "FAIL", "Unit")


class Marks:
    """Rows of marks. A mark is searched for only in a text that has the sign or the word in it.

    A text whose words nobody has taken apart is searched for each mark that has no sign.
    """

    def __init__(self, rows: Iterable[Sequence[str]]) -> None:
        self._by_sign: dict[str, list[tuple[str, int]]] = {}
        self._by_word: dict[str, list[tuple[str, int]]] = {}
        self._others: list[tuple[str, int]] = []
        for number, marks in enumerate(rows):
            for mark in marks:
                self._file(mark).append((mark, number))
        self._words = frozenset(self._by_word)
        self._worded = [mark for marks in self._by_word.values() for mark in marks]

    def _file(self, mark: str) -> list[tuple[str, int]]:
        """What is rare in a text spares most; what two marks share, only the one search."""
        rare = next((sign for sign in _RARE if sign in mark), None)
        words = _WHOLE_WORD.findall(mark)
        shared = next((sign for sign in _SHARED if sign in mark), None)
        if rare is None and words:
            return self._by_word.setdefault(max(words, key=len), [])
        sign = rare or shared
        return self._by_sign.setdefault(sign, []) if sign else self._others

    def rows(self, text: str, words: AbstractSet[str] | None = None) -> list[int]:
        """The numbers of the rows that have a mark in the text, in their order."""
        asked = self._others[:]
        for sign, marks in self._by_sign.items():  # plain loops: this runs for every output
            if sign in text:
                asked += marks
        if words is None:
            asked += self._worded
        else:
            for word in self._words & words:
                asked += self._by_word[word]
        return sorted({number for mark, number in asked if mark in text})
