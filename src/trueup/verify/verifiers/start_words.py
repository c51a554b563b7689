"""Which words does a command have that a Dockerfile or a Procfile writes? No shell ever reads it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

PORT = "\0port\0"
"""Stands for the port that it will get."""
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::?-([^}]*))?\})")
_SYNTAX = re.compile(r"[|<>`*?;&()]|\$\(|\n")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SHELLS = frozenset({"sh", "bash", "/bin/sh", "/bin/bash", "/usr/bin/env"})
_WRAPPERS = frozenset({"exec", "tini", "dumb-init", "/tini", "/usr/bin/tini", "/sbin/tini", "nohup", "env"})
_RUNNERS = frozenset({"poetry", "uv", "pipenv", "pdm", "hatch", "rye"})


def words_of(command: str | Sequence[str], env: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """The words and "", or () and why it cannot be understood without a shell."""
    if isinstance(command, str):
        words, why_not = _split(command)
        if why_not:
            return (), why_not
    else:
        words = list(command)
        if len(words) >= 3 and words[0] in _SHELLS and words[1] in {"-c", "-lc", "-ec"}:  # noqa: PLR2004 - sh -c TEXT
            return words_of(words[2], env)
    replaced = [_replaced(word, env) for word in _unwrapped(words)]
    if any(word is None for word in replaced):
        return (), "it uses a variable that nothing here sets"
    return tuple(word for word in replaced if word is not None), "" if replaced else "the command is empty"


def _split(command: str) -> tuple[list[str], str]:
    """Of several that follow each other the last one stays: that is what goes on running."""
    last = re.split(r"&&|;", command.replace("\\\n", " "))[-1].strip()
    if _SYNTAX.search(_VARIABLE.sub("", last)):
        return [], "it takes a shell to understand it"
    try:
        return shlex.split(last), ""
    except ValueError as error:
        return [], f"its quotes cannot be read: {error}"


def _unwrapped(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest:
        if rest[0] in _WRAPPERS or rest[0] == "--" or _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif rest[0] in _RUNNERS and rest[1:2] == ["run"]:
            rest = rest[2:]
        elif rest[0] == "python" and rest[1:2] == ["-u"]:
            rest = ["python", *rest[2:]]
        else:
            break
    return rest


def _replaced(word: str, env: Mapping[str, str]) -> str | None:
    """None when it needs a variable that is not known."""
    unknown = False

    def value(match: re.Match[str]) -> str:
        nonlocal unknown
        name, default = match[1] or match[2], match[3]
        if name == "PORT":
            return PORT
        unknown = unknown or (name not in env and default is None)
        return env.get(name, default or "")

    replaced = _VARIABLE.sub(value, word)
    return None if unknown else replaced
