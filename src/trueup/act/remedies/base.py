"""What is a remedy? A rule from a failure to edits; it proposes, somebody else applies, verifies, keeps or restores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One file as it is to be. Modes stay as they are unless `executable` says otherwise."""

    path: str
    content: bytes | None
    """None = the file goes away."""
    executable: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """All edits of one proposal are applied together, or none."""

    remedy: str
    failure: Failure
    """What it is meant to remove."""
    edits: tuple[Edit, ...]
    why: str
    """For people, on one line: `psycopg<3 exists under the name psycopg2-binary`."""


class Index(Protocol):
    """What a package index says. Asked only by fixers that need it; without a network every answer is None."""

    def versions(self, distribution: str) -> tuple[str, ...] | None:
        """Newest first; None when it is not known, () when there is no such distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One failure that a pattern of the registry matches."""

    failure: Failure
    groups: Mapping[str, str]
    """The pattern's named groups. Text from outside: checked before it gets anywhere."""
    parameters: Mapping[str, Any]
    """Of the registry's row."""
    files: SourceFiles
    index: Index


class Fixer(Protocol):
    """Contract: pure but for reading `files` and asking `index`. [] when it has nothing to offer; each list of edits
    is one proposal, the likeliest first. Never a path outside of `files`, but for new files below its root."""

    def __call__(self, ask: Ask) -> Iterable[tuple[str, tuple[Edit, ...]]]:
        """(why, edits)"""
