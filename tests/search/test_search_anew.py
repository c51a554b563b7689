"""An edit outside of functions takes effect in the objects that a program already uses, and can be taken back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from trueup.search.anew import modules_of, put

TEXT = """
LIMIT = 3
WORDS = {"a": 1}


def plain(given, more=1):
    return min(given + more, LIMIT)


class Box:
    size = 2

    def __init__(self, factor=1):
        self.factor = factor

    @property
    def area(self):
        return self.size * self.factor

    @staticmethod
    def name(text="box"):
        return text
"""


@pytest.fixture
def module() -> Iterator[ModuleType]:
    module = ModuleType("anew_example")
    module.__file__ = "/somewhere/anew_example.py"
    exec(compile(TEXT, module.__file__, "exec"), vars(module))
    sys.modules["anew_example"] = module
    yield module
    del sys.modules["anew_example"]


def _changed(module: ModuleType, old: str, new: str) -> None:
    assert old in TEXT
    undo = put(module, compile(TEXT.replace(old, new), "anew_example.py", "exec"))
    module.__dict__["undo"] = undo


def _undone(module: ModuleType) -> None:
    for step in reversed(module.undo):
        step()


def test_a_constant_changes_and_comes_back(module: ModuleType) -> None:
    _changed(module, "LIMIT = 3", "LIMIT = 9")
    assert module.plain(7) == 8
    _undone(module)
    assert module.plain(7) == 3


def test_another_module_that_took_the_constant_sees_the_new_one(module: ModuleType) -> None:
    other = ModuleType("anew_other")
    other.__dict__["WORDS"] = module.WORDS
    sys.modules["anew_other"] = other
    try:
        _changed(module, '{"a": 1}', '{"a": 2}')
        assert other.WORDS == {"a": 2}
        _undone(module)
        assert other.WORDS is module.WORDS
        assert other.WORDS == {"a": 1}
    finally:
        del sys.modules["anew_other"]


def test_a_default_changes_in_the_function_that_is_already_known(module: ModuleType) -> None:
    known = module.plain
    _changed(module, "more=1", "more=2")
    assert known(0) == 2
    _undone(module)
    assert known(0) == 1


def test_classes_keep_their_objects(module: ModuleType) -> None:
    box = module.Box()
    _changed(module, "size = 2", "size = 5")
    assert box.area == 5
    _undone(module)
    assert box.area == 2
    _changed(module, "self.size * self.factor", "self.size + 40")
    assert box.area == 42
    _undone(module)
    _changed(module, 'text="box"', 'text="case"')
    assert box.name() == "case"
    _undone(module)
    assert box.name() == "box"


def test_what_the_module_raises_is_raised(module: ModuleType) -> None:
    with pytest.raises(ZeroDivisionError):
        put(module, compile("LIMIT = 1 / 0", "anew_example.py", "exec"))
    assert module.LIMIT == 3


def test_modules_are_found_by_their_files(module: ModuleType) -> None:
    assert modules_of({"/somewhere/anew_example.py": "anew_example.py"}) == {"anew_example.py": module}


def test_a_method_that_begins_to_ask_the_class_above_does_so(module: ModuleType) -> None:
    box = module.Box()
    _changed(module, "self.factor = factor", "super().__init__()\n        self.factor = 7")
    assert module.Box().area == 14
    assert isinstance(module.Box(), type(box))
    _undone(module)
    assert module.Box().area == 2
