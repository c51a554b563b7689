"""Was an agent of this move started before trueup was killed, and how long had it worked by then?"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_SIGNS_APART = 1.0
"""Seconds; a talkative agent is not written down at every word."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A file beside the journal. The beginning is its time of access, the latest sign of life its time of change."""

    marker: Path
    clock: Callable[[], float]

    def __bool__(self) -> bool:
        """Whether the agent may have been started. If not, the move is simply made."""
        return self.marker.exists()

    def forget(self) -> None:
        """Of a move of the same name that was cancelled."""
        self.marker.unlink(missing_ok=True)

    def mark(self) -> None:
        """On the disk before the agent is paid, so that no crash makes it free."""
        self.forget()  # whatever an agent planted there
        handle = os.open(self.marker, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        now = self.clock()
        os.utime(handle, times=(now, now))
        os.fsync(handle)
        os.close(handle)

    def sign_of_life(self) -> Callable[[], None]:
        """Notes on the marker that the agent still works."""
        begun = latest = self.clock()

        def note() -> None:
            nonlocal latest
            now = self.clock()
            if now - latest >= _SIGNS_APART:
                latest = now
                with suppress(OSError):
                    os.utime(self.marker, times=(begun, now), follow_symlinks=False)

        return note

    def seconds(self, most: float) -> float:
        """How long it had worked when trueup was killed; without a sign of life, the whole time until now counts."""
        marker = self.marker.lstat()
        alive = marker.st_mtime - marker.st_atime
        spent = alive if alive >= _SIGNS_APART / 2 else self.clock() - marker.st_mtime
        return min(max(spent, 0.0), most)
