"""How does a name of a module get its new place in a Python file, wherever the file uses it?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Span = tuple[int, int, bytes]
"""From, to (in bytes), and what is written there instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Names of a module that are elsewhere now."""

    module: str
    names: Mapping[str, str]
    """Old name -> new name."""
    to: str
    """The module that has them; "" when the new name is a built-in."""


def moved(content: bytes, tree: ast.Module, move: Move) -> bytes | None:
    """The file with all uses of the names in their new place; None when it uses none of them."""
    if content.startswith(b"\xef\xbb\xbf"):
        return None
    lines = content.splitlines(keepends=True)
    guarded = set(_guarded(tree))
    spans = [*_imports(tree, move, lines, guarded), *_attributes(tree, move, lines)]
    if not spans:
        return None
    new = content
    for start, end, instead in sorted(spans, reverse=True):
        new = new[:start] + instead + new[end:]
    return new if _parses(new) else None


def _parses(content: bytes) -> bool:
    try:
        ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _guarded(tree: ast.Module) -> Iterator[ast.AST]:
    """Imports that already have another way when they fail."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers:
            yield from (inner for statement in node.body for inner in ast.walk(statement))
            yield from (inner for handler in node.handlers for inner in ast.walk(handler))


# --- from module import name ------------------------------------------------------------------------------------


def _imports(tree: ast.Module, move: Move, lines: list[bytes], guarded: set[ast.AST]) -> Iterator[Span]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.level or node.module != move.module or node in guarded:
            continue
        if any(alias.name in move.names for alias in node.names):
            yield (*_place(node, lines), _split(node, move, lines))


def _split(node: ast.ImportFrom, move: Move, lines: list[bytes]) -> bytes:
    stay = [alias for alias in node.names if alias.name not in move.names]
    go = [alias for alias in node.names if alias.name in move.names]
    statements = [_statement(move.module, [(a.name, a.asname) for a in stay])] if stay else []
    renamed = [(move.names[a.name], a.asname or (a.name if move.names[a.name] != a.name else None)) for a in go]
    if move.to:
        statements.append(_statement(move.to, renamed))
    else:
        statements += [f"{alias} = {name}" for name, alias in renamed if alias and alias != name]
    first = lines[node.lineno - 1]
    eol = b"\r\n" if first.endswith(b"\r\n") else b"\n"
    return (eol + b" " * node.col_offset).join(one.encode() for one in statements) or b"pass"


def _statement(module: str, names: list[tuple[str, str | None]]) -> str:
    """A module that is no package of names, such as joblib, is imported as a whole."""
    return f"from {module} import " + ", ".join(f"{name} as {alias}" if alias else name for name, alias in names)


# --- module.name ------------------------------------------------------------------------------------------------


def _attributes(tree: ast.Module, move: Move, lines: list[bytes]) -> Iterator[Span]:
    aliases = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == move.module and (alias.asname or "." not in alias.name)
    }
    uses = [node for node in ast.walk(tree) if _is_use(node, aliases, move)]
    for node in uses:
        start, end = _place(node, lines)
        yield start, end, _instead(node, move).encode()
    if uses and move.to and move.to != move.module:
        yield _added_import(tree, move, lines)


def _is_use(node: ast.AST, aliases: set[str], move: Move) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in aliases
        and node.attr in move.names
    )


def _instead(node: ast.AST, move: Move) -> str:
    assert isinstance(node, ast.Attribute)
    assert isinstance(node.value, ast.Name)
    if move.to == move.module:
        return f"{node.value.id}.{move.names[node.attr]}"
    return f"{move.to}.{move.names[node.attr]}" if move.to else move.names[node.attr]


def _added_import(tree: ast.Module, move: Move, lines: list[bytes]) -> Span:
    """Beside the import of the old place."""
    node = next(
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Import) and any(alias.name == move.module for alias in one.names)
    )
    start, _ = _place(node, lines)
    eol = b"\r\n" if lines[node.lineno - 1].endswith(b"\r\n") else b"\n"
    return start, start, f"import {move.to}".encode() + eol + b" " * node.col_offset


def _place(node: ast.stmt | ast.AST, lines: list[bytes]) -> tuple[int, int]:
    assert isinstance(node, ast.stmt | ast.expr)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end_column
