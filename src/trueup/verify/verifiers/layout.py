"""How do a tree's files come to lie as a container has them?"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from posixpath import dirname

from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers.images import Image


def laid_out(files: SourceFiles, image: Image, top: Path) -> Path:
    """Copies below `top`. Places were normalised: none leads out of it. Links of the tree are left out."""
    top.mkdir(parents=True)
    for folder in sorted({dirname(place) for place in image.placed}):
        (top / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    for place, path in image.placed.items():
        source, target = files.root / path, top / place.lstrip("/")
        if os.path.islink(source) or not source.is_file() or target.is_dir():  # noqa: PTH114 - with is_file beside it
            continue
        shutil.copyfile(source, target, follow_symlinks=False)
        shutil.copymode(source, target, follow_symlinks=False)
    return top
