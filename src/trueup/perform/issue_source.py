"""Where does an issue come from, and which of this project's runs are alive?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trueup.act.trackers import SUFFIX, FolderTracker, GitHubTracker, Living, Tracker
from trueup.config.tracker import TrackerKind, TrackerSettings
from trueup.remember import leases
from trueup.remember.database import Database
from trueup.remember.journal import run_exists


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where an issue comes from. Kept among the facts of a run, so that a later sitting finds it again."""

    id: str
    item: str
    url: str
    was: str
    """Its state before the claim: where it goes back to when nothing came of the run."""
    settings: TrackerSettings
    folder: str = ""
    """"" = GitHub."""

    def as_fact(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_fact(cls, fact: Mapping[str, Any]) -> Source:
        given = dict(fact["settings"])
        kind = TrackerKind(given["kind"]) if given["kind"] else None
        return cls(**{**fact, "settings": TrackerSettings(**{**given, "kind": kind})})

    @property
    def shown(self) -> str:
        return self.url or os.path.join(self.folder, f"{self.id}{SUFFIX}")  # noqa: PTH118 - for people


def open_tracker(
    folder: str, settings: TrackerSettings, root: Path, environ: Mapping[str, str], *, living: Living
) -> Tracker:
    """GitHub, unless a folder is named."""
    if folder:
        return FolderTracker(Path(folder), settings, living=living)
    return GitHubTracker(root, settings, environ, living=living)


def living(db: Database) -> Living:
    """For claims of this project's own runs."""

    def is_living(run: str) -> bool | None:
        if leases.holder_of(db, run) is not None:
            return True
        return False if run_exists(db, run) else None

    return is_living
