"""What failed, and by which names do we recognise it again?"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from trueup.evidence.told import CUT_OFF, Key, Phase, Sources, Told, make_key

__all__ = [
    "CUT_OFF",
    "Failure",
    "Key",
    "Phase",
    "Sources",
    "check_of",
    "failure_of",
    "known_by_name",
    "make_key",
    "subject_of",
]


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


def failure_of(told: Told) -> Failure:
    return Failure(
        check=told.check,
        subject=told.subject,
        phase=told.phase,
        kind=told.kind,
        message=told.message,
        file=told.file,
        line=told.line,
        source_line=told.source_line,
        excerpt=told.excerpt,
        test=told.test,
    )


def known_by_name(failures: Iterable[Failure], ids: AbstractSet[str]) -> tuple[Failure, ...]:
    """Tests that are not among these ids can never be seen passing: they keep their name and their place."""
    return tuple(replace(f, test=f.subject in ids, named=f.subject not in ids) if f.test else f for f in failures)


def check_of(key: Key) -> str:
    return key.partition(" ")[0]


def subject_of(key: Key) -> str:
    return key.partition(" ")[2]
