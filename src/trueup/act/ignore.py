"""Does a list of gitignore lines speak about a path? Exactly as git reads it, byte by byte.

A general glob library answers for a path and all its parents at once; a walk asks for each folder on its way
down, once, and must know whether the folder itself is meant.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable

_LITERAL = re.compile(r"(!?)(\*?)([\w.+@~=,-]+)(/?)")
_LITERAL_PATH = re.compile(r"(!?)(/?[\w.+@~=,-]+(?:/[\w.+@~=,-]+)*)(/?)")
_TRAILING_SPACES = re.compile(r"(?<!\\) +\Z")
_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": b"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": b"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb"\s",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}


class Patterns:
    """One list of lines. The last line that matches decides."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        # Nearly all lines are a plain name, `*.ending` or `/a/plain/path`: they are looked up, only others are matched.
        self._names: dict[str, list[tuple[int, bool, bool]]] = {}
        self._paths: dict[str, list[tuple[int, bool, bool]]] = {}
        self._endings: list[tuple[str, int, bool, bool]] = []
        self._others: list[tuple[int, bool, bool, bool, re.Pattern[bytes]]] = []
        for number, line in enumerate(lines):
            self._add(number, _TRAILING_SPACES.sub("", line))
        self._others.reverse()
        self._tails = tuple(ending for ending, *_ in self._endings)
        self._any_name = _any_of(glob for *_, whole, glob in self._others if not whole)
        self._any_path = _any_of(glob for *_, whole, glob in self._others if whole)

    def _add(self, number: int, line: str) -> None:
        literal = _LITERAL.fullmatch(line)
        path = _LITERAL_PATH.fullmatch(line)
        if literal is not None:
            negated, star, text, slash = literal.groups()
            if star:
                self._endings.append((text, number, not negated, bool(slash)))
            else:
                self._names.setdefault(text, []).append((number, not negated, bool(slash)))
        elif path is not None:
            negated, text, slash = path.groups()
            self._paths.setdefault(text.removeprefix("/"), []).append((number, not negated, bool(slash)))
        else:
            self._add_other(number, line)

    def _add_other(self, number: int, line: str) -> None:
        pattern = line.removeprefix("!")
        only_folders = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        whole = "/" in pattern
        compiled = compile_glob(os.fsencode(pattern.removeprefix("/")), whole=whole)
        if pattern and compiled:
            self._others.append((number, not line.startswith("!"), only_folders, whole, compiled))

    def verdict(self, path: str, name: str, *, folder: bool) -> bool | None:
        """True: ignored. False: a `!` line brings it back. None: no line speaks about this very path."""
        best, answer = -1, None
        for kind, key in ((self._names, name), (self._paths, path)):
            for number, ignore, only_folders in kind.get(key, ()):
                if number > best and (folder or not only_folders):
                    best, answer = number, ignore
        if self._tails and name.endswith(self._tails):
            for ending, number, ignore, only_folders in self._endings:
                if number > best and (folder or not only_folders) and name.endswith(ending):
                    best, answer = number, ignore
        other = self._other_after(best, path, name, folder=folder) if self._others else None
        return answer if other is None else other

    def speaks_of(self, folder: str) -> tuple[set[str], tuple[str, ...]] | None:
        """Names and endings of the entries of a folder that a line can match; None when only matching tells."""
        if self._others:
            return None
        inside = {name for above, _, name in (path.rpartition("/") for path in self._paths) if above == folder}
        return inside.union(self._names), self._tails

    def _other_after(self, best: int, path: str, name: str, *, folder: bool) -> bool | None:
        full, last = os.fsencode(path), os.fsencode(name)
        if not (self._any_name and self._any_name.fullmatch(last)) and not (
            self._any_path and self._any_path.fullmatch(full)
        ):
            return None
        for number, ignore, only_folders, whole, pattern in self._others:
            if number < best:
                break
            if (folder or not only_folders) and pattern.fullmatch(full if whole else last):
                return ignore
        return None


def _any_of(globs: Iterable[re.Pattern[bytes]]) -> re.Pattern[bytes] | None:
    """One expression for all, because most files match none of them."""
    parts = [b"(?:" + glob.pattern + b")" for glob in globs]
    return re.compile(b"|".join(parts), re.DOTALL) if parts else None


@functools.lru_cache(maxsize=512)
def patterns(lines: tuple[str, ...]) -> Patterns:
    return Patterns(lines)


def compile_glob(glob: bytes, *, whole: bool) -> re.Pattern[bytes] | None:
    """A regular expression for one glob; None when git, too, lets it match nothing.

    `whole`: it is matched against a path, so that only `**` reaches across a slash.
    """
    parts: list[bytes] = []
    at = 0
    while at < len(glob):
        part, at = _next_part(glob, at, whole=whole)
        if part is None:
            return None
        parts.append(part)
    return re.compile(b"".join(parts), re.DOTALL)


def _next_part(glob: bytes, at: int, *, whole: bool) -> tuple[bytes | None, int]:
    char = glob[at : at + 1]
    if char == b"*":
        return _stars(glob, at, whole=whole)
    if char == b"?":
        return (b"[^/]" if whole else b"."), at + 1
    if char == b"[":
        return _bracket(glob, at + 1)
    if char == b"\\":
        escaped = glob[at + 1 : at + 2]
        return (re.escape(escaped) if escaped else None), at + 2
    return re.escape(char), at + 1


def _stars(glob: bytes, at: int, *, whole: bool) -> tuple[bytes, int]:
    end = at
    while glob[end : end + 1] == b"*":
        end += 1
    if not whole:
        return b".*", end
    starts_part = at == 0 or glob[at - 1 : at] == b"/"
    if end - at < 2 or not starts_part:  # noqa: PLR2004 - a pair of stars
        return b"[^/]*", end
    if end == len(glob):
        return b".*", end
    return (b"(?:.*/)?", end + 1) if glob[end : end + 1] == b"/" else (b"[^/]*", end)


def _bracket(glob: bytes, at: int) -> tuple[bytes | None, int]:
    """A set such as `[a-z]`, `[!x]` or `[[:digit:]_]`, from behind its opening bracket."""
    negated = glob[at : at + 1] in {b"!", b"^"}
    at += negated
    members: list[bytes] = []
    first = True
    while first or glob[at : at + 1] != b"]":
        first = False
        member, at = _member(glob, at)
        if member is None:
            return None, at
        members.append(member)
    body = b"".join(members)
    wanted = (b"(?![" + body + b"])" if negated else b"(?=[" + body + b"])") if body else b"(?!)"
    return wanted + b"[^/]", at + 1


def _member(glob: bytes, at: int) -> tuple[bytes | None, int]:
    named = re.compile(rb"\[:([a-z]*):\]").match(glob, at)
    if named:
        return _CLASSES.get(named[1]), named.end()
    low, at = _member_char(glob, at)
    if low is None:
        return None, at
    if glob[at : at + 1] != b"-" or glob[at + 1 : at + 2] in {b"", b"]"}:
        return _set_escape(low), at
    high, at = _member_char(glob, at + 1)
    if high is None:
        return None, at
    return (_set_escape(low) + b"-" + _set_escape(high) if low <= high else b""), at


def _member_char(glob: bytes, at: int) -> tuple[bytes | None, int]:
    at += glob[at : at + 1] == b"\\"
    return glob[at : at + 1] or None, at + 1


def _set_escape(char: bytes) -> bytes:
    return b"\\x%02x" % char[0]
