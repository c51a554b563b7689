"""Where do the files of a project lie inside the image that its Dockerfile builds?"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from trueup.act.source_files import SourceFiles

_LARGEST = 200_000
_COMPOSE = ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")
_CONTINUED = re.compile(r"\\\r?\n")


@dataclass(slots=True, kw_only=True)
class Image:
    workdir: str = "/"
    files: dict[str, str] = field(default_factory=dict)
    """Place in the image -> path in the project."""

    def importable(self) -> dict[str, str]:
        """Dotted module -> path, seen from the working folder."""
        found: dict[str, str] = {}
        for place, path in sorted(self.files.items()):
            if place.startswith(self.workdir.rstrip("/") + "/") and place.endswith(".py"):
                found.setdefault(module_name(posixpath.relpath(place, self.workdir)), path)
        return found

    def scripts(self) -> dict[str, str]:
        """Path from the working folder -> path in the project."""
        return {posixpath.relpath(place, self.workdir): path for place, path in self.files.items()}


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def image_of(files: SourceFiles, dockerfile: str, context: str = "") -> Image | None:
    """The last stage, as far as COPY, ADD and WORKDIR tell; None when they tell nothing of the project's."""
    image = Image()
    for word, rest in _instructions(files.text(dockerfile) or ""):
        if word == "FROM":
            image = Image()
        elif word == "WORKDIR":
            image.workdir = posixpath.normpath(posixpath.join(image.workdir, rest.strip().strip("\"'")))
        elif word in {"COPY", "ADD"} and "--from" not in rest:
            _copy(image, files, context, _operands(rest))
    return image if image.files else None


def built_by(files: SourceFiles, compose: str) -> Image | None:
    """The image that a compose file builds; None when it builds none or several, or mounts something over it."""
    if posixpath.basename(compose) not in _COMPOSE:
        return None
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        table = yaml.load((files.content(compose) or b"")[:_LARGEST], Loader=loader)  # noqa: S506 - a safe one
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    services = table.get("services") if isinstance(table, dict) else None
    listed = services.values() if isinstance(services, dict) else ()
    built = [one for one in listed if isinstance(one, dict) and one.get("build")]
    if len(built) != 1 or built[0].get("volumes") or built[0].get("working_dir"):
        return None
    build = built[0]["build"]
    context, name = (build.get("context", "."), build.get("dockerfile")) if isinstance(build, dict) else (build, None)
    folder = posixpath.normpath(posixpath.join(posixpath.dirname(compose), str(context)))
    return image_of(files, posixpath.normpath(posixpath.join(folder, str(name or "Dockerfile"))), folder.strip("."))


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    for line in _CONTINUED.sub(" ", text).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word and not word.startswith("#"):
            yield word.upper(), rest


def _operands(rest: str) -> list[str]:
    rest = re.sub(r"^(?:--\S+\s+)+", "", rest.strip())
    try:
        return [str(one) for one in json.loads(rest)] if rest.startswith("[") else shlex.split(rest)
    except ValueError:
        return []


def _copy(image: Image, files: SourceFiles, context: str, operands: list[str]) -> None:
    if len(operands) < 2 or any("$" in one or "*" in one or "?" in one for one in operands):  # noqa: PLR2004 - from, to
        return
    *sources, target = operands
    place = posixpath.normpath(posixpath.join(image.workdir, target))
    into = target.endswith(("/", ".")) or len(sources) > 1
    for source in sources:
        base = posixpath.normpath(posixpath.join(context, source.lstrip("/")))
        prefix = "" if base == "." else f"{base}/"
        if base in files:
            image.files[
                posixpath.join(place, posixpath.basename(base)) if into or place == image.workdir else place
            ] = base
        for path in files.paths:
            if path.startswith(prefix):
                image.files[posixpath.join(place, path[len(prefix) :])] = path
