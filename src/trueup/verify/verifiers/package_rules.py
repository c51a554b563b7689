"""Do manifests name modules, functions and scripts that are there?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Any

from trueup.act.manifests import load_json, load_toml
from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.verify.verifiers.findings import finding, is_aside
from trueup.verify.verifiers.first_party import FirstParty
from trueup.verify.verifiers.python_facts import python_facts

ENTRY, SCRIPT, PATH = "missing-entry-point", "unknown-script", "missing-path"
_ENTRY = re.compile(r"^\s*(?P<module>[A-Za-z_]\w*(?:\.\w+)*)\s*(?::\s*(?P<name>[A-Za-z_]\w*)[\w.]*)?\s*(?:\[.*\])?\s*$")
_RUN = re.compile(r"\b(?:npm|pnpm|yarn)\s+run\s+(?P<script>[\w:.-]+)(?P<rest>[^&|;]*)")
_NODE = re.compile(r"^(?:node|nodemon)\s+(?:--[\w=-]+\s+)*(?P<path>[\w./-]+\.(?:js|mjs|cjs))\s*$")
_MADE = re.compile(r"(?:^|/)(?:dist|build|out|lib|\.next|target|coverage)/")
_BUILT = (".pyx", ".c", ".cpp", ".rs", ".so")


def is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] in {"pyproject.toml", "package.json"}


def entry_points(files: SourceFiles) -> Iterator[tuple[Failure, bool]]:
    """`[project.scripts]` and the like, of code that lies in the tree."""
    places = FirstParty(files)
    for path in files.called("pyproject.toml"):
        if is_aside(path):
            continue
        for name, target in _scripts(load_toml(files.content(path) or b"") or {}):
            if problem := _problem(files, places, path, target):
                line = _line(files, path, target)
                message = f"the entry point {name} = {target!r}: {problem}"
                yield finding("coherence", ENTRY, message, file=path, line=line, subject=f"{path} {name}"), True


def _scripts(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    project = _table(table, "project")
    for scripts in (
        _table(project, "scripts"),
        _table(project, "gui-scripts"),
        _table(table, "tool", "poetry", "scripts"),
    ):
        for name, target in scripts.items():
            if isinstance(target, str):
                yield str(name), target


def _table(table: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _problem(files: SourceFiles, places: FirstParty, manifest: str, target: str) -> str:
    """ "" when it is there, or when nobody can say."""
    found = _ENTRY.match(target)
    top = found["module"].partition(".")[0] if found else ""
    root = places.top(join(dirname(manifest), "pyproject.toml"), top) if top else None
    if not found or root is None or any(True for _ in files.ending(*_BUILT)):
        return ""
    module = places.module(root, found["module"])
    if module is None:
        return f"No module named {found['module']!r}"
    facts = python_facts(files, module) if module else None
    if facts is None or facts["dynamic"] or facts["error"] or not found["name"]:
        return ""
    names = {name for step in facts["steps"] for name in step["names"]} | set(facts["maybe"])
    return "" if found["name"] in names else f"cannot import name {found['name']!r} from {found['module']!r}"


def npm_scripts(files: SourceFiles) -> Iterator[tuple[Failure, bool]]:
    """Scripts of a `package.json` that run others, and files that they start."""
    for path in files.called("package.json"):
        if is_aside(path):
            continue
        scripts = _table(load_json(files.content(path) or b""), "scripts")
        for name, command in scripts.items():
            if isinstance(command, str):
                yield from _npm_script(files, path, scripts, name, command)


def _npm_script(
    files: SourceFiles, path: str, scripts: dict[str, Any], name: str, command: str
) -> Iterator[tuple[Failure, bool]]:
    line = _line(files, path, f'"{name}"')
    for found in _RUN.finditer(command):
        elsewhere = re.search(r"--if-present|-w\b|--workspace|--prefix|-C\b|--filter|-r\b|--cwd", command)
        if found["script"] not in scripts and not elsewhere:
            message = f"Missing script: {found['script']!r}: the script {name} runs it"
            yield finding("coherence", SCRIPT, message, file=path, line=line, subject=f"{path} {name}"), False
    started = _NODE.match(command)
    if started and not _MADE.search(started["path"]):
        place = normpath(join(dirname(path), started["path"]))
        if place not in files and place.rpartition(".")[0] + ".ts" not in files and not place.startswith(".."):
            message = f"Cannot find module {started['path']!r}: the script {name} starts it"
            yield finding("coherence", PATH, message, file=path, line=line, subject=f"{path} {name}"), True


def _line(files: SourceFiles, path: str, word: str) -> int | None:
    return next((n for n, text in enumerate((files.text(path) or "").split("\n"), 1) if word in text), None)
