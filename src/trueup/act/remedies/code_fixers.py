"""Which names did a library move, and which package folder is none yet?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from trueup.act.remedies.base import Ask, Edit, Idea
from trueup.act.remedies.manifests import declared, manifests
from trueup.act.remedies.python_edits import Move, moved
from trueup.act.remedies.requirement_text import is_requirement, name_of

_MOST_FILES = 200


def move_names(ask: Ask) -> Iterable[Idea]:
    """`names` of the module `from` are in the module `to` now, which the distribution `requires` brings.

    In every file of the project, together: the names were moved for all of them. Imports that are tried and may fail
    are left alone.
    """
    move = _move(ask.parameters)
    edits = tuple(_moved(ask, move))
    if not edits:
        return
    requires = str(ask.parameters.get("requires", ""))
    if requires and is_requirement(requires) and name_of(requires) not in declared(ask.files):
        added = [one.adding(requires) for one in manifests(ask.files, ask.failure.file)]
        first = next((edit for edit in added if edit is not None), None)
        if first is None:
            return
        edits = (*edits, first)
    yield _told(ask, move, edits), edits


def _told(ask: Ask, move: Move, edits: tuple[Edit, ...]) -> str:
    before = b"".join(ask.files.content(edit.path) or b"" for edit in edits).decode("utf-8", "replace")
    used = ", ".join(name for name in move.names if re.search(rf"\b{re.escape(name)}\b", before))
    if move.to == move.module:
        return f"{used} of {move.module} has another name now"
    return f"{used} of {move.module} is in {move.to} now" if move.to else f"{used} of {move.module} is Python's own"


def _move(parameters: Mapping[str, Any]) -> Move:
    names = parameters.get("names", {})
    names = dict(names) if isinstance(names, Mapping) else {str(name): str(name) for name in names}
    module = str(parameters.get("from", ""))
    return Move(module=module, names=names, to=str(parameters.get("to", module)))


def _moved(ask: Ask, move: Move) -> Iterator[Edit]:
    for path in list(ask.files.ending(".py"))[:_MOST_FILES]:
        content, tree = ask.files.content(path), ask.files.python(path)
        if content is None or not isinstance(tree, ast.Module) or move.module.encode() not in content:
            continue
        new = moved(content, tree, move)
        if new is not None:
            yield Edit(path=path, content=new)


def rename_module(ask: Ask) -> Iterable[Idea]:
    """The module `from` is called `to` now, which the distribution `requires` brings."""
    old, new = str(ask.parameters.get("from", "")), str(ask.parameters.get("to", ""))
    edits = []
    for path in list(ask.files.ending(".py"))[:_MOST_FILES]:
        tree, content = ask.files.python(path), ask.files.content(path)
        if isinstance(tree, ast.Module) and content and old.encode() in content:
            changed = _renamed_module(content, tree, old, new)
            edits += [Edit(path=path, content=changed)] if changed is not None else []
    if edits:
        yield f"{old} is called {new}", tuple(edits)


def _renamed_module(content: bytes, tree: ast.Module, old: str, new: str) -> bytes | None:
    lines = content.splitlines(keepends=True)
    for node in ast.walk(tree):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        names += [alias.name for alias in node.names if alias.asname] if isinstance(node, ast.Import) else []
        if any(name == old for name in names):
            assert isinstance(node, ast.Import | ast.ImportFrom)
            at = node.lineno - 1
            lines[at] = lines[at].replace(f" {old} ".encode(), f" {new} ".encode(), 1)
    changed = b"".join(lines)
    return changed if changed != content else None


def add_package_marker(ask: Ask) -> Iterable[Idea]:
    """`__init__.py` in the folders of the module that the failure names, where other packages have one."""
    module = ask.groups.get("module", "")
    if not all(part.isidentifier() for part in module.split(".")):
        return
    roots = {"", "src/"} | {f"{folder}/" for folder in map(str, PurePosixPath(ask.failure.file or "x").parents[:-1])}
    for root in sorted(roots):
        missing = tuple(_unmarked(ask, root, module.split(".")))
        if missing:
            yield "its folders are packages", tuple(Edit(path=path, content=b"") for path in missing)


def _unmarked(ask: Ask, root: str, parts: list[str]) -> Iterator[str]:
    for size in range(1, len(parts) + 1):
        folder = root + "/".join(parts[:size])
        inside = any(path.startswith(f"{folder}/") and path.endswith(".py") for path in ask.files.paths)
        if inside and f"{folder}/__init__.py" not in ask.files and f"{folder}.py" not in ask.files:
            yield f"{folder}/__init__.py"
