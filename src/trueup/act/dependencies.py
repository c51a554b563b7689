"""How do bench and agent get the installed packages, and how does first-party code still come from their own tree?

Without a `setup` command the bench sees the start's environment folders through links, the agent gets copies.
Whatever in them points into the user's checkout is re-pointed.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from trueup.act.manifests import load_json, load_toml
from trueup.act.process import quick

_DEEPEST_NODE_MODULES = 2
_COPY_SECONDS = 600.0
_LONGEST_SHEBANG = 127
_LARGEST_SCRIPT = 1_000_000


# --- where they are -----------------------------------------------------------------------------------


def dependency_folders(root: Path) -> tuple[str, ...]:
    """Environment folders of a checkout: virtual environments at its top, `node_modules` down to two levels."""
    venvs = [e.name for e in _subfolders(root) if _is_venv(Path(e.path))]
    return tuple(sorted({*venvs, *_node_modules(root, "", _DEEPEST_NODE_MODULES)}))


_ENVIRONMENTS = frozenset({".venv", "venv", "node_modules", "vendor", "site-packages", "__pypackages__", ".bundle"})


def looks_like_environment(folder: Path) -> bool:
    """Whether installed packages lie here. Builds and reports, which checks may well rewrite, do not."""
    return folder.is_dir() and (folder.name in _ENVIRONMENTS or _is_venv(folder))


def _is_venv(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file() or (folder / "conda-meta").is_dir()


def _node_modules(folder: Path, prefix: str, depth: int) -> Iterator[str]:
    for entry in _subfolders(folder):
        if entry.name == "node_modules":
            yield f"{prefix}{entry.name}"
        elif depth and not entry.name.startswith(".") and not entry.is_symlink():
            yield from _node_modules(Path(entry.path), f"{prefix}{entry.name}/", depth - 1)


def _subfolders(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.is_dir()]
    except OSError:
        return []


# --- the bench ----------------------------------------------------------------------------------------


def link_for_bench(root: Path, bench: Path, folders: Iterable[str]) -> None:
    """Let the bench see the start's folders.

    A folder that is part of the bench's own tree is left alone; one that has lost its place there is not linked.
    """
    for folder in folders:
        here, there = bench / folder, (root / folder).resolve()
        if not _has_a_place(bench, folder):
            continue
        here.parent.mkdir(parents=True, exist_ok=True)
        if here.is_symlink():
            here.unlink()
        if here.exists():
            continue
        if here.name == "node_modules" and _has_own_packages(there, root):
            _mirror(there, here, root, bench)
        else:
            here.symlink_to(there, target_is_directory=True)


def _has_a_place(bench: Path, folder: str) -> bool:
    """Whether everything above it is a real folder of the bench, or not there yet."""
    above = (bench / parent for parent in PurePosixPath(folder).parents[:-1])
    return all(place.is_dir() and not place.is_symlink() for place in above if os.path.lexists(place))


def _has_own_packages(modules: Path, root: Path) -> bool:
    """Whether workspace packages are linked from here into the checkout itself."""
    return any(_own_target(entry, root) is not None for entry in _packages(modules))


def _packages(modules: Path) -> Iterator[Path]:
    """Packages, scoped ones included, and the programs that they bring."""
    for entry in sorted(modules.iterdir()):
        if (entry.name.startswith("@") or entry.name == ".bin") and not entry.is_symlink():
            yield from sorted(entry.iterdir())
        else:
            yield entry


def _own_target(link: Path, root: Path) -> Path | None:
    """Where a link leads inside the checkout's own files, relative to it; None for installed packages."""
    if not link.is_symlink():
        return None
    try:
        target = link.resolve().relative_to(root.resolve())
    except ValueError:
        return None
    return None if "node_modules" in target.parts else target


def _mirror(there: Path, here: Path, root: Path, bench: Path) -> None:
    """A folder of links, so that the checkout's own packages can be the bench's."""
    here.mkdir()
    for entry in _packages(there):
        link = here / entry.relative_to(there)
        link.parent.mkdir(exist_ok=True)
        own = _own_target(entry, root)
        link.symlink_to(bench / own if own is not None else entry)


# --- the agent's copy ---------------------------------------------------------------------------------


def copy_for_agent(root: Path, workspace: Path, folders: Iterable[str]) -> None:
    """Copy the folders (sharing blocks where the file system can), and re-point what names the checkout."""
    for folder in folders:
        source, copy = (root / folder).resolve(), workspace / folder
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(copy):
            quick([*_COPY_COMMAND, "--", str(source), str(copy)], timeout=_COPY_SECONDS)
            _re_point(copy, _Renaming.of(root, workspace))


