"""How is an edit outside of functions tried without importing everything anew? By running the module once more aside.

What differs then (functions, defaults, values) is put into the objects that the program already uses, and taken back
afterwards. It is not quite an import: what passes is seen once more with one, and what fails may still be right.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

_PLAIN = (int, float, str, bytes, bool, complex, type(None), tuple, list, dict, set, frozenset, re.Pattern)
_PARTS = ("__code__", "__defaults__", "__kwdefaults__")
Undo = list[Callable[[], None]]


def modules_of(files: Mapping[str, str]) -> dict[str, ModuleType]:
    """The loaded modules by our names of their files. `files`: as the modules name them -> our names."""
    found: dict[str, ModuleType] = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and files.get(file):
            found[files[file]] = module
    return found


def put(module: ModuleType, code: CodeType) -> Undo:
    """Run the new code of a module aside, and take over what differs. Raises what the module raises."""
    aside = {name: value for name, value in vars(module).items() if name.startswith("__") and name != "__annotations__"}
    exec(code, aside)  # noqa: S102 - the project's own code
    undo: Undo = []
    for name, new in aside.items():
        if not name.startswith("__") and name in vars(module):
            undo += _taken_over(module, name, vars(module)[name], new)
    return undo


def _taken_over(module: ModuleType, name: str, old: Any, new: Any) -> Iterator[Callable[[], None]]:
    if isinstance(old, type) and isinstance(new, type):
        if old.__module__ == module.__name__:
            yield from _class(old, new)
    elif _is_plain(old) and _is_plain(new):
        if type(old) is not type(new) or old != new:
            for holder in [one for one in list(sys.modules.values()) if getattr(one, "__dict__", {}).get(name) is old]:
                setattr(holder, name, new)
                yield functools.partial(setattr, holder, name, old)
    else:
        yield from _function(_inner(old), _inner(new), module.__name__)


def _class(old: type, new: type) -> Iterator[Callable[[], None]]:
    for name, value in list(vars(new).items()):
        before = vars(old).get(name)
        if _is_plain(value) and _is_plain(before) and name in vars(old) and not name.startswith("__"):
            if type(value) is not type(before) or value != before:
                setattr(old, name, value)
                yield functools.partial(setattr, old, name, before)
        elif isinstance(value, property) and isinstance(before, property):
            for one, other in zip(
                (before.fget, before.fset, before.fdel), (value.fget, value.fset, value.fdel), strict=True
            ):
                yield from _function(one, other, old.__module__)
        elif isinstance(value, type) and isinstance(before, type) and before.__module__ == old.__module__:
            yield from _class(before, value)
        elif _asks_above(before, value):
            setattr(old, name, _bound(before, value, old))
            yield functools.partial(setattr, old, name, before)
        else:
            yield from _function(_inner(before), _inner(value), old.__module__)


def _asks_above(old: Any, new: Any) -> bool:
    """A method that says `super()` now, and did not before."""
    both = isinstance(old, FunctionType) and isinstance(new, FunctionType)
    return both and not old.__code__.co_freevars and new.__code__.co_freevars == ("__class__",)


def _bound(old: Any, new: Any, owner: type) -> FunctionType:
    made = FunctionType(new.__code__, old.__globals__, old.__name__, new.__defaults__, (CellType(owner),))
    made.__kwdefaults__, made.__qualname__ = new.__kwdefaults__, old.__qualname__
    return made


def _inner(value: Any) -> Any:
    """The function inside of a class method or a wrapper."""
    for name in ("__func__", "__wrapped__"):
        inner = getattr(value, name, None)
        value = inner if isinstance(inner, FunctionType) else value
    return value


def _function(old: Any, new: Any, module: str) -> Iterator[Callable[[], None]]:
    if not isinstance(old, FunctionType) or not isinstance(new, FunctionType) or old.__module__ != module:
        return
    if len(old.__code__.co_freevars) != len(new.__code__.co_freevars):
        return
    for part in _PARTS:
        before, value = getattr(old, part), getattr(new, part)
        if part != "__code__" or before != value:
            setattr(old, part, value)
            yield functools.partial(setattr, old, part, before)


def _is_plain(value: Any) -> bool:
    return isinstance(value, _PLAIN) and not isinstance(value, type)
