"""What is a folder called where a long path is of no use? The path of a socket has at most 107 bytes.

Tools put sockets into the temporary folder (Python's `multiprocessing.Manager`, dotnet, test databases), and ours lies
deep below the state folder. A link in the system's temporary folder leads there.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

_PREFIX = "tu-"
_LINK = "t"


def short_name(folder: Path) -> Path:
    """Another path to the folder; its own one where there is no shorter one.

    Where no temporary folder can be used, Python names the one that we were started in: nothing is written there.
    """
    try:
        home = Path(tempfile.gettempdir())
        if home == Path.cwd():
            return folder
        _sweep(home)
        link = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=home)) / _LINK
        link.symlink_to(folder)
    except OSError:
        return folder
    if len(os.fsencode(link)) < len(os.fsencode(folder)):
        return link
    forget(link)
    return folder


def forget(name: Path) -> None:
    """Of a folder's own path nothing is removed."""
    if name.is_symlink() and name.parent.name.startswith(_PREFIX):
        with contextlib.suppress(OSError):
            name.unlink()
            name.parent.rmdir()


def _sweep(home: Path) -> None:
    """What a killed process left: a link that leads nowhere."""
    for folder in home.glob(f"{_PREFIX}*"):
        left = folder / _LINK
        with contextlib.suppress(OSError):
            if left.lstat().st_uid == os.geteuid() and not left.exists():
                forget(left)
