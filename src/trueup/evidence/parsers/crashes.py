"""What did a program die of, when it was no test runner?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.found import Found, Lines, before, kind_and_message, raised
from trueup.evidence.parsers.javascript import is_stack, js_frames
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, first_own

_THROWN_AT = Pattern(r"((?:file://)?[^\s:][^:\n]{0,500}\.[cm]?[jt]sx?|node:[\w./-]{1,200}):(\d{1,9})$")
_LONGEST = 60


def node_crash(lines: Lines) -> Iterator[Found]:
    """`path:3`, the source, a caret, the error and its stack."""
    for number, line in enumerate(lines):
        match = _THROWN_AT.match(line) if line[-1:].isdigit() and _points(lines[number + 2 : number + 3]) else None
        below = lines[number + 1 : number + _LONGEST] if match else []
        at = next((n for n, text in enumerate(below) if n > 1 and raised(text)), None)
        if match and at is not None:
            kind, message = kind_and_message(before(below[at:], is_stack), "Error")
            thrown = Frame(path=match[1], line=int(match[2]), source=below[0].strip())
            yield Found(
                kind=kind,
                message=message,
                frame=thrown if not thrown.path.startswith("node:") else first_own(js_frames(below)),
                excerpt="\n".join([line, *below]).rstrip(),
                span=range(number, number + 1 + len(below)),
                test=False,
            )
            return


def _points(lines: Lines) -> bool:
    """Whether nothing but carets, or nothing at all, stands there."""
    return all(line.strip(" ^~") == "" for line in lines)
