"""How does a patched function behave on inputs that no test has, but that are near to those of the tests?

Patches that behave alike are one guess, however they are written; a patch that special-cases an input is alone.
"""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self  # from Python 3.11 on

_MOST_CALLS = 12
_MOST_INPUTS = 80
_MOST_ITEMS = 50
_LONGEST = 400
_VARIADIC = 0x04 | 0x08
_LATER = 0x80 | 0x200
"""Flags of coroutines and asynchronous generators: these are not called here."""
_ADDRESS = re.compile(r"0x[0-9a-f]+")

Input = list[Any]
BORDER = "|"
"""Between what comes of inputs near to those of passing tests, and of inputs near to those of failing ones."""


def can_be_called(code: CodeType) -> bool:
    return code.co_argcount > 0 and not code.co_kwonlyargcount and not code.co_flags & (_VARIADIC | _LATER)


class Listener:
    """Notes with what a function is called, while it is active."""

    def __init__(self, code: CodeType) -> None:
        self._code = code
        self.inputs: list[Input] = []

    def __enter__(self) -> Self:
        sys.setprofile(self._on_event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _on_event(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or frame.f_code is not self._code or len(self.inputs) >= _MOST_CALLS:
            return
        names = self._code.co_varnames[: self._code.co_argcount]
        try:
            self.inputs.append(copy.deepcopy([frame.f_locals[name] for name in names]))
        except Exception:  # noqa: BLE001 - the project's objects, which may not want to be copied
            return


def nearby(inputs: Sequence[Input]) -> list[Input]:
    """The inputs of the tests, and such that differ from one of them in one argument."""
    found: dict[str, Input] = {}
    for one in inputs:
        found.setdefault(described(one), one)
    for one in inputs:
        for place, value in enumerate(one):
            for other in variants(value):
                changed = [*one[:place], other, *one[place + 1 :]]
                found.setdefault(described(changed), changed)
    return list(found.values())[:_MOST_INPUTS]


def variants(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, 0, -value, value * 2)
    elif isinstance(value, str):
        yield from ("", value[1:], value[:-1], value + value[-1:], value[::-1], value.swapcase(), f" {value}")
    elif type(value) in {list, tuple}:
        yield from _sequences(value)
    elif type(value) is dict:
        yield from _mappings(value)


def _sequences(value: Any) -> Iterator[Any]:
    yield from (value[:0], value[1:], value[:-1], value + value[-1:], value[::-1])
    for place, one in enumerate(value[:3]):
        for other in islice(variants(one), 3):
            yield type(value)([*value[:place], other, *value[place + 1 :]])


def _mappings(value: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    yield {}
    yield dict(list(value.items())[1:])
    for key, one in list(value.items())[:2]:
        for other in islice(variants(one), 2):
            yield {**value, key: other}


def behaviour(function: Callable[..., Any], inputs: Sequence[Input]) -> list[str]:
    """One word for each input: what came of the call."""
    return [_outcome(function, one) for one in inputs]


def _outcome(function: Callable[..., Any], given: Input) -> str:
    try:
        arguments = copy.deepcopy(given)
        result = function(*arguments)
        if hasattr(result, "__next__"):
            result = list(islice(result, _MOST_ITEMS))
        told = f"{described(result)} {described(arguments)}"
    except Exception as error:  # noqa: BLE001 - any exception of the project is an outcome
        return f"!{type(error).__name__}"
    return hashlib.sha256(told.encode(errors="replace")).hexdigest()[:12]


def described(value: Any) -> str:
    """As text, without addresses; objects that say nothing of themselves by what they hold."""
    try:
        text = repr(value)
        if " object at 0x" in text and hasattr(value, "__dict__"):
            text = f"{type(value).__name__} {vars(value)!r}"
    except Exception as error:  # noqa: BLE001 - as above
        text = f"!{type(error).__name__}"
    return _ADDRESS.sub("0x", text)[:_LONGEST]
