"""Which files of a folder belong to a tree? What the rules of the start say, whatever an agent writes later."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trueup.act.git import git, git_line, z_list
from trueup.act.ignore import Patterns, patterns
from trueup.act.stamps import Stamp, stamp

UNREADABLE = "cannot be read"
NOT_A_FILE = "is neither a file, a folder nor a link"
NOT_FOR_GIT = "has a name that git cannot hold"

_CACHES = ("__pycache__/", "*.pyc", "*.pyo", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", ".tox/", ".nox/")
_ENVIRONMENTS = (".venv/", "venv/", "node_modules/")
_BUILD_FOLDERS = {"Cargo.toml": "/target/", "pom.xml": "/target/"}
"""In a plain folder nobody wrote down that these are built; beside such a manifest they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """Something that lies in the folder and cannot be part of a tree."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    paths: tuple[str, ...]
    """Sorted, relative, with forward slashes; undecodable bytes as surrogates."""
    odd: tuple[Odd, ...] = ()
    stamps: Mapping[str, Stamp] = field(default_factory=dict)
    """How each path looked when the walk came by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRules:
    """The ignore rules of the start. `walk` never reads a rule from the folder it walks."""

    base: tuple[tuple[str, ...], ...] = ()
    """Rules that hold everywhere, the weakest first."""
    folders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Folder -> the lines of its `.gitignore`."""
    include: tuple[str, ...] = ()
    """Patterns that bring ignored files in. An ignored folder is searched only if a pattern with a slash names
    something inside it."""
    tracked: frozenset[str] = frozenset()
    """Paths that count although a rule ignores them, because git tracks them."""

    @classmethod
    def of(cls, root: Path, *, include: tuple[str, ...] = ()) -> FileRules:
        """The rules that hold in `root` now."""
        wanted = (*_lines_of(root / ".worktreeinclude"), *include)
        if (root / ".git").exists():
            rules, walk = _with_ignore_files(cls(base=_repository_base(root), include=wanted), root, plain=False)
            return _with(rules, tracked=_tracked(root).difference(walk.paths))
        return _with_ignore_files(cls(base=((*_CACHES, *_ENVIRONMENTS),), include=wanted), root, plain=True)[0]

    def walk(self, folder: Path) -> Walk:
        return _Walker(self, folder, self.folders.get).run()

    def ignored_in(self, folder: Path) -> Callable[[str], bool]:
        """Tells of a path in `folder` whether a walk leaves it out with all that is in it."""
        walker = _Walker(self, folder, self.folders.get)

        def ignored(path: str) -> bool:
            here = f"{folder}/{path}"
            return not walker.wants(path, folder=os.path.isdir(here) and not os.path.islink(here))  # noqa: PTH112, PTH114 - quick, never raises

        return ignored

    def as_dict(self) -> dict[str, object]:
        """For JSON; `from_dict` gives the same rules back, undecodable names included."""
        return {
            "base": [_safe(lines) for lines in self.base],
            "folders": [[_safe([name])[0], _safe(lines)] for name, lines in sorted(self.folders.items())],
            "include": _safe(self.include),
            "tracked": _safe(sorted(self.tracked)),
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, object]) -> FileRules:
        folders = kept["folders"]
        base = kept["base"]
        assert isinstance(folders, list)
        assert isinstance(base, list)
        return cls(
            base=tuple(_unsafe(lines) for lines in base),
            folders={_unsafe([name])[0]: _unsafe(lines) for name, lines in folders},
            include=_unsafe(kept["include"]),
            tracked=frozenset(_unsafe(kept["tracked"])),
        )


# --- reading the start's rules --------------------------------------------------------------------------------


def _with(rules: FileRules, *, tracked: frozenset[str]) -> FileRules:
    return FileRules(base=rules.base, folders=rules.folders, include=rules.include, tracked=tracked)


def _with_ignore_files(rules: FileRules, root: Path, *, plain: bool) -> tuple[FileRules, Walk]:
    """A first walk that reads each `.gitignore` when it enters the folder, as git does; and what it found."""
    found: dict[str, tuple[str, ...]] = {}

    def read(folder: str) -> tuple[str, ...] | None:
        here = root / folder
        built = {line for name, line in _BUILD_FOLDERS.items() if plain and os.path.isfile(here / name)}  # noqa: PTH113 - no error in a locked folder
        lines = (*sorted(built), *_lines_of(here / ".gitignore"))
        if lines:
            found[folder] = lines
        return lines or None

    walk = _Walker(rules, root, read).run()
    return FileRules(base=rules.base, folders=found, include=rules.include), walk


def _repository_base(root: Path) -> tuple[tuple[str, ...], ...]:
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    mine = git_line("config", "--path", "--get", "core.excludesFile", cwd=root, user_config=True)
    exclude = git_line("rev-parse", "--git-path", "info/exclude", cwd=root)
    return (
        (*_CACHES, *_ENVIRONMENTS),
        _lines_of(root / (mine or f"{config}/git/ignore"), follow=True),
        _lines_of(root / (exclude or ".git/info/exclude"), follow=True),
    )


def _tracked(root: Path) -> frozenset[str]:
    listing = git("ls-files", "-z", "--cached", "--recurse-submodules", cwd=root, user_config=True)
    return frozenset(z_list(listing))


def _lines_of(path: Path, *, follow: bool = False) -> tuple[str, ...]:
    """The pattern lines of a file; none when it is not there. A linked `.gitignore` is not followed, as in git."""
    try:
        if not path.is_file() or (path.is_symlink() and not follow):
            return ()
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    except OSError:
        return ()
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return tuple(line for line in lines if line and not line.startswith("#"))


def _safe(names: object) -> list[str]:
    # Lone surrogates are no valid JSON for every encoder; each byte as one character always is.
    assert isinstance(names, list | tuple)
    return [os.fsencode(name).decode("latin-1") for name in names]


def _unsafe(kept: object) -> tuple[str, ...]:
    assert isinstance(kept, list | tuple)
    return tuple(os.fsdecode(name.encode("latin-1")) for name in kept)


def _fixed_part(pattern: str) -> str:
    """The leading folders of a pattern that hold no wildcard; "" when it may match anywhere."""
    parts = pattern.lstrip("!").strip("/").split("/")
    fixed: list[str] = []
    for part in parts[:-1]:
        if re.search(r"[*?\[\\]", part):
            break
        fixed.append(part)
    return "/".join(fixed)


# --- walking ----------------------------------------------------------------------------------------------------

_Chain = tuple[tuple[Patterns, int], ...]
"""The lists that speak about a folder's entries, strongest first, each with the length of its own prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A folder that is being entered, and what holds for everything in it."""

    path: str
    chain: _Chain
    names: frozenset[str] | None
    """The rules are silent about other names than these, unless they end with one of `tails`; None: ask each time."""
    tails: tuple[str, ...]
    ignored: bool = False
    included: bool = False


