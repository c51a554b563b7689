"""Where do the files of a project lie inside the image that its Dockerfile builds?"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from trueup.act.source_files import SourceFiles

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
