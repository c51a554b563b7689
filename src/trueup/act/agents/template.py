"""How do the prompt and the paths get into a command that a user wrote?

Placeholders are filled in after the command was split into words, so what is filled in is never split, and the
prompt never meets a shell. Where the user's command is itself a shell script, paths are quoted for it.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from trueup.act.command_line import parse_command
from trueup.errors import UsageError

NAMES = ("prompt_file", "prompt", "workspace", "attempt", "result_file", "session")

_BRACED = re.compile(r"\{\{([A-Za-z_-]{1,40})\}\}|(?<!\$)\{([A-Za-z_-]{1,40})\}")
_MARKED = re.compile("\ue000([a-z_]+)\ue001")
"""A placeholder while the command is parsed: braces would look like shell syntax."""
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish"})
_TAKES_SCRIPT = re.compile(r"-[a-zA-Z]*c[a-zA-Z]*$")
_CLOSE_ENOUGH = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandTemplate:
    words: tuple[str, ...]
    """With marked placeholders."""
    script: int | None
    """Which word is a shell script; None when there is none."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for word in self.words for name in _MARKED.findall(word))

    def fill(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """The argv. NUL, which no argument can hold, becomes a visible character."""

        def plain(name: str) -> str:
            return values[name].replace("\0", "\ufffd")

        def quoted(name: str) -> str:
            return shlex.quote(plain(name))

        return tuple(
            _MARKED.sub(_by(quoted if number == self.script else plain), word) for number, word in enumerate(self.words)
        )


def read_template(command: str | tuple[str, ...], *, shell: bool = False) -> CommandTemplate:
    """Checks names and places now, before anything is paid. With `shell`, the text goes to a shell as it is."""
    marked = _mark(command) if isinstance(command, str) else tuple(_mark(word) for word in command)
    words = ("/bin/sh", "-c", marked) if shell and isinstance(marked, str) else parse_command(marked)
    script = _script(words)
    if script is not None and "prompt" in _MARKED.findall(words[script]):
        raise UsageError(
            "{prompt} cannot be used in a shell command",
            why="The shell would read the prompt as part of the command.",
            do="Use {prompt_file}, or let the agent read the prompt from standard input.",
        )
    return CommandTemplate(words=words, script=script)


def _by(value: Callable[[str], str]) -> Callable[[re.Match[str]], str]:
    return lambda match: value(match[1])


def _mark(text: str) -> str:
    return _BRACED.sub(_marked, text)


def _marked(match: re.Match[str]) -> str:
    literal, name = match.groups()
    if literal is not None:
        return f"{{{literal}}}" if literal in NAMES else str(match.group())
    if name in NAMES:
        return f"\ue000{name}\ue001"
    close = difflib.get_close_matches(name, NAMES, n=1, cutoff=_CLOSE_ENOUGH)
    if close:
        raise UsageError(
            f"the agent's command has an unknown placeholder: {{{name}}}",
            why=f"Known are: {', '.join(f'{{{n}}}' for n in NAMES)}.",
            do=f"Did you mean {{{close[0]}}}? Write {{{{{close[0]}}}}} for the literal text {{{close[0]}}}.",
        )
    return str(match.group())


def _script(words: tuple[str, ...]) -> int | None:
    """The word after `sh -c`, also behind `env`, `timeout` and the like."""
    for number, word in enumerate(words):
        if PurePath(word).name in _SHELLS:
            for index in range(number + 1, len(words) - 1):
                if _TAKES_SCRIPT.match(words[index]):
                    return index + 1
                if not words[index].startswith("-"):
                    break
    return None
