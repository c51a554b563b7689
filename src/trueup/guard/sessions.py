"""Where does a session's state lie between two hooks? One file each, for its owner alone, one hook at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from trueup.guard.kept import Session, decode, encode

_DEAD = 7 * 86_400.0
"""Seconds without a sign after which a session is forgotten."""

_LONGEST_LOG = 1_000_000


class Sessions:
    def __init__(self, environ: Mapping[str, str]) -> None:
        state = environ.get("XDG_STATE_HOME") or os.path.join(environ.get("HOME", "/nonexistent"), ".local", "state")  # noqa: PTH118 - pathlib's turn comes when something is written
        self.folder = Path(state) / "trueup" / "guard"

    @contextlib.contextmanager
    def opened(self, agent: str, session: str) -> Iterator[Slot]:
        """Hooks of parallel tool calls wait for each other here."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / f"{_digest(agent, session)}.json"
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "r+", encoding="utf-8", errors="replace") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            kept = decode(file.read())
            slot = Slot(kept if kept and (kept.agent, kept.session) == (agent, session) else None)
            yield slot
            if slot.new is not None:
                text = encode(slot.new)
                file.seek(0)
                file.write(text)
                file.truncate()

    def all(self) -> list[Session]:
        """Those that left something, the newest first."""
        files = sorted(self._files(), key=lambda file: file.stat().st_mtime, reverse=True)
        read = (decode(file.read_text(encoding="utf-8", errors="replace")) for file in files)
        return [session for session in read if session is not None]

    def sweep(self) -> None:
        """What a dead session left never decides anything, and goes away."""
        for file in self._files():
            with contextlib.suppress(OSError):
                if time.time() - file.stat().st_mtime > _DEAD:
                    file.unlink()

    def log(self, text: str) -> None:
        """A guard that fails says so here and nowhere else."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            log = self.folder / "guard.log"
            full = log.exists() and log.stat().st_size > _LONGEST_LOG
            with log.open("w" if full else "a", encoding="utf-8") as file:
                file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {text}\n")

    def _files(self) -> list[Path]:
        return list(self.folder.glob("[0-9a-f]*.json")) if self.folder.is_dir() else []


class Slot:
    """What was there, and what is to be there."""

    def __init__(self, old: Session | None) -> None:
        self.old = old
        self.new: Session | None = None


def _digest(agent: str, session: str) -> str:
    return hashlib.sha256(f"{agent}\0{session}".encode("utf-8", "replace")).hexdigest()[:32]
