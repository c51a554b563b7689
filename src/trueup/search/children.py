"""How is a piece of work done in a forked child that may loop, eat memory, start processes or end the interpreter?

What a child says counts only if it carries the word that it was given and comes from that very process: a program
that ends early with exit code 0 has said nothing.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import secrets
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

_MEMORY = 1 << 30
"""Bytes that a child may take besides what it has at the start."""
_LARGEST_FILE = 64 << 20
_MOST_PROCESSES = 40
"""In one child's tree; it is ended when it starts more."""
_MOST_SAID = 8 << 20
_SUBREAPER = 36
_LOOK = 0.05
"""So often the running children are looked after, in seconds."""
_BUSIEST = 10.0
_PATIENCE = 10.0
_WALL = 4.0
"""A child that sleeps or waits may take so many times its processor time, and a little more."""


def adopt_orphans() -> None:
    """What a child leaves behind becomes ours, so that it can be ended."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


@dataclass
class Said:
    """What came of one child."""

    lines: list[str]
    whole: bool
    """It got to its end, and said so."""
    cpu: float


@dataclass
class Child:
    pid: int
    pipe: int
    word: str
    limit: float
    ours: bool
    began: float = field(default_factory=time.monotonic)
    heard_at: float = field(default_factory=time.monotonic)
    heard: bytearray = field(default_factory=bytearray)
    ended: bool = False
    ticks: int = -1
    """Processor time when it was last seen at work, in the kernel's unit."""
    worked_at: float = field(default_factory=time.monotonic)

    @property
    def late(self) -> bool:
        """Silent for too long; a machine that has other work is no fault of the child's."""
        busy = min(max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), _BUSIEST)
        return time.monotonic() - self.heard_at > (self.limit * _WALL + 1.0) * busy

    def waited(self, state: str, ticks: int) -> float:
        """For how long it has been asleep; one that waits for a processor is not."""
        now = time.monotonic()
        if state != "S" or ticks != self.ticks:
            self.ticks, self.worked_at = ticks, now
        return now - self.worked_at

    def said(self, cpu: float) -> Said:
        lines = self.heard.decode("utf-8", "replace").split("\n")
        mine = [line[len(self.word) + 1 :] for line in lines if line.startswith(self.word + " ")]
        whole = bool(mine) and mine[-1].startswith("end ")
        told = float(mine[-1][4:]) if whole else self.limit
        return Said(lines=mine[:-1] if whole else mine, whole=whole, cpu=told if cpu < 0 else cpu)


class Voice:
    """A child's way to speak. Copies of the process that the work itself forks have none."""

    def __init__(self, pipe: int, word: str) -> None:
        self._pipe, self._word, self._pid = pipe, word, os.getpid()
        self._write, self._getpid = os.write, os.getpid
        self._usage = resource.getrusage

    def say(self, text: str) -> None:
        if self._getpid() == self._pid:
            content = f"{self._word} {text}\n".encode()
            while content:
                content = content[self._write(self._pipe, content) :]

    def end(self) -> None:
        used = self._usage(resource.RUSAGE_SELF)
        self.say(f"end {used.ru_utime + used.ru_stime:.4f}")


def new_word() -> str:
    return secrets.token_hex(8)


def confine(limit: float) -> None:
    """In the child: limits on processor time, memory and files; a session of its own; nothing to read or print."""
    os.setsid()
    quiet = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(quiet, fd)
    os.close(quiet)
    whole = int(limit) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    size = _own_size() + _MEMORY
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or size < hard:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    signal.setitimer(signal.ITIMER_PROF, limit)


def _own_size() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - a file of the kernel
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 4 << 30


