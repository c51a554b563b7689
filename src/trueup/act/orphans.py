"""Which processes came from a warden that is gone, and how are they ended?

Without their sub-reaper they belong to the system, in sessions of their own. But each carries a mark that it inherited:
a limit on real-time processing, of centuries, whose exact number nobody else has. It is no variable, so nothing that a
command prints or compares shows it; it survives a cleared environment, and it can be lowered but never taken off.
"""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import signal
import time
from collections.abc import Iterator

from trueup.act.warden import FREEZES, LINUX, command_line

_FEWEST = 2**40
"""With fewer numbers to choose from, a stranger might have the same."""
_AGAIN = 0.02
_LIMIT = b"Max realtime timeout"


def new_mark() -> int:
    """A number for everything that one warden starts; 0 where processes cannot be marked."""
    if not LINUX:
        return 0
    _, highest = resource.getrlimit(resource.RLIMIT_RTTIME)
    top = 2**62 if highest == resource.RLIM_INFINITY else highest
    return top // 2 + secrets.randbelow(top // 2) if top >= _FEWEST else 0


def marked(mark: int) -> Iterator[int]:
    """Pids of the living processes that carry the mark."""
    numbers = (int(name) for name in os.listdir("/proc") if name.isdigit()) if mark else ()  # noqa: PTH208 - quickly
    return (pid for pid in numbers if _carries(pid, mark))


def end_marked(mark: int, *, patience: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Kill until none is left: command lines of those that were found, and of those that cannot be ended."""
    found: dict[int, str] = {}
    until = time.monotonic() + patience
    while there := _frozen(mark):
        found |= {pid: name for pid in there if (name := command_line(pid))}
        if time.monotonic() > until:
            return tuple(found.values()), tuple(f"{pid} {command_line(pid)}" for pid in there)
        for pid in there:
            _signal(pid, mark, signal.SIGKILL)
        time.sleep(_AGAIN)
    return tuple(found.values()), ()


def _frozen(mark: int) -> set[int]:
    """All of them, stopped first: what is stopped starts nothing behind our back."""
    frozen: set[int] = set()
    for _ in range(FREEZES):
        new = set(marked(mark)) - frozen
        if not new:
            break
        for pid in new:
            _signal(pid, mark, signal.SIGSTOP)
        frozen |= new
    return frozen


def _signal(pid: int, mark: int, number: signal.Signals) -> None:
    """Only if it still is the process that we mean: its number may have been given to another one."""
    with contextlib.suppress(OSError):
        process = os.pidfd_open(pid)
        try:
            if _carries(pid, mark):
                signal.pidfd_send_signal(process, number)
        finally:
            os.close(process)


def _carries(pid: int, mark: int) -> bool:
    limits = _proc(pid, "limits")
    line = next((line for line in limits.splitlines() if line.startswith(_LIMIT)), b"")
    return line[len(_LIMIT) :].split()[1:2] == [b"%d" % mark] and _state(pid) not in b"ZX"


def _state(pid: int) -> bytes:
    """One letter; X for a process that is gone."""
    return _proc(pid, "stat").rpartition(b")")[2].strip()[:1] or b"X"


def hindrance(pid: int) -> str:
    """What keeps a process from doing its work: somebody stopped it, or has taken hold of it. "" if nothing does."""
    if not LINUX:
        return ""
    status = dict(line.split(b":", 1) for line in _proc(pid, "status").splitlines() if b":" in line)
    if status.get(b"State", b"").strip()[:1] in {b"T", b"t"}:
        return "somebody stopped it"
    return "" if status.get(b"TracerPid", b"0").strip() == b"0" else "somebody has taken hold of it"


def _proc(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - many, and quickly
            return file.read()
    except OSError:
        return b""
