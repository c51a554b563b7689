"""Do Dockerfiles and workflows name files that are there?"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath

from trueup.act.ignore import patterns
from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.verify.verifiers.compose_rules import build_contexts
from trueup.verify.verifiers.findings import finding, is_aside

MISSING = "missing-path"
_DOCKERFILE = re.compile(r"(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|[\w-]+\.[Dd]ockerfile$")
_COPY = re.compile(r"^\s*(?:COPY|ADD)\s+(?P<words>.+)$", re.IGNORECASE)
_MADE = frozenset(
    {"dist", "build", "target", "out", "node_modules", ".next", "bin", "release", "public", "vendor", "venv"}
)
_KEPT = re.compile(r".*\.(?:py|js|ts|toml|cfg)$|.*requirements.*\.txt$|package\.json$|Pipfile$|setup\.py$|manage\.py$")
"""What is written by people and kept with the code; anything else may be made, or kept out of the tree."""
_SOURCES = frozenset({"src", "app", "backend", "frontend", "server", "client", "api", "lib", "web", "source"})
"""Folders of code, by their usual names."""
_SCRIPT = re.compile(r"(?:^|&&|;|\|)\s*(?:python3?|node|bash|sh)\s+(?P<path>[\w][\w./-]*\.(?:py|js|mjs|sh))\b")
_LARGEST = 200_000


def is_dockerfile(path: str) -> bool:
    return bool(_DOCKERFILE.match(path.rpartition("/")[2]))


def is_workflow(path: str) -> bool:
    return path.startswith(".github/workflows/") and path.endswith((".yml", ".yaml"))


def copied_into_images(files: SourceFiles) -> Iterator[tuple[Failure, bool]]:
    """`COPY requirements.txt .` without such a file: the image cannot be built."""
    contexts = build_contexts(files)
    for path in filter(is_dockerfile, files.paths):
        if is_aside(path):
            continue
        folders = contexts.get(path) or sorted({dirname(path), ""})
        for line, words in _copies(files.text(path) or ""):
            for source in words[:-1]:
                if not any(_is_there(files, folder, source) for folder in folders):
                    message = f"COPY {source}: not in the build context {folders[0] or '.'}"
                    found = finding("coherence", MISSING, message, file=path, line=line, subject=f"{path} {source}")
                    yield found, _has_to_be_kept(files, folders[0], source)


def _copies(text: str) -> Iterator[tuple[int, list[str]]]:
    joined = re.sub(r"\\[ \t]*\r?\n", lambda m: " " * len(m[0]), text[:_LARGEST])
    for number, line in enumerate(joined.split("\n"), 1):
        found = _COPY.match(line)
        if found is None or "--from=" in line or "<<" in line:
            continue
        words = _words(re.sub(r"--[\w-]+(?:=\S+)?\s+", "", found["words"]))
        if len(words) > 1 and not any("$" in word for word in words):
            yield number, words


def _words(text: str) -> list[str]:
    """The form of a list, or of a line."""
    try:
        words = json.loads(text) if text.lstrip().startswith("[") else shlex.split(text, comments=True)
    except ValueError:
        return []
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []


def _is_there(files: SourceFiles, folder: str, source: str) -> bool:
    if re.match(r"https?://|git@|git://", source):
        return True
    place = normpath(join(folder, source.lstrip("/")))
    if place.startswith(".."):
        return True  # refused by the builder, and not ours to look at
    if place == ".":
        return True
    if any(character in place for character in "*?["):
        return any(fnmatchcase(path, place) or path.startswith(f"{place}/") for path in files.paths) or _is_optional(
            source
        )
    return place in files or any(path.startswith(f"{place}/") for path in files.paths)


def _is_optional(source: str) -> bool:
    return source.endswith("*")


def _has_to_be_kept(files: SourceFiles, folder: str, source: str) -> bool:
    place = PurePosixPath(normpath(join(folder, source)))
    is_folder = place.name in _SOURCES and str(place) not in (files.text(".gitmodules") or "")
    if not (is_folder or _KEPT.match(place.name)) or _MADE & set(place.parts[:-1]) or any(c in source for c in "*?["):
        return False
    ignored = patterns(tuple((files.text(".gitignore") or "").splitlines()))
    return not ignored.verdict(str(place), place.name, folder=is_folder)


def named_in_workflows(files: SourceFiles) -> Iterator[tuple[Failure, bool]]:
    """A script that a workflow runs, or a local action that it uses, and that is not there."""
    for path in filter(is_workflow, files.paths):
        text = (files.text(path) or "")[:_LARGEST]
        quiet = re.search(r"working-directory|\bcd\s", text) is not None
        for number, line in enumerate(text.split("\n"), 1):
            for missing in _not_there(files, line, scripts=not quiet):
                message = f"{missing}: {path} runs it, and it is not in the tree"
                yield finding("coherence", MISSING, message, file=path, line=number, subject=f"{path} {missing}"), False


def _not_there(files: SourceFiles, line: str, *, scripts: bool) -> Iterator[str]:
    action = re.search(r"uses:\s*['\"]?\./(?P<path>[\w./-]+)", line)
    if action and not any(p == action["path"] or p.startswith(f"{action['path']}/") for p in files.paths):
        yield action["path"]
    code = re.sub(r"^\s*-?\s*(?:run:\s*)?", "", line)
    for found in _SCRIPT.finditer(code) if scripts else ():
        if normpath(found["path"]) not in files:
            yield found["path"]
