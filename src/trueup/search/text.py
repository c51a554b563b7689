"""Where in a file does a piece of syntax stand, and what is the file's text after an edit?

Offsets are those of UTF-8 bytes, as the syntax tree counts them. What is not edited keeps every byte.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, order=True)
class Edit:
    """Replace the bytes from `start` to `end` in a file."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True)
class Source:
    """One module's text. Made by `read`, which says when a file is not for us."""

    path: str
    """Relative to the project."""
    data: bytes

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.data)

    @cached_property
    def offsets(self) -> list[int]:
        """Where each line begins; the last one is the end of the text."""
        found, place = [0], 0
        for line in self.data.split(b"\n"):
            place += len(line) + 1
            found.append(place)
        return found

    def start(self, node: ast.AST) -> int:
        """Of a node that has a place: expressions, statements, arguments, handlers."""
        return self.offsets[int(getattr(node, "lineno")) - 1] + int(getattr(node, "col_offset"))  # noqa: B009 - see above

    def end(self, node: ast.AST) -> int:
        return self.offsets[int(getattr(node, "end_lineno")) - 1] + int(getattr(node, "end_col_offset"))  # noqa: B009

    def segment(self, node: ast.AST) -> str:
        return self.data[self.start(node) : self.end(node)].decode()

    def between(self, left: ast.AST, right: ast.AST) -> str:
        return self.data[self.end(left) : self.start(right)].decode()

    def replace(self, node: ast.AST, text: str) -> Edit:
        return Edit(self.start(node), self.end(node), text.encode())

    def line_of(self, offset: int) -> int:
        return self.data.count(b"\n", 0, offset) + 1

    def first_of_line(self, lineno: int) -> int:
        return self.offsets[lineno - 1]

    def after_line(self, lineno: int) -> int:
        return min(self.offsets[lineno], len(self.data))

    def indent(self, node: ast.AST) -> str:
        """What stands before a statement on its line; only meaningful when that is white space."""
        return self.data[self.first_of_line(node.lineno) : self.start(node)].decode()  # type: ignore[attr-defined]  # as above


def read(path: str, data: bytes) -> Source | None:
    """None for a text that is no Python here, or whose bytes do not stand where the syntax tree says."""
    if data.startswith(b"\xef\xbb\xbf") or b"\r" in data.replace(b"\r\n", b"\n") or b"\f" in data:
        return None
    try:
        data.decode("utf-8")
        source = Source(path, data)
        source.tree  # noqa: B018 - is it valid?
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return source


def apply(data: bytes, edits: Iterable[Edit]) -> bytes | None:
    """The text after all edits; None when they get in each other's way."""
    pieces, place = [], 0
    for edit in sorted(edits):
        if edit.start < place:
            return None
        pieces += [data[place : edit.start], edit.new]
        place = edit.end
    return b"".join([*pieces, data[place:]])


def is_python(text: bytes) -> bool:
    try:
        compile(text, "edited", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True
