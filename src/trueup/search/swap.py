"""How does an edit take effect in a process that has imported the module already?

An edit inside of functions is compiled with the function around it, and the code of every function object that came
from there is exchanged. What else an edit changes needs an import of its own: see `overlay.py`.
"""

from __future__ import annotations
import __future__

import ast
import functools
import gc
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType

from .text import Edit, Source, apply

Path = tuple[int, ...]
Swaps = list[tuple[FunctionType, CodeType]]


@dataclass(frozen=True)
class Piece:
    """A function at the top of a module, or a method of a class there, with the functions inside of it."""

    first: int
    """Where it begins, its decorators included."""
    last: int
    lineno: int
    body: tuple[int, int]
    """Where its body stands."""
    head: bytes = b""
    """The line of the class around it."""

    def holds(self, edit: Edit) -> bool:
        return self.body[0] <= edit.start and edit.end <= self.body[1]


def pieces(source: Source) -> list[Piece]:
    found: list[Piece] = []
    for node in source.tree.body:
        if isinstance(node, _FUNCTIONS):
            found.append(_piece(source, node))
        elif isinstance(node, ast.ClassDef):
            head = f"class {node.name}:\n".encode()
            found += [_piece(source, one, head) for one in node.body if isinstance(one, _FUNCTIONS)]
    return found


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _piece(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef, head: bytes = b"") -> Piece:
    lineno = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    end = source.after_line(node.end_lineno or node.lineno)
    return Piece(source.first_of_line(lineno), end, lineno, _body(source, node), head)


def _body(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, int]:
    """Whole lines: statements are added before the first one and after the last one, too."""
    first = node.body[0]
    start = source.first_of_line(first.lineno)
    own = not source.data[start : source.start(first)].strip()
    return start if own else source.start(first), source.after_line(node.end_lineno or node.lineno)


def by_piece(found: Iterable[Piece], edits: Iterable[Edit]) -> dict[Piece, list[Edit]] | None:
    """The edits by the function whose body holds them; None when one is in none."""
    known = list(found)
    parts: dict[Piece, list[Edit]] = {}
    for edit in edits:
        piece = next((one for one in known if one.holds(edit)), None)
        if piece is None:
            return None
        parts.setdefault(piece, []).append(edit)
    return parts


def compiled(source: Source, piece: Piece, edits: Iterable[Edit], file: str) -> CodeType | None:
    """The edited piece alone, at its old place; None when it is no valid Python."""
    moved = [Edit(e.start - piece.first, e.end - piece.first, e.new) for e in edits]
    text = apply(source.data[piece.first : piece.last], moved)
    if text is None:
        return None
    flags = __future__.annotations.compiler_flag if _postpones(source.tree) else 0
    try:
        whole = b"\n" * (piece.lineno - 1 - bool(piece.head)) + piece.head + text
        code: CodeType = compile(whole, file, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return code


def whole(text: bytes, file: str) -> CodeType:
    """A whole module, which is known to be valid."""
    code: CodeType = compile(text, file, "exec", dont_inherit=True)
    return code


def _postpones(tree: ast.Module) -> bool:
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    return any(name.name == "annotations" for node in imports for name in node.names)


def functions_of(files: Mapping[str, str]) -> dict[str, list[FunctionType]]:
    """Every function object by the project's file that it came from. `files`: as the code names them -> our names."""
    found: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename in files:
            found.setdefault(files[one.__code__.co_filename], []).append(one)
    return found


def swaps(functions: Iterable[FunctionType], old: CodeType, new: CodeType) -> Swaps | None:
    """What has to be exchanged; None when the new code does not fit into the old functions."""
    places = _places(old)
    codes = dict(_tree(new))
    found: Swaps = []
    for function in functions:
        mine = function.__code__
        path = places.get((mine.co_firstlineno, mine.co_name))
        code = codes.get(path) if path is not None else None
        if code is None or code == mine:
            continue
        if code.co_name != mine.co_name or len(code.co_freevars) != len(mine.co_freevars):
            return None
        found.append((function, code))
    return found


@functools.lru_cache(maxsize=2_000)
def _places(code: CodeType) -> dict[tuple[int, str], Path]:
    return {(one.co_firstlineno, one.co_name): path for path, one in _tree(code)}


def _tree(code: CodeType, path: Path = ()) -> Iterator[tuple[Path, CodeType]]:
    yield path, code
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    for number, one in enumerate(inner):
        yield from _tree(one, (*path, number))


def code_files() -> set[str]:
    return {one.__code__.co_filename for one in gc.get_objects() if type(one) is FunctionType}
