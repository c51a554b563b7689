"""Which Python interpreters may run behind the checks, and where do their libraries lie?"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trueup.act.command_line import SHELL, which

_USUAL = ("python", "python3", "pytest")
"""Looked up although no command names them: make, npm scripts and `env` do."""
_WORD = re.compile(r"[\w./+~-]+")
_MOST_WORDS = 100
_LONGEST_SHEBANG = 512
PACKAGES = ("site-packages", "dist-packages")
_SYSTEM_TOO = re.compile(r"^include-system-site-packages\s*=\s*true", re.MULTILINE | re.IGNORECASE)
_HOME = re.compile(r"^home\s*=\s*(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Libraries:
    folders: tuple[str, ...]
    """`lib/python3.X` of every interpreter, with all that is installed there."""
    unused: frozenset[str]
    """Packages in them that nobody imports: a virtual environment takes only the standard library from its origin."""


def libraries_behind(commands: Iterable[tuple[str, ...]], path: Sequence[str], *, root: str) -> Libraries:
    """The libraries of every interpreter that the commands may use.

    `root` is the folder in which relative programs are meant. Interpreters that a shim chooses are found for pyenv.
    """
    joined = os.pathsep.join(path)
    programs = [p for command in commands for p in _programs(command, joined, path, root)]
    whole, bare = _prefixes(programs, joined)
    if "/usr" in whole:  # Debian's own interpreter looks there, too
        whole.add("/usr/local")
    folders = {prefix: _library_folders(prefix) for prefix in whole | bare}
    used = {folder for prefix in whole for folder in folders[prefix]}
    every = {folder for found in folders.values() for folder in found}
    unused = {f"{folder}/{name}" for folder in every - used for name in PACKAGES}
    return Libraries(folders=tuple(sorted(every)), unused=frozenset(unused))


def pythons_behind(commands: Iterable[tuple[str, ...]], path: Sequence[str], *, root: str) -> tuple[str, ...]:
    """The interpreters themselves, as the commands would start them, in the order of the commands."""
    joined = os.pathsep.join(path)
    programs = [p for command in commands for p in _programs(command, joined, path, root)]
    found = (p for program in programs for p in ((program,) if _is_python(program) else _interpreter(program, joined)))
    return tuple(dict.fromkeys(found))


def _library_folders(prefix: str) -> set[str]:
    found = (place for pattern in ("lib/python3*", "lib64/python3*") for place in Path(prefix).glob(pattern))
    return {os.path.realpath(place) for place in found if place.is_dir()}


def _programs(command: tuple[str, ...], joined: str, path: Sequence[str], root: str) -> list[str]:
    """The programs that a command names; where the first one is no Python, also those that it probably starts."""
    words = _words(command)
    named = [_program(word, joined, root) for word in words]
    if named and named[0] and (_is_python(named[0]) or any(_interpreter(named[0], joined))):
        named = named[:1]
    else:
        named += [which(name, joined) for name in _USUAL]
    shims = {os.path.dirname(program) for program in named if program}  # noqa: PTH120 - text, as everywhere here
    return [p for p in (*named, *_behind_shims([f for f in path if f in shims], root)) if p]


def _is_python(program: str) -> bool:
    return os.path.basename(program).startswith(("python", "pypy"))  # noqa: PTH119 - text, as everywhere here


def _words(command: tuple[str, ...]) -> list[str]:
    words = _WORD.findall(command[2]) if command[:2] == SHELL else list(command)
    return [word for word in words[:_MOST_WORDS] if word and not word.startswith("-")]


def _program(name: str, path: str, root: str) -> str | None:
    return os.path.join(root, name) if "/" in name else which(name, path)  # noqa: PTH118 - text, as everywhere here


def _prefixes(programs: Iterable[str], path: str) -> tuple[set[str], set[str]]:
    """`/usr` for `/usr/bin/python3`: those of which everything is used, and those that environments were made from."""
    found: tuple[set[str], set[str]] = (set(), set())
    seen: set[tuple[str, bool]] = set()
    waiting = [(program, False) for program in programs]
    while waiting:
        program, bare = waiting.pop()
        if (program, bare) in seen:
            continue
        seen.add((program, bare))
        prefix = os.path.dirname(os.path.dirname(program))  # noqa: PTH120 - text, as everywhere here
        settings = _beginning(f"{prefix}/pyvenv.cfg")
        onwards = bare or (bool(settings) and not _SYSTEM_TOO.search(settings))
        if _is_python(program):
            found[bare].add(prefix)
            waiting += [(f"{home}/python3", onwards) for home in _HOME.findall(settings)]
        waiting += [(target, onwards) for target in _leads_to(program)]
        waiting += [(interpreter, bare) for interpreter in _interpreter(program, path)]
    return found


def _leads_to(program: str) -> Iterator[str]:
    """One step along a link: each place on the way may be an environment of its own."""
    with contextlib.suppress(OSError):
        target = os.readlink(program)  # noqa: PTH115 - text, as everywhere here
        yield os.path.normpath(os.path.join(os.path.dirname(program), target))  # noqa: PTH118, PTH120 - text again


def _interpreter(program: str, path: str) -> Iterator[str]:
    """What the first line of a script names; Python's own scripts begin with a shell when the path is long."""
    beginning = _beginning(program)
    if not beginning.startswith("#!"):
        return
    for word in _WORD.findall(" ".join(beginning[2:].splitlines()[:2])):
        found = word if word.startswith("/") else which(word, path)
        if found and _is_python(word):
            yield found


def _beginning(file: str) -> str:
    try:
        with open(file, "rb") as opened:  # noqa: PTH123 - text, as everywhere here
            return opened.read(_LONGEST_SHEBANG).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _behind_shims(folders: Iterable[str], root: str) -> Iterator[str]:
    """pyenv's programs are scripts that choose a version: by the project's file, or else by its own."""
    for folder in folders:
        home = os.path.dirname(folder)  # noqa: PTH120 - text, as everywhere here
        if folder.endswith("/shims") and os.path.isdir(f"{home}/versions"):  # noqa: PTH112 - text again
            for file in (f"{root}/.python-version", f"{home}/version"):
                yield from (f"{home}/versions/{version}/bin/python" for version in _beginning(file).split())
