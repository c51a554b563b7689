"""How is the program started? By what its Dockerfiles, compose files, Procfile, manifests and settings say.

All of that is text from outside. It becomes words, never a shell's line; what is not a known form is not started.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath
from typing import Any

import yaml

from trueup.act.declared_setup import console_scripts
from trueup.act.manifests import load_json, load_toml
from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers.images import Image, images_of
from trueup.verify.verifiers.start_words import words_of

_SKIPPED_FOLDERS = frozenset(
    {"test", "tests", "doc", "docs", "example", "examples", "fixtures", "vendor", "node_modules"}
)
_COMPOSE = re.compile(r"(?:docker-)?compose(?:[.-][\w-]+)?\.ya?ml")
_DOCKERFILE = re.compile(r"(?:Dockerfile|Containerfile)(?:\.[\w-]+)?|[\w-]+\.[Dd]ockerfile")
_PROCESS = re.compile(r"([A-Za-z0-9_-]+):\s*(.+)")
_BEFOREHAND = frozenset({"release", "init", "migrate"})
_MOST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One way in which somebody means to start the program."""

    words: tuple[str, ...]
    """The command; () when it is none that can be understood."""
    file: str
    line: int | None = None
    source: str | None = None
    image: Image
    """What lies where when it starts."""
    serves: bool = False
    """Whether somebody expects it to answer requests."""
    entry: str = ""
    """`package.module:function`, of a console script; there are no words then."""
    why_not: str = ""
    env: Mapping[str, str] = field(default_factory=dict, hash=False)


def starts_of(files: SourceFiles) -> tuple[Start, ...]:
    found: dict[tuple[object, ...], Start] = {}
    for start in (*_dockerfiles(files), *_compose(files), *_procfile(files), *_console(files), *_npm(files)):
        found.setdefault((start.words, start.entry, start.image.folder, start.image.key, start.why_not), start)
    return tuple(found.values())[:_MOST]


def _meant(files: SourceFiles, pattern: re.Pattern[str]) -> Iterator[str]:
    for path in files.paths:
        folders, _, name = path.rpartition("/")
        if pattern.fullmatch(name) and not _SKIPPED_FOLDERS & set(folders.lower().split("/")):
            yield path


# --- Docker --------------------------------------------------------------------------------------------------


def _dockerfiles(files: SourceFiles) -> Iterator[Start]:
    contexts = _contexts(files)
    for path in _meant(files, _DOCKERFILE):
        for context in contexts.get(path, [dirname(path)]):
            image = images_of(files, path, context)
            if image is not None and image.command:
                yield _of_image(files, path, image)


def _of_image(files: SourceFiles, path: str, image: Image) -> Start:
    words, why_not = words_of(image.command, image.env)
    return Start(
        words=words,
        file=path,
        line=image.line,
        source=_line(files, path, image.line),
        image=image,
        serves=image.exposes,
        why_not=why_not,
        env=image.env,
    )


def _contexts(files: SourceFiles) -> dict[str, list[str]]:
    """From which folder a compose file builds a Dockerfile; without one it is the folder it lies in."""
    found: dict[str, list[str]] = {}
    for path, _, service in _services(files):
        context, dockerfile = _build(path, service)
        if dockerfile is not None:
            found.setdefault(dockerfile, []).append(context)
    return {name: list(dict.fromkeys(contexts)) for name, contexts in found.items()}


def _services(files: SourceFiles) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path in _meant(files, _COMPOSE):
        try:
            table = yaml.safe_load(files.text(path) or "")
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        services = table.get("services") if isinstance(table, dict) else None
        for name, service in services.items() if isinstance(services, dict) else ():
            if isinstance(service, dict):
                yield path, str(name), service


def _build(path: str, service: Mapping[str, Any]) -> tuple[str, str | None]:
    """Context and Dockerfile, inside of the tree; None when it builds nothing from here."""
    build = service.get("build")
    table = build if isinstance(build, dict) else {"context": build}
    named = table.get("context", "." if isinstance(build, dict) else None)
    if not isinstance(named, str):
        return "", None
    context = _inside(join(dirname(path), named))
    dockerfile = _inside(join(context or "", str(table.get("dockerfile") or "Dockerfile")))
    return context or "", dockerfile if context is not None else None


def _inside(path: str) -> str | None:
    place = normpath(path)
    return None if place.startswith(("/", "..")) else "" if place == "." else place


