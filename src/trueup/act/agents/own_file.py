"""What has an agent's program written so far into a file of its own, such as its log?"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from trueup.act.agents.base import AgentCall

_LARGEST = 100_000_000
TOO_LARGE = "the agent's own record became too large to be read"


def own_folder(call: AgentCall, variable: str, name: str) -> Path:
    """Where a program keeps what is its own: as the variable says, or by this name in the home folder."""
    return Path(call.env.get(variable) or Path(call.env.get("HOME", "/")) / name)


class OwnFile:
    """Looked at again and again while the program writes it. A link, a pipe or a giant is not read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self.too_large = False
        """What is in it now is not known, and neither is what it costs."""

    def news(self) -> str:
        """All that is in it, if it has changed since the last look; "" otherwise."""
        try:
            # Without O_NONBLOCK a named pipe would make us wait for a writer.
            handle = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return ""
        state = os.fstat(handle)
        version = (state.st_mtime_ns, state.st_size)
        self.too_large = stat.S_ISREG(state.st_mode) and state.st_size > _LARGEST
        if not stat.S_ISREG(state.st_mode) or self.too_large or version == self._seen:
            os.close(handle)
            return ""
        self._seen = version
        with os.fdopen(handle, "rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
