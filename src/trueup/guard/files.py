"""Have files changed since a check last looked? A digest of names, sizes and times; contents are not read.

Caches that checks themselves write do not count. In a repository git knows what changed; elsewhere all is looked at.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from trueup.act.git import git
from trueup.errors import TrueupError

_CACHES = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "node_modules", ".venv", ".git"}
    | {".trueup", ".tox", ".nox", ".gradle", ".idea", ".vscode"}
)
_TOP = frozenset({"target", "build", "dist"})
"""Only in the root of a project: deeper, these names may be anybody's."""
_MOST = 50_000


def digest(folder: Path) -> str:
    """ "" when it cannot be told: then nothing is concluded from it."""
    try:
        names = sorted(_changed(folder) if (folder / ".git").exists() else _walked(folder))
    except (OSError, TrueupError):
        return ""
    total = hashlib.sha256()
    for name in names:
        total.update(f"{name}\0{_stamp(folder / name)}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()[:32]


def _changed(folder: Path) -> Iterator[str]:
    """What differs from the commit, and the commit."""
    yield git("rev-parse", "HEAD", cwd=folder, check=False).decode(errors="replace").strip()
    listed = git("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", cwd=folder)
    for entry in listed.decode("utf-8", "surrogateescape").split("\0"):
        if entry and not (entry.startswith("??") and _is_product(entry[3:])):  # what git follows always counts
            yield entry[3:]


def _is_product(path: str) -> bool:
    parts = path.split("/")
    return bool(_CACHES & set(parts)) or parts[0] in _TOP


def _walked(folder: Path) -> Iterator[str]:
    count = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _CACHES]
        for name in files:
            count += 1
            if count > _MOST:
                return
            yield os.path.relpath(os.path.join(place, name), folder)  # noqa: PTH118 - a path per file is dear


def _stamp(path: Path) -> str:
    try:
        seen = path.lstat()
    except OSError:
        return "gone"
    return f"{seen.st_size} {seen.st_mtime_ns} {seen.st_mode}"
