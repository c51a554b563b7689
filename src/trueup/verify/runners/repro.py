"""How does a person run just one test again? In the folder, with the variables and options that the command gave it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from posixpath import relpath

from trueup.act.command_line import show_command
from trueup.act.commands import simple_commands
from trueup.verify.runners.base import RunContext

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
UNKNOWN = re.compile(r"[$`*?\n]|^~")
"""Only a shell knows what it means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A command as it is written in the check, or in a recipe or script behind it."""

    folder: str = "."
    assignments: tuple[str, ...] = ()
    prefix: tuple[str, ...]
    """What starts the tool."""
    arguments: tuple[str, ...] = ()

    def path(self, path: str) -> str:
        """As it is seen from the folder."""
        return path if self.folder == "." else relpath(path, self.folder)

    def again(self, *words: str) -> str:
        """The command that runs these words in place of the arguments."""
        values = (_ASSIGNMENT.fullmatch(word) for word in self.assignments)
        shown = " ".join((*(f"{m[1]}={shlex.quote(m[2])}" for m in values if m), show_command((*self.prefix, *words))))
        return shown if self.folder == "." else f"cd {shlex.quote(self.folder)} && {shown}"


def shown_once(commands: Iterable[Written], again: Callable[[Written], str]) -> str | None:
    """What these commands become, where that is the same for all; None where it may have been either."""
    shown = {again(how) for how in commands}
    return shown.pop() if len(shown) == 1 else None


def every_written(
    run: RunContext, prefix: Callable[[tuple[str, ...]], tuple[str, ...]], otherwise: tuple[str, ...] = ()
) -> tuple[Written, ...]:
    """Each command in which `prefix` finds its tool, once; what stands for it when none can be seen.

    `pytest unit; MODE=slow pytest system` are two.
    """
    every: dict[Written, None] = {}
    for folder, words in simple_commands((run.argv, *run.behind)):
        values = tuple(_leading(words))
        rest = words[len(values) :]
        found = prefix(rest) if rest else ()
        if found and not any(map(UNKNOWN.search, (*values, *found, folder))):
            every[Written(folder=folder, assignments=values, prefix=found, arguments=rest[len(found) :])] = None
    return tuple(every) or (Written(prefix=otherwise),)


def _leading(words: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        if not _ASSIGNMENT.fullmatch(word):
            return
        yield word


def options(
    arguments: tuple[str, ...],
    flags: re.Pattern[str],
    valued: re.Pattern[str],
    *,
    is_operand: Callable[[str, str], bool] = lambda _option, _word: False,
) -> tuple[str, ...]:
    """The flags, and the options whose value stands behind a `=` or is the next word, unless that is an operand."""
    kept: list[str] = []
    for word, value in pairwise((*arguments, "-")):
        with_value = bool(valued.fullmatch(word)) and not flags.fullmatch(word)
        if not (with_value or flags.fullmatch(word)):
            continue
        follows = with_value and "=" not in word and not value.startswith("-") and not is_operand(word, value)
        pair = [word, value] if follows else [word]
        kept += [] if any(map(UNKNOWN.search, pair)) else pair
    return tuple(kept)
