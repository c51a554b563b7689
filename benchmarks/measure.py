"""How is a cost measured, held against its bar, and shown?"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. Without a value: not built yet. Without a limit: for information."""

    what: str
    unit: str = "s"
    value: float | None = None
    limit: float | None = None
    bare: float | None = None
    """What the same unit costs without trueup."""
    note: str = ""

    @property
    def missed(self) -> bool:
        return self.value is not None and self.limit is not None and self.value > self.limit

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not built yet"
        if self.limit is None:
            return ""
        return "MISSED" if self.missed else "ok"

    @property
    def ratio(self) -> float | None:
        return self.value / self.bare if self.value is not None and self.bare else None

    def cells(self) -> tuple[str, ...]:
        bar = "" if self.limit is None else f"≤ {_figure(self.limit)} {self.unit}"
        measured = "" if self.value is None else f"{_figure(self.value)} {self.unit}"
        ratio = "" if self.ratio is None else f"{self.ratio:.2g} ×" if self.ratio < 100 else f"{self.ratio:.0f} ×"  # noqa: PLR2004 - no 1e+02
        return self.what, bar, measured, ratio, self.verdict, self.note


HEADINGS = ("what", "bar", "measured", "ratio", "", "")


def table(rows: Sequence[Row]) -> str:
    """Aligned columns, as plain text."""
    lines = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _figure(value: float) -> str:
    """Three digits that mean something."""
    if value >= 100:  # noqa: PLR2004 - whole numbers are enough there
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}" if value >= 1 else f"{value:.3f}"  # noqa: PLR2004 - as above


# --- CPU seconds --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cpu:
    """User and system seconds: of this process, and of the children that it waited for."""

    own: float
    children: float

    @property
    def total(self) -> float:
        return self.own + self.children

    def __sub__(self, other: Cpu) -> Cpu:
        return Cpu(self.own - other.own, self.children - other.children)

    def __add__(self, other: Cpu) -> Cpu:
        return Cpu(self.own + other.own, self.children + other.children)


NOTHING = Cpu(0.0, 0.0)


def cpu_now() -> Cpu:
    def seconds(who: int) -> float:
        usage = resource.getrusage(who)
        return usage.ru_utime + usage.ru_stime

    return Cpu(seconds(resource.RUSAGE_SELF), seconds(resource.RUSAGE_CHILDREN))


def cheapest(costs: Sequence[Cpu]) -> Cpu:
    """The one that was disturbed the least: other load can only add to CPU time."""
    return min(costs, key=lambda cost: cost.total)


# --- other programs -----------------------------------------------------------------------------------------------


def environment(scratch: Path) -> dict[str, str]:
    """Like a user's: compiled modules are kept (in a folder of our own), and so is trueup's state."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRUEUP_", "GIT_"))}
    return {**kept, "PYTHONPYCACHEPREFIX": str(scratch / "bytecode"), "XDG_STATE_HOME": str(scratch / "state")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    cpu: float
    """Of the program and of all that it waited for."""
    code: int


def ran(argv: Sequence[str], env: Mapping[str, str], *, stdin: int | None = None, stdout: int | None = None) -> Ran:
    """Run a program to its end, silent unless it is given a place to write to."""
    return waited(started(argv, env, stdin=stdin, stdout=stdout))


def started(argv: Sequence[str], env: Mapping[str, str], *, stdin: int | None, stdout: int | None) -> int:
    with Path(os.devnull).open("r+b") as nothing:
        streams = (nothing.fileno() if stdin is None else stdin, nothing.fileno() if stdout is None else stdout)
        actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate((*streams, nothing.fileno()))]
        return os.posix_spawn(argv[0], list(argv), dict(env), file_actions=actions)


def waited(pid: int) -> Ran:
    _, status, usage = os.wait4(pid, 0)
    return Ran(cpu=usage.ru_utime + usage.ru_stime, code=os.waitstatus_to_exitcode(status))


def side_by_side(commands: Sequence[Sequence[str]], env: Mapping[str, str], *, times: int) -> list[float]:
    """The least CPU of each command, run in turns, so that a busy moment meets them all."""
    rounds = [[ran(argv, env).cpu for argv in commands] for _ in range(times)]
    return [min(costs) for costs in zip(*rounds, strict=True)]


@contextmanager
def said(text: str) -> Iterator[None]:
    """What is going on, for whoever waits."""
    begun = time.monotonic()
    sys.stderr.write(f"  … {text}")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write(f" ({time.monotonic() - begun:.0f} s)\n")