def _compose(files: SourceFiles) -> Iterator[Start]:
    for path, name, service in _services(files):
        command = service.get("command")
        context, dockerfile = _build(path, service)
        if not command or dockerfile is None:
            continue
        image = images_of(files, dockerfile, context) if dockerfile in files else Image.of_folder(files, context)
        image = (image or Image.of_folder(files, context)).mounted(files, dirname(path), service.get("volumes"))
        if isinstance(folder := service.get("working_dir"), str):
            image = image.working_in(folder)
        told = {**image.env, **_environment(service.get("environment"))}
        words, why_not = words_of([str(c) for c in command] if isinstance(command, list) else str(command), told)
        line, source = _found(files, path, str(command[0] if isinstance(command, list) else command), after=name)
        yield Start(
            words=words,
            file=path,
            line=line,
            source=source,
            image=image,
            serves=bool(service.get("ports")),
            why_not=why_not,
            env=told,
        )


def _environment(told: Any) -> dict[str, str]:
    """What is written out; what comes from the user's own variables is not known."""
    if isinstance(told, list):
        told = dict(str(entry).partition("=")[::2] for entry in told if "=" in str(entry))
    if not isinstance(told, dict):
        return {}
    return {str(k): str(v) for k, v in told.items() if v is not None and "$" not in str(v)}


# --- Procfile, console scripts, npm --------------------------------------------------------------------------


def _procfile(files: SourceFiles) -> Iterator[Start]:
    for path in _meant(files, re.compile(r"Procfile(?:\.\w+)?")):
        for number, line in enumerate((files.text(path) or "").splitlines(), 1):
            if (match := _PROCESS.match(line.strip())) and match[1] not in _BEFOREHAND:
                words, why_not = words_of(match[2].strip(), {})
                image = Image.of_folder(files, dirname(path))
                serves = match[1] == "web"
                source = line.strip()
                yield Start(
                    words=words, file=path, line=number, source=source, image=image, serves=serves, why_not=why_not
                )


def _console(files: SourceFiles) -> Iterator[Start]:
    for path in _meant(files, re.compile(r"pyproject\.toml|setup\.cfg|setup\.py")):
        for name, entry in _scripts(files, path):
            line, source = _found(files, path, entry, after=name)
            image = Image.of_folder(files, dirname(path))
            yield Start(words=(), entry=entry, file=path, line=line, source=source, image=image)


def _scripts(files: SourceFiles, path: str) -> Iterator[tuple[str, str]]:
    if not path.endswith(".toml"):
        yield from console_scripts(files.text(path) or "", files.python(path) if path.endswith(".py") else None)
        return
    table = load_toml(files.content(path) or b"") or {}
    project = table.get("project")
    poetry = (table.get("tool") or {}).get("poetry") if isinstance(table.get("tool"), dict) else None
    for owner in (project, poetry):
        for key in ("scripts", "gui-scripts"):
            scripts = owner.get(key) if isinstance(owner, dict) else None
            for name, entry in scripts.items() if isinstance(scripts, dict) else ():
                if isinstance(entry, str):
                    yield str(name), entry


def _npm(files: SourceFiles) -> Iterator[Start]:
    for path in _meant(files, re.compile(r"package\.json")):
        table = load_json(files.content(path) or b"") or {}
        scripts = table.get("scripts")
        start = scripts.get("start") if isinstance(scripts, dict) else None
        if isinstance(start, str):
            words, why_not = words_of(start, {})
            line, source = _found(files, path, start)
            image = Image.of_folder(files, dirname(path))
            yield Start(words=words, file=path, line=line, source=source, image=image, why_not=why_not)


def _line(files: SourceFiles, path: str, number: int | None) -> str | None:
    lines = (files.text(path) or "").splitlines()
    return lines[number - 1].strip() if number and number <= len(lines) else None


def _found(files: SourceFiles, path: str, text: str, *, after: str = "") -> tuple[int | None, str | None]:
    lines = (files.text(path) or "").splitlines()
    begin = next((at for at, line in enumerate(lines) if after and after in line), 0)
    wanted: Iterable[str] = (text.splitlines() or [""])[:1]
    for at in range(begin, len(lines)):
        if any(word and word in lines[at] for word in wanted):
            return at + 1, lines[at].strip()
    return None, None
