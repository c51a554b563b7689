"""What is a remedy? A rule from a failure to edits; it proposes, somebody else applies, verifies, keeps or restores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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


class Tools(Protocol):
    """Programs that rewrite files; only those of our own list, with our own arguments, on copies."""

    def run(self, tool: str, files: Mapping[str, bytes], path: str) -> Mapping[str, bytes] | None:
        """What the tool made of these files (those that changed, and new ones); None when it is not there, failed or
        was not in time. `path` is the one that it is asked about."""


class NoIndex:
    """Nothing is known of any distribution."""

    def versions(self, distribution: str) -> tuple[str, ...] | None:  # noqa: ARG002 - the port's signature
        return None


class NoTools:
    """None of them is there."""

    def run(self, tool: str, files: Mapping[str, bytes], path: str) -> Mapping[str, bytes] | None:  # noqa: ARG002
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What fixers may use besides the files."""

    index: Index = field(default_factory=NoIndex)
    tools: Tools = field(default_factory=NoTools)
    installed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Module -> distributions, by the metadata of the environment that the project runs in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One failure that a row of the registry matches."""

    failure: Failure
    groups: Mapping[str, str] = field(default_factory=dict)
    """What the pattern's placeholders stand for. Text from outside: checked before it gets anywhere."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Of the registry's row."""
    files: SourceFiles
    around: Around = field(default_factory=Around)

    @property
    def file(self) -> str | None:
        """The file that the failure names, if the tree has it."""
        return self.failure.file if self.failure.file in self.files else None


Idea = tuple[str, tuple[Edit, ...]]
"""Why, and the edits that belong together."""

Fixer = Callable[[Ask], Iterable[Idea]]
"""Contract: pure but for reading `files` and asking `around`. Nothing when it has nothing to offer; each idea is one
proposal, the likeliest first. Never a path outside of `files`, but for new files below its root."""


def edit_of(path: str, content: bytes | str, why: str) -> Idea:
    """The idea of changing one file."""
    return why, (Edit(path=path, content=content.encode() if isinstance(content, str) else content),)