_COPY_COMMAND = ("cp", "-a", "-c") if sys.platform == "darwin" else ("cp", "-a", "--reflink=auto")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Renaming:
    """The checkout's path, in all the ways it may be written, and the path that takes its place."""

    old: re.Pattern[bytes]
    new: bytes
    roots: tuple[str, ...]

    @classmethod
    def of(cls, root: Path, workspace: Path) -> _Renaming:
        roots = tuple(dict.fromkeys((str(root.absolute()), str(root.resolve()))))
        forms = {form for r in roots for form in (os.fsencode(r), quote(r).encode())}
        # `/home/a/shop` is not meant by `/home/a/shop-2`, nor by `/mnt/home/a/shop`.
        name = rb"[\w.\x80-\xff-]"
        names = b"|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
        return cls(
            old=re.compile(rb"(?<!" + name + rb")(?:" + names + rb")(?!" + name + rb")"),
            new=os.fsencode(workspace.absolute()),
            roots=roots,
        )

    def apply(self, content: bytes) -> bytes:
        return self.old.sub(lambda _: self.new, content)


def _re_point(copy: Path, renaming: _Renaming) -> None:
    for folder, names, files in os.walk(copy):
        for name in (*names, *files):
            path = Path(folder, name)
            if path.is_symlink():
                _re_point_link(path, renaming)
            elif name in files and _may_name_the_checkout(path):
                _re_point_file(path, renaming)


def _re_point_link(path: Path, renaming: _Renaming) -> None:
    target = str(path.readlink())
    for root in renaming.roots:
        if target == root or target.startswith(f"{root}/"):
            path.unlink()
            path.symlink_to(os.fsdecode(renaming.new) + target[len(root) :])
            return


def _may_name_the_checkout(path: Path) -> bool:
    name = path.name
    if path.parent.name in {"bin", ".bin", "Scripts"} or name in {"pyvenv.cfg", "direct_url.json"}:
        return True
    return name.endswith((".pth", ".egg-link")) or (name.endswith(".py") and "editable" in name)


def _re_point_file(path: Path, renaming: _Renaming) -> None:
    if path.stat().st_size > _LARGEST_SCRIPT:
        return
    content = path.read_bytes()
    changed = renaming.apply(content)
    if changed != content and b"\0" not in content:
        path.write_bytes(_with_short_shebang(changed))


def _with_short_shebang(script: bytes) -> bytes:
    """Kernels cut long `#!` lines off; a script that is shell and Python at once has none (as pip writes it)."""
    first, newline, rest = script.partition(b"\n")
    if not first.startswith(b"#!") or len(first) <= _LONGEST_SHEBANG or b"python" not in first:
        return script
    return b"#!/bin/sh\n'''exec' \"" + first[2:].strip() + b'" "$0" "$@"\n' + b"' '''" + newline + rest


# --- editable installs --------------------------------------------------------------------------------


def editable_sources(root: Path, folders: Iterable[str]) -> tuple[str, ...]:
    """Folders inside the checkout from which its environments import; "" is the checkout itself."""
    found: dict[str, None] = {}
    for site in (site for folder in folders for site in _site_packages(root / folder)):
        before = len(found)
        for place in (*_pth_places(site), *_finder_places(site)):
            _note_inside(found, root, place)
        if len(found) == before:
            for project in _editable_projects(site):
                _note_inside(found, root, project / "src" if (project / "src").is_dir() else project)
    inside = tuple(folders)
    return tuple(s for s in found if not any(f"{s}/".startswith(f"{folder}/") for folder in inside))


def python_path(bench: Path, sources: Iterable[str]) -> str:
    """`PYTHONPATH` that puts the bench's own sources before anything installed; "" when there are none."""
    return os.pathsep.join(str(bench / source) if source else str(bench) for source in sources)


def _site_packages(folder: Path) -> list[Path]:
    return sorted([*folder.glob("lib/python*/site-packages"), *folder.glob("Lib/site-packages")])


def _note_inside(found: dict[str, None], root: Path, place: Path) -> None:
    with contextlib.suppress(ValueError):
        relative = place.resolve().relative_to(root.resolve()).as_posix()
        found["" if relative == "." else relative] = None


def _pth_places(site: Path) -> Iterator[Path]:
    for pth in sorted([*site.glob("*.pth"), *site.glob("*.egg-link")]):
        for line in pth.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
            if line.strip() and not line.startswith(("#", "import ", "import\t")):
                yield site / line.strip()


def _finder_places(site: Path) -> Iterator[Path]:
    """What setuptools' editable finders map; the code is read, never run."""
    for finder in sorted(site.glob("__editable__*finder.py")):
        tables = _literals(finder.read_text(encoding="utf-8", errors="surrogateescape"), {"MAPPING", "NAMESPACES"})
        for name, value in (item for table in tables for item in table.items()):
            for path in value if isinstance(value, list) else [value]:
                place = _above_module(str(name), Path(str(path)))
                if place is not None:
                    yield place


