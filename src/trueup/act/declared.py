"""Which packages does a project say that it needs: for running, for its extras, for working on it?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from posixpath import dirname, join
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from trueup.act.declared_setup import setup_cfg, setup_py
from trueup.act.manifests import load_toml
from trueup.act.poetry_versions import comes_from_elsewhere, python_specifier, requirement_of
from trueup.act.requirement_lines import ELSEWHERE, LEADS_OUT, Asked, Line, Problem, canonical, read_requirements
from trueup.act.source_files import SourceFiles

_FILE = re.compile(r"(?:requirements?|reqs?)(?:[-_.][\w.-]+)?\.txt$|[\w.-]+[-_.]requirements?\.txt$", re.IGNORECASE)
_MAIN = re.compile(r"(?:requirements?|reqs?|base|prod|production|main|common|app|runtime)\.txt$", re.IGNORECASE)
_NOT_A_PROJECT = frozenset({
    "test", "tests", "testing", "testdata", "doc", "docs", "example", "examples", "sample", "samples", "fixtures",
    "vendor", "third_party", "node_modules", "template", "templates", "benchmark", "benchmarks", "ci", "tools",
    "contrib", "demo", "demos", "tutorial", "tutorials", "notebooks", ".github", ".circleci", ".devcontainer",
})  # fmt: skip
_PYPI = re.compile(r"https?://(?:www\.)?pypi\.(?:org|python\.org)/simple/?$")
_MOST_PROJECTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """One set that is installed together."""

    manifest: str
    group: str = ""
    """An extra, a group, or the name of a further file; "" is what the program needs to run."""
    requirements: tuple[Line, ...] = ()
    constraints: tuple[Line, ...] = ()
    problems: tuple[Problem, ...] = ()
    unchecked: tuple[Line, ...] = ()
    prereleases: bool = False
    other_index: bool = False

    def with_(self, others: Iterable[Declared]) -> Declared:
        """Installed together with these."""
        every = (self, *others)
        return replace(
            self,
            requirements=tuple(dict.fromkeys(line for one in every for line in one.requirements)),
            constraints=tuple(dict.fromkeys(line for one in every for line in one.constraints)),
            problems=tuple(dict.fromkeys(problem for one in every for problem in one.problems)),
            unchecked=tuple(dict.fromkeys(line for one in every for line in one.unchecked)),
            prereleases=any(one.prereleases for one in every),
            other_index=any(one.other_index for one in every),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What one folder with manifests declares."""

    folder: str
    """"" is the root."""
    sets: tuple[Declared, ...]
    python: str = ""
    """The versions that it says it runs on; "" when it does not say."""
    installable: bool = False
    """Whether it has a name and metadata: others install it, with the extras that they want."""
    declares: bool = False
    """Whether there is a manifest at all: an empty one says that nothing is needed."""

    @property
    def running(self) -> Declared:
        """What the program needs to run; every manifest that says so is meant."""
        main = [one for one in self.sets if not one.group]
        return main[0].with_(main[1:]) if main else Declared(manifest="")

    @property
    def elsewhere(self) -> frozenset[str]:
        """Distributions that only extras, groups and further files ask for."""
        running = {line.name for line in self.running.requirements}
        return frozenset(line.name for one in self.sets if one.group for line in one.requirements) - running


def needs_of(files: SourceFiles) -> tuple[Needs, ...]:
    """For each folder that has manifests, the root first. Folders of tests, documents and examples are left out."""
    folders: dict[str, list[str]] = {}
    for path in files.paths:
        if (folder := _project_folder(path)) is not None:
            folders.setdefault(folder, []).append(path)
    found = (_needs(files, folder, folders[folder]) for folder in sorted(folders)[:_MOST_PROJECTS])
    return tuple(needs for needs in found if needs.declares)


def nearest(every: Iterable[Needs], path: str) -> Needs:
    """The manifests that hold for a file: those above it, else the only ones there are, else none."""
    known = {needs.folder: needs for needs in every}
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in known:
            return known[folder]
    return next(iter(known.values())) if len(known) == 1 else Needs(folder="", sets=())


def _project_folder(path: str) -> str | None:
    place = PurePosixPath(path)
    parts = place.parts[:-1]
    if any(part.lower() in _NOT_A_PROJECT or "{{" in part for part in parts):
        return None
    if place.name in _READERS:
        return dirname(path)
    if parts and parts[-1].lower() in {"requirements", "reqs"} and place.suffix == ".txt":
        return dirname(dirname(path))
    return dirname(path) if _FILE.fullmatch(place.name) else None


