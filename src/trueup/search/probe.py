"""How does a patched function behave on inputs that no test has, but that are near to those of the tests?

Patches that behave alike are one guess, however they are written; a patch that special-cases an input is alone.
"""

from __future__ import annotations

import copy
import hashlib
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self  # from Python 3.11 on

_MOST_CALLS = 12
_MOST_INPUTS = 120
_MOST_ITEMS = 50
_MOST_FIELDS = 5
_LONGEST = 1000
_DEEPEST = 4
_LONGEST_CALL = 0.1
"""Seconds of processor time."""
_VARIADIC = 0x04 | 0x08
_LATER = 0x80 | 0x200
"""Flags of coroutines and asynchronous generators: these are not called here."""
_ADDRESS = re.compile(r"0x[0-9a-f]+")


class TooLongError(BaseException):
    """A call takes too much processor time."""


Input = list[Any]
BORDER = "|"
"""Between what comes of inputs near to those of passing tests, and of inputs near to those of failing ones."""


def can_be_called(code: CodeType) -> bool:
    return code.co_argcount > 0 and not code.co_kwonlyargcount and not code.co_flags & (_VARIADIC | _LATER)


class Listener:
    """Notes with what functions are called, while it is active. `known`: only calls from files that it is false for."""

    def __init__(self, *codes: CodeType, known: Callable[[str], object] | None = None) -> None:
        self._codes = set(codes)
        self._known = known
        self.heard: dict[CodeType, list[Input]] = {}

    @property
    def inputs(self) -> list[Input]:
        return [one for found in self.heard.values() for one in found]

    def __enter__(self) -> Self:
        sys.setprofile(self._on_event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _on_event(self, frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event != "call" or code not in self._codes or len(self.heard.get(code, ())) >= _MOST_CALLS:
            return
        caller = frame.f_back
        if self._known is not None and (caller is None or self._known(caller.f_code.co_filename)):
            return
        names = code.co_varnames[: code.co_argcount]
        try:
            given = copy.deepcopy([frame.f_locals[name] for name in names])
            self.heard.setdefault(code, []).append(given)
        except Exception:  # noqa: BLE001 - the project's objects, which may not want to be copied
            return


def nearby(inputs: Sequence[Input]) -> list[Input]:
    """The inputs of the tests, and such that differ from one of them in one argument."""
    found: dict[str, Input] = {}
    for one in inputs:
        found.setdefault(described(one), one)
    for changed in chain.from_iterable(zip_longest(*map(_changed, inputs))):  # each of them in turn
        if changed is not None:
            found.setdefault(described(changed), changed)
            if len(found) >= _MOST_INPUTS:
                break
    return list(found.values())[:_MOST_INPUTS]


def _changed(given: Input) -> Iterator[Input]:
    found = (_with_another(given, place) for place in range(len(given)))
    return (one for one in chain.from_iterable(zip_longest(*found)) if one is not None)


def _with_another(given: Input, place: int) -> Iterator[Input]:
    return ([*given[:place], other, *given[place + 1 :]] for other in variants(given[place]))


def variants(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, value * 2, 0, value + 100, -value, value * 10 + 1)
    elif isinstance(value, str):
        yield from (value[1:], value[:-1], value + value[-1:], value[::-1], value.swapcase(), f" {value}", "")
        yield value + value
    elif type(value) in {list, tuple}:
        yield from _sequences(value)
    elif type(value) is dict:
        yield from _mappings(value)
    elif type(value) in {set, frozenset}:
        yield from (type(value)(), type(value)(sorted(value, key=repr)[1:]))
    elif isinstance(getattr(value, "__dict__", None), dict) and not isinstance(value, type) and not callable(value):
        yield from _objects(value)


def _objects(value: Any) -> Iterator[Any]:
    """The same object with another value in one of its fields."""
    for name, one in list(vars(value).items())[:_MOST_FIELDS]:
        for other in islice(variants(one), 2):
            changed = copy.copy(value)
            vars(changed)[name] = other
            yield changed


def _sequences(value: Any) -> Iterator[Any]:
    yield from (value[1:], value[:-1], value + value[-1:], value[::-1], value + value[:2], value[:0])
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
    signal.setitimer(signal.ITIMER_PROF, _LONGEST_CALL)
    try:
        arguments = copy.deepcopy(given)
        result = function(*arguments)
        if hasattr(result, "__next__"):
            result = list(islice(result, _MOST_ITEMS))
        told = f"{described(result)} {described(arguments)}"
    except (Exception, TooLongError) as error:  # noqa: BLE001 - any exception of the project is an outcome
        return f"!{type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return hashlib.sha256(told.encode(errors="replace")).hexdigest()[:12]


def described(value: Any) -> str:
    """As text, without addresses; objects that say nothing of themselves by what they hold."""
    return _ADDRESS.sub("0x", _described(value, _DEEPEST))[:_LONGEST]


def _described(value: Any, depth: int) -> str:
    try:
        text = repr(value)
        if " object at 0x" not in text or not depth:
            return text
        if isinstance(value, list | tuple | set | frozenset):
            return f"{type(value).__name__} {[_described(one, depth - 1) for one in value]}"
        if isinstance(value, dict):
            return f"{ {repr(key): _described(one, depth - 1) for key, one in value.items()} }"
        if isinstance(getattr(value, "__dict__", None), dict):
            return f"{type(value).__name__} {_described(vars(value), depth - 1)}"
    except Exception as error:  # noqa: BLE001 - as above
        text = f"!{type(error).__name__}"
    return text
