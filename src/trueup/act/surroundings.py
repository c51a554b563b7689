"""Did anything outside the tree change that checks use: a program on the PATH, a package of the interpreter?

Whatever looks like it did at the start is what it was all the time: no program can set a ctime back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from trueup.act.interpreters import PACKAGES, libraries_behind
from trueup.act.relinked import as_at_start, digest_of, only_linked, timeless
from trueup.act.stamps import CLOCK_STEP, Stamp, stamp_of
from trueup.evidence.report import Report

SELF_UPDATING = frozenset(
    {"aider", "amp", "auggie", "claude", "codex", "copilot", "crush", "cursor-agent", "droid", "gemini", "goose"}
    | {"opencode", "qwen"}
)
"""Agents that replace their own program while they work. No check runs them, unless it says so itself."""
MOST_FILES = 100_000
"""A folder with more than this, such as a whole home, is looked at one level deep."""
_NAMED = 3
_ITSELF = "."
"""In a listing: which folder it is that a name on the PATH leads to."""

_CHOOSER = "../version"
"""What the programs in pyenv's folder go by."""

_Looks = tuple[int, ...]
_Listing = dict[str, _Looks]
How = Literal["added", "changed", "removed", "redirected", "passing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Folders in which checks find what is not in their tree."""

    programs: tuple[str, ...]
    """As the PATH names them."""
    libraries: tuple[str, ...]
    """Of the interpreters behind the checks: standard library, installed packages, search paths that the user set."""
    unused: frozenset[str] = frozenset()
    """Folders in them that are not looked at."""
    ignore: frozenset[str] = SELF_UPDATING

    @classmethod
    def of(
        cls, commands: Iterable[tuple[str, ...]], variables: Mapping[str, str], *, root: str, sealed: Iterable[str] = ()
    ) -> Self:
        """What these commands use in this environment. `sealed`: folders of the project that are watched otherwise."""
        given = tuple(commands)
        elsewhere = tuple(os.path.realpath(folder) + "/" for folder in sealed)
        words = {word.rpartition("/")[2] for command in given for word in command}

        def mine(folder: str) -> bool:
            return folder.startswith("/") and not f"{os.path.realpath(folder)}/".startswith(elsewhere)

        path = _split(variables.get("PATH", ""))
        behind = libraries_behind(given, path, root=root)
        # What lies in the project itself comes from the tree.
        given_by_user = (f for f in _split(variables.get("PYTHONPATH", "")) if not _is_inside(f, root))
        libraries = (*behind.folders, *given_by_user)
        return cls(
            programs=tuple(dict.fromkeys(filter(mine, path))),
            libraries=_outermost(os.path.realpath(folder) for folder in libraries if mine(folder)),
            unused=behind.unused,
            ignore=SELF_UPDATING - words,
        )


def _split(value: str) -> list[str]:
    return [entry for entry in value.split(os.pathsep) if entry.startswith("/")]


def _is_inside(folder: str, root: str) -> bool:
    return f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(root)}/")


def _outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """Without those that lie in another one."""
    kept: list[str] = []
    for folder in sorted(set(folders)):
        if not any(f"{folder}/".startswith(f"{outer}/") for outer in kept):
            kept.append(folder)
    return tuple(kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    folder: str
    name: str
    """Relative to the folder; "" when it cannot be told."""
    how: How

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.name}" if self.name else self.folder

    def tell(self, shown: Callable[[str], str]) -> str:
        what, where = f"`{self.name}`" if self.name else "something", shown(self.folder)
        match self.how:
            case "added":
                return f"{what} was added to {where} since the start"
            case "changed":
                return f"{what} in {where} was replaced since the start"
            case "removed":
                return f"{what} was removed from {where} since the start"
            case "redirected":
                return f"{where} leads to another folder since the start"
            case "passing":
                return f"something came to {where} and was gone again while the checks ran"