class Nursery:
    """Runs several children at a time and hands back what they said, in whatever order they end."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.cpu = 0.0
        self.patience = _PATIENCE
        """Seconds for which a child may sleep."""
        self._running: dict[int, tuple[Child, object]] = {}
        self._looked = time.monotonic()
        adopt_orphans()

    @property
    def free(self) -> bool:
        return len(self._running) < self.most

    def start(self, work: Callable[[Voice], None], limit: float, tag: object, *, whole: float = 0.0) -> None:
        """`work` runs in a child with so many seconds of processor time at a stretch, and `whole` in all."""
        ours, theirs = os.pipe()
        word = new_word()
        pid = os.fork()
        if pid == 0:
            try:
                gc.disable()
                os.close(ours)
                voice = Voice(theirs, word)
                signal.signal(signal.SIGPROF, signal.SIG_DFL)
                confine(max(limit, whole))
                work(voice)
                voice.end()
            finally:
                os._exit(0)
        os.close(theirs)
        self.adopt(Child(pid=pid, pipe=ours, word=word, limit=limit, ours=True), tag)

    def adopt(self, child: Child, tag: object) -> None:
        os.set_blocking(child.pipe, False)
        self._running[child.pipe] = (child, tag)

    def wait(self) -> Iterator[tuple[Said, object]]:
        """The children that ended by now; waits for the first one."""
        done: list[tuple[Said, object]] = []
        while self._running and not done:
            ready, _, _ = select.select(list(self._running), [], [], _LOOK)
            for pipe in ready:
                self._read(*self._running[pipe])
            if not ready or time.monotonic() - self._looked > _LOOK:
                self._look_after()
            done = [self._finish(pipe) for pipe, (child, _) in list(self._running.items()) if child.ended]
        yield from done

    def close(self) -> None:
        for pipe in list(self._running):
            self._finish(pipe)

    def _read(self, child: Child, _tag: object) -> None:
        with suppress(BlockingIOError):
            chunk = os.read(child.pipe, 1 << 16)
            child.heard += chunk
            child.heard_at = time.monotonic()
            finished = child.word.encode() + b" end "
            child.ended = not chunk or len(child.heard) > _MOST_SAID or finished in child.heard[-200:]

    def _look_after(self) -> None:
        self._looked = time.monotonic()
        for child, _ in self._running.values():
            old = self._looked - child.began > 2 * _LOOK
            gone = old and not _alive(child.pid)
            others = len(descendants(child.pid)) if old else 0
            waits = old and not others and child.waited(*_state(child.pid)) > self.patience
            if child.late or gone or waits or others > _MOST_PROCESSES:
                child.ended = True
                with suppress(BlockingIOError, OSError):
                    child.heard += os.read(child.pipe, 1 << 20)

    def _finish(self, pipe: int) -> tuple[Said, object]:
        child, tag = self._running.pop(pipe)
        os.close(pipe)
        end_tree(child.pid)
        cpu = -1.0
        if child.ours:
            with suppress(ChildProcessError):
                _, _, used = os.wait4(child.pid, 0)
                cpu = used.ru_utime + used.ru_stime
        self._reap_orphans()
        said = child.said(cpu)
        self.cpu += said.cpu
        return said, tag

    def _reap_orphans(self) -> None:
        """Of children that are ours, those that are not known are what earlier ones left."""
        known = {child.pid for child, _ in self._running.values()}
        for pid in _children_of(os.getpid()):
            if pid not in known:
                end_tree(pid)
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)


def drained(nursery: Nursery) -> Iterator[tuple[Said, object]]:
    while batch := list(nursery.wait()):
        yield from batch


def end_tree(pid: int) -> None:
    """Kill a process with all that it started, also what is being started meanwhile."""
    for _ in range(50):
        found = [one for one in descendants(pid) if _alive(one)]
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGSTOP if found else signal.SIGKILL)
        for one in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        if not found:
            return
        time.sleep(0.002)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        children = _children_of(waiting.pop())
        found += children
        waiting += children
    return found


def _children_of(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:  # noqa: PTH123 - a file of the kernel
            return [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return []


def _alive(pid: int) -> bool:
    return _state(pid)[0] not in {"Z", "X", ""}


def _state(pid: int) -> tuple[str, int]:
    """A letter, and the processor time so far; "" for a process that is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as above
            facts = file.read().rpartition(")")[2].split()
            return facts[0], int(facts[11]) + int(facts[12])
    except (OSError, IndexError, ValueError):
        return "", 0
