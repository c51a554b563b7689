"""Where in a Go file are its tests? Read by Go's own tokens, so that comments and strings cannot pose as code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<skip>[ \t\r\n]+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>`[^`]*`|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_OPEN, _CLOSE = frozenset("({["), frozenset(")}]")
_HEAD = ("func", "", "(", "", "*", "testing", ".", "T", ")", "{")
"""`func TestAdd(t *testing.T) {`; the empty ones are names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoTest:
    name: str
    variable: str
    """What the test calls its `*testing.T`."""
    line: int
    inside: int
    """Offset just after the brace that opens its body."""


def go_tests(source: str) -> Iterator[GoTest]:
    """The tests that stand at the top level of the file, in its order. A file that is no Go has none."""
    window: list[re.Match[str]] = []
    depth = 0
    for token in _TOKEN.finditer(source):
        if token.lastgroup == "skip":
            continue
        at_top = depth == 0
        text = token[0] if token.lastgroup == "other" else ""
        depth += (text in _OPEN) - (text in _CLOSE)
        if token[0] == "func" and at_top:
            window = []
        if len(window) < len(_HEAD):
            window.append(token)
            found = _test(source, window)
            if found:
                yield found


def _test(source: str, tokens: list[re.Match[str]]) -> GoTest | None:
    if len(tokens) != len(_HEAD) or tokens[0].lastgroup != "word":
        return None
    fits = all(
        token[0] == wanted if wanted else token.lastgroup == "word" for token, wanted in zip(tokens, _HEAD, strict=True)
    )
    name, variable = tokens[1][0], tokens[3][0]
    if not fits or not name.startswith("Test") or variable == "_":
        return None
    return GoTest(
        name=name, variable=variable, line=source.count("\n", 0, tokens[0].start()) + 1, inside=tokens[-1].end()
    )


def made_to_fail(source: str, names: frozenset[str], message: str) -> tuple[str, frozenset[str]]:
    """The file with these tests failing at their end, whatever they do before; and which of them were found."""
    pieces: list[str] = []
    made: set[str] = set()
    end = 0
    for function in go_tests(source):
        if function.name in names and function.name not in made:
            pieces += [source[end : function.inside], f' defer {function.variable}.Error("{message}"); ']
            made.add(function.name)
            end = function.inside
    return "".join([*pieces, source[end:]]), frozenset(made)
