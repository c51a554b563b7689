"""Which texts are the hardest for a reader? Those that its own patterns match, or nearly match."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import permutations
from types import ModuleType
from typing import Any

from trueup.evidence import parsers
from trueup.evidence.parsers import diagnostics
from trueup.evidence.parsers.found import Found, Lines
from trueup.evidence.patterns import Pattern

Read = Callable[[Lines], Iterable[Found]]

LONGEST_LINE = 1990
_ANYTHING = "xa1 -.:/(_#=\"'`@"


def readers() -> dict[str, tuple[Read, tuple[str, ...]]]:
    """Every parser of lines with the marks by which it is chosen."""
    table = {_name(p.read): (p.read, p.marks) for p in (*parsers._TESTS, *parsers._CRASHES)}  # noqa: SLF001 - the table
    return {**table, "diagnostics": (diagnostics.diagnostics, (".py:1: x", "::error file=a::x"))}


def _name(read: Read) -> str:
    named: Any = read
    return f"{named.__module__.rpartition('.')[2]}.{named.__name__}"


def hard_lines(read: Read, marks: Iterable[str]) -> list[str]:
    """Lines that one of the patterns in its file matches as shortly or as long as it can, or nearly matches."""
    module = sys.modules[read.__module__]
    lines = [mark.strip("\n") for mark in marks]
    for pattern in _patterns(module):
        lines += list(matches(pattern))
    return list(dict.fromkeys(line[:LONGEST_LINE] for line in lines if line and "\n" not in line))


def _patterns(module: ModuleType) -> list[re.Pattern[str] | Pattern]:
    found = [value for value in vars(module).values() if isinstance(value, (re.Pattern, Pattern))]
    return [pattern for pattern in found if isinstance(pattern.pattern, str)]


def matches(pattern: re.Pattern[str] | Pattern) -> Iterator[str]:
    for many in (0, 1, 40, 2000):
        text = _example(_parsed(pattern), many)
        yield text
        yield f"{text[:-1]}\t!"
        yield (text + " ") * (LONGEST_LINE // (len(text) + 1))


def _parsed(pattern: re.Pattern[str] | Pattern) -> Any:
    return import_module("re._parser").parse(pattern.pattern, pattern.flags & ~re.UNICODE)


def _example(tokens: Any, many: int) -> str:
    return "".join(_token(str(kind), value, many) for kind, value in tokens)


def _token(kind: str, value: Any, many: int) -> str:
    if kind == "LITERAL":
        return chr(value)
    if kind in {"ANY", "NOT_LITERAL"}:
        return "x"
    if kind == "IN":
        return _member(value)
    if kind in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        return _example(value[2], many) * max(int(value[0]), min(many, int(value[1]), 500))
    if kind == "BRANCH":
        return _example(value[1][many % len(value[1])], many)
    return _example(value[-1], many) if kind == "SUBPATTERN" else ""


def _member(options: Any) -> str:
    """A character of the class; of a negated one, a usual character that is not in it."""
    inside = re.compile(_as_class(options))
    return next((c for c in _ANYTHING if inside.match(c)), "") or _first(options)


def _first(options: Any) -> str:
    return next((chr(v if isinstance(v, int) else v[0]) for k, v in options if str(k) in {"LITERAL", "RANGE"}), "x")


def _as_class(options: Any) -> str:
    letters = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w", "NOT_SPACE": r"\S", "NOT_WORD": r"\W", "NOT_DIGIT": r"\D"}
    said = ""
    for kind, value in options:
        match str(kind):
            case "NEGATE":
                said += "^"
            case "LITERAL":
                said += re.escape(chr(value))
            case "RANGE":
                said += f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
            case _:
                said += letters[str(value).removeprefix("CATEGORY_")]
    return f"[{said}]"


def hard_texts(lines: list[str], size: int) -> Iterator[tuple[str, list[str]]]:
    """Each line again and again; each after each other; one line in front of a mass of another; nothing but ends."""
    for line in lines:
        yield f"{line[:60]!r} …", _filled([line], size)
    short = sorted(lines, key=len)[:12]
    for one, other in permutations(short, 2):
        yield f"{one!r} after {other!r}", _filled([one, other], size)
    yield "all of them", _filled(lines, size)
    yield "all of them, each indented", _filled([f"    {line}" for line in lines], size)
    yield "lines of one letter", ["x"] * (size // 2)
    yield "empty lines", [""] * size


def _filled(lines: list[str], size: int) -> list[str]:
    once = sum(len(line) + 1 for line in lines)
    return lines * max(1, size // once)
