"""What do the files of a tree say? Each is read once and parsed once, however many ask."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from trueup.act.plain_file import NotPlainError, read_plain

LARGEST = 4_000_000
"""Bytes of a file that anybody looks into; what is larger is data."""


class SourceFiles:
    """The files of one folder, as the caller lists them. Links are not followed; nothing is executed.

    Contract: no method raises for what a file holds. What cannot be read, decoded or parsed is None.
    """

    def __init__(self, root: Path, paths: tuple[str, ...]) -> None:
        self.root = root
        self.paths = paths
        """From the root, with slashes, sorted."""
        self._known = frozenset(paths)
        self._content: dict[str, bytes | None] = {}
        self._python: dict[str, ast.Module | SyntaxError | None] = {}

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def ending(self, *suffixes: str) -> Iterator[str]:
        """Those with one of these endings, such as `.py`."""
        return (path for path in self.paths if path.endswith(suffixes))

    def called(self, *names: str) -> Iterator[str]:
        """Those with one of these names, in any folder."""
        return (path for path in self.paths if PurePosixPath(path).name in names)

    def content(self, path: str) -> bytes | None:
        """None when there is no such file, when it is a link, or too large."""
        if path not in self._content:
            self._content[path] = self._read(path)
        return self._content[path]

    def text(self, path: str) -> str | None:
        """As UTF-8; None when it is not."""
        content = self.content(path)
        try:
            return None if content is None else content.decode("utf-8")
        except UnicodeDecodeError:
            return None

    def python(self, path: str) -> ast.Module | SyntaxError | None:
        """Parsed as Python reads it, coding lines included; None when it cannot be read at all."""
        if path not in self._python:
            self._python[path] = self._parsed(path)
        return self._python[path]

    def _read(self, path: str) -> bytes | None:
        if path not in self._known:
            return None
        try:
            return read_plain(Path(os.path.join(self.root, path)), largest=LARGEST)  # noqa: PTH118 - much faster
        except NotPlainError:
            return None

    def _parsed(self, path: str) -> ast.Module | SyntaxError | None:
        content = self.content(path)
        if content is None:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(content, filename=path)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError) as error:  # a NUL byte; nested without end
            return SyntaxError(str(error) or type(error).__name__)
