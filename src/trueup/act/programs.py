"""Which folders below a hidden one are needed to run the programs on PATH?

A home folder holds interpreters (`~/.pyenv`, `~/.nvm`) beside keys and mail. What a program on PATH leads to, through
links, first lines of scripts and virtual environments, is found; nothing broader than one installation is named.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SYSTEM = frozenset({"/bin", "/sbin", "/usr/bin", "/usr/sbin"})
"""Not looked through: what lies there is the distribution's, and leads nowhere else."""
_PROGRAM_FOLDERS = frozenset({"bin", "sbin", "shims", "Scripts"})
_INSTALLATION = ("lib", "lib64", "libexec", "versions", "installs", "tools", "pyvenv.cfg", "conda-meta")
"""What shows that the folder above `bin` is one installation, and not where a tool keeps its credentials, too."""
_BROAD = (".local", ".config", ".cache", ".local/share", ".local/state")
_NEVER = (".ssh", ".gnupg", ".aws", ".password-store", ".local/share/keyrings")
_STORES = (
    ".cargo/registry", ".cargo/git", ".rustup", "go/pkg", ".m2/repository", ".nuget/packages", ".local/lib",
    ".local/share/uv/python",
)  # fmt: skip
"""Installed and downloaded packages, toolchains: without a network nothing else takes their place. No credentials."""
_VENV_HOME = re.compile(r"^home\s*=\s*(/.*)$", re.MULTILINE)
_INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*")
_FIRST_LINE = 200
_MOST_LINKS = 10


@dataclass(slots=True, kw_only=True)
class _Search:
    hidden: tuple[str, ...]
    found: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def look(self, folder: str) -> None:
        """A folder of programs that the user chose: all of it is needed, and what its programs lead to."""
        for place in dict.fromkeys((folder, os.path.realpath(folder))):
            self._show(_installation(place) if not self._is_broad(_installation(place)) else place)
        if folder not in self.seen and os.path.realpath(folder) not in SYSTEM:
            self.seen.add(folder)
            for target in _targets(folder):
                self.use(target)

    def use(self, file: str) -> None:
        """A program needs the installation that it belongs to; of another file nothing but itself is shown."""
        for place in dict.fromkeys((file, *_steps(file))):
            shown = any(is_below(place, folder) for folder in self.found)
            if self._is_hidden(place) and not shown and not self._belongs(place):
                self._show(place)

    def use_interpreter(self, file: str) -> None:
        """The same for a link that anybody may have written: it shows an interpreter's installation, or nothing."""
        for place in _steps(file):
            if _INTERPRETER.fullmatch(os.path.basename(place)):  # noqa: PTH119 - paths are text here
                self._belongs(place)

    def _belongs(self, program: str) -> bool:
        """Show the installation that a program lies in; False when there is none."""
        folder = os.path.dirname(program)  # noqa: PTH120 - as above
        prefix = _installation(folder)
        if prefix == folder or self._is_broad(prefix) or not os.access(program, os.X_OK):
            return False
        self.look(folder)
        for base in _base_of_venv(prefix):
            self.use_interpreter(base)
        return True

    def _show(self, place: str) -> None:
        real = os.path.realpath(place)
        if (
            self._is_hidden(place)
            and not self._is_broad(place)
            and not self._is_broad(real)
            and not self._is_private(real)
        ):
            self.found.add(place)

    def _is_hidden(self, place: str) -> bool:
        return any(is_below(place, root) for root in self.hidden)

    def _is_broad(self, place: str) -> bool:
        return any(is_below(broad, place) for root in self.hidden for broad in (root, *_inside(root, _BROAD)))

    def _is_private(self, place: str) -> bool:
        return any(is_below(place, one) for root in self.hidden for one in _inside(root, _NEVER))


def needed_places(
    folders: Iterable[str], files: Iterable[str], environments: Iterable[str], hidden: Iterable[str]
) -> tuple[str, ...]:
    """What lies below the `hidden` folders and is needed by programs in these folders, and by these files.

    `folders` and `files` are the user's own choice. `environments` are virtual environments of the project, which may
    have been written by anybody. Contract: never a hidden folder itself, nor one above it. All paths are absolute;
    `hidden` are without links.
    """
    roots = tuple(hidden)
    search = _Search(hidden=roots)
    for folder in folders:
        if folder.startswith("/"):
            search.look(os.path.normpath(folder))
    for file in files:
        search.use(os.path.normpath(file))
    for environment in environments:
        for link in (f"{environment}/bin/python", *_base_of_venv(environment)):
            search.use_interpreter(link)
    stores = (store for root in roots for store in _inside(root, _STORES) if os.path.isdir(store))  # noqa: PTH112 - text
    return tuple(sorted({*search.found, *stores}))


def is_below(path: str, folder: str) -> bool:
    """Also when it is the same."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _inside(root: str, names: Iterable[str]) -> Iterator[str]:
    return (f"{root}/{name}" for name in names)


def _targets(folder: str) -> Iterator[str]:
    """Where links and the first lines of scripts lead, as far as that is another folder."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                yield entry.path
            elif interpreter := _interpreter(entry.path):
                yield interpreter


def _steps(link: str) -> Iterator[str]:
    """The file, and every place on the way: a link inside a hidden folder has to be there to be followed."""
    for _ in range(_MOST_LINKS):
        yield link
        yield os.path.realpath(link)
        if not os.path.islink(link):  # noqa: PTH114 - text
            return
        link = os.path.normpath(os.path.join(os.path.dirname(link), os.readlink(link)))  # noqa: PTH115, PTH118, PTH120 - text


def _installation(folder: str) -> str:
    """The folder that holds a whole installation, if programs of one lie here; else the folder itself."""
    above, name = os.path.split(folder)
    if "/node_modules/" in folder:
        return folder[: folder.index("/node_modules/")] + "/node_modules"
    whole = name in _PROGRAM_FOLDERS and any(os.path.lexists(f"{above}/{mark}") for mark in _INSTALLATION)
    return above if whole else folder


def _interpreter(script: str) -> str:
    with contextlib.suppress(OSError), open(script, "rb") as file:  # noqa: PTH123 - text
        first = file.read(_FIRST_LINE).partition(b"\n")[0]
        if first.startswith(b"#!/"):
            return os.fsdecode(first[2:].split()[0])
    return ""


def _base_of_venv(prefix: str) -> list[str]:
    """The interpreter that a virtual environment was made with."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = Path(prefix, "pyvenv.cfg").read_text(encoding="utf-8")
        return [f"{found.strip()}/python3" for found in _VENV_HOME.findall(text)]
    return []
