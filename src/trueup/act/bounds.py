"""How much may an agent leave behind at once? More than any change that somebody could read is not stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.stamps import Stamp
from trueup.errors import UnverifiableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Of the files that were added or changed since the last look."""

    files: int = 100_000
    size: int = 2**30

    def check(self, folder: Path, fresh: Collection[str], stamps: Mapping[str, Stamp]) -> None:
        """Raises, before anything is read, when there is too much. Everything stays where it is."""
        if len(fresh) > self.files:
            raise _too_much(folder, f"{len(fresh):,} new or changed files", f"{self.files:,} files")
        size = sum(stamps[path][0] for path in fresh)
        if size > self.size:
            largest = max(fresh, key=lambda path: stamps[path][0])
            what = f"{size / 2**20:,.0f} MB in new or changed files, most of it in {largest}"
            raise _too_much(folder, what, f"{self.size / 2**20:,.0f} MB")


def _too_much(folder: Path, what: str, most: str) -> UnverifiableError:
    return UnverifiableError(
        f"the agent left {what}",
        why=f"at most {most} are stored at once",
        do=f"Nothing was removed: look at {folder}. Let .gitignore name what is built or downloaded there.",
    )
