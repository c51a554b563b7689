"""What was found out about a file's content before? A fact is a pure function of the content, so it never grows old.

Kept on the disk, where others of the same user can write: good for saving time, never for a proof.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

KEEP = 60_000
"""Facts in one file; beyond that, those go that were not asked for this time."""


class Facts:
    """Facts by name and content. Without a file they last as long as this object."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, Any] = _read(file) if file else {}
        self._used: set[str] = set()
        self._grown = False

    def of(self, name: str, content: str, find_out: Callable[[], Any]) -> Any:
        """`name` has a version in it, and all that the answer depends on besides the content; it is plain JSON."""
        key = f"{name} {content}"
        self._used.add(key)
        if key not in self._known:
            self._known[key] = find_out()
            self._grown = True
        return self._known[key]

    def known(self, name: str, content: str) -> Any:
        """None when nobody asked yet."""
        return self._known.get(f"{name} {content}")

    def keep(self) -> None:
        """For the next process. Does nothing without a file, or when nothing new was found out."""
        if self._file is None or not self._grown:
            return
        known = self._known
        if len(known) > KEEP:
            known = {key: known[key] for key in self._used}
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}.new")
        fresh.write_text(json.dumps(known, separators=(",", ":")))
        fresh.replace(self._file)
        self._grown = False


def _read(file: Path) -> dict[str, Any]:
    try:
        known = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
