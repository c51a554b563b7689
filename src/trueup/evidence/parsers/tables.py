"""What do phpstan's table and Django's system check complain about?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.complaint import Complaint
from trueup.evidence.parsers.found import Found, Lines, before, blocks
from trueup.evidence.patterns import Pattern

_STAN = Pattern(r"  Line {2,12}(\S.{0,500})$")
_STAN_ROW = Pattern(r"\s{2,3}(?:(\d{1,9})|:)?\s{2,12}(\S.*)$")
_STAN_CODE = Pattern(r"🪪 {1,4}([\w.]{1,80})")
_STAN_ASIDE = ("🪪", "💡", "✏", "at ")


def phpstan(lines: Lines) -> Iterator[Found]:
    """A table for each file. What has no line of its own goes on with the row above."""
    for block in blocks(lines, _STAN, lambda line: not line):
        rows: list[tuple[int, str, list[str]]] = []
        for at, line in enumerate(block.body[1:], start=block.start + 2):
            row = _STAN_ROW.match(line)
            if row and row[1]:
                rows.append((at, row[1], [row[2]]))
            elif row and rows:
                rows[-1][2].append(row[2])
        for at, number, said in rows:
            codes = [m[1] for m in map(_STAN_CODE.match, said) if m]
            text = before(said, lambda part: part.startswith(_STAN_ASIDE))
            code = codes[0] if codes else "phpstan"
            yield Complaint(
                path=block.heading[1], line=int(number), severity="error", code=code, message=" ".join(text), at=at
            ).found()


_DJANGO = Pattern(r"([\w.?]{1,200}): \(([a-z]\w{0,40}\.[EWC]\d{3})\) (.+)$")


def django_check(lines: Lines) -> Iterator[Found]:
    """The model and its field stand where others name a file."""
    for number, line in enumerate(lines):
        told = _DJANGO.match(line) if ": (" in line else None
        if told:
            yield Complaint(path=told[1], line=0, severity="error", code=told[2], message=told[3], at=number).found()
