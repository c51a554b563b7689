"""Which modules does the code of a tree import?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trueup.act.source_files import SourceFiles


def imported_modules(files: SourceFiles) -> frozenset[str]:
    """Top-level names, of every Python file that parses."""
    return frozenset(name.partition(".")[0] for path in files.ending(".py") for name in _modules(files, path))


def _modules(files: SourceFiles, path: str) -> Iterator[str]:
    tree = files.python(path)
    if not isinstance(tree, ast.Module):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
