"""Which modules do checks load, and who compiles them? Before a proof we do, so that a proof has nothing to compile.

A check of several steps runs the agent's code in the first; a compiled module that this leaves is run by the next.
So Python is told to keep nothing while a proof runs, and whatever is compiled then, somebody planted. What the checks
loaded before is compiled ahead, from its source: it would otherwise be compiled in each process anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from trueup.act.process import Processes
from trueup.act.stamps import Stamp, stamp

KEEP_NOTHING = {"PYTHONDONTWRITEBYTECODE": "1"}
_MODULE = re.compile(r"(?P<name>[^./]+)\.(?P<tag>[a-z]+-\d+)\.pyc")
"""Neither optimised ones, nor pytest's rewritten tests, which hold the path that they were made at."""
_MOST_MODULES = 20_000
_MOST_TAGS = 3
_LARGEST_SOURCE = 5_000_000
_TIMEOUT = 120.0
_ANOTHER_VERSION = 3
_COMPILE = f"""
import marshal, os, sys
from _frozen_importlib_external import MAGIC_NUMBER
tag, *names = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\\0")
if sys.implementation.cache_tag != tag:
    sys.exit({_ANOTHER_VERSION})
for source, target in zip(names[::2], names[1::2]):
    try:
        with open(source, "rb") as file:
            seen = os.fstat(file.fileno())
            code = marshal.dumps(compile(file.read(), source, "exec", dont_inherit=True))
        stamp = (int(number) & 0xFFFFFFFF for number in (0, seen.st_mtime, seen.st_size))
        head = MAGIC_NUMBER + b"".join(number.to_bytes(4, "little") for number in stamp)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as file:
            file.write(head + code)
    except Exception:
        pass
"""
"""Imports only what is part of the interpreter itself. What cannot be compiled, the check itself complains of."""

Pythons = Callable[[], Iterable[str]]


@dataclass(frozen=True, slots=True, order=True)
class Module:
    """A module that a check loaded."""

    source: str
    """Absolute, or relative to the bench."""
    tag: str
    """The interpreter's, such as `cpython-311`."""


def loaded_modules(bytecode: Path, bench: Path) -> frozenset[Module]:
    """What Python compiled there. Untrusted code wrote it: no more than a list of files that may be worth compiling."""
    own, found = f"{bench}/", set[Module]()
    for here, _, names in os.walk(bytecode):
        place = _source_of(f"{here}/", bytecode)
        for match in filter(None, map(_MODULE.fullmatch, names)):
            source = f"{place}{match['name']}.py"
            found.add(Module(source.removeprefix(own), match["tag"]))
        if len(found) > _MOST_MODULES:
            break
    return frozenset(sorted(found)[:_MOST_MODULES])


def compile_ahead(
    modules: Iterable[Module],
    *,
    bytecode: Path,
    bench: Path,
    besides: frozenset[str],
    pythons: Pythons,
    processes: Processes,
    env: Mapping[str, str],
) -> None:
    """Compile what is not there yet, each by the first of `pythons` that is of its version, without running any of it.

    `besides`: files of the bench that the check itself rewrites; within one second, Python would not notice.
    """
    wanted: dict[str, list[str]] = {}
    for module in sorted(modules):
        source = os.path.join(bench, module.source)  # noqa: PTH118 - text: an absolute one stays as it is
        target = f"{bytecode}{source.removesuffix('.py')}.{module.tag}.pyc"
        if module.source not in besides and not os.path.lexists(target) and _is_source(source):
            wanted.setdefault(module.tag, []).extend((source, target))
    for tag in sorted(wanted)[:_MOST_TAGS]:
        told = "\0".join((tag, *wanted[tag])).encode("utf-8", "surrogateescape")
        for python in pythons():
            # Isolated, and without the modules' own caches: those can be anybody's.
            argv = (python, "-I", "-S", "-B", "-W", "ignore", "-X", f"pycache_prefix={bytecode}", "-c", _COMPILE)
            done = processes.run(argv, cwd=bench, env=env, timeout=_TIMEOUT, stdin=told)
            if done.exit_code != _ANOTHER_VERSION and not done.not_started:
                break


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """How compiled modules looked at one moment from which nobody has a reason to write any."""

    bytecode: Path
    is_free: Callable[[str], bool]
    """Whether the check may have compiled this source; asked with a folder's path, ending in "/": anything in it."""
    looks: Mapping[str, Stamp]

    @classmethod
    def now(cls, bytecode: Path, is_free: Callable[[str], bool]) -> Fixed:
        return cls(bytecode=bytecode, is_free=is_free, looks=dict(_looks(bytecode, is_free)))

    def planted(self) -> tuple[str, ...]:
        """Sources whose compiled code was written or taken away since.

        A folder tells of a file that was there for a while: its ctime cannot be set back.
        """
        now = dict(_looks(self.bytecode, self.is_free))
        changed = {path for path in self.looks.keys() | now.keys() if self.looks.get(path) != now.get(path)}
        files = {path for path in changed if not path.endswith("/")}
        return tuple(sorted({_source_of(path, self.bytecode) for path in files or changed}))


def _looks(bytecode: Path, is_free: Callable[[str], bool]) -> Iterator[tuple[str, Stamp]]:
    """Compiled module, or folder of them (with "/" at its end) -> stamp, where they are not free."""
    pending = [f"{bytecode}/"]
    while pending:
        here = pending.pop()
        try:
            own = os.lstat(here)
            entries = [(entry, entry.stat(follow_symlinks=False)) for entry in os.scandir(here)]
        except OSError:  # gone, or closed to us: its absence tells
            continue
        if not is_free(_source_of(here, bytecode)):
            yield here, (0, *stamp(own)[1:])  # the size of a folder is the file system's business
        for entry, seen in entries:
            if S_ISDIR(seen.st_mode):
                pending.append(f"{entry.path}/")
            elif not is_free(_source_of(entry.path, bytecode)):
                yield entry.path, stamp(seen)


def _is_source(path: str) -> bool:
    try:
        seen = os.stat(path)  # noqa: PTH116 - text, as everywhere here
    except OSError:
        return False
    return S_ISREG(seen.st_mode) and seen.st_size <= _LARGEST_SOURCE


def _source_of(path: str, bytecode: Path) -> str:
    """What is compiled to this file; of a folder, which ends in "/", the folder."""
    place, slash, name = path.removeprefix(os.fspath(bytecode)).rpartition("/")
    return f"{place}{slash}{name.split('.')[0]}.py" if name else f"{place}{slash}"
