"""How does trueup say that something is wrong? In three lines: what, why, what to do next."""

from __future__ import annotations


class TrueupError(Exception):
    """Something a person can act on. `exit_code` is what the command line returns."""

    exit_code = 70

    def __init__(self, what: str, *, why: str = "", do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.do = do

    def __str__(self) -> str:
        return "\n".join(line for line in (self.what, self.why, self.do) if line)


class UsageError(TrueupError):
    """The command line, the configuration or the request cannot be carried out as written."""

    exit_code = 2


class UnverifiableError(TrueupError):
    """The checks, the set-up or the state folder cannot be used; nothing was claimed."""

    exit_code = 4


class BlockedError(TrueupError):
    """A person has to do something first."""

    exit_code = 5


class ConflictError(TrueupError):
    """Two changes meet in one place; nothing was written."""

    exit_code = 1


class InvariantError(AssertionError):
    """A bug in trueup, never bad input."""


def invariant(condition: bool, message: str) -> None:  # noqa: FBT001 - reads like assert
    """Raise if trueup itself broke one of its own rules. Bad input gets a `TrueupError` instead."""
    if not condition:
        raise InvariantError(message)
