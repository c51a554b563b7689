"""What of a record may be written down, shown and prompted? Everything but the secrets in its texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")

_NAMES_OF_TREES = frozenset({"tree", "raw", "candidate", "origin", "start"})
_NAMES_OF_TESTS = frozenset({"key", "check", "subject", "id", "inventory", "passed", "skipped"})
_NAMES_OF_TESTS |= {"fixed", "new", "remaining", "flaky", "failed_as_told", "survived", "not_possible"}
"""The gate has taken the secrets out of these, in a way that tells two of them apart."""
_KEPT = _NAMES_OF_TREES | _NAMES_OF_TESTS


def discreet(record: T, redact: Callable[[str], str]) -> T:
    """The record without secrets, wherever a performer put them: file names, last words, source lines."""
    together = "\n".join(_texts(record, _KEPT))
    return record if redact(together) == together else _without(record, redact, _KEPT)


def _texts(value: object, kept: frozenset[str]) -> Iterator[str]:
    if type(value) is str:
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _texts(part, kept)
    elif is_dataclass(value):
        for _, part, inside in _fields(value, kept):
            yield from _texts(part, inside)


def _without(value: Any, redact: Callable[[str], str], kept: frozenset[str]) -> Any:
    if type(value) is str:  # not the words of an enumeration, which are ours
        return redact(value)
    if isinstance(value, tuple):
        return tuple(_without(part, redact, kept) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{name: _without(part, redact, inside) for name, part, inside in _fields(value, kept)})
    return value


def _fields(value: Any, kept: frozenset[str]) -> Iterator[tuple[str, Any, frozenset[str]]]:
    """Those that are looked into, and what is kept there. The agent's own new tests need not be found again."""
    for field in fields(value):
        part = getattr(value, field.name)
        if field.name not in kept or not _is_text(part):
            yield field.name, part, _NAMES_OF_TREES if field.name == "extra" else kept


def _is_text(part: object) -> bool:
    return type(part) is str or (isinstance(part, tuple) and all(type(p) is str for p in part))
