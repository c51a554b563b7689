"""Where do a project's dependencies lie, installed? In a cache by content; nobody that runs there can change it.

An environment is named by everything that made it: the pins, the interpreter, the platform and the index. It is built
aside, sealed (each file's digest is noted) and moved to its place at once. Before it is used again every file is
looked at: one whose size and times are as they were is taken for what it was, of any other the content is read. Code of
a project sees it through a read-only mount; without bubblewrap, permissions keep honest code from writing there, and a
change is seen by whoever comes next. What was changed is thrown away, with the installer's own cache, which may share
its files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trueup.act import bytecode_maker
from trueup.act.refusals import Refused
from trueup.act.removal import remove
from trueup.act.resolving import Installer, Place

VERSION = 1
KEPT = 24
"""So many environments; beyond that the one that was not used for the longest time goes, if it was not used lately."""
_LATELY = 3600.0
_COMPILE_SECONDS = 60.0
_FEW = 24
"""Modules that are compiled in this process, where that is the interpreter's own version."""

Stamp = tuple[int, int, int, int, str]
"""Size, mtime, ctime, mode, and the digest of the content (or where a link leads)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    folder: Path
    python: str
    """The interpreter inside."""
    site: Path
    prefix: str
    """Where the interpreter itself is installed."""
    pins: tuple[str, ...]
    reused: bool = False


def environment(
    pins: tuple[str, ...], installer: Installer, place: Place, *, builds: bool, imports: Iterable[str] = ()
) -> Environment | Refused:
    """The environment with exactly these. `imports`: what will be imported, to be compiled beforehand."""
    key = environment_key(pins, place, builds=builds)
    shelf = place.cache / "environments"
    shelf.mkdir(parents=True, exist_ok=True)
    final = shelf / key
    made = _described(final, place, pins, reused=True)
    if is_intact(final):
        os.utime(_seal_file(final))
        return made
    if final.exists():
        throw_away(final, place.cache)
    with _building(shelf) as fresh:
        site = _described(fresh, place, pins, reused=False).site
        _skeleton(fresh, site, place)
        refused = installer.install(pins, site, place, builds=builds) if pins else None
        if refused is not None:
            return refused
        _compile(site, tuple(imports), place)
        seal(fresh)
        _settle(fresh, final)
    _make_room(shelf, keep=final)
    return _described(final, place, pins, reused=False)


def environment_key(pins: Iterable[str], place: Place, *, builds: bool) -> str:
    told = [VERSION, sorted(pins), place.interpreter.key, place.index.key, builds, bool(place.isolation)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:40]


def _described(folder: Path, place: Place, pins: tuple[str, ...], *, reused: bool) -> Environment:
    return Environment(
        folder=folder,
        python=str(folder / "bin/python"),
        site=folder / f"lib/python{place.interpreter.short}/site-packages",
        prefix=place.interpreter.prefix,
        pins=pins,
        reused=reused,
    )


# --- building ------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _building(shelf: Path) -> Iterator[Path]:
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=shelf))
    try:
        yield fresh
    finally:
        remove(fresh)
        remove(_seal_file(fresh))


def _skeleton(folder: Path, site: Path, place: Place) -> None:
    """A virtual environment is three files; no program has to be started for that."""
    site.mkdir(parents=True)
    programs = folder / "bin"
    programs.mkdir()
    for name in ("python", "python3"):
        (programs / name).symlink_to(place.interpreter.program)
    home = os.path.dirname(place.interpreter.program)  # noqa: PTH120 - text
    (folder / "pyvenv.cfg").write_text(
        f"home = {home}\ninclude-system-site-packages = false\nversion = {place.interpreter.version}\n"
    )


def _compile(site: Path, imports: tuple[str, ...], place: Place) -> None:
    """Saves time, decides nothing: what is not compiled now is compiled at each use."""
    if not imports:
        return
    store = place.cache / "bytecode" / place.interpreter.tag
    roots = sorted(imports)
    if place.interpreter.tag == sys.implementation.cache_tag:
        # What another environment needed, too, is there; a few more are made sooner than an interpreter is started.
        store.mkdir(parents=True, exist_ok=True)
        roots = bytecode_maker.follow(str(site), str(store), roots, make=_FEW)
    if not roots:
        return
    asked = {"site": str(site), "store": str(store), "roots": roots}
    place.processes.run(
        (place.interpreter.program, "-I", "-S", "-B", bytecode_maker.__file__),
        cwd=place.scratch,
        env={},
        timeout=min(_COMPILE_SECONDS, place.seconds),
        stdin=json.dumps(asked).encode(),
    )


def _settle(fresh: Path, final: Path) -> None:
    """Whoever comes second uses what the first one made."""
    _seal_file(fresh).replace(_seal_file(final))
    try:
        fresh.rename(final)
    except OSError:
        if not final.exists():
            raise


def _make_room(shelf: Path, *, keep: Path) -> None:
    used = sorted((file for file in shelf.glob("*.seal")), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in used[KEPT:]:
        folder = file.with_suffix("")
        if folder != keep and time.time() - file.stat().st_mtime > _LATELY:
            remove(folder)
            file.unlink(missing_ok=True)


def throw_away(folder: Path, cache: Path) -> None:
    """Also the installers' caches and compiled modules: links may have shared the files that somebody changed."""
    for place in (folder, _seal_file(folder), cache / "uv", cache / "bytecode"):
        remove(place)


