"""Have files changed since a check last looked? A digest of names, sizes and times; contents are not read.

Caches that checks themselves write do not count. In a repository git knows what changed; elsewhere all is looked at.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from trueup.act.git import git, git_line, z_list
from trueup.errors import TrueupError

_CACHES = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "node_modules", ".venv", ".git"}
    | {".trueup", ".tox", ".nox", ".gradle", ".idea", ".vscode"}
)
_TOP = frozenset({"target", "build", "dist"})
"""Only in the root of a project: deeper, these names may be anybody's."""
_MOST = 50_000


def digest(folder: Path, since: str = "") -> str:
    """ "" when it cannot be told: then nothing is concluded from it.

    `since`, an earlier digest, is what it is to be compared with: a commit of files that are as they were then, changes
    nothing.
    """
    try:
        base = (since.partition(":")[0] or _commit(folder)) if (folder / ".git").exists() else ""
        names = sorted(set(_changed(folder, base)) if base else _walked(folder))
    except (OSError, TrueupError):
        return ""
    total = hashlib.sha256()
    for name in names:
        total.update(f"{name}\0{_stamp(folder / name)}\n".encode("utf-8", "surrogateescape"))
    return f"{base}:{total.hexdigest()[:32]}"


def _commit(folder: Path) -> str:
    """Before the first one, the tree without files, which every repository knows."""
    head = git_line("rev-parse", "--verify", "--quiet", "HEAD", cwd=folder)
    return head or git_line("hash-object", "-t", "tree", os.devnull, cwd=folder) or ""


def _changed(folder: Path, base: str) -> Iterator[str]:
    """What differs from that commit."""
    yield from z_list(git("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", base, "--", cwd=folder))
    for name in z_list(git("ls-files", "--others", "--exclude-standard", "-z", cwd=folder)):
        if not _is_product(name):  # what git follows always counts
            yield name


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
