"""What is needed and not declared, or declared in a version that does not fit? Into the manifest that is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from trueup.act.remedies.base import Ask, Idea
from trueup.act.remedies.distributions import distributions_of, is_standard
from trueup.act.remedies.manifests import Manifest, declared, every, manifests
from trueup.act.remedies.requirement_text import is_requirement, name_of, narrowed, version_of, with_extra
from trueup.act.requirement_lines import canonical

_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_ASIDE = frozenset({
    "scripts", "script", "tools", "tool", "docs", "doc", "docs_src", "examples", "example", "samples", "demo", "demos",
    "tests", "test", "testing", "benchmarks", "benchmark", "bench", "asv_bench", "ci", ".github", ".circleci", "dev",
    "hack", "contrib", "notebooks", "tutorials", "tutorial", "maintenance", "release", "packaging",
})  # fmt: skip
_ASIDE_FILES = frozenset({
    "setup.py", "conftest.py", "noxfile.py", "tasks.py", "fabfile.py", "dodo.py", "duties.py", "conf.py", "wscript",
})  # fmt: skip
"""What people use who work on a project, and those who run it do not."""
_PLACES = 2
"""Manifests that are tried, the likeliest first."""


def add_missing(ask: Ask) -> Iterable[Idea]:
    """The distribution that brings the module which the failure names, if we know it and nothing like it is there."""
    module = ask.groups.get("module", "")
    if not _MODULE.fullmatch(module) or _is_own(ask, module) or _is_aside(ask.failure.file or ""):
        return
    brings = _bringers(ask, module)
    if is_standard(module.partition(".")[0]) and not brings:
        return
    if not brings or {canonical(one) for one in brings} & declared(ask.files):
        return
    yield from _adding(ask, brings[0], f"{brings[0]} brings the module {module}")


def _bringers(ask: Ask, module: str) -> tuple[str, ...]:
    """Of the longest name that the failing line imports: `from google.cloud import storage` says more than `google`."""
    known = (distributions_of(name, ask.around.installed) for name in (*_imported_on_the_line(ask, module), module))
    return next((found for found in known if found), ())


def _imported_on_the_line(ask: Ask, module: str) -> Iterator[str]:
    tree = ask.files.python(ask.file) if ask.file else None
    for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
        if not isinstance(node, ast.Import | ast.ImportFrom) or node.lineno != ask.failure.line:
            continue
        within = node.module if isinstance(node, ast.ImportFrom) and not node.level else ""
        names = [f"{within}.{alias.name}" if within else alias.name for alias in node.names]
        yield from (name for name in names if name.startswith(f"{module}."))


def add_requirement(ask: Ask) -> Iterable[Idea]:
    """What the row names: `packages`, with `when` these are declared."""
    if not _applies(ask):
        return
    wanted = _texts(ask.parameters.get("packages"))
    for requirement in wanted:
        if is_requirement(requirement) and name_of(requirement) not in declared(ask.files):
            yield from _adding(ask, requirement, str(ask.parameters.get("why", f"{requirement} is needed")))
        elif is_requirement(requirement) and Requirement(requirement).extras:
            yield from _with_extras(ask, Requirement(requirement))


def _adding(ask: Ask, requirement: str, why: str) -> Iterator[Idea]:
    for manifest in _used(ask)[:_PLACES]:
        edit = manifest.adding(requirement)
        if edit is not None:
            yield f"{why}: added to {manifest.path}", (edit,)


def _with_extras(ask: Ask, wanted: Requirement) -> Iterator[Idea]:
    def change(text: str) -> str:
        for extra in sorted(wanted.extras) if name_of(text) == canonical(wanted.name) else ():
            text = with_extra(text, extra)
        return text

    for manifest in _used(ask):
        edit = manifest.changing(change)
        if edit is not None:
            yield f"{wanted.name} with {', '.join(sorted(wanted.extras))} is needed in {manifest.path}", (edit,)


def constrain(ask: Ask) -> Iterable[Idea]:
    """Two distributions that do not go together: `package` within `versions` (each a way of its own), `when` the other
    is declared."""
    package = str(ask.parameters.get("package", ""))
    if not _applies(ask):
        return
    for version in _texts(ask.parameters.get("versions")):
        requirement = f"{package}{version}"
        if not is_requirement(requirement):
            continue
        why = str(ask.parameters.get("why", f"{requirement} goes together with the rest"))
        change = partial(_within, package=canonical(package), version=version)
        edits = [edit for manifest in every(ask.files) if (edit := manifest.changing(change)) is not None]
        if edits:
            yield f"{why}: {requirement}", tuple({edit.path: edit for edit in edits}.values())
        elif canonical(package) not in declared(ask.files):
            yield from _adding(ask, requirement, why)


def _within(text: str, *, package: str, version: str) -> str:
    return narrowed(text, version) if name_of(text) == package else text


# --- conditions -------------------------------------------------------------------------------------------------


def _applies(ask: Ask) -> bool:
    """Whether all that `when` names is asked for, in a version that may be within the one given."""
    when: Any = ask.parameters.get("when", {})
    needed = when if isinstance(when, Mapping) else dict.fromkeys(_texts(when), "")
    asked = {name_of(text): text for manifest in every(ask.files) for text in manifest.asked()}
    return all(canonical(name) in asked and _may_be(asked[canonical(name)], str(v or "")) for name, v in needed.items())


def _may_be(asked: str, version: str) -> bool:
    """A pin has to lie within it; anything looser may."""
    pins = [part[2:] for part in version_of(asked).split(",") if part.startswith("==")]
    try:
        return all(SpecifierSet(version).contains(pin.removesuffix(".*"), prereleases=True) for pin in pins)
    except (InvalidSpecifier, InvalidRequirement):
        return False


def _texts(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value or ()))


def _used(ask: Ask) -> tuple[Manifest, ...]:
    return manifests(ask.files, ask.failure.file)


def _is_aside(path: str) -> bool:
    """In a folder of a program that is called so, a module may be a part of it; at the top of a project it is not."""
    place = PurePosixPath(path)
    return place.name in _ASIDE_FILES or (len(place.parts) > 1 and place.parts[0].lower() in _ASIDE)


def _is_own(ask: Ask, module: str) -> bool:
    """A module that Python would find in the project, seen from the file: that it is not is another problem."""
    top = module.partition(".")[0]
    above = [str(folder) for folder in PurePosixPath(ask.failure.file or "x").parents]
    folders = {"" if folder == "." else f"{folder}/" for folder in (*above, "src")}
    return any(f"{folder}{top}{tail}" in ask.files for folder in folders for tail in (".py", "/__init__.py"))
