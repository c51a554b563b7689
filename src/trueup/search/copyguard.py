"""Is the copy on which the tests run still as it was? A trial may have deleted or changed anything there."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

_SKIPPED = frozenset({"__pycache__", ".pytest_cache", ".git", ".hypothesis", ".mypy_cache", ".ruff_cache"})
_OFTEN = 300
"""With more files than that, not every trial is followed by a look."""


class CopyGuard:
    def __init__(self, copy: str, origin: str) -> None:
        self._copy, self._origin = copy, origin
        self._expected: dict[str, tuple[int, int, int]] = {}
        self._skipped = 0

    def remember(self) -> None:
        self._expected = self._stamp()

    def mend(self) -> bool:
        """Put back what is missing or differs; what is new goes. Whether anything had to be done."""
        self._skipped += 1
        if self._skipped < len(self._expected) // _OFTEN:
            return False
        self._skipped = 0
        found = self._stamp()
        if found == self._expected:
            return False
        for path in found.keys() - self._expected.keys():
            _remove(os.path.join(self._copy, path))  # noqa: PTH118 - text, as everywhere here
        for path, stamp in sorted(self._expected.items()):
            if found.get(path) != stamp:
                self._restore(path)
        self._expected = self._stamp()
        return True

    def _restore(self, path: str) -> None:
        origin, copy = os.path.join(self._origin, path), os.path.join(self._copy, path)  # noqa: PTH118 - text
        os.makedirs(os.path.dirname(copy), exist_ok=True)  # noqa: PTH103, PTH120 - text
        _remove(copy)
        with suppress(OSError):
            shutil.copy2(origin, copy, follow_symlinks=False)

    def _stamp(self) -> dict[str, tuple[int, int, int]]:
        found: dict[str, tuple[int, int, int]] = {}
        waiting = [self._copy]
        while waiting:
            with suppress(OSError), os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [] if entry.name in _SKIPPED else [entry.path]
                    elif not entry.name.endswith(".pyc"):
                        with suppress(OSError):
                            facts = entry.stat(follow_symlinks=False)
                            path = os.path.relpath(entry.path, self._copy)
                            found[path] = (facts.st_size, facts.st_mtime_ns, facts.st_mode)
        return found


def _remove(path: str) -> None:
    with suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114 - text
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)  # noqa: PTH108 - text
