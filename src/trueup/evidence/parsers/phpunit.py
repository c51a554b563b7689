"""What failed, as PHPUnit prints it?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trueup.evidence.parsers.found import Found, Lines, before, blocks, frames, kind_and_message, starting
from trueup.evidence.places import first_own

_HEADING = re.compile(r"\d{1,6}\) ([\w\\]{1,400}::\w{1,200}.{0,800})$")
_STACK = re.compile(r"^(?:#\d{1,4} )?(?P<path>(?:[A-Za-z]:)?[^\s:][^:\n]{0,500}\.php)(?::|\()(?P<line>\d{1,9})\)?")
_ENDS = starting("FAILURES!", "ERRORS!", "Tests: ", "There w", "--", "WARNINGS!", "OK, but")


def phpunit(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _HEADING, lambda line: _ENDS(line) and not line.startswith("--- ")):
        kind, message = kind_and_message(before(block.body, _STACK.match), "AssertionFailed")
        yield Found(
            name=block.heading[1].strip(),
            kind=kind,
            message=message,
            frame=first_own(frames(block.body, _STACK)),
            excerpt=block.text(),
            span=block.span,
        )
