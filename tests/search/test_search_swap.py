"""An edit takes effect in functions that exist already, and only where that is the whole of it."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from trueup.search.swap import by_piece, compiled, pieces, swaps
from trueup.search.text import Edit, Source, read

TEXT = b"""\
LIMIT = 1

def plain(a, b=2):
    inner = lambda c: c + b
    return inner(a)

class Box:
    size = 3
    @property
    def double(self):
        return self.size * 2
"""


def _world(text: bytes = TEXT) -> tuple[Source, dict[str, Any]]:
    source = read("m.py", text)
    assert source is not None
    names: dict[str, Any] = {"__name__": "m"}
    exec(compile(text, "m.py", "exec"), names)
    return source, names


def _swap(source: Source, old: bytes, new: bytes, functions: list[FunctionType]) -> bool:
    start = source.data.index(old)
    edits = (Edit(start, start + len(old), new),)
    parts = by_piece(pieces(source), edits)
    if parts is None:
        return False
    (piece,) = parts
    before, after = compiled(source, piece, (), "m.py"), compiled(source, piece, edits, "m.py")
    assert before is not None
    if after is None:
        return False
    found = swaps(functions, before, after)
    for function, code in found or ():
        function.__code__ = code
    return bool(found)


def test_a_function_and_what_is_inside_of_it_change() -> None:
    source, names = _world()
    assert _swap(source, b"c + b", b"c * b", [names["plain"]])
    assert names["plain"](5) == 10


def test_a_method_behind_a_decorator_changes() -> None:
    source, names = _world()
    assert _swap(source, b"* 2", b"* 4", [names["Box"].double.fget])
    assert names["Box"]().double == 12


def test_defaults_constants_and_class_bodies_need_an_import() -> None:
    source, names = _world()
    for old, new in ((b"b=2", b"b=3"), (b"LIMIT = 1", b"LIMIT = 2"), (b"size = 3", b"size = 4")):
        assert not _swap(source, old, new, [names["plain"]])


def test_what_is_no_python_is_left_out() -> None:
    source, names = _world()
    assert not _swap(source, b"inner(a)", b"inner(a", [names["plain"]])
    assert names["plain"](5) == 7


def test_a_line_before_the_first_statement_belongs_to_the_function() -> None:
    source, names = _world()
    assert _swap(source, b"    inner = lambda", b"    a += 1\n    inner = lambda", [names["plain"]])
    assert names["plain"](5) == 8


def test_edits_in_two_methods_of_a_class_are_compiled_apart() -> None:
    text = b"class Box:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n"
    source, _ = _world(text)
    edits = [Edit(text.index(digit), text.index(digit) + 1, b"5") for digit in (b"1", b"2")]
    parts = by_piece(pieces(source), edits)
    assert parts is not None
    assert [piece.lineno for piece in parts] == [2, 5]
    assert list(parts.values()) == [edits[:1], edits[1:]]
