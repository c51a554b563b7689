"""What failed, and by which names do we recognise it again?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum

Key = str
"""`"<check> <subject>"`. Check names hold no blank, so the first blank divides."""

Sources = Callable[[str], str | None]
"""Text of a workspace-relative path in the tree that was checked, or None."""


class Phase(StrEnum):
    """Where a failure happened. BUILD and COLLECT failures hide others; RUN failures do not."""

    BUILD = "build"
    COLLECT = "collect"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that is wrong, as one check saw it on one tree."""

    check: str
    subject: str
    """The test id; file + code for compile and lint errors; "" for a whole check."""
    phase: Phase = Phase.RUN
    kind: str
    """Exception class, compiler code, rule, `timeout`, `exit` or `unparsed`."""
    message: str = ""
    file: str | None = None
    line: int | None = None
    source_line: str | None = None
    """The failing line's text; None when it is not known."""
    excerpt: str = ""
    repro: str | None = None
    test: bool = True
    """Whether `subject` is a test id that can be *seen passing*."""
    named: bool = False
    """A test whose tool tells no more than its failures: known by its place like any test, and never seen passing."""

    @property
    def key(self) -> Key:
        return make_key(self.check, self.subject)

    @property
    def hides_others(self) -> bool:
        return self.phase is not Phase.RUN


def known_by_name(failures: Iterable[Failure], ids: AbstractSet[str]) -> tuple[Failure, ...]:
    """Tests that are not among these ids can never be seen passing: they keep their name and their place."""
    return tuple(replace(f, test=f.subject in ids, named=f.subject not in ids) if f.test else f for f in failures)


def make_key(check: str, subject: str) -> Key:
    return f"{check} {subject}"


def check_of(key: Key) -> str:
    return key.partition(" ")[0]


def subject_of(key: Key) -> str:
    return key.partition(" ")[2]
