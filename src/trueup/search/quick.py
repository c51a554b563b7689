"""How is a test called without all that pytest does around it? Only to sort out edits that repair nothing.

What pytest does for each test costs many times what most tests cost. A test that needs no fixture can be called as it
is. Whatever passes here meets the test once more, as pytest runs it.
"""

from __future__ import annotations

import copy
import inspect
import unittest
from collections.abc import Callable
from typing import Any

from .facing import line_of

_STEERED = frozenset({"xfail", "skip", "skipif", "usefixtures", "asyncio", "anyio", "trio"})
"""Marks with which a test is more than its function."""
_DIRECT = "get_direct_param_fixture_func"
"""How pytest 8 and later name what hands out a parameter; pytest 7 keeps parameters apart from fixtures."""
_PLAIN = (int, float, str, bytes, bool, complex, type(None))

Call = Callable[[], object]


def quick_call(item: Any) -> Call | None:
    """The test alone; None for one that needs more than its parameters."""
    if any(mark.name in _STEERED for mark in item.iter_markers()):
        return None
    names = set(getattr(item, "fixturenames", ("?",))) - {"request"}
    if isinstance(getattr(item, "cls", None), type) and issubclass(item.cls, unittest.TestCase):
        return _of_case(item) if all(one.startswith("_unittest_setUpClass") for one in names) else None
    given = _parameters(item)
    if names != given.keys():
        return None
    function = inspect.unwrap(getattr(item.obj, "__func__", item.obj))
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return None
    return _of_function(item, given)


def _parameters(item: Any) -> dict[str, Any]:
    """What `parametrize` gives it directly, without a fixture of that name."""
    spec, info = getattr(item, "callspec", None), getattr(item, "_fixtureinfo", None)
    if spec is None or info is None:
        return {}
    makers = {name: found[-1].func.__name__ for name, found in info.name2fixturedefs.items() if found}
    direct = {name: value for name, value in spec.params.items() if makers.get(name) == _DIRECT}
    return {**getattr(spec, "funcargs", {}), **direct}


def _of_function(item: Any, given: dict[str, Any]) -> Call:
    name = getattr(item, "originalname", None) or item.name
    plain = all(map(_is_plain, given.values()))

    def call() -> object:
        function = item.obj if item.cls is None else getattr(item.cls(), name)
        return function(**(given if plain else copy.deepcopy(given)))

    return call


def _is_plain(value: Any) -> bool:
    return type(value) in _PLAIN or (type(value) is tuple and all(map(_is_plain, value)))


class _Heard(unittest.TestResult):
    """Raises what a test case would note."""

    def addError(self, test: Any, err: Any) -> None:  # noqa: ARG002, N802 - unittest's names
        raise err[1]

    addFailure = addError  # noqa: N815 - as above

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: ARG002, N802 - as above
        if err is not None:
            raise err[1]


def _of_case(item: Any) -> Call | None:
    case: type[unittest.TestCase] = item.cls
    own = getattr(case.setUpClass, "__func__", None) is not unittest.TestCase.setUpClass.__func__  # type: ignore[attr-defined]  # a class method
    if own or hasattr(item.module, "setUpModule"):
        return None
    return lambda: case(item.name).run(_Heard())


def run_quickly(call: Call, file: str) -> tuple[bool, str, int]:
    """As `facing.run_item` tells it: whether it passes; if not, the kind of exception, and how far it came."""
    try:
        call()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a test may end with anything
        return False, type(error).__name__, line_of(error.__traceback__, file)
    return True, "", 0
