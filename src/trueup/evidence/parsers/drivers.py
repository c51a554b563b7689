"""What do compilers and linkers say about no line of a file? That a file or library is missing, an option wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trueup.evidence.parsers.found import Found, Lines
from trueup.evidence.patterns import Pattern
from trueup.evidence.told import Phase

_SAID = Pattern(
    r"(?:\S{0,400}/)?((?:[\w.]{1,40}-){0,4}(?:cc1(?:plus|obj)?|g?cc|[gc]\+\+|clang(?:\+\+)?|ld|gfortran|f951)"
    r"(?:-\d{1,3})?): (?:(?:fatal )?error: |(?=cannot find ))(.+)$"
)
_MISSING = Pattern(
    r"no such file or directory: '(.{1,400})'$|(?:cannot find )?(\S{1,400}): No such file or directory$"
    r"|cannot find (\S{1,400})$"
)
_NO_CAUSE = ("ld returned ", "linker command failed", "unable to execute command", "no input files")
"""What follows from something else that was said."""


def driver_complaints(lines: Lines, numbers: Iterable[int]) -> Iterator[Found]:
    """Known by the file or library, else by the program. (`gcc` and `cc1` say the same of a file that is missing.)"""
    for number in numbers:
        said = _SAID.match(lines[number])
        if said is None or said[2].startswith(_NO_CAUSE):
            continue
        missing = _MISSING.match(said[2])
        name = missing[missing.lastindex or 0] if missing else said[1]
        yield Found(
            owner=name,
            kind="missing" if missing else "error",
            message=f"{name}: No such file or directory" if missing else said[2],
            phase=Phase.BUILD,
            test=False,
            excerpt=lines[number],
            span=range(number, number + 1),
        )