def tell(differences: Iterable[Difference], shown: Callable[[str], str] = str) -> str:
    """One line: what it is, and what to do about it."""
    found = tuple(differences)
    if not found:
        return ""
    more = f", and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    what = "; ".join(difference.tell(shown) for difference in found[:_NAMED])
    if all(difference.how == "added" for difference in found):
        remedy = "remove it and `trueup resume`, or start again with --sandbox"
    else:
        remedy = "see that all is as it should be, then start a new run, with --sandbox if the agent did it"
    return f"{what}{more}; the checks may have used it: {remedy}"


@dataclass(slots=True, kw_only=True)
class Surroundings:
    """Programs and libraries as they were at the start of a run, which may be an earlier sitting."""

    places: Places
    at: int
    """When they were looked at first, in nanoseconds."""
    digests: Mapping[str, str]
    """Folder -> digest of what was there."""
    timeless: Mapping[str, str] = field(default_factory=dict)
    """The same without ctimes."""
    _start: dict[str, _Listing] = field(default_factory=dict)
    """What was there, for folders that looked the same when this sitting first saw them."""

    @classmethod
    def now(cls, places: Places) -> Self:
        at = time.time_ns()
        listings = _listings(places)
        digests = {folder: digest_of(listing) for folder, listing in listings.items()}
        without_times = {folder: timeless(listing) for folder, listing in listings.items()}
        return cls(places=places, at=at, digests=digests, timeless=without_times, _start=listings)

    @classmethod
    def from_facts(cls, places: Places, facts: Mapping[str, Any]) -> Self:
        return cls(places=places, at=facts["at"], digests=facts["folders"], timeless=facts.get("timeless", {}))

    def facts(self) -> dict[str, Any]:
        return {"at": self.at, "folders": dict(self.digests), "timeless": dict(self.timeless)}

    def glance(self) -> dict[str, Stamp | None]:
        """The folders themselves: whatever comes or goes moves their times."""
        return {folder: stamp_of(os.path.realpath(folder)) for folder in _folders(self.places)}

    def differences(
        self, glance: Mapping[str, Stamp | None] | None = None, *, known: Collection[str] = (), since: int | None = None
    ) -> tuple[Difference, ...]:
        """What is not as it was at the start; or else, since the glance, where something came and went.

        `known`: paths that the checks rewrite by themselves. `since`: when the checks began, in nanoseconds; what an
        installer merely linked before that is no difference.
        """
        until = (time.time_ns() if since is None else since) - CLOCK_STEP
        listings = _listings(self.places)
        every = (d for folder, listing in listings.items() for d in self._compare(folder, listing, until))
        found = tuple(d for d in every if d.path not in known)
        return found or tuple(self._passing(glance or {}, known))

    def _passing(self, glance: Mapping[str, Stamp | None], known: Collection[str]) -> Iterator[Difference]:
        now = self.glance()
        for folder, stamp in glance.items():
            expected = folder in known or any(path.startswith(f"{folder}/") for path in known)
            if now.get(folder) != stamp and not expected:
                yield Difference(folder=folder, name="", how="passing")

    def _compare(self, folder: str, listing: _Listing, until: int) -> Iterator[Difference]:
        digest = self.digests.get(folder)
        if folder not in self._start and digest is not None:
            before = as_at_start(listing, self.at, digest, self.timeless.get(folder, ""))
            if before is not None:
                self._start[folder] = before
        start = self._start.get(folder)
        if start is None:
            yield from self._young(folder, listing, vanished=digest is not None)
        elif start != listing:
            start |= {name: listing[name] for name in only_linked(folder, start, listing, until=until)}
            for name in sorted(start.keys() | listing.keys()):
                if start.get(name) != listing.get(name):
                    yield self._difference(folder, name, _how(start.get(name), listing.get(name)))

    def _young(self, folder: str, listing: _Listing, *, vanished: bool) -> Iterator[Difference]:
        """After a resume nobody remembers the names: what was written since the start is told by its times."""
        young = [name for name, looks in listing.items() if any(t > self.at - CLOCK_STEP for t in _times(looks))]
        for name in sorted(young):
            yield self._difference(folder, name, "added")
        if vanished and not young:
            yield self._difference(folder, "", "removed")

    def _difference(self, folder: str, name: str, how: How) -> Difference:
        if name == _ITSELF:
            return Difference(folder=folder, name="", how="redirected")
        return Difference(folder=folder, name=name, how=how)