def _needs(files: SourceFiles, folder: str, paths: list[str]) -> Needs:
    sets: list[Declared] = []
    python: list[str] = []
    installable = False
    for path in sorted(paths, key=lambda p: (p.count("/"), "requirements" not in p, p)):
        reader = _READERS.get(PurePosixPath(path).name)
        if reader is None:
            continue
        found, version, named = reader(files, path)
        sets += found
        python += [version] if version else []
        installable = installable or named
    listed = list(_requirement_files(files, paths))
    sets += listed
    meant = tuple(one for one in sets if one.requirements or one.problems or one.unchecked or one.constraints)
    declares = bool(meant or installable or listed)
    return Needs(folder=folder, sets=meant, python=_valid(",".join(python)), installable=installable, declares=declares)


def _valid(specifier: str) -> str:
    try:
        return str(SpecifierSet(specifier))
    except InvalidSpecifier:
        return ""


# --- requirements files --------------------------------------------------------------------------------------


def _requirement_files(files: SourceFiles, paths: Iterable[str]) -> Iterator[Declared]:
    """The plain one is what runs; of a folder of several, the one with a plain name. Others are groups."""
    texts = sorted((p for p in paths if p.endswith(".txt")), key=lambda p: (p.count("/"), p))
    main = next((p for p in texts if PurePosixPath(p).name.lower() == "requirements.txt"), None)
    main = main or next((p for p in texts if _MAIN.fullmatch(PurePosixPath(p).name)), None)
    for path in texts:
        group = "" if path == main else path
        yield _declared(path, group, _whole(files, read_requirements(files, path), seen={path}))


def _whole(files: SourceFiles, asked: Asked, *, seen: set[str]) -> Asked:
    """With what the local projects need that it names."""
    for folder, extras in asked.local:
        if folder in seen:
            continue
        seen.add(folder)
        for one in _local(files, folder):
            if not one.group or one.group in extras:
                asked.requirements += one.requirements
                asked.constraints += one.constraints
                asked.problems += one.problems
                asked.unchecked += one.unchecked
    return asked


def _local(files: SourceFiles, folder: str) -> Iterator[Declared]:
    for name, reader in _READERS.items():
        path = join(folder, name)
        if path in files and name != "Pipfile":
            yield from reader(files, path)[0]


def _declared(path: str, group: str, asked: Asked) -> Declared:
    return Declared(
        manifest=path,
        group=group,
        requirements=tuple(asked.requirements),
        constraints=tuple(asked.constraints),
        problems=tuple(asked.problems),
        unchecked=tuple(asked.unchecked),
        prereleases=asked.prereleases,
        other_index=asked.other_index,
    )


# --- pyproject.toml ------------------------------------------------------------------------------------------

_Found = tuple[list[Declared], str, bool]


def _pyproject(files: SourceFiles, path: str) -> _Found:
    table = load_toml(files.content(path) or b"") or {}
    text = files.text(path) or ""
    project, poetry, uv = _table(table, "project"), _table(table, "tool", "poetry"), _table(table, "tool", "uv")
    elsewhere = frozenset(map(canonical, _table(uv, "sources")))
    sets = [*_pep621(path, text, project), *_poetry(path, text, poetry), *_groups(path, text, table)]
    sets.append(_set(path, "uv:dev", _lines(path, text, uv.get("dev-dependencies"))))
    constraints = _lines(path, text, uv.get("constraint-dependencies"))[0]
    sets = [replace(one, constraints=tuple(constraints)) if one.requirements else one for one in sets]
    python = str(project.get("requires-python") or "")
    if not python and isinstance(wanted := _table(poetry, "dependencies").get("python"), str):
        python = python_specifier(wanted)
    named = isinstance(project.get("name") or poetry.get("name"), str)
    return [_without(one, elsewhere) for one in sets], python, named


