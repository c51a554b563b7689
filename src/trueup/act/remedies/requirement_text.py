"""How does a requirement get another name or version while everything else about it stays as it is written?"""

from __future__ import annotations

import re
from collections.abc import Callable

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from trueup.act.requirement_lines import canonical

Change = Callable[[str], str | None]
"""A requirement as it is to be: the same text, another one, or None when it goes."""

_SHAPE = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?P<extras>\s*\[[^\]]*\])?"
    r"(?P<version>\s*\(?\s*(?:[<>=!~]=?=?\s*[^\s,;#()]+\s*,?\s*)*\)?|\s*@\s*[^;#]*?)(?P<rest>\s*(?:;.*)?)$",
    re.DOTALL,
)
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def is_name(text: str) -> bool:
    """As PEP 508 has names of distributions."""
    return bool(_NAME.fullmatch(text)) and len(text) <= 100  # noqa: PLR2004 - longer ones are not names


def is_requirement(text: str) -> bool:
    """By name and version only: never from a URL or a path."""
    try:
        return Requirement(text).url is None
    except InvalidRequirement:
        return False


def name_of(text: str) -> str:
    """Canonical; "" for what is no requirement by name."""
    shape = _SHAPE.match(text.strip())
    return canonical(shape["name"]) if shape else ""


def version_of(text: str) -> str:
    """Its specifier, `>=1,<2`; "" without one."""
    shape = _SHAPE.match(text.strip())
    return re.sub(r"[\s()]", "", shape["version"]) if shape and "@" not in shape["version"] else ""


def renamed(text: str, name: str) -> str:
    shape = _SHAPE.match(text)
    return text if shape is None else name + text[shape.end("name") :]


def respecified(text: str, specifier: str) -> str:
    """With this specifier in the place of its own, or of its URL."""
    shape = _SHAPE.match(text)
    if shape is None:
        return text
    space = shape["version"][len(shape["version"].rstrip()) :] if shape["rest"] else ""
    return f"{shape['name']}{shape['extras'] or ''}{specifier}{space}{shape['rest']}"


def narrowed(text: str, specifier: str) -> str:
    """With this bound as well; a pin that it contradicts gives way to it."""
    mine = version_of(text)
    if not mine:
        return respecified(text, specifier)
    together = f"{mine},{specifier}"
    return respecified(text, specifier if _is_pin(mine) or not _can_hold(mine, specifier) else together)


def with_extra(text: str, extra: str) -> str:
    shape = _SHAPE.match(text)
    if shape is None:
        return text
    known = [one.strip() for one in (shape["extras"] or "").strip(" []").split(",") if one.strip()]
    if canonical(extra) in map(canonical, known):
        return text
    return f"{shape['name']}[{','.join([*known, extra])}]{shape['version']}{shape['rest']}"


def _is_pin(specifier: str) -> bool:
    return any(part.startswith("==") and not part.endswith("*") for part in specifier.split(","))


def _can_hold(mine: str, other: str) -> bool:
    """Whether any version named in either is in both; a lower bound above the new upper one is the usual clash."""
    try:
        both = SpecifierSet(f"{mine},{other}")
        named = [re.sub(r"^[<>=!~]+|\.\*$", "", part) for part in f"{mine},{other}".split(",")]
        lowest = [part for part in mine.split(",") if part.startswith((">", "~", "=="))]
        return not lowest or any(both.contains(one, prereleases=True) for one in named)
    except InvalidSpecifier:
        return False
