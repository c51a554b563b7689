"""Which regular expressions does an output need? Few of the many: each is compiled when it is first asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Replacement = str | Callable[[re.Match[str]], str]


class Pattern:
    """Asked like `re.Pattern`. Its questions are filled in by the first of them."""

    __slots__ = ("finditer", "flags", "fullmatch", "match", "pattern", "search", "sub", "subn")

    pattern: str
    flags: int
    match: Callable[[str], re.Match[str] | None]
    fullmatch: Callable[[str], re.Match[str] | None]
    search: Callable[[str], re.Match[str] | None]
    finditer: Callable[[str], Iterator[re.Match[str]]]
    sub: Callable[[Replacement, str], str]
    subn: Callable[[Replacement, str], tuple[str, int]]

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> object:
        """Called for what is not there yet."""
        if name not in self.__slots__:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        for question in ("match", "fullmatch", "search", "finditer", "sub", "subn"):
            setattr(self, question, getattr(compiled, question))
        return getattr(compiled, name)