def _table(table: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        found = table.get(name)
        if not isinstance(found, Mapping):
            return {}
        table = found
    return table


def _pep621(path: str, text: str, project: Mapping[str, Any]) -> Iterator[Declared]:
    yield _set(path, "", _lines(path, text, project.get("dependencies")))
    for extra, lines in _table(project, "optional-dependencies").items():
        own = canonical(str(project.get("name") or ""))
        yield _set(path, extra, _lines(path, text, lines, own=own))


def _groups(path: str, text: str, table: Mapping[str, Any]) -> Iterator[Declared]:
    groups = _table(table, "dependency-groups")
    for name, lines in groups.items():
        plain = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
        yield _set(path, f"group:{name}", _lines(path, text, plain))  # what it includes is a group of its own


def _set(path: str, group: str, lines: tuple[list[Line], list[Problem], list[Line]]) -> Declared:
    return Declared(
        manifest=path,
        group=group,
        requirements=tuple(lines[0]),
        problems=tuple(lines[1]),
        unchecked=tuple(lines[2]),
    )


def _lines(path: str, text: str, written: Any, *, own: str = "") -> tuple[list[Line], list[Problem], list[Line]]:
    good: list[Line] = []
    bad: list[Problem] = []
    unchecked: list[Line] = []
    for entry in written if isinstance(written, list) else []:
        if not isinstance(entry, str):
            continue
        number, source = _where(text, entry)
        try:
            requirement = Requirement(entry)
        except InvalidRequirement as error:
            message = f"Invalid requirement: {entry[:200]!r}: {str(error).splitlines()[0]}"
            bad.append(Problem(kind="invalid-requirement", message=message, file=path, line=number, source=source))
            continue
        if canonical(requirement.name) == own:
            continue  # `all = ["this[one,two]"]`: those are sets of their own
        line = Line(text=str(requirement), file=path, line=number, source=source)
        (unchecked if requirement.url else good).append(
            replace(line, text=requirement.name) if requirement.url else line
        )
        if ELSEWHERE.match(requirement.url or "") and not set("${") & set(requirement.url or ""):
            bad.append(Problem(kind="outside", message=f"{entry} {LEADS_OUT}", file=path, line=number, source=source))
    return good, bad, unchecked


def _where(text: str, entry: str) -> tuple[int | None, str | None]:
    for quoted in (f'"{entry}"', f"'{entry}'"):
        if (at := text.find(quoted)) >= 0:
            number = text.count("\n", 0, at) + 1
            return number, text.splitlines()[number - 1].strip()
    lines = (line.strip() for line in text.splitlines())  # as in `setup.cfg`
    return next(((number, line) for number, line in enumerate(lines, 1) if line == entry), (None, None))


def _without(one: Declared, elsewhere: frozenset[str]) -> Declared:
    """What has a source of its own is fetched from nowhere."""
    taken = [line for line in one.requirements if line.name in elsewhere]
    if not taken:
        return one
    return replace(
        one,
        requirements=tuple(line for line in one.requirements if line not in taken),
        unchecked=(*one.unchecked, *(replace(line, text=line.name) for line in taken)),
    )


# --- Poetry, Pipenv ------------------------------------------------------------------------------------------


def _poetry(path: str, text: str, poetry: Mapping[str, Any]) -> Iterator[Declared]:
    tables = {"": _table(poetry, "dependencies"), "dev": _table(poetry, "dev-dependencies")}
    tables |= {f"group:{name}": _table(poetry, "group", name, "dependencies") for name in _table(poetry, "group")}
    sources = poetry.get("source")
    named = [s for s in sources if isinstance(s, Mapping)] if isinstance(sources, list) else []
    other = any(s.get("priority") != "explicit" for s in named)
    for group, table in tables.items():
        found = _named(path, text, {name: value for name, value in table.items() if name != "python"})
        yield replace(_set(path, group, found), other_index=other)


def _pipfile(files: SourceFiles, path: str) -> _Found:
    table = load_toml(files.content(path) or b"") or {}
    text = files.text(path) or ""
    sources = table.get("source")
    urls = [str(s.get("url")) for s in sources if isinstance(s, Mapping)] if isinstance(sources, list) else []
    other = any(not _PYPI.match(url) for url in urls)
    sets = [
        replace(_set(path, group, _named(path, text, _table(table, name))), other_index=other)
        for name, group in (("packages", ""), ("dev-packages", "dev"))
    ]
    python = _table(table, "requires").get("python_version")
    return sets, f"=={python}.*" if isinstance(python, str) and re.fullmatch(r"\d+\.\d+", python) else "", False


def _named(path: str, text: str, table: Mapping[str, Any]) -> tuple[list[Line], list[Problem], list[Line]]:
    good: list[Line] = []
    bad: list[Problem] = []
    unchecked: list[Line] = []
    for name, value in table.items():
        for one in value if isinstance(value, list) else [value]:
            number, source = _where_named(text, name)
            if isinstance(one, Mapping) and one.get("optional") is True:
                continue
            requirement = requirement_of(name, one)
            line = Line(text=requirement or name, file=path, line=number, source=source)
            if requirement is not None:
                good.append(line)
            elif comes_from_elsewhere(one):
                unchecked.append(line)
            else:
                message = f"Invalid requirement: {name[:100]!r} = {str(one)[:100]!r}"
                bad.append(Problem(kind="invalid-requirement", message=message, file=path, line=number, source=source))
    return good, bad, unchecked


def _where_named(text: str, name: str) -> tuple[int | None, str | None]:
    match = re.search(rf"^[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*=.*$", text, re.MULTILINE)
    return (text.count("\n", 0, match.start()) + 1, match[0].strip()) if match else (None, None)


# --- setuptools ----------------------------------------------------------------------------------------------


def _setup(files: SourceFiles, path: str) -> _Found:
    if path.endswith(".cfg"):
        running, extras, python, named = setup_cfg(files.text(path) or "")
    else:
        running, extras, python, named = setup_py(files.python(path))
    text = files.text(path) or ""
    sets = [_set(path, "", _lines(path, text, running))]
    sets += [_set(path, extra, _lines(path, text, lines)) for extra, lines in extras.items()]
    return sets, python, named


_READERS = {"pyproject.toml": _pyproject, "Pipfile": _pipfile, "setup.cfg": _setup, "setup.py": _setup}
