"""What is known about the part of an output that nobody reads?"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

FAILURE_WORDS = ("rror", "FAIL", "ail", "xception", "panic", "not ok")
"""One of them is in nearly everything that tells a failure. Few, because each is looked for in all that is said."""


class Gap(IntEnum):
    """What is known about the lines that were left out."""

    NONE = 0
    """There are none."""
    QUIET = 1
    """None of them speaks of a failure."""
    LOUD = 2


def gap_of(lines: Sequence[str]) -> Gap:
    if not lines:
        return Gap.NONE
    return Gap.LOUD if speaks("\n".join(lines)) else Gap.QUIET


def speaks(text: str) -> bool:
    return any(word in text for word in FAILURE_WORDS)
