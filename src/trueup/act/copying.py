"""How does a tree get to a place where anything may happen to it?"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path, PurePosixPath

from trueup.act.source_files import SourceFiles


def copy_tree(files: SourceFiles, target: Path) -> None:
    """Its regular files, with their modes. Links and what is not listed stay behind; nothing is shared with it."""
    target.mkdir(parents=True)
    for folder in sorted({str(PurePosixPath(path).parent) for path in files.paths}):
        (target / folder).mkdir(parents=True, exist_ok=True)
    for path in files.paths:
        source = os.path.join(files.root, path)  # noqa: PTH118 - much faster
        if os.path.islink(source) or not os.path.isfile(source):  # noqa: PTH113, PTH114 - as above
            continue
        copy = os.path.join(target, path)  # noqa: PTH118 - as above
        content = files.content(path)  # most were read already
        if content is None:
            shutil.copyfile(source, copy, follow_symlinks=False)
            shutil.copymode(source, copy, follow_symlinks=False)
        else:
            _write(copy, content, stat.S_IMODE(os.lstat(source).st_mode))


def _write(place: str, content: bytes, mode: int) -> None:
    opened = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(opened, "wb", buffering=0) as file:
        os.fchmod(opened, mode)
        file.write(content)
