"""What lies where when a container starts? A Dockerfile's copies, followed on paper; nothing is built or run."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from posixpath import basename, join, normpath
from typing import Any

from trueup.act.source_files import SourceFiles

_INSTRUCTION = re.compile(r"([A-Za-z]+)\s+(.*)", re.DOTALL)
_UNCLEAR = re.compile(r"\b(?:cp|mv|git|ln|unzip|tar|curl|wget|rsync|sed|echo|cat|touch|django-admin|npm|yarn|make)\b")
"""After one of these there may be more, or something else, than was copied."""
_FLAG = re.compile(r"--[\w-]+(?:=\S*)?")
_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg")
_NO_COMMAND: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """Places in it, absolute, and the file of the tree that lies there."""

    placed: Mapping[str, str] = field(hash=False)
    folder: str = "/"
    """Where commands start."""
    command: str | Sequence[str] = _NO_COMMAND
    line: int | None = None
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    exposes: bool = False
    ports: tuple[int, ...] = ()
    """Those that it exposes, as far as they are numbers."""
    certain: bool = True
    """Whether nothing but the copies decides what is there."""
    installed: bool = False
    """Whether the project itself is installed: its packages are found wherever they lie."""
    key: str = ""
    """The same for the same layout."""

    @classmethod
    def of_folder(cls, files: SourceFiles, folder: str) -> Image:
        """A folder of the tree, as it is."""
        inside = f"{folder}/" if folder else ""
        placed = {f"/{path}": path for path in files.paths if path.startswith(inside)}
        installed = f"{inside}src/__init__.py" not in files and any(f"{inside}{name}" in files for name in _PROJECTS)
        return cls(placed=placed, folder=f"/{folder}", key="tree", installed=installed)

    def working_in(self, folder: str) -> Image:
        return replace(self, folder=normpath(join(self.folder, folder)))

    def mounted(self, files: SourceFiles, base: str, volumes: Any) -> Image:
        """With folders of the tree over those of the image, as a compose file says."""
        placed = dict(self.placed)
        for volume in volumes if isinstance(volumes, list) else ():
            source, target = _volume(volume)
            place = normpath(join(base, source))
            if not source.startswith(".") or not target.startswith("/") or place.startswith(".."):
                continue
            prefix = "" if place == "." else f"{place}/"
            placed = {p: t for p, t in placed.items() if not p.startswith(f"{target.rstrip('/')}/")}
            placed |= {join(target, p[len(prefix) :]): p for p in files.paths if p.startswith(prefix)}
        return replace(self, placed=placed, key=self.key if placed == self.placed else f"{self.key}+mounts")

    def find(self, path: str) -> str | None:
        """The file of the tree that a command means by this path."""
        return self.placed.get(normpath(join(self.folder, path)))

    def has_folder(self, path: str) -> bool:
        inside = normpath(join(self.folder, path)).rstrip("/") + "/"
        return any(place.startswith(inside) for place in self.placed)

    def module(self, name: str, roots: Sequence[str] = ("",)) -> str | None:
        """The file of the tree that holds a module, looked for in these folders."""
        for root in roots:
            path = join(root, *name.split("."))
            for candidate in (f"{path}.py", f"{path}/__init__.py"):
                if (found := self.find(candidate)) is not None:
                    return found
        return None


def _volume(volume: Any) -> tuple[str, str]:
    if isinstance(volume, dict):
        return str(volume.get("source") or ""), str(volume.get("target") or "")
    source, _, target = str(volume).partition(":")
    return source, target.partition(":")[0]


# --- a Dockerfile --------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Stage:
    placed: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    entrypoint: str | Sequence[str] = _NO_COMMAND
    command: str | Sequence[str] = _NO_COMMAND
    line: int | None = None
    env: dict[str, str] = field(default_factory=dict)
    exposes: bool = False
    ports: tuple[int, ...] = ()
    certain: bool = True
    installed: bool = False


def images_of(files: SourceFiles, path: str, context: str) -> Image | None:
    """The last stage; None when there is nothing to read."""
    stages: dict[str, _Stage] = {}
    stage: _Stage | None = None
    for number, name, rest in instructions(files.text(path) or ""):
        if name == "FROM":
            stage = _from(rest, stages)
        elif stage is not None:
            _apply(stage, name, rest, number, files, context, stages)
    if stage is None:
        return None
    return Image(
        placed=stage.placed,
        folder=stage.folder,
        command=_joined(stage),
        line=stage.line,
        env=stage.env,
        exposes=stage.exposes,
        ports=stage.ports,
        certain=stage.certain,
        installed=stage.installed,
        key=f"{path} {context}",
    )


def instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """Line number, name and rest, with continued lines joined."""
    pending, began = "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        began = began or number
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
            continue
        if match := _INSTRUCTION.match(pending):
            yield began, match[1].upper(), match[2].strip()
        pending, began = "", 0


def _from(rest: str, stages: dict[str, _Stage]) -> _Stage:
    words = [word for word in rest.split() if not _FLAG.fullmatch(word)]
    base = stages.get(words[0].lower()) if words else None
    fresh = replace(base, placed=dict(base.placed), env=dict(base.env)) if base else _Stage()
    stages[str(len({id(s) for s in stages.values()}))] = fresh
    if len(words) >= 3 and words[1].upper() == "AS":  # noqa: PLR2004 - FROM image AS name
        stages[words[2].lower()] = fresh
    return fresh


def _apply(
    stage: _Stage, name: str, rest: str, number: int, files: SourceFiles, context: str, stages: dict[str, _Stage]
) -> None:
    match name:
        case "WORKDIR":
            stage.folder = normpath(join(stage.folder, _expanded(rest.strip("\"'"), stage.env)))
        case "COPY" | "ADD":
            _copy(stage, rest, files, context, stages)
        case "ENV":
            stage.env |= _assignments(rest)
        case "EXPOSE":
            stage.exposes = True
            named = (_expanded(word, stage.env).partition("/")[0] for word in rest.split())
            stage.ports = (*stage.ports, *(int(word) for word in named if word.isdecimal()))
        case "CMD":
            stage.command, stage.line = _command(rest), number
        case "ENTRYPOINT":
            stage.entrypoint, stage.line = _command(rest), number
            stage.command = _NO_COMMAND
        case "RUN":
            stage.certain = stage.certain and not _UNCLEAR.search(rest)
            stage.installed = stage.installed or bool(
                re.search(r"\binstall\b.*(?:\s|=)\.(?:\[|\s|$)|poetry install|uv sync", rest)
            )
        case _:
            pass


def _joined(stage: _Stage) -> str | Sequence[str]:
    """An entry point with its arguments. In its shell form it takes none."""
    if isinstance(stage.entrypoint, str) or not stage.entrypoint:
        return stage.entrypoint or stage.command
    given = _plain(stage.command) if isinstance(stage.command, str) else list(stage.command)
    return [*stage.entrypoint, *given]


def _plain(text: str) -> list[str]:
    return ["/bin/sh", "-c", text] if text else []


def _command(rest: str) -> str | Sequence[str]:
    if rest.startswith("["):
        try:
            words = json.loads(rest)
        except ValueError:
            return rest
        return [str(word) for word in words] if isinstance(words, list) else rest
    return rest


def _assignments(rest: str) -> dict[str, str]:
    try:
        words = shlex.split(rest)
    except ValueError:
        return {}
    if words and "=" not in words[0]:
        return {words[0]: " ".join(words[1:])}
    return dict(word.partition("=")[::2] for word in words if "=" in word)


def _expanded(text: str, env: Mapping[str, str]) -> str:
    return re.sub(r"\$\{?(\w+)\}?", lambda m: env.get(m[1], m[0]), text)


def _copy(stage: _Stage, rest: str, files: SourceFiles, context: str, stages: dict[str, _Stage]) -> None:
    flags = dict(f[2:].partition("=")[::2] for f in rest.split() if _FLAG.fullmatch(f))
    words = _words(_FLAG.sub("", rest).strip())
    if len(words) < 2:  # noqa: PLR2004 - a source and a target
        return
    *sources, target = (_expanded(word, stage.env) for word in words)
    origin = flags.get("from")
    if origin is not None and origin.lower() not in stages:
        return  # another image's files: none of ours
    there = stages[origin.lower()].placed if origin is not None else _context(files, context)
    to_folder = target.endswith("/") or len(sources) > 1 or target in {".", "./"}
    place = normpath(join(stage.folder, target))
    for source in sources:
        if "://" in source:
            continue
        copied = dict(_copied(there, normpath(join("/", source)), place, to_folder=to_folder))
        stage.placed |= copied


def _words(text: str) -> list[str]:
    if text.startswith("["):
        try:
            return [str(word) for word in json.loads(text)]
        except ValueError:
            return []
    return text.split()


def _context(files: SourceFiles, context: str) -> dict[str, str]:
    inside = f"{context}/" if context else ""
    return {f"/{path[len(inside) :]}": path for path in files.paths if path.startswith(inside)}


def _copied(there: Mapping[str, str], source: str, place: str, *, to_folder: bool) -> Iterator[tuple[str, str]]:
    """As Docker does: of a folder its content, a file under its name or the new one, patterns one by one."""
    if source in there:
        yield (join(place, basename(source)) if to_folder else place), there[source]
        return
    inside = source.rstrip("/") + "/"
    for path, file in there.items():
        if path.startswith(inside):
            yield join(place, path[len(inside) :]), file
        elif any(c in source for c in "*?[") and fnmatchcase(path, source):
            yield join(place, basename(path)), file
