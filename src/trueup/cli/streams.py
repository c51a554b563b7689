"""What if an answer cannot be written, or a stream was closed? It is said, is no bug, and no success either."""

from __future__ import annotations

import errno
import os
import sys

NOBODY_LISTENS = 130
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def fill_in() -> None:
    """A stream that was closed is empty, or swallows all: its number must not go to a file that is opened later."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            hollow = os.open(os.devnull, os.O_RDWR)  # takes the lowest number, which is the one that was closed
            os.set_inheritable(hollow, True)
            setattr(sys, name, os.fdopen(hollow, "w" if number else "r", encoding="utf-8"))


def is_lack_of_room(error: Exception) -> bool:
    """Whether something could not be written for a reason that is none of ours."""
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def undelivered(error: Exception, do: str = "Make room there, or send it elsewhere, and ask again.") -> int:
    """Tell people that an answer is lost; the exit code for it."""
    from trueup.cli.screen import show_error
    from trueup.errors import UnverifiableError

    lost = UnverifiableError("not everything could be written", why=str(error), do=do)
    show_error(lost)
    _give_up_on_output()
    return lost.exit_code


def delivered(code: int, *, otherwise: str) -> int:
    """The exit code, once all is written. `otherwise`: the code is true all the same, and this is to be said."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_on_output()
        return code or NOBODY_LISTENS
    except OSError as error:
        if otherwise:
            undelivered(error, otherwise)
            return code
        return undelivered(error)
    return code


def _give_up_on_output() -> None:
    """Python writes once more when it ends, and would make an exit code of its own from that."""
    hollow = os.open(os.devnull, os.O_WRONLY)
    os.dup2(hollow, sys.stdout.fileno())
    os.close(hollow)
