"""Was this process started by an agent or a check of a run, however it tries to hide that?

A variable can be taken out of an environment; who its parents are a process cannot choose: what loses its parent comes
to the warden of its run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from trueup.act import warden

_MARK = b"TRUEUP_RUN="
_FURTHEST = 100


def inside_a_run() -> bool:
    """Whether a process above this one belongs to a run. Where the system does not tell, no."""
    return any(_belongs_to_a_run(pid) for pid in _above(os.getppid()))


def _above(pid: int) -> Iterator[int]:
    for _ in range(_FURTHEST):
        if pid <= 1:
            return
        yield pid
        # The name, in parentheses, may hold anything; after it come the state and the parent.
        fields = _told(pid, "stat").rpartition(b")")[2].split()
        pid = int(fields[1]) if len(fields) > 1 else 0


def _belongs_to_a_run(pid: int) -> bool:
    if any(entry.startswith(_MARK) for entry in _told(pid, "environ").split(b"\0")):
        return True
    return os.fsencode(warden.__file__) in _told(pid, "cmdline").split(b"\0")


def _told(pid: int, what: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{what}").read_bytes()
    except OSError:
        return b""
