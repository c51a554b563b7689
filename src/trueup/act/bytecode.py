"""Which compiled modules may checks share? Those that were made before any agent ran, as long as nobody touched them.

Each bench starts with an empty bytecode folder, because a stale or planted `.pyc` can make a broken tree look fixed.
Compiling the interpreter's and the runner's own modules anew each time would cost seconds of CPU per check, so what the
start's own run compiled is kept aside and copied in.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

_Stamps = frozenset[tuple[str, int, int, int]]
MOST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Bytecode:
    folder: Path
    stamps: _Stamps

    @classmethod
    def saved(cls, made: Path, folder: Path, *, without: Path) -> Bytecode | None:
        """Copy what was compiled, except for modules below `without`. None when there is nothing worth keeping."""
        own = made / without.relative_to("/")
        if sum(size for _, size, _, _ in _stamps(made)) > MOST_BYTES:
            return None
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder, ignore=lambda here, names: [n for n in names if Path(here, n) == own])
        stamps = _stamps(folder)
        return cls(folder, stamps) if stamps else None

    def fill(self, bench: Path) -> Filled:
        """Copy into a bench's empty folder, unless somebody touched the kept files since: then it stays empty."""
        if _stamps(self.folder) == self.stamps:
            shutil.copytree(self.folder, bench, dirs_exist_ok=True)
        return Filled(bench, _stamps(bench))


@dataclass(frozen=True, slots=True)
class Filled:
    """What a bench was given; a check that writes to it replaces code that is not its own."""

    folder: Path
    stamps: _Stamps = frozenset()

    def changed(self) -> bool:
        return not self.stamps <= _stamps(self.folder)


def emptied(bench: Path, seed: Bytecode | None) -> Filled:
    """A bytecode folder as it should be before a check: nothing from the check before."""
    shutil.rmtree(bench, ignore_errors=True)
    bench.mkdir(mode=0o700, exist_ok=True)
    return seed.fill(bench) if seed else Filled(bench)


def _stamps(folder: Path) -> _Stamps:
    found = set()
    for here, _, names in os.walk(folder):
        for name in names:
            stat = Path(here, name).lstat()
            found.add((os.path.join(here, name), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))  # noqa: PTH118
    return frozenset(found)
