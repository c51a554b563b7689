"""What failed, when all we have is a program's text? The fallback for tools without a machine format.

Known shapes are read by the parsers. Otherwise the lines that speak of an error are the evidence, as a set: the
order in which they came means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueup.evidence.failure import Failure, Sources
from trueup.evidence.normalize import neutralise, strip_prefixes
from trueup.evidence.parsers import Found, found_in_lines, found_in_report
from trueup.evidence.places import LONGEST_MESSAGE, in_tree, shorten, source_at
from trueup.evidence.prefixes import without_prefixes

GUESSED = frozenset({"exit", "unparsed"})
"""Kinds of a failure that stands for the whole check, because no parser recognised anything."""
_LONGEST_LINE = 2000
_MESSAGE_LINES = 60
_REGION_LINES = 60
_FIRST_LINES, _LAST_LINES = 100_000, 100_000
"""What stands between them in a longer text is not read: a flood of short lines would cost seconds."""


def failures_from_text(check: str, output: str, *, exit_code: int | None, sources: Sources) -> tuple[Failure, ...]:
    """At least one failure, whatever the text is."""
    reported = found_in_report(output)
    if reported:
        return tuple(_failure(check, found, sources) for found in reported)
    whole = _whole_lines(output)
    lines = _shortened(whole)
    found = found_in_lines(lines, whole)  # a JSON document may stand in one long line
    if found:
        return tuple(_failure(check, one, sources) for one in found)
    return (_whole_check(check, lines, exit_code),)


def failures_from_report(check: str, report: str, *, sources: Sources) -> tuple[Failure, ...] | None:
    """What a machine format (JUnit XML, SARIF) tells; None when it is none of them."""
    found = found_in_report(report)
    return None if found is None else tuple(_failure(check, one, sources) for one in found)


def plain_lines(output: str) -> list[str]:
    return _shortened(_whole_lines(output))


def _whole_lines(output: str) -> list[str]:
    return without_prefixes(strip_prefixes(neutralise(output))).split("\n")


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) > _FIRST_LINES + _LAST_LINES:
        lines = lines[:_FIRST_LINES] + lines[-_LAST_LINES:]
    if len(max(lines, key=len)) > _LONGEST_LINE:
        lines = [line[:_LONGEST_LINE] for line in lines]
    return list(map(str.rstrip, lines))


def _failure(check: str, found: Found, sources: Sources) -> Failure:
    """What the tree says about a place comes before what the output shows."""
    owner = in_tree(found.owner, sources) if found.owner else ""
    frame = found.frame
    path = (owner if frame.path == found.owner else in_tree(frame.path, sources)) if frame else None
    source = (source_at(path, frame.line, sources) or frame.source) if frame and path else None
    return Failure(
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


def _whole_check(check: str, lines: Sequence[str], exit_code: int | None) -> Failure:
    from trueup.evidence.fallback import evidence_in  # its patterns are many, and most outputs need none of them

    evidence = evidence_in(lines)
    ended = "the check failed" if exit_code is None else f"exit code {exit_code}"
    return Failure(
        check=check,
        subject="",
        kind="exit" if evidence.known else "unparsed",
        message=shorten("\n".join(evidence.lines[:_REGION_LINES]) or ended, LONGEST_MESSAGE),
        excerpt=shorten("\n".join(evidence.said) or ended),
        test=False,
    )
