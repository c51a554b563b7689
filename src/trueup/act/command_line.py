"""What does a command mean, as the user wrote it? A shell is used only where it takes one to understand it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence

from trueup.errors import UsageError

SHELL = ("/bin/sh", "-c")

_QUOTED = re.compile(r"""\\[^\n]|'[^']*'|"(?:\\[^$`\n]|[^"\\$`])*\"""")
"""What means the same to a shell and to `shlex`. Not so quotes in which a shell replaces something."""
_SHELL_SYNTAX = re.compile(r"[&|;<>$`*?(){}\n]|(?:^|\s)[~#]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SHELL_WORD = re.compile(
    r"(?:[!.:]|case|cd|command|eval|exec|exit|export|for|if|read|return|set|shift|source|trap|type|ulimit|umask"
    r"|unset|until|wait|while)(?:\s|$)"
)


def parse_command(text: str | tuple[str, ...]) -> tuple[str, ...]:
    """The argv for a command as the user wrote it; a shell is used only where it takes one to understand it."""
    words = text if isinstance(text, tuple) else _split(text)
    if not words or not words[0]:
        raise UsageError(f"the command is empty: {text!r}", do="give a program to run, for example `pytest -q`")
    return words


def _split(text: str) -> tuple[str, ...]:
    if all(line.lstrip().startswith("#") or not line.strip() for line in text.splitlines()):
        return ()
    # What is quoted becomes one letter, so that `a' 'b` and `"x"~` stay one word.
    bare = _QUOTED.sub("q", text.strip())
    if _SHELL_SYNTAX.search(bare) or _ASSIGNMENT.match(bare) or _SHELL_WORD.match(bare):
        return (*SHELL, text)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"the command cannot be read: {text}", why=str(error), do="check its quotes") from error
    return (*SHELL, text) if '"' in bare else words


def show_command(argv: Sequence[str]) -> str:
    """The command as a person would type it; `parse_command` understands it again."""
    return argv[2] if len(argv) == 3 and tuple(argv[:2]) == SHELL else shlex.join(argv)  # noqa: PLR2004 - sh -c TEXT


def which(name: str, path: str) -> str | None:
    """The program that `name` means on `path`, relative entries left out."""
    absolute = [entry for entry in path.split(os.pathsep) if entry.startswith("/")]
    return shutil.which(name, path=os.pathsep.join(absolute))
