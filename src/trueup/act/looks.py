"""Does a folder look exactly as it did when its files were last read?

Only good for finding an answer that is remembered anyway: it lies on the disk, where others of the same user can write.
Whatever runs a check reads every file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.files import Walk
from trueup.act.stamps import Stamp
from trueup.act.store import Taken


@dataclass(frozen=True, slots=True)
class Looks:
    """One file that remembers the latest look at one folder."""

    file: Path

    def recall(self, walk: Walk) -> str | None:
        """The tree of these files, if not one of them was written, added or removed since; None otherwise."""
        try:
            kept = json.loads(self.file.read_text())
            same = kept["stamps"] == _digest(walk.stamps)
            return str(kept["tree"]) if same else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def remember(self, taken: Taken) -> None:
        """Files that are too young could change unseen: then there is nothing to remember."""
        if taken.stamps is None:
            self.file.unlink(missing_ok=True)
            return
        fresh = self.file.with_name(f"{self.file.name}.{os.getpid()}.new")
        fresh.write_text(json.dumps({"tree": taken.tree, "stamps": _digest(taken.stamps)}))
        fresh.replace(self.file)


def _digest(stamps: Mapping[str, Stamp]) -> str:
    return hashlib.sha256(repr(sorted(stamps.items())).encode("utf-8", "surrogateescape")).hexdigest()
