"""What does a version mean that Poetry or Pipenv writes: `^1.2`, `~1.2`, `1.2.*`, `*`, a table with a marker?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

_CARET = re.compile(r"\^\s*v?(\d+(?:\.\d+)*)([\w.+-]*)$")
_TILDE = re.compile(r"~(?!=)\s*v?(\d+(?:\.\d+)*)([\w.+-]*)$")
_BARE = re.compile(r"v?\d[\w.+!*-]*$")
_ELSEWHERE = frozenset({"git", "path", "url", "file", "hg", "svn"})


def requirement_of(name: str, value: Any) -> str | None:
    """As PEP 508 has it; None for what comes from elsewhere, or cannot be understood."""
    if isinstance(value, str):
        return _parsed(f"{name}{_specifier(value)}")
    if not isinstance(value, Mapping) or _ELSEWHERE & value.keys():
        return None
    extras = value.get("extras")
    inside = ",".join(map(str, extras)) if isinstance(extras, list) else ""
    markers = [str(value["markers"])] if isinstance(value.get("markers"), str) else []
    if isinstance(value.get("python"), str):
        markers.append(_python_marker(value["python"]))
    tail = " and ".join(f"({marker})" for marker in markers if marker)
    text = f"{name}{f'[{inside}]' if inside else ''}{_specifier(str(value.get('version', '*')))}"
    return _parsed(f"{text} ; {tail}" if tail else text)


def comes_from_elsewhere(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(_ELSEWHERE & value.keys())


def python_specifier(value: str) -> str:
    """`>=3.9,<4` for `^3.9`."""
    return _specifier(value)


def _specifier(version: str) -> str:
    if "||" in version or "|" in version:  # alternatives have no form there; the loosest reading accuses nobody
        return ""
    return ",".join(filter(None, (_one(part.strip()) for part in version.replace(" ,", ",").split(","))))


def _one(part: str) -> str:
    if part in {"", "*"}:
        return ""
    if caret := _CARET.match(part):
        return f">={caret[1]}{caret[2]},<{_next(caret[1], _caret_place(caret[1]))}"
    if tilde := _TILDE.match(part):
        return f">={tilde[1]}{tilde[2]},<{_next(tilde[1], 0 if '.' not in tilde[1] else 1)}"
    return f"=={part}" if _BARE.match(part) else part.replace(" ", ",") if re.search(r"\d\s+[<>=!~]", part) else part


def _caret_place(release: str) -> int:
    """The first number that is not zero may not grow."""
    numbers = [int(n) for n in release.split(".")]
    return next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)


def _next(release: str, place: int) -> str:
    numbers = [int(n) for n in release.split(".")][: place + 1]
    numbers[-1] += 1
    return ".".join(map(str, numbers))


def _python_marker(python: str) -> str:
    clauses = (re.match(r"(===|[<>=!~]=?)\s*([\w.*]+)$", part) for part in _specifier(python).split(",") if part)
    return " and ".join(f'python_version {c[1]} "{c[2]}"' for c in clauses if c)


def _parsed(text: str) -> str | None:
    try:
        return str(Requirement(text))
    except InvalidRequirement:
        return None
