"""Which plug-ins are installed, and what do they bring?

Built-ins come through the same door: a table of `name -> "module:attribute"` is read like installed entry points.
Nothing is imported before it is asked for.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

from trueup.errors import UsageError


def found(group: str, builtin: Mapping[str, str] | None = None) -> dict[str, EntryPoint]:
    """Entry points by name, not loaded. A plug-in cannot take the name of a built-in."""
    installed = {point.name: point for point in entry_points(group=group)}
    ours = {name: EntryPoint(name, value, group) for name, value in (builtin or {}).items()}
    return {**installed, **ours}


def load(group: str) -> dict[str, object]:
    """Everything that is installed for a group, loaded. A broken plug-in is an error that names it."""
    return {name: load_point(point) for name, point in found(group).items()}


def load_one(group: str, name: str, builtin: Mapping[str, str] | None = None) -> object:
    """One of them, without touching the others: a broken plug-in harms only those who use it."""
    points = found(group, builtin)
    if name not in points:
        close = difflib.get_close_matches(name, points, n=1)
        raise UsageError(
            f"{name!r} is not known in {group}",
            why=f"Known are: {', '.join(sorted(points)) or 'none'}.",
            do=f"Did you mean {close[0]!r}?" if close else "Install the plug-in that brings it.",
        )
    return load_point(points[name])


def load_point(point: EntryPoint) -> object:
    try:
        loaded: object = point.load()
    except Exception as error:  # a plug-in's import can raise anything
        raise UsageError(
            f"the plug-in {point.name!r} ({point.group}) cannot be loaded",
            why=f"{point.value}: {type(error).__name__}: {error}",
            do="Repair or uninstall the package that brings it.",
        ) from error
    return loaded