def watched(
    around: Surroundings | None, known: Callable[[], Collection[str]], *, home: str = ""
) -> Callable[[Report], Report]:
    """From now on; makes a report void if something is not as it was at the start. `known` as in `differences`."""
    began, glance = time.time_ns(), around.glance() if around else None

    def shown(path: str) -> str:
        return f"~{path[len(home) :]}" if home and path.startswith(f"{home}/") else path

    def judged(report: Report) -> Report:
        found = around.differences(glance, known=known(), since=began) if around else ()
        if not found:
            return report
        written = (*report.rewritten, *(difference.path for difference in found))
        return replace(report, void=tell(found, shown), rewritten=written)  # often the cause of what else was found

    return judged


def _how(before: _Looks | None, now: _Looks | None) -> How:
    return "added" if before is None else "removed" if now is None else "changed"


def _times(looks: _Looks) -> Iterator[int]:
    """The ctimes of a file and, for a link, of what it leads to."""
    return (looks[at] for at in range(2, len(looks), 5))


def _folders(places: Places) -> Iterator[str]:
    yield from places.programs
    for library in places.libraries:
        yield library
        yield from (folder for name in PACKAGES if (folder := f"{library}/{name}") not in places.unused)


def _listings(places: Places) -> dict[str, _Listing]:
    listed: dict[str, _Listing] = {}
    by_place: dict[str, _Listing] = {}
    for folder in places.programs:
        place = os.path.realpath(folder)
        if place not in by_place:
            by_place[place] = _programs(place, places.ignore)
        # A link on the way may be led elsewhere.
        listed[folder] = by_place[place] if place == os.path.normpath(folder) else by_place[place] | _place(place)
    listed |= {folder: _files(folder, places.unused) for folder in places.libraries}
    return listed


def _place(folder: str) -> _Listing:
    try:
        seen = os.stat(folder)  # noqa: PTH116 - text, as everywhere here
    except OSError:
        return {}
    return {_ITSELF: (seen.st_dev, seen.st_ino)}


def _programs(folder: str, ignore: Container[str]) -> _Listing:
    found: _Listing = {}
    for entry in _entries(folder):
        if entry.name not in ignore and not _is_folder(entry):
            found[entry.name] = _looks_of(entry)
    chooser = stamp_of(f"{folder}/{_CHOOSER}") if folder.endswith("/shims") else None
    return found if chooser is None else {**found, _CHOOSER: chooser}


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _looks_of(entry: os.DirEntry[str]) -> _Looks:
    """For a link also of the file that it leads to; () for what vanished while we looked, or cannot be looked at."""
    own: _Looks = ()
    try:
        own = _looks(entry.stat(follow_symlinks=False))
        return own + _looks(entry.stat()) if entry.is_symlink() and not entry.is_dir() else own
    except FileNotFoundError:
        return ()
    except OSError:  # it leads in a circle
        return own


def _files(folder: str, unused: Container[str]) -> _Listing:
    """Everything below, without caches of bytecode: checks are told to keep theirs elsewhere, and read no other."""
    found: _Listing = {}
    pending = [""]
    while pending:
        here = pending.pop()
        for entry in _entries(f"{folder}/{here}".rstrip("/")):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__" and entry.path not in unused:
                    pending.append(f"{here}{entry.name}/")
            else:
                found[f"{here}{entry.name}"] = _looks_of(entry)
        if len(found) > MOST_FILES:
            return {name: looks for name, looks in found.items() if "/" not in name}
    return found


def _looks(seen: os.stat_result) -> _Looks:
    return seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, seen.st_mode


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []
