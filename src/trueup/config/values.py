"""Is this value allowed here? Each function returns it in its final form, or raises `ValueError(what is allowed)`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from trueup.config.durations import ALLOWED, parse_duration
from trueup.config.names import CHECK_NAME
from trueup.config.prices import Price
from trueup.decide.task import REPORT_KINDS, GoalKind

Convert = Callable[[Any], Any]

NO_LIMIT = "none"
LONGEST_LABEL = 50
GOALS = (GoalKind.GREEN.value, GoalKind.NO_NEW_FAILURES.value)
REPORT = f'{", ".join(REPORT_KINDS)}, a colon and files of the project, such as "junit:reports/*.xml"'
ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def expect(condition: bool, allowed: str) -> None:  # noqa: FBT001 - reads like assert
    if not condition:
        raise ValueError(allowed)


def boolean(value: Any) -> bool:
    expect(isinstance(value, bool), "true or false")
    return bool(value)


def count(value: Any) -> int:
    expect(isinstance(value, int) and not isinstance(value, bool) and value >= 1, "a whole number, 1 or more")
    return int(value)


def price(value: Any) -> float:
    """What an attempt costs; 0 is right for an agent that costs nothing."""
    expect(_is_amount(value) and value >= 0, "an amount in dollars, 0 or more")
    return float(value)


def amount(value: Any) -> float:
    expect(_is_amount(value) and value > 0, "an amount in dollars, more than 0")
    return float(value)


def cap(value: Any) -> float | None:
    if value == NO_LIMIT:
        return None
    expect(_is_amount(value) and value > 0, f'an amount in dollars, more than 0, or "{NO_LIMIT}"')
    return float(value)


def time_cap(value: Any) -> float | None:
    if value == NO_LIMIT:
        return None
    try:
        return parse_duration(value)
    except ValueError:
        raise ValueError(f'{ALLOWED}, or "{NO_LIMIT}"') from None


def one_of(kind: type[StrEnum]) -> Convert:
    words = [member.value for member in kind]

    def convert(value: Any) -> StrEnum:
        expect(isinstance(value, str) and value in words, _any_of(words))
        return kind(value)

    return convert


def command(value: Any) -> str | tuple[str, ...]:
    allowed = "a command line, or a list with a program and its arguments"
    if isinstance(value, list):
        expect(bool(value) and all(isinstance(v, str) and "\0" not in v for v in value) and bool(value[0]), allowed)
        return tuple(value)
    expect(isinstance(value, str) and bool(value.strip()) and "\0" not in value, allowed)
    return str(value)


def patterns(value: Any) -> tuple[str, ...]:
    return _texts(value, 'a list of patterns as in .gitignore, such as ["src/**"]', lambda v: "\n" not in v)


def paths(value: Any) -> tuple[str, ...]:
    return _texts(value, 'a list of absolute paths, such as ["~/.config/my-tool"]', lambda v: v.startswith(("/", "~/")))


def row_files(value: Any) -> tuple[str, ...]:
    """Only files of the project: they are read from the start, whatever an agent does to them."""
    allowed = 'a list of YAML files of the project, such as ["remedies.yaml"]'
    return _texts(value, allowed, _is_row_file)


def _is_row_file(path: str) -> bool:
    inside = all(part not in {"", ".", ".."} for part in path.split("/"))
    return inside and path.endswith((".yaml", ".yml")) and not {"\0", "\n", "\\", "~"} & set(path)


def report(value: Any) -> str:
    """Only files below the project: what lies elsewhere was not written for this check."""
    expect(isinstance(value, str), REPORT)
    kind, colon, pattern = value.partition(":")
    parts = pattern.split("/")
    inside = bool(pattern.strip()) and not pattern.startswith(("/", "~")) and not {"\0", "\\"} & set(pattern)
    whole = all(part not in {"", ".", ".."} and ("**" not in part or part == "**") for part in parts)
    expect(bool(colon) and kind in REPORT_KINDS and inside and whole, REPORT)
    return str(value)


def decision_file(value: Any) -> str:
    """One file below the project, plainly named: what git, trueup or a pattern has a say in cannot be it."""
    allowed = 'a file of the project, from its root, such as "build/decision.json"'
    expect(isinstance(value, str) and value == value.strip() and value.isprintable(), allowed)
    parts = value.split("/")
    plain = not set("\\*?[]") & set(value) and not value.startswith("~")
    expect(plain and all(part not in {"", ".", "..", ".git", ".trueup"} for part in parts), allowed)
    return str(value)


def env_names(value: Any) -> tuple[str, ...]:
    allowed = 'a list of names of environment variables, such as ["DATABASE_URL"]'
    return _texts(value, allowed, lambda v: bool(ENV_NAME.fullmatch(v)))


def check_names(value: Any) -> tuple[str, ...]:
    return _texts(value, 'a list of names of checks, such as ["types"]', lambda _: True)


def name(value: Any) -> str:
    expect(isinstance(value, str) and bool(CHECK_NAME.fullmatch(value)), "a name of letters, digits and . _ -")
    return str(value)


def agent(value: Any) -> str:
    """An agent's name, with its model if one is named: `claude:opus`."""
    plain, colon, model = value.partition(":") if isinstance(value, str) else ("", "", "")
    allowed = "a name of letters, digits and . _ -, with a model after a colon if one is meant"
    expect(bool(CHECK_NAME.fullmatch(plain)) and (not colon or bool(model.strip())) and "\0" not in model, allowed)
    return str(value)


