"""Edits stand where the syntax tree says, in bytes."""

from __future__ import annotations

import ast

from trueup.search.text import Edit, apply, read


def test_an_edit_keeps_every_other_byte() -> None:
    data = "é = 'ü'  # ñ\nx = 1\n".encode()
    source = read("m.py", data)
    assert source is not None
    value = source.tree.body[1]
    assert isinstance(value, ast.Assign)
    assert apply(data, [source.replace(value.value, "2")]) == "é = 'ü'  # ñ\nx = 2\n".encode()


def test_edits_that_overlap_are_refused() -> None:
    assert apply(b"abcdef", [Edit(0, 3, b"x"), Edit(2, 4, b"y")]) is None


def test_line_ends_of_windows_stay() -> None:
    data = b"x = 1\r\ny = 2\r\n"
    source = read("m.py", data)
    assert source is not None
    value = source.tree.body[1]
    assert isinstance(value, ast.Assign)
    assert apply(data, [source.replace(value.value, "3")]) == b"x = 1\r\ny = 3\r\n"


def test_a_text_that_cannot_be_placed_is_left_alone() -> None:
    assert read("m.py", b"\xef\xbb\xbfx = 1\n") is None
    assert read("m.py", b"x = (\n") is None
    assert read("m.py", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n") is None
    assert read("m.py", b"x = 1\ry = 2\n") is None