def _literals(source: str, names: set[str]) -> Iterator[dict[Any, Any]]:
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return
    for statement in statements:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        if value is not None and any(isinstance(t, ast.Name) and t.id in names for t in targets):
            with contextlib.suppress(ValueError, TypeError, RecursionError):
                table = ast.literal_eval(value)
                if isinstance(table, dict):
                    yield table


def _above_module(module: str, path: Path) -> Path | None:
    """The folder to import from, so that `module` is found at `path`; None when no folder can do that."""
    names = module.split(".")
    place = path.with_suffix("") if path.suffix == ".py" else path
    return place.parents[len(names) - 1] if list(place.parts[-len(names) :]) == names else None


def _editable_projects(site: Path) -> Iterator[Path]:
    for origin in sorted(site.glob("*.dist-info/direct_url.json")):
        loaded = load_json(origin.read_bytes()) or {}
        info, url = loaded.get("dir_info"), loaded.get("url")
        if isinstance(info, dict) and info.get("editable") is True and isinstance(url, str):
            yield Path(unquote(urlsplit(url).path))


# --- the seal of an environment -----------------------------------------------------------------------

Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvSeal:
    """Size, mtime and ctime of every file of some environment folders."""

    root: Path
    folders: tuple[str, ...]
    stamps: dict[str, Stamp]


def environment_seal(root: Path, folders: Iterable[str]) -> EnvSeal:
    names = tuple(folders)
    return EnvSeal(root=root, folders=names, stamps=_stamps(root, names))


def environment_changed(seal: EnvSeal) -> tuple[str, ...]:
    """Paths that were written, added or removed since; bytecode and tools' own caches are not looked at."""
    now = _stamps(seal.root, seal.folders)
    return tuple(sorted(p for p in seal.stamps.keys() | now.keys() if seal.stamps.get(p) != now.get(p)))


def packages_stamp(root: Path, folders: Iterable[str]) -> str:
    """One value for everything that is installed there now; "" when nothing is."""
    stamps = _stamps(root, folders)
    return hashlib.sha256(repr(sorted(stamps.items())).encode("utf-8", "surrogateescape")).hexdigest() if stamps else ""


def _stamps(root: Path, folders: Iterable[str]) -> dict[str, Stamp]:
    stamps: dict[str, Stamp] = {}
    for folder in folders:
        pending = [(os.path.realpath(root / folder), folder)]
        while pending:
            place, name = pending.pop()
            pending += _stamp_folder(place, name, stamps)
    return stamps


def _stamp_folder(place: str, name: str, stamps: dict[str, Stamp]) -> list[tuple[str, str]]:
    inner = []
    with contextlib.suppress(FileNotFoundError), os.scandir(place) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not _is_tool_cache(name, entry.name):
                    inner.append((entry.path, f"{name}/{entry.name}"))
                continue
            stat = entry.stat(follow_symlinks=False)
            stamps[f"{name}/{entry.name}"] = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    return inner


def _is_tool_cache(folder: str, name: str) -> bool:
    in_modules = folder == "node_modules" or folder.endswith("/node_modules")
    return name == "__pycache__" or (in_modules and name.startswith(".") and name not in {".bin", ".pnpm"})


# --- set-up -------------------------------------------------------------------------------------------

_SETUPS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("uv.lock",), "uv", "uv sync"),
    (("poetry.lock",), "poetry", "poetry install --no-interaction"),
    (("pdm.lock",), "pdm", "pdm sync"),
    (("Pipfile.lock",), "pipenv", "pipenv sync --dev"),
    (("package-lock.json", "npm-shrinkwrap.json"), "npm", "npm ci"),
    (("pnpm-lock.yaml",), "pnpm", "pnpm install --frozen-lockfile"),
    (("yarn.lock",), "yarn", "yarn install --frozen-lockfile"),
    (("bun.lock", "bun.lockb"), "bun", "bun install --frozen-lockfile"),
    (("Gemfile.lock",), "bundle", "bundle install"),
    (("composer.lock",), "composer", "composer install --no-interaction"),
)
"""Lock files, the tool that reads them, and its command. The first of each language decides."""

_LANGUAGE = {
    "uv": "python",
    "poetry": "python",
    "pdm": "python",
    "pipenv": "python",
    "bundle": "ruby",
    "composer": "php",
}


