"""What do all suspicious modules of a project know together?"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .spectrum import Line
from .text import Source


@dataclass
class Project:
    """What all suspicious modules together know."""

    sources: Mapping[str, Source]
    suspicion: Mapping[Line, float]

    @cached_property
    def uses(self) -> dict[str, float]:
        """Names, and how suspicious the worst line is that reads them."""
        found: dict[str, float] = {}
        for path, source in self.sources.items():
            for node in ast.walk(source.tree):
                name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
                if name and hasattr(node, "lineno"):
                    score = self.suspicion.get((path, node.lineno), 0.0)
                    found[name] = max(found.get(name, 0.0), score)
        return found

    @cached_property
    def exceptions(self) -> list[str]:
        """Exception classes that the project's own code names."""
        found: dict[str, None] = {}
        for source in self.sources.values():
            for node in ast.walk(source.tree):
                kinds: list[ast.expr | None] = []
                if isinstance(node, ast.Raise):
                    kinds = [node.exc.func if isinstance(node.exc, ast.Call) else node.exc]
                elif isinstance(node, ast.ExceptHandler):
                    kinds = list(node.type.elts) if isinstance(node.type, ast.Tuple) else [node.type]
                found |= dict.fromkeys(one.id for one in kinds if isinstance(one, ast.Name))
        return list(found)

    @cached_property
    def methods(self) -> dict[str, list[str]]:
        """Attribute names that stand behind the same name, anywhere in the project."""
        found: dict[str, dict[str, None]] = {}
        for source in self.sources.values():
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Attribute):
                    base = node.value.id if isinstance(node.value, ast.Name) else "?"
                    found.setdefault(base, {})[node.attr] = None
        return {base: list(names) for base, names in found.items()}
