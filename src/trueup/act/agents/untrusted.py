"""How is JSON read that a program printed, when any part of it may be missing or something else?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

NOTHING: Mapping[str, Any] = {}


def record(line: str) -> Mapping[str, Any]:
    """The object on a line; an empty one for anything else."""
    if not line.lstrip().startswith("{"):
        return NOTHING
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return NOTHING
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else NOTHING


def part(value: object, *path: str) -> Mapping[str, Any]:
    """The object at the end of the path; an empty one if it is not there."""
    found = _at(value, path)
    return found if isinstance(found, dict) else NOTHING


def parts(value: object, *path: str) -> list[Mapping[str, Any]]:
    """The objects of the list there."""
    found = _at(value, path)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def text(value: object, *path: str) -> str:
    found = _at(value, path)
    return found if isinstance(found, str) else ""


def texts(value: object, *path: str) -> list[str]:
    """The texts of the list there."""
    found = _at(value, path)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def whole(value: object, *path: str) -> int | None:
    """A whole number, or None."""
    found = _at(value, path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def number(value: object, *path: str) -> int | float | None:
    """A number of any kind, or None."""
    found = _at(value, path)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def _at(value: object, path: tuple[str, ...]) -> object:
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value