# --- the seal ------------------------------------------------------------------------------------------------


def _seal_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.seal")


def seal(folder: Path) -> None:
    """Take the right to write from everything, and note what it is."""
    for place, entry in _entries(str(folder)):
        if not entry.is_symlink():
            os.chmod(place, stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode) & ~0o222)  # noqa: PTH101 - text
    stamps = {name: _stamp(place) for name, place in _named(folder)}
    _write(_seal_file(folder), stamps)


def is_intact(folder: Path) -> bool:
    """Whether it is what was sealed, to the last file."""
    known = _read(_seal_file(folder))
    if known is None or not folder.is_dir():
        return False
    found = dict(_named(folder))
    if found.keys() != known.keys():
        return False
    renewed = {}
    for name, place in found.items():
        if not _looks_the_same(place, known[name]):
            renewed[name] = _stamp(place)
            if renewed[name][4] != known[name][4]:
                return False
    if renewed:  # another environment was linked to the same files
        _write(_seal_file(folder), known | renewed)
    return True


def _looks_the_same(place: str, known: Stamp) -> bool:
    now = os.lstat(place)
    return (now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_mode) == known[:4]


def _stamp(place: str) -> Stamp:
    now = os.lstat(place)
    return now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_mode, _digest(place, now.st_mode)


def _digest(place: str, mode: int) -> str:
    if stat.S_ISLNK(mode):
        return f"-> {os.readlink(place)}"  # noqa: PTH115 - text
    if not stat.S_ISREG(mode):
        return "folder" if stat.S_ISDIR(mode) else "other"
    with open(place, "rb") as file:  # noqa: PTH123 - text
        return hashlib.file_digest(file, "sha256").hexdigest()


def _named(folder: Path) -> Iterator[tuple[str, str]]:
    """Files and links. A folder is what is in it; its own times change with the links of others."""
    top = str(folder)
    for place, entry in _entries(top):
        if entry.is_symlink() or not entry.is_dir():
            yield place[len(top) + 1 :], place


def _entries(folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                yield entry.path, entry
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)


def _write(file: Path, stamps: dict[str, Stamp]) -> None:
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    fresh.write_text(json.dumps(stamps))
    fresh.replace(file)


def _read(file: Path) -> dict[str, Stamp] | None:
    try:
        known = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    return {name: (s[0], s[1], s[2], s[3], s[4]) for name, s in known.items()} if isinstance(known, dict) else None
