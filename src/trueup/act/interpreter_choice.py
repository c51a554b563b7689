"""With which Python is a project tried? One that it says it runs on, as the user would start it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from trueup.act.interpreters import pythons_behind
from trueup.act.process import ToolFailed, quick

_ASK = (
    "import sys, sysconfig, platform, json; print(json.dumps([sys._base_executable or sys.executable, sys.base_prefix,"
    " platform.python_version(), sys.implementation.cache_tag, sysconfig.get_platform(), str(platform.libc_ver())]))"
)
_SECONDS = 20.0
_VERSIONED = tuple(f"python3.{minor}" for minor in range(14, 7, -1))
_NAME = re.compile(r"python[\d.]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    program: str
    """The real one, behind shims and environments."""
    prefix: str
    version: str
    tag: str
    """`cpython-311`."""
    platform: str

    @property
    def key(self) -> str:
        return f"{self.program} {self.version} {self.tag} {self.platform}"

    @property
    def short(self) -> str:
        return ".".join(self.version.split(".")[:2])


def choose(env: Mapping[str, str], wanted: str, cache: Path, *, root: Path) -> Interpreter | None:
    """The first that fits; None when this machine has none for these versions."""
    fits = SpecifierSet(wanted)
    seen: set[str] = set()
    for program in _candidates(env, root):
        if program in seen:
            continue
        seen.add(program)
        found = _ask(program, cache)
        if found is not None and fits.contains(found.version, prereleases=True):
            return found
    return None


def _candidates(env: Mapping[str, str], root: Path) -> Iterator[str]:
    path = [entry for entry in env.get("PATH", "").split(os.pathsep) if entry.startswith("/")]
    for name in ("python3", "python"):
        yield from (os.path.realpath(p) for p in pythons_behind([(name,)], path, root=str(root)) if _is_program(p))
    yield os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    for name in _VERSIONED:
        yield from (os.path.realpath(p) for p in pythons_behind([(name,)], path, root=str(root)) if _is_program(p))
    versions = Path(env.get("PYENV_ROOT") or Path(env.get("HOME") or "/") / ".pyenv") / "versions"
    yield from (os.path.realpath(p) for p in sorted(versions.glob("3.*/bin/python3"), reverse=True))


def _is_program(path: str) -> bool:
    """Not a script that chooses one."""
    try:
        with open(os.path.realpath(path), "rb") as file:  # noqa: PTH123 - text
            return file.read(2) != b"#!" and bool(_NAME.match(os.path.basename(os.path.realpath(path))))  # noqa: PTH119
    except OSError:
        return False


def _ask(program: str, cache: Path) -> Interpreter | None:
    """Asked once, as long as the program stays what it is."""
    try:
        stamp = os.stat(program)  # noqa: PTH116 - text
    except OSError:
        return None
    note = cache / "interpreters" / f"{stamp.st_dev:x}-{stamp.st_ino:x}-{stamp.st_mtime_ns:x}-{stamp.st_size:x}.json"
    said = _read(note)
    if said is None:
        try:
            said = json.loads(quick((program, "-I", "-S", "-c", _ASK), env={}, timeout=_SECONDS))
        except (ToolFailed, ValueError):
            return None
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(said))
    executable, prefix, version, tag, machine, libc = map(str, said)
    real = os.path.realpath(executable)
    return Interpreter(program=real, prefix=prefix, version=version, tag=tag, platform=f"{machine} {libc}")


_FACTS = 6


def _read(note: Path) -> list[str] | None:
    try:
        said = json.loads(note.read_bytes())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, list) and len(said) == _FACTS else None