def detect_setup(root: Path, which: Callable[[str], str | None]) -> str | None:
    """The command that builds a fresh environment from the project's lock files; None without lock or tool."""
    commands: dict[str, str] = {}
    for locks, tool, command in _SETUPS:
        if any((root / lock).is_file() for lock in locks) and which(tool):
            commands.setdefault(_LANGUAGE.get(tool, "javascript"), command)
    if commands.get("javascript", "").startswith("yarn") and (root / ".yarnrc.yml").is_file():
        commands["javascript"] = "yarn install --immutable"
    return " && ".join(commands.values()) or None


# --- the same environment? ------------------------------------------------------------------------------

_WHOLE_FILES = (
    "uv.lock", "poetry.lock", "pdm.lock", "Pipfile", "Pipfile.lock", "setup.py", "constraints.txt", "environment.yml",
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", "bun.lock",
    "bun.lockb", "Cargo.lock", "go.mod", "go.sum", "go.work", "Gemfile", "Gemfile.lock", "composer.lock", "setup.cfg",
)  # fmt: skip
_REQUIREMENTS = (
    *(f"{name}.{ext}" for ext in ("txt", "in") for name in (
        "requirements", "requirements-dev", "requirements_dev", "requirements-test", "requirements_test",
        "requirements-tests", "dev-requirements", "test-requirements",
    )),
    *(f"requirements/{name}.txt" for name in (
        "base", "dev", "test", "tests", "local", "main", "prod", "requirements", "ci",
    )),
)  # fmt: skip
_INCLUDED = re.compile(rb"^\s*(?:-r|-c|--requirement|--constraint)[ =]*([^\s#]+)", re.MULTILINE)

_PROJECT = ("dependencies", "optional-dependencies", "requires-python", "dynamic", "scripts", "entry-points")
_POETRY = ("dependencies", "dev-dependencies", "group", "extras", "source", "scripts")
_PACKAGE_JSON = (
    "dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "bundledDependencies",
    "bundleDependencies", "overrides", "resolutions", "workspaces", "engines", "packageManager", "pnpm",
)  # fmt: skip
_CARGO = (
    "dependencies", "dev-dependencies", "build-dependencies", "target", "workspace", "patch", "replace", "features",
)  # fmt: skip

_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "pyproject.toml": (
        *(("project", key) for key in _PROJECT),
        *(("tool", "poetry", key) for key in _POETRY),
        ("dependency-groups",),
        ("build-system",),
        ("tool", "uv"),
        ("tool", "pdm", "dev-dependencies"),
        ("tool", "setuptools", "dynamic"),
    ),
    "package.json": tuple((key,) for key in _PACKAGE_JSON),
    "Cargo.toml": tuple((key,) for key in _CARGO),
    "composer.json": (("require",), ("require-dev",)),
}
"""Manifest -> the keys that decide what is installed."""


def manifest_digest(read: Callable[[str], bytes | None], paths: Iterable[str] = ()) -> str:
    """Digest of all that says what is installed: trees with the same digest can share an environment.

    `read` gives a file of the tree or None. `paths`: the tree's paths, when manifests of workspace members count.
    """
    nested = [path for path in paths if "/" in path and path.rpartition("/")[2] in _KEYS]
    digest = sha256()
    for path in (*_WHOLE_FILES, *sorted({*_KEYS, *nested})):
        content = read(path)
        if content is not None:
            _feed(digest.update, path, _relevant(path, content))
    for path, content in sorted(_requirements(read).items()):
        _feed(digest.update, path, content)
    return digest.hexdigest()


def _feed(update: Callable[[bytes], None], path: str, content: bytes) -> None:
    name = os.fsencode(path)
    update(b"%d %d " % (len(name), len(content)) + name + content)


def _relevant(path: str, content: bytes) -> bytes:
    """The part of a manifest that decides what is installed; all of it when it cannot be read."""
    name = path.rpartition("/")[2]
    if name not in _KEYS:
        return content
    parsed = load_toml(content) if name.endswith(".toml") else load_json(content)
    if parsed is None:
        return content
    values = {".".join(key): _value(parsed, key) for key in _KEYS[name]}
    return json.dumps({k: v for k, v in values.items() if v is not None}, sort_keys=True, default=str).encode()


def _value(table: Any, key: tuple[str, ...]) -> Any:
    for name in key:
        table = table.get(name) if isinstance(table, dict) else None
    return table


def _requirements(read: Callable[[str], bytes | None]) -> dict[str, bytes]:
    """Requirement files under their usual names, and the files that these include."""
    found: dict[str, bytes] = {}
    pending = list(_REQUIREMENTS)
    while pending:
        path = pending.pop()
        content = None if path in found or path.startswith(("../", "/")) else read(path)
        if content is not None:
            found[path] = content
            pending += [normpath(join(dirname(path), os.fsdecode(name))) for name in _INCLUDED.findall(content)]
    return found
