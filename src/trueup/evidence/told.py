"""What does an output tell about one failure?"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from trueup.evidence.values import Value

Key = str
"""`"<check> <subject>"`. Check names hold no blank, so the first blank divides."""

Sources = Callable[[str], str | None]
"""Text of a workspace-relative path in the tree that was checked, or None."""

CUT_OFF = "more failures than are listed"
"""Subject of the failure that says so. What was not read is never known to be as it was: no baseline excuses it."""


class Phase(StrEnum):
    """Where a failure happened. BUILD and COLLECT failures hide others; RUN failures do not."""

    BUILD = "build"
    COLLECT = "collect"
    RUN = "run"


class Told(Value):
    """The parts of a `Failure` that an output can tell, under the same names."""

    check: str
    subject: str
    phase: Phase = Phase.RUN
    kind: str
    message: str
    file: str | None = None
    line: int | None = None
    source_line: str | None = None
    excerpt: str
    test: bool
    named: bool = False

    @property
    def key(self) -> Key:
        return make_key(self.check, self.subject)


def make_key(check: str, subject: str) -> Key:
    return f"{check} {subject}"
