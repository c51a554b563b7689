"""What failed, when all we have is a program's text? The fallback for tools without a machine format.

Known shapes are read by the parsers. Otherwise the lines that speak of an error are the evidence, as a set: the
order in which they came means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueup.evidence.gap import Gap, gap_of
from trueup.evidence.normalize import neutralise, strip_prefixes
from trueup.evidence.parsers import Found, found_in_lines, found_in_report
from trueup.evidence.parsers.found import with_the_rest
from trueup.evidence.places import LONGEST_MESSAGE, in_tree, shorten, source_at
from trueup.evidence.prefixes import without_prefixes
from trueup.evidence.told import Sources, Told

TYPE_CHECKING = False  # as checkers of types know it
if TYPE_CHECKING:
    from trueup.evidence.failure import Failure

GUESSED = frozenset({"exit", "unparsed"})
"""Kinds of a failure that stands for the whole check, because no parser recognised anything."""
_LONGEST_LINE = 2000
_MESSAGE_LINES = 60
_REGION_LINES = 60
_FIRST_LINES, _LAST_LINES = 100_000, 100_000
"""What stands between them in a longer text is not read: a flood of short lines would cost seconds."""


def failures_from_text(
    check: str, output: str, *, exit_code: int | None, sources: Sources, gap: Gap = Gap.NONE
) -> tuple[Failure, ...]:
    """At least one failure, whatever the text is. `gap`: what is known about the part of it that was left out."""
    from trueup.evidence.failure import failure_of

    return tuple(map(failure_of, told_in_text(check, output, exit_code=exit_code, sources=sources, gap=gap)))


def failures_from_report(check: str, report: str, *, sources: Sources) -> tuple[Failure, ...] | None:
    """What a machine format (JUnit XML, SARIF) tells; None when it is none of them."""
    from trueup.evidence.failure import failure_of

    told = told_in_report(check, report, sources=sources)
    return None if told is None else tuple(map(failure_of, told))


def told_in_text(
    check: str, output: str, *, exit_code: int | None, sources: Sources, gap: Gap = Gap.NONE
) -> list[Told]:
    """The same as plain values: who needs no `Failure` spares loading `dataclasses`."""
    reported = found_in_report(output)
    if reported:
        return [_told(check, found, sources) for found in reported]
    return told_in_plain_text(check, plain_text(output), exit_code=exit_code, sources=sources, gap=gap)


def told_in_plain_text(
    check: str, text: str, *, exit_code: int | None, sources: Sources, gap: Gap = Gap.NONE
) -> list[Told]:
    """Of an output that is no report. Equal texts tell the same, so that who has the answer need not ask again."""
    whole = text.split("\n")
    lines = _shortened(whole)
    found = found_in_lines(lines, whole)  # a JSON document may stand in one long line
    if found:
        unread = gap_of(whole[_FIRST_LINES:-_LAST_LINES])
        return [_told(check, one, sources) for one in with_the_rest(found, lines, max(gap, unread))]
    return [_whole_check(check, lines, exit_code)]


def told_in_report(check: str, report: str, *, sources: Sources) -> list[Told] | None:
    found = found_in_report(report)
    return None if found is None else [_told(check, one, sources) for one in found]


def plain_text(output: str) -> str:
    """What the tool said: no colours, one kind of line end, nothing that a log wrote before its lines."""
    return without_prefixes(strip_prefixes(neutralise(output)))


def plain_lines(output: str) -> list[str]:
    return _shortened(plain_text(output).split("\n"))


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) > _FIRST_LINES + _LAST_LINES:
        lines = lines[:_FIRST_LINES] + lines[-_LAST_LINES:]
    if len(max(lines, key=len)) > _LONGEST_LINE:
        lines = [line[:_LONGEST_LINE] for line in lines]
    return list(map(str.rstrip, lines))


def _told(check: str, found: Found, sources: Sources) -> Told:
    """What the tree says about a place comes before what the output shows."""
    owner = in_tree(found.owner, sources) if found.owner else ""
    frame = found.frame
    path = (owner if frame.path == found.owner else in_tree(frame.path, sources)) if frame else None
    source = (source_at(path, frame.line, sources) or frame.source) if frame and path else None
    return Told(
        check=check,
        subject=f"{owner}{found.glue}{found.name}" if owner and found.name else owner or found.name,
        phase=found.phase,
        kind=found.kind,
        message=shorten(_first_lines(found.message), LONGEST_MESSAGE),
        file=path or owner or None,
        line=frame.line or None if frame else None,
        source_line=source,
        excerpt=shorten(found.excerpt or _line(path, frame.line if frame else 0, found.message)),
        test=found.test,
    )


def _first_lines(message: str) -> str:
    return message if message.count("\n") < _MESSAGE_LINES else "\n".join(message.split("\n")[:_MESSAGE_LINES])


def _line(path: str | None, line: int, message: str) -> str:
    place = f"{path}:{line}" if path and line else path
    return f"{place}: {message}" if place else message


def how_it_ended(exit_code: int | None) -> str:
    """`exit code 3`, or the signal that ended it."""
    if exit_code is None or exit_code >= 0:
        return f"exit code {exit_code}"
    from signal import Signals  # rarely needed

    names = {int(one): one.name for one in Signals}
    return f"ended by {names.get(-exit_code, f'signal {-exit_code}')}"


def _whole_check(check: str, lines: Sequence[str], exit_code: int | None) -> Told:
    from trueup.evidence.fallback import evidence_in  # its patterns are many, and most outputs need none of them

    evidence = evidence_in(lines)
    ended = "the check failed" if exit_code is None else how_it_ended(exit_code)
    return Told(
        check=check,
        subject="",
        kind="exit" if evidence.known else "unparsed",
        message=shorten("\n".join(evidence.lines[:_REGION_LINES]) or ended, LONGEST_MESSAGE),
        excerpt=shorten("\n".join(evidence.said) or ended),
        test=False,
    )
