"""Does a patch write down what a failing test expects, instead of computing it?"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .text import Source
from .trial import Trial

_USUAL = frozenset({"0", "1", "2", "-1", "''", "' '", "True", "False", "None", "10", "100"})
"""Values that programs are full of."""


def answers(trials: Iterable[Trial], sources: Mapping[str, Source], items: Iterable[Any]) -> set[int]:
    """The numbers of the trials that write such a value."""
    expected = {one for item in items for one in _expected(item)} - _USUAL
    known = {path: set(_constants(source.tree)) for path, source in sources.items()}
    return {
        number
        for number, trial in enumerate(trials)
        if any(_written(trial, path) & expected - known[path] for path in trial.edits)
    }


def _written(trial: Trial, path: str) -> set[str]:
    found: set[str] = set()
    for edit in trial.edits[path]:
        text = edit.new.decode(errors="replace").strip()
        for whole in (text, f"({text})", f"{text}\n pass"):
            try:
                found |= set(_constants(ast.parse(whole)))
                break
            except (SyntaxError, ValueError):
                continue
    return found


def _constants(tree: ast.AST) -> Iterator[str]:
    return (repr(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant))


def _expected(item: Any) -> Iterator[str]:
    """All values in the test itself, and in its parameters."""
    try:
        tree = ast.parse(item.path.read_bytes())
    except (OSError, SyntaxError, ValueError, AttributeError):
        return
    name = getattr(item, "originalname", None) or item.name
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            yield from (value for one in node.body for value in _constants(one))
    yield from _parts(getattr(getattr(item, "callspec", None), "params", {}))


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from (*_parts(key), *_parts(one))
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _parts(one)
    elif isinstance(value, str | int | float):
        yield repr(value)