class _Walker:
    def __init__(self, rules: FileRules, folder: Path, lines_of: Callable[[str], tuple[str, ...] | None]) -> None:
        self._root = os.fspath(folder)
        self._lines_of = lines_of
        self._tracked = rules.tracked
        self._base: _Chain = tuple((patterns(lines), 0) for lines in reversed(rules.base) if lines)
        self._include = patterns(rules.include)
        self._wanted_folders = {part for part in map(_fixed_part, rules.include) if part}
        self._tracked_folders = {parent for path in rules.tracked for parent in _parents(path)}
        self._stamps: dict[str, Stamp] = {}
        self._odd: list[Odd] = []

    def run(self) -> Walk:
        pending = [self._enter("", self._base)]
        while pending:
            place = pending.pop()
            for entry in self._entries(place.path):
                inner = self._look(place, entry)
                if inner:
                    pending.append(inner)
        odd = sorted(self._odd, key=lambda odd: odd.path)
        return Walk(paths=tuple(sorted(self._stamps)), odd=tuple(odd), stamps=self._stamps)

    def wants(self, path: str, *, folder: bool) -> bool:
        place = self._enter("", self._base)
        *above, name = path.split("/")
        for part in above:
            inner = self._folder(place, part, _joined(place.path, part))
            if inner is None:
                return False
            place = inner
        if _is_ours(name, path):
            return False
        return bool(self._folder(place, name, path)) if folder else self._counts(place, name, path)

    def _enter(self, path: str, chain: _Chain, *, ignored: bool = False, included: bool = False) -> _Place:
        lines = self._lines_of(path)
        if lines:
            chain = ((patterns(lines), len(path) + 1 if path else 0), *chain)
        names, tails = _subjects(chain, path)
        return _Place(path=path, chain=chain, names=names, tails=tails, ignored=ignored, included=included)

    def _entries(self, path: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(f"{self._root}/{path}" if path else self._root) as entries:
                return list(entries)
        except FileNotFoundError:
            return []
        except OSError:
            self._odd.append(Odd(path=path, why=UNREADABLE))
            return []

    def _look(self, place: _Place, entry: os.DirEntry[str]) -> _Place | None:
        name = entry.name
        path = _joined(place.path, name)
        if _is_ours(name, path):
            return None
        if entry.is_dir(follow_symlinks=False):
            inner = self._folder(place, name, path)
            if inner is not None and name.lower() == ".git":
                self._odd.append(Odd(path=path, why=NOT_FOR_GIT))
                return None
            return inner
        if self._counts(place, name, path):
            self._take(entry, path)
        return None

    def _take(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            seen = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except PermissionError:  # its folder can be listed and not entered
            self._odd.append(Odd(path=path.rpartition("/")[0] or path, why=UNREADABLE))
            return
        why = _oddity(entry, seen)
        if why:
            self._odd.append(Odd(path=path, why=why))
        else:
            self._stamps[path] = stamp(seen)

    def _folder(self, place: _Place, name: str, path: str) -> _Place | None:
        """The folder to enter, or None when nothing in it can count."""
        if _is_ours(name, path):
            return None
        included = place.included or self._is_included(path, name, folder=True)
        ignored = place.ignored or _ignored(place, path, name, folder=True)
        if ignored and not included and path not in self._tracked_folders and not self._may_include(path):
            return None
        return self._enter(path, place.chain, ignored=ignored, included=included)

    def _counts(self, place: _Place, name: str, path: str) -> bool:
        if not (place.ignored or _ignored(place, path, name, folder=False)):
            return True
        return place.included or path in self._tracked or self._is_included(path, name, folder=False)

    def _is_included(self, path: str, name: str, *, folder: bool) -> bool:
        return bool(self._include.verdict(path, name, folder=folder))

    def _may_include(self, path: str) -> bool:
        inside = f"{path}/"
        return any(f"{want}/".startswith(inside) or inside.startswith(f"{want}/") for want in self._wanted_folders)


def _subjects(chain: _Chain, path: str) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """What the lists speak about in a folder, so that most files need no more than one look-up."""
    names: set[str] = set()
    tails: tuple[str, ...] = ()
    for lines, prefix in chain:
        known = lines.speaks_of(path[prefix:])
        if known is None:
            return None, ()
        names |= known[0]
        tails += known[1]
    return frozenset(names), tails


def _ignored(place: _Place, path: str, name: str, *, folder: bool) -> bool:
    if place.names is not None and name not in place.names and not name.endswith(place.tails):
        return False
    for lines, prefix in place.chain:
        verdict = lines.verdict(path[prefix:], name, folder=folder)
        if verdict is not None:
            return verdict
    return False


def _is_ours(name: str, path: str) -> bool:
    """Git's own folders at any depth, and trueup's own at the top, are no part of the work."""
    return name == ".git" or path == ".trueup"


def _oddity(entry: os.DirEntry[str], seen: os.stat_result) -> str:
    linked = stat.S_ISLNK(seen.st_mode)
    if entry.name[:4].lower() == ".git":
        name = entry.name.lower()
        if name == ".git" or (name == ".gitmodules" and linked):
            return NOT_FOR_GIT
    if linked:
        return ""
    if not stat.S_ISREG(seen.st_mode):
        return NOT_A_FILE
    # About an owner the mode says everything; about others there may be more to ask.
    mine = seen.st_uid == os.geteuid() and seen.st_mode & stat.S_IRUSR
    return "" if mine or os.access(entry.path, os.R_OK) else UNREADABLE


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
