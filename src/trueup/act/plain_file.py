"""How is a small file read that somebody else wrote, and that may be a link, a pipe or a gigabyte?"""

from __future__ import annotations

import os
import stat
from pathlib import Path


class NotPlainError(Exception):
    """Says in a few words what is wrong with it."""


def read_plain(path: Path, *, largest: int) -> bytes | None:
    """All of a regular file; None when there is none. Links are not followed, pipes are not waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotPlainError(f"cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotPlainError("is not a regular file")
    with os.fdopen(handle, "rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise NotPlainError(f"is larger than {largest / 1e6:g} MB")
    return content
