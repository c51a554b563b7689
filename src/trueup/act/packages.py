"""Are the installed packages of the checkout what they were at the start of the run?"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from trueup.act.dependencies import environment_seal
from trueup.act.relinked import Looks, as_at_start, digest_of, only_linked, timeless
from trueup.act.stamps import CLOCK_STEP

_Listing = dict[str, Looks]


@dataclass(slots=True, kw_only=True)
class Packages:
    """Size, mtime and ctime of all their files at the start, which may have been an earlier sitting."""

    root: Path
    folders: tuple[str, ...]
    at: int
    """When they were looked at, in nanoseconds."""
    digest: str
    """"" when there were none."""
    timeless: str
    """The same without ctimes: if that is all that differs, files were written, or got one more link."""
    _start: _Listing | None = field(default=None)

    @classmethod
    def now(cls, root: Path, folders: Iterable[str]) -> Self:
        at, names = time.time_ns(), tuple(folders)
        listing = _listing(root, names)
        digest = digest_of(listing) if listing else ""
        return cls(root=root, folders=names, at=at, digest=digest, timeless=timeless(listing), _start=listing)

    @classmethod
    def from_facts(cls, root: Path, folders: Iterable[str], facts: Mapping[str, Any] | str) -> Self:
        """A run that was begun by an older version kept a digest only."""
        known = {"at": 0, "digest": facts, "timeless": ""} if isinstance(facts, str) else facts
        return cls(root=root, folders=tuple(folders), **known)

    def facts(self) -> dict[str, Any]:
        return {"at": self.at, "digest": self.digest, "timeless": self.timeless}

    def are_as_they_were(self) -> bool:
        """Asked before a check: what an installer merely linked counts as unchanged, once its content was read."""
        if not self.digest:
            return True
        listing = _listing(self.root, self.folders)
        start = self._start = self._start or as_at_start(listing, self.at, self.digest, self.timeless)
        if start is None:
            return False
        if start != listing:
            until = time.time_ns() - CLOCK_STEP
            start |= {name: listing[name] for name in only_linked(os.fspath(self.root), start, listing, until=until)}
        return start == listing


def _listing(root: Path, folders: tuple[str, ...]) -> _Listing:
    return dict(environment_seal(root, folders).stamps)
