"""What do the files of a tree say? Each is read once and parsed once, however many ask.

In a large tree the oldest are let go: whoever needs something of every file asks for a `fact`.
"""

from __future__ import annotations

import ast
import hashlib
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from trueup.act.facts import Facts
from trueup.act.plain_file import NotPlainError, read_plain

LARGEST = 4_000_000
"""Bytes of a file that anybody looks into; what is larger is data."""
_TREES = 60
"""Syntax trees that are held at once: a thousand of them fill the memory, and make its collector slow."""
_CONTENTS = 64_000_000
"""Bytes of content that are held at once."""


class SourceFiles:
    """The files of one folder, as the caller lists them. Links are not followed; nothing is executed.

    Contract: no method raises for what a file holds. What cannot be read, decoded or parsed is None.
    """

    def __init__(
        self,
        root: Path,
        paths: tuple[str, ...],
        *,
        ids: Mapping[str, str] | None = None,
        facts: Facts | None = None,
    ) -> None:
        """`ids` are git's names for the contents, where somebody knows them. `facts` may be shared between trees:
        what was found out about a content holds wherever it lies."""
        self.root = root
        self.paths = paths
        """From the root, with slashes, sorted."""
        self._known = frozenset(paths)
        self._content: dict[str, bytes | None] = {}
        self._held = 0
        self._python: dict[str, ast.Module | SyntaxError | None] = {}
        self._ids = dict(ids or {})
        self._facts = facts or Facts()

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def ending(self, *suffixes: str) -> Iterator[str]:
        """Those with one of these endings, such as `.py`."""
        return (path for path in self.paths if path.endswith(suffixes))

    def called(self, *names: str) -> Iterator[str]:
        """Those with one of these names, in any folder."""
        wanted = frozenset(names)
        return (path for path in self.paths if path.rpartition("/")[2] in wanted)

    def id(self, path: str) -> str:
        """A name for what the file holds, "" when it cannot be read. The same as git's."""
        if path not in self._ids:
            content = self.content(path)
            self._ids[path] = "" if content is None else _git_id(content)
        return self._ids[path]

    def fact(self, name: str, path: str, find_out: Callable[[str], Any]) -> Any:
        """What `find_out(path)` says about the file; asked once for each content, in this process or an earlier one.

        `name` has a version in it, and whatever the answer depends on besides the content, such as what kind of
        file this is. The answer is plain JSON: lists, not tuples.
        """
        return self._facts.of(name, self.id(path), lambda: find_out(path))

    def known_fact(self, name: str, path: str) -> Any:
        """The same without finding out: None when it is not known. For those that ask a tool about many at once."""
        return self._facts.known(name, self.id(path))

    def keep_fact(self, name: str, path: str, fact: Any) -> None:
        self._facts.of(name, self.id(path), lambda: fact)

    def content(self, path: str) -> bytes | None:
        """None when there is no such file, when it is a link, or too large."""
        if path not in self._content:
            content = self._read(path)
            self._held += len(content or b"")
            while self._held > _CONTENTS and self._content:
                self._held -= len(self._content.pop(next(iter(self._content))) or b"")
            self._content[path] = content
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
            if len(self._python) >= _TREES:
                self._python.pop(next(iter(self._python)))
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


def _git_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()
