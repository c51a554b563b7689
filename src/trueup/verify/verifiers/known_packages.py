"""Which distributions does a project have: declared, locked, brought by others, installed beside it?"""

from __future__ import annotations

import email.parser
import functools
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from posixpath import dirname, join

from trueup.act.declared import Needs, needs_of
from trueup.act.requirement_lines import canonical
from trueup.act.source_files import SourceFiles

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_ENVIRONMENTS = (".venv", "venv", "env", ".env")
_MOST_METADATA = 2_000
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """What one folder of the tree, with all below it, may import from elsewhere."""

    folder: str
    declared: frozenset[str]
    """Anywhere: for running, in an extra, in a group, in a lock."""
    complete: bool = False
    """A lock, or an environment, says all that there will be."""
    unsure: bool = False
    """Something is declared in a way that only running it would tell."""
    installable: bool = False
    manifest: str = ""
    """Where a requirement would be added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The environment that lies beside the project, read as files."""

    modules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Top-level name -> distributions that bring it."""
    requires: Mapping[str, frozenset[str]] = field(default_factory=dict)


def packages_of(files: SourceFiles) -> tuple[Packages, ...]:
    """The deepest folders first, so that the first that holds a file speaks for it."""
    found = [_packages(files, needs) for needs in needs_of(files)]
    return tuple(sorted(found, key=lambda one: -len(one.folder)))


def _packages(files: SourceFiles, needs: Needs) -> Packages:
    lines = [line for one in needs.sets for line in (*one.requirements, *one.unchecked)]
    names = {canonical(found[0]) for line in lines if (found := _NAME.match(line.text))}
    locked = _locked(files, needs.folder)
    told = _metadata_of_source(files, needs.folder)
    return Packages(
        folder=needs.folder,
        declared=frozenset(names | locked | told),
        complete=bool(locked),
        unsure=any(one.problems or one.other_index for one in needs.sets) or _is_computed(files, needs, told),
        installable=needs.installable,
        manifest=needs.sets[0].manifest if needs.sets else "",
    )


def _is_computed(files: SourceFiles, needs: Needs, told: frozenset[str]) -> bool:
    """`install_requires = read(…)`, `dynamic = ["dependencies"]`: what that gives, nobody knows without running it."""
    if told or needs.running.requirements:
        return False
    setup = f"{files.text(join(needs.folder, 'setup.py')) or ''}{files.text(join(needs.folder, 'setup.cfg')) or ''}"
    dynamic = re.search(
        r"^dynamic\s*=.*dependencies", files.text(join(needs.folder, "pyproject.toml")) or "", re.MULTILINE
    )
    return "install_requires" in setup or "requires.txt" in setup or bool(dynamic)


def _metadata_of_source(files: SourceFiles, folder: str) -> frozenset[str]:
    """A source distribution says itself what it needs."""
    text = files.text(join(folder, "PKG-INFO")) or ""
    lines = email.parser.HeaderParser().parsestr(text).get_all("Requires-Dist") or []
    return frozenset(canonical(found[0]) for line in lines if (found := _NAME.match(str(line))))


def _locked(files: SourceFiles, folder: str) -> frozenset[str]:
    names: set[str] = set()
    for name in ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"):
        try:
            table = tomllib.loads(files.text(join(folder, name)) or "")
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        packages = table.get("package") or table.get("packages") or []
        names.update(canonical(str(one["name"])) for one in packages if isinstance(one, dict) and "name" in one)
    try:
        pipfile = json.loads(files.text(join(folder, "Pipfile.lock")) or "{}")
    except (ValueError, RecursionError):
        pipfile = {}
    for group in ("default", "develop"):
        section = pipfile.get(group) if isinstance(pipfile, dict) else None
        names.update(canonical(name) for name in section or ())
    return frozenset(names)


# --- what others bring --------------------------------------------------------------------------------------------


@functools.cache
def _brings() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    import yaml

    content = resources.files("trueup.verify.verifiers").joinpath("data", "brings.yaml").read_bytes()
    raw = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - the safe one
    return {name: frozenset((names or "").split()) for name, names in raw["brings"].items()}, frozenset(
        raw["hubs"].split()
    )


def brought_by(declared: Iterable[str], installed: Installed) -> frozenset[str]:
    """What comes with these, as far as it is known."""
    brings, _ = _brings()
    found: set[str] = set()
    pending = list(declared)
    while pending:
        name = pending.pop()
        for other in brings.get(name, frozenset()) | installed.requires.get(name, frozenset()):
            if other not in found:
                found.add(other)
                pending.append(other)
    return frozenset(found)


def may_be_brought(distribution: str, declared: Iterable[str], installed: Installed) -> bool:
    """Whether one of these, about which we know too little, could bring it."""
    brings, hubs = _brings()
    unknown = any(name not in brings and name not in installed.requires for name in declared)
    return unknown and canonical(distribution) in hubs


# --- an environment beside the project ----------------------------------------------------------------------------


def installed_beside(root: Path, folder: str) -> Installed:
    """Nothing of it is imported: names and metadata are read as files."""
    for above in (folder, dirname(folder), ""):
        for name in _ENVIRONMENTS:
            sites = sorted((root / above / name).glob("lib/python3*/site-packages"))
            if sites:
                return _read_site(os.fspath(sites[0].resolve()))
    return Installed()


@functools.lru_cache(maxsize=8)
def _read_site(site: str) -> Installed:
    modules: dict[str, tuple[str, ...]] = {}
    requires: dict[str, frozenset[str]] = {}
    for place in sorted(Path(site).glob("*.dist-info"))[:_MOST_METADATA]:
        metadata = _headers(place / "METADATA")
        name = canonical(str(metadata.get("Name") or place.name.partition("-")[0]))
        lines = [str(line) for line in metadata.get_all("Requires-Dist") or [] if "extra ==" not in str(line)]
        requires[name] = frozenset(canonical(found[0]) for line in lines if (found := _NAME.match(line)))
        for module in _top_level(place):
            modules[module] = (*modules.get(module, ()), name)
    return Installed(modules=modules, requires=requires)


def _headers(file: Path) -> email.message.Message:
    return email.parser.HeaderParser().parsestr(_text(file).partition("\n\n")[0])


def _top_level(place: Path) -> Iterator[str]:
    listed = _text(place / "top_level.txt").split()
    if listed:
        yield from listed
        return
    tops = {line.partition("/")[0].partition(",")[0] for line in _text(place / "RECORD").splitlines()}
    for top in sorted(tops):
        name = top.partition(".")[0]
        if name.isidentifier() and (top == name or top.endswith((".py", ".so"))):
            yield name


def _text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_LARGEST)
    except OSError:
        return ""
