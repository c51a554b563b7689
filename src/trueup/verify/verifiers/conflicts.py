"""Was a merge left unfinished in this text?"""

from __future__ import annotations

import re

_OURS = re.compile(r"^<{7}(?: .*)?$")
_BASE = re.compile(r"^\|{7}(?: .*)?$")
_MIDDLE = re.compile(r"^={7}$")
_THEIRS = re.compile(r"^>{7}(?: .*)?$")
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)")
_QUICK = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)


def conflict_markers(text: str, *, prose: bool = False, lonely: bool = False) -> list[tuple[int, str]]:
    """Lines that are markers, with their numbers. A whole conflict counts; one marker alone only if `lonely`.

    In prose, what is fenced shows a conflict and is none. A row of `=======` alone underlines a heading.
    """
    if not _QUICK.search(text):
        return []
    found = [(n, line) for n, line in _lines(text, prose=prose) if _is_marker(line)]
    edges = [(n, line) for n, line in found if not _MIDDLE.match(line)]
    whole = any(_OURS.match(line) for _, line in edges) and any(_THEIRS.match(line) for _, line in edges)
    if whole and any(_MIDDLE.match(line) for _, line in found):
        return found
    return edges if lonely else []


def _lines(text: str, *, prose: bool) -> list[tuple[int, str]]:
    numbered = enumerate(text.split("\n"), 1)
    if not prose:
        return [(n, line.rstrip("\r")) for n, line in numbered]
    kept, fenced = [], False
    for n, line in numbered:
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            kept.append((n, line.rstrip("\r")))
    return kept


def _is_marker(line: str) -> bool:
    return bool(_OURS.match(line) or _BASE.match(line) or _MIDDLE.match(line) or _THEIRS.match(line))
