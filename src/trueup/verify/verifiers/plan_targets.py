"""Does what a command names exist where it starts? Seen on paper: a module that is not there needs no trial."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from posixpath import join, splitext

from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers.plans import Plan

_INSTALLED = re.compile(r"/.*/s?bin/")
"""Where installers and virtual environments put programs."""
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    kind: str
    message: str
    certain: bool = True
    """False = a build may have made it."""


def missing(plan: Plan, files: SourceFiles, installed: Callable[[str], bool]) -> Missing | None:
    """What the command names and what is not there. `installed`: whether an environment has a module."""
    where = f"where {plan.told!r} starts"
    if plan.path:
        if plan.file is None and not _is_a_folder(plan):
            message = f"can't open file {plan.path!r}: there is none {where}"
            return Missing(kind="missing-file", message=message, certain=not _INSTALLED.match(plan.path))
        return None
    if not plan.module:
        return None
    if plan.file is None:
        if installed(plan.module.partition(".")[0]) or _is_a_package(plan):
            return None
        return Missing(
            kind="missing-module",
            message=f"No module named {plan.module!r} {where}{_instead(plan, files)}",
        )
    if plan.attribute and not _defines(files, plan.file, plan.attribute):
        message = f"module {plan.module!r} has no {plan.attribute!r}, which {plan.told!r} needs"
        return Missing(kind="missing-attribute", message=message)
    return None


def _is_a_folder(plan: Plan) -> bool:
    """`python package` runs its `__main__`."""
    return plan.start.image.find(join(plan.path, "__main__.py")) is not None


def _is_a_package(plan: Plan) -> bool:
    """Without an `__init__`, or one that runs by its `__main__`."""
    places = [join(root, *plan.module.split(".")) for root in plan.roots]
    return not plan.attribute and any(plan.start.image.has_folder(place) for place in places)


def _instead(plan: Plan, files: SourceFiles) -> str:
    """Names under which it would be found there."""
    folder = plan.start.image.folder.rstrip("/") + "/"
    names = []
    for place, file in sorted(plan.start.image.placed.items()):
        if not place.startswith(folder) or not place.endswith(".py") or not plan.attribute:
            continue
        name = splitext(place[len(folder) :])[0].replace("/", ".").removesuffix(".__init__")
        if _DOTTED.fullmatch(name) and _defines(files, file, plan.attribute, surely=True):
            names.append(f"{name}:{plan.attribute}")
    return f"; there is {', '.join(names[:3])}" if names else ""


def _defines(files: SourceFiles, path: str, attribute: str, *, surely: bool = False) -> bool:
    """Whether a module has a name at its top. What cannot be seen is believed."""
    tree = files.python(path)
    if not isinstance(tree, ast.Module):
        return not surely
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    unclear = not surely and ("*" in found or "__getattr__" in found or "globals" in ast.dump(tree)[:200_000])
    return attribute.partition(".")[0] in found or unclear
