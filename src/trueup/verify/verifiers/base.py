"""What is a built-in verifier, and what does it get to see?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from trueup.act.process import Processes
from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure


class Reach(StrEnum):
    """What a verifier needs besides the files. Only STATIC ones run without being asked for."""

    STATIC = "static"
    NETWORK = "network"
    """Asks a package index."""
    STARTS = "starts"
    """Runs code of the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a verifier found. It passes when it ran and found no failure that counts.

    At most one of `skipped`, `blocked` and `error` is set; then there is no failure.
    """

    failures: tuple[Failure, ...] = ()
    advice: tuple[Failure, ...] = ()
    """Worth telling; never counts."""
    skipped: str = ""
    """Why it does not apply: there is nothing of its kind in the tree."""
    blocked: str = ""
    """Why it was not run: one that it needs did not pass. Set by whoever runs the verifiers, never by one of them."""
    error: str = ""
    """Why it could not be run."""
    looked_at: int = 0
    """How many files, modules or programs."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """For those that come after it: `smoke` leaves the place of its environment."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """To be kept beside the outputs of the checks, such as a screenshot, by name."""

    @property
    def passed(self) -> bool:
        return not (self.failures or self.skipped or self.blocked or self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where and with what a verifier works."""

    files: SourceFiles
    """A copy of the tree that nobody else uses; code of the project runs nowhere else."""
    scratch: Path
    """A folder of the verifier's own, outside of the tree, removed afterwards."""
    cache: Path
    """Kept between runs; code of the project never gets to write there."""
    processes: Processes
    """The only way to start a program."""
    env: Mapping[str, str]
    """Without secrets."""
    seconds: float
    """Until its deadline."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Its own table of the configuration."""
    earlier: Mapping[str, Verdict] = field(default_factory=dict)
    """What the verifiers that it needs said, by name; each of them passed, or did not apply (`skipped`)."""
    network: bool = False
    """Whether code of the project may use the network."""
    tell: Callable[[str], None] = lambda _: None
    """What goes on, in a few words, for a person who watches."""


class Verifier(Protocol):
    """One question about a tree.

    Contract: `verify` raises nothing for what the tree holds (what it raises all the same becomes an `error`), writes
    to `scratch` and `cache` only, and is back within `bench.seconds`. The same files give the same verdict. Failures
    carry `check=name`, a `subject` of file and kind, `test=False`, and a message that names the cause.
    """

    @property
    def name(self) -> str: ...

    @property
    def question(self) -> str:
        """For people, on one line."""

    @property
    def reach(self) -> Reach: ...

    @property
    def needs(self) -> tuple[str, ...]:
        """Verifiers that have to pass before this one makes sense."""

    def verify(self, bench: Bench) -> Verdict: ...
