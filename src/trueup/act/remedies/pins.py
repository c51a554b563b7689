"""Which requirement cannot be met as it is written, and how was it meant?

What an error text says only chooses among the requirements that the manifests hold; nothing of it is written anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from trueup.act.remedies.base import Ask, Edit, Idea, Index
from trueup.act.remedies.distributions import better_name, is_standard, table
from trueup.act.remedies.imported import imported_modules
from trueup.act.remedies.manifests import Manifest, every
from trueup.act.remedies.requirement_text import name_of, renamed, respecified, version_of

_WORD = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?", re.IGNORECASE)
_LONGEST = 20_000
_LOCAL = re.compile(r"(?<=[0-9a-z])\+[a-z0-9.]+", re.IGNORECASE)
_CONDA = re.compile(r"=(\d+(?:\.\d+)*)(?:=[\w.]+)?")
_FILE_URL = re.compile(r"\s@\s+file:", re.IGNORECASE)
Ideas = Iterator[tuple[str, Callable[[str], str | None]]]


def culprits(ask: Ask) -> list[tuple[Manifest, str]]:
    """Requirements that the failure names; in the manifest that it names, if it names one."""
    said = f"{ask.failure.subject} {ask.failure.message} {ask.failure.source_line or ''} {ask.failure.excerpt}"[
        :_LONGEST
    ]
    names = {name_of(word[0]) for word in _WORD.finditer(said)}
    found = [
        (manifest, asked) for manifest in every(ask.files) for asked in manifest.asked() if name_of(asked) in names
    ]
    here = [one for one in found if one[0].path == ask.failure.file]
    return here or found


def _ideas(ask: Ask, rules: Callable[[str], Ideas]) -> Iterable[Idea]:
    """Each way to rewrite a requirement, in every manifest that asks for it in these words."""
    for asked in dict.fromkeys(asked for _, asked in culprits(ask)):
        for why, change in rules(asked):
            edits = _everywhere(ask, partial(_only, asked=asked, change=change))
            if edits:
                yield why, edits


def _only(text: str, *, asked: str, change: Callable[[str], str | None]) -> str | None:
    return change(text) if text == asked else text


def _everywhere(ask: Ask, change: Callable[[str], str | None]) -> tuple[Edit, ...]:
    edits = {manifest.path: manifest.changing(change) for manifest in every(ask.files)}
    return tuple(edit for edit in edits.values() if edit is not None)


# --- another name -----------------------------------------------------------------------------------------------


def rename_distribution(ask: Ask) -> Iterable[Idea]:
    """`sklearn` → `scikit-learn`; `psycopg<3` → `psycopg2-binary<3` for code that imports `psycopg2`."""
    modules = imported_modules(ask.files)

    def rules(asked: str) -> Ideas:
        name = name_of(asked)
        better = better_name(name)
        if better is not None:
            yield f"{name} is called {better} on the package index", partial(_with_name, name=better)
        if name == "psycopg" and "psycopg2" in modules and "psycopg" not in modules:
            why = "the code imports psycopg2, which psycopg2-binary brings"
            yield why, lambda text: renamed(text, "psycopg2-binary")

    yield from _ideas(ask, rules)


def _with_name(text: str, *, name: str) -> str:
    """A version of the wrong distribution says nothing about the right one, unless it is a range of everything."""
    new = renamed(text, name)
    return new if version_of(text) in {"", ">=0"} else respecified(new, "")


# --- what cannot exist ------------------------------------------------------------------------------------------


def drop_requirement(ask: Ask) -> Iterable[Idea]:
    """What no package index has: artefacts of `pip freeze`, modules of Python itself, Python itself."""

    def rules(asked: str) -> Ideas:
        name = name_of(asked)
        if name in table().never or version_of(asked) == "==0.0.0":
            yield f"{name} is no distribution that can be installed", lambda _: None
        elif is_standard(name):
            yield f"{name} is a part of Python", lambda _: None

    yield from _ideas(ask, rules)


# --- another version --------------------------------------------------------------------------------------------


def resolvable_pin(ask: Ask) -> Iterable[Idea]:
    """A version that exists: without a build's own suffix or path, else the nearest that the index has."""

    def rules(asked: str) -> Ideas:
        name = name_of(asked)
        if _FILE_URL.search(asked):
            yield f"{name} lies on another machine's disk; the index has it", lambda text: respecified(text, "")
        if _LOCAL.search(version_of(asked)):
            public = _LOCAL.sub("", version_of(asked))
            yield f"{name}{public} is on the index without the suffix", lambda text: respecified(text, public)
        if conda := _CONDA.fullmatch(version_of(asked)):
            for specifier in (f"=={conda[1]}", f"=={conda[1]}.*"):
                yield f"pip writes {name}{specifier}", lambda text, new=specifier: respecified(text, new)  # type: ignore[misc]
        system = table().systems.get(name)
        if system and ";" not in asked:
            yield f"{name} is made for {system}", partial(_on_one_system, system=system)
        for specifier in nearest(asked, ask.around.index):
            yield f"{name}{specifier} exists", lambda text, new=specifier: respecified(text, new)  # type: ignore[misc]

    yield from _ideas(ask, rules)


def _on_one_system(text: str, *, system: str) -> str:
    negated, name = system.startswith("!"), system.removeprefix("!")
    return f'{text}; sys_platform {"!=" if negated else "=="} "{name}"'


def nearest(asked: str, index: Index) -> list[str]:
    """Specifiers that something on the index meets, in the spirit of this one; [] when it is met already, or when
    the index does not know."""
    name = name_of(asked)
    versions = _parsed(index.versions(name) or ())
    specifier = version_of(asked)
    try:
        wanted = SpecifierSet(specifier)
    except InvalidSpecifier:
        return []
    if not versions or not specifier or any(wanted.contains(one, prereleases=True) for one in versions):
        return []
    stable = [one for one in versions if not one.is_prerelease] or versions
    pin = next((s.version for s in wanted if s.operator in {"==", "==="}), None)
    return _near_pin(pin, stable) if pin is not None else _near_range(wanted, stable)


def _parsed(versions: Iterable[str]) -> list[Version]:
    """Newest first."""
    found = []
    for text in versions:
        try:
            found.append(Version(text))
        except InvalidVersion:
            continue
    return sorted(found, reverse=True)


def _near_pin(pin: str, versions: list[Version]) -> list[str]:
    """The newest of the same minor line, of the same major line, of all; each stays a pin."""
    try:
        release = Version(pin.removesuffix(".*")).release
    except InvalidVersion:
        return [f"=={versions[0]}"]
    lines = (release[:2], release[:1], ())
    found = (next((one for one in versions if one.release[: len(line)] == line), None) for line in lines)
    return list(dict.fromkeys(f"=={one}" for one in found if one is not None))


def _near_range(wanted: SpecifierSet, versions: list[Version]) -> list[str]:
    """Bounds that all versions miss move to where the versions are."""
    newest, oldest = versions[0], versions[-1]
    if all(_is_below(one, wanted) for one in versions):
        return [f">={newest.major}.{newest.minor}", ""]
    return [f">={oldest.major}.{oldest.minor},<{newest.major + 1}", ""]


def _is_below(version: Version, wanted: SpecifierSet) -> bool:
    lower = [s.version for s in wanted if s.operator in {">=", ">", "~=", "=="}]
    try:
        return any(version < Version(one.removesuffix(".*")) for one in lower)
    except InvalidVersion:
        return False
