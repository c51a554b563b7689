"""How does an edit take effect in a process that has imported the module already?

An edit inside of functions is compiled with the statement around it, and the code of every function object that came
from there is exchanged. What else an edit changes needs an import of its own: see `overlay.py`.
"""

from __future__ import annotations
import __future__

import ast
import gc
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType

from .text import Edit, Source, apply

Path = tuple[int, ...]
Swaps = list[tuple[FunctionType, CodeType]]


@dataclass(frozen=True)
class Piece:
    """A statement at the top of a module, with the code of all functions in it."""

    first: int
    """Where it begins, its decorators included."""
    last: int
    lineno: int
    bodies: tuple[tuple[int, int], ...]
    """Where the outermost functions' bodies stand."""


def pieces(source: Source) -> list[Piece]:
    return [_piece(source, node) for node in source.tree.body if isinstance(node, _HOLDERS)]


_HOLDERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _piece(source: Source, node: ast.stmt) -> Piece:
    decorators = getattr(node, "decorator_list", [])
    lineno = min([node.lineno, *(one.lineno for one in decorators)])
    bodies = tuple(_body(source, one) for one in _outermost(node))
    return Piece(source.first_of_line(lineno), source.after_line(node.end_lineno or node.lineno), lineno, bodies)


def _body(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, int]:
    """Whole lines: statements are added before the first one and after the last one, too."""
    first = node.body[0]
    start = source.first_of_line(first.lineno)
    own = not source.data[start : source.start(first)].strip()
    return start if own else source.start(first), source.after_line(node.end_lineno or node.lineno)


def _outermost(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    if isinstance(node, _FUNCTIONS):
        yield node
    elif isinstance(node, ast.ClassDef):
        for one in node.body:
            yield from _outermost(one)


def piece_around(found: Iterable[Piece], edits: Iterable[Edit]) -> Piece | None:
    """The one whose function bodies hold all the edits; None when there is none."""
    wanted = list(edits)
    for piece in found:
        if all(piece.first <= edit.start and edit.end <= piece.last for edit in wanted):
            inside = all(any(a <= e.start and e.end <= b for a, b in piece.bodies) for e in wanted)
            return piece if inside else None
    return None


def compiled(source: Source, piece: Piece, edits: Iterable[Edit], file: str) -> CodeType | None:
    """The edited piece alone, at its old place; None when it is no valid Python."""
    moved = [Edit(e.start - piece.first, e.end - piece.first, e.new) for e in edits]
    text = apply(source.data[piece.first : piece.last], moved)
    if text is None:
        return None
    flags = __future__.annotations.compiler_flag if _postpones(source.tree) else 0
    try:
        code: CodeType = compile(b"\n" * (piece.lineno - 1) + text, file, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
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
    places = {(code.co_firstlineno, code.co_name): path for path, code in _tree(old)}
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


def _tree(code: CodeType, path: Path = ()) -> Iterator[tuple[Path, CodeType]]:
    yield path, code
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    for number, one in enumerate(inner):
        yield from _tree(one, (*path, number))


def code_files() -> set[str]:
    return {one.__code__.co_filename for one in gc.get_objects() if type(one) is FunctionType}
