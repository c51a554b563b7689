"""Where are the issues, and what are their states called there?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trueup.errors import UsageError


class TrackerKind(StrEnum):
    GITHUB = "github"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackerSettings:
    """The table `[tracker]`, with its defaults."""

    kind: TrackerKind | None = None
    """None = a folder of issues if the project has one, else GitHub."""
    folder: str = "issues"
    ready: str = "ready"
    in_progress: str = "in progress"
    stalled: str = "stalled"
    done: str = "done"
    pull_request: bool = True
    """Whether a proven result is pushed and offered; else its branch stays where it is."""

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.ready, self.in_progress, self.stalled, self.done)


def tracker_settings(config: Mapping[str, Any]) -> TrackerSettings:
    """`config` is what `load_config` validated."""
    settings = TrackerSettings(**config.get("tracker", {}))
    if len({label.casefold() for label in settings.labels}) < len(settings.labels):
        raise UsageError(
            "[tracker]: two states have the same label",
            why=f"ready, in_progress, stalled and done are: {', '.join(settings.labels)}.",
            do="Give each its own.",
        )
    return settings