def plain_text(value: Any) -> str:
    allowed = "a text on one line"
    expect(isinstance(value, str) and bool(value.strip()) and not {"\0", "\n"} & set(value), allowed)
    return str(value)


def label(value: Any) -> str:
    """Lists of labels are written with commas and quotes, which therefore cannot be part of one."""
    allowed = "a short text on one line, without commas and quotes"
    fits = isinstance(value, str) and value == value.strip() and 0 < len(value) <= LONGEST_LABEL and value.isprintable()
    expect(fits and not {",", '"'} & set(value) and not value.startswith("-"), allowed)
    return str(value)


def folder(value: Any) -> str:
    """Below the project, and not all of it."""
    allowed = 'a folder of the project, such as "issues"'
    expect(isinstance(value, str) and not {"\0", "\n", "\\"} & set(value), allowed)
    expect(all(part not in {"", ".", "..", ".git", ".trueup"} for part in value.split("/")), allowed)
    return str(value)


def arguments(value: Any) -> tuple[str, ...]:
    return _texts(value, 'a list of arguments, such as ["--verbose"]', lambda _: True)


def token_price(value: Any) -> Price:
    """Of a model's tokens."""
    allowed = "dollars for a million tokens, such as { input = 1.25, cached = 0.125, output = 10 }"
    expect(isinstance(value, dict) and {"input", "output"} <= value.keys() <= {"input", "cached", "output"}, allowed)
    expect(all(_is_amount(v) and v >= 0 for v in value.values()), allowed)
    amounts = {part: float(v) for part, v in value.items()}
    return Price(input=amounts["input"], output=amounts["output"], cached=amounts.get("cached"), own=True)


def goal(value: Any) -> str | tuple[str, ...]:
    allowed = f"{_any_of(GOALS)}, or a list of test ids"
    if isinstance(value, list | tuple):
        expect(bool(value), allowed)
        return _texts(list(value), allowed, lambda _: True)
    expect(isinstance(value, str) and value in GOALS, allowed)
    return str(value)


def _texts(value: Any, allowed: str, fits: Callable[[str], bool]) -> tuple[str, ...]:
    expect(isinstance(value, list), allowed)
    expect(all(isinstance(v, str) and v.strip() and "\0" not in v and fits(v) for v in value), allowed)
    return tuple(value)


def _is_amount(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) < 10**9


def _any_of(words: Iterable[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)
