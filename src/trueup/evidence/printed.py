"""Which code did a tool print beside its complaint?

In frames (`> 14 | total = 3`), with carets below the line that is meant, or with nothing but the numbers of the lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueup.evidence.patterns import Pattern

GUTTER = Pattern(r"\s{0,12}(?:>\s{0,6})?(?:\d{1,7}\s{0,4})?[|│┃╷╵]")
"""The code that an error is about, in a frame: it belongs to the line above however far in that stands."""
_SHOWN = Pattern(r"\s{0,12}(?:>\s{0,6})?\d{1,7}\s{0,4}[|│┃]")
_CARETS = Pattern(r"\s{0,12}>?\s{0,6}[|│┃]?\s{0,400}\^")
_CODE = Pattern(r"\s{0,12}(?:[>*|-]{1,2}\s{1,4})?(\d{1,7})(?:[:|.)]?\s|$)")


def without_context(lines: Sequence[str]) -> Sequence[str]:
    """Of code in a frame only the line that is pointed at: those around it are others once something is added there."""
    kept: list[str] = []
    frame: list[str] = []
    for line in (*lines, ""):
        if GUTTER.match(line):
            frame.append(line)
        else:
            kept += _pointed_at(frame)
            kept.append(line)
            frame.clear()
    return kept[:-1]


def _pointed_at(frame: Sequence[str]) -> Sequence[str]:
    """Marked with `>`, or with carets below it; all of it where nothing is."""
    marked = [
        line.lstrip().startswith(">") or bool(_CARETS.match(below))
        for line, below in zip(frame, [*frame[1:], ""], strict=False)
    ]
    if True not in marked:
        return frame
    return [line for line, mark in zip(frame, marked, strict=True) if mark or not _SHOWN.match(line)]


def without_numbers(lines: Sequence[str]) -> list[str]:
    """Code is printed with the numbers of its lines, each one more than that of the line above."""
    counted = [_CODE.match(line) for line in lines]
    numbers = [int(match[1]) if match else -2 for match in counted]
    around = zip(lines, counted, [-2, *numbers], [*numbers[1:], -2], strict=False)
    return [
        line[match.end(1) :] if match and (int(match[1]) - above == 1 or below - int(match[1]) == 1) else line
        for line, match, above, below in around
    ]
