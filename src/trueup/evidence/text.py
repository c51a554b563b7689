"""What failed, when all we have is a program's text? The fallback for tools without a machine format.

Known shapes are read by the parsers. Otherwise the lines that speak of an error are the evidence, as a set: the
order in which they came means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueup.evidence.failure import Failure, Sources
from trueup.evidence.normalize import neutralise, normalize, strip_prefixes
from trueup.evidence.parsers import Found, found_in_lines, found_in_report
from trueup.evidence.places import LONGEST_MESSAGE, in_tree, shorten, source_at

_LONGEST_LINE = 2000
_MESSAGE_LINES = 60
_REGION_LINES = 60
_TAIL_LINES = 20
_ENOUGH_LINES = 1000

_SPEAKS_OF_ERROR = re.compile(
    r"error|fail|exception|assert|panic|fatal|abort|not found|undefined|cannot|denied|no such|not ok|✕|✖|✗",
    re.IGNORECASE,
)
# Summaries: how many failed is counted elsewhere, and says nothing about what failed.
_SUMMARY = re.compile(
    r"[\W_]{0,80}(?:\d{1,9} (?:failed|errors?|failures?|passed|passing|failing)\b"
    r"|(?:found|fail|failed|failures|errors|tests|test suites|tests run):? {0,12}\d"
    r"|test result:|error: aborting due to|error: test failed, to rerun|FAILURES!*$|failures:$|errors:$|FAIL$|FAILED$)",
    re.IGNORECASE,
)


def failures_from_text(check: str, output: str, *, exit_code: int | None, sources: Sources) -> tuple[Failure, ...]:
    """At least one failure, whatever the text is."""
    reported = found_in_report(output)
    if reported:
        return tuple(_failure(check, found, sources) for found in reported)
    lines = plain_lines(output)
    found = found_in_lines(lines)
    if found:
        return tuple(_failure(check, one, sources) for one in found)
    return (_whole_check(check, lines, exit_code),)


def failures_from_report(check: str, report: str, *, sources: Sources) -> tuple[Failure, ...] | None:
    """What a machine format (JUnit XML, SARIF) tells; None when it is none of them."""
    found = found_in_report(report)
    return None if found is None else tuple(_failure(check, one, sources) for one in found)


def plain_lines(output: str) -> list[str]:
    return [line[:_LONGEST_LINE].rstrip() for line in strip_prefixes(neutralise(output)).split("\n")]


def _failure(check: str, found: Found, sources: Sources) -> Failure:
    """What the tree says about a place comes before what the output shows."""
    owner = in_tree(found.owner, sources) if found.owner else ""
    frame = found.frame
    path = in_tree(frame.path, sources) if frame else None
    source = (source_at(path, frame.line, sources) or frame.source) if frame and path else None
    return Failure(
        check=check,
        subject=found.glue.join(part for part in (owner, found.name) if part),
        phase=found.phase,
        kind=found.kind,
        message=shorten("\n".join(found.message.split("\n")[:_MESSAGE_LINES]), LONGEST_MESSAGE),
        file=path or owner or None,
        line=frame.line or None if frame else None,
        source_line=source,
        excerpt=shorten(found.excerpt or _line(path, frame.line if frame else 0, found.message)),
        test=found.test,
    )


def _line(path: str | None, line: int, message: str) -> str:
    place = f"{path}:{line}" if path and line else path
    return f"{place}: {message}" if place else message


def _whole_check(check: str, lines: Sequence[str], exit_code: int | None) -> Failure:
    region = [line for line in lines if _SPEAKS_OF_ERROR.search(line) and not _SUMMARY.match(line)]
    said = region or [line for line in lines if line.strip()][-_TAIL_LINES:]
    evidence = sorted({line.strip() for line in normalize("\n".join(_bounded(said))).split("\n")} - {""})
    ended = "the check failed" if exit_code is None else f"exit code {exit_code}"
    return Failure(
        check=check,
        subject="",
        kind="exit" if region else "unparsed",
        message=shorten("\n".join(evidence[:_REGION_LINES]) or ended, LONGEST_MESSAGE),
        excerpt=shorten("\n".join(said) or ended),
        test=False,
    )


def _bounded(lines: Sequence[str]) -> list[str]:
    """Each line once; of very many the first and the last, so that a flood costs little."""
    once = list(dict.fromkeys(lines))
    return once if len(once) <= 2 * _ENOUGH_LINES else once[:_ENOUGH_LINES] + once[-_ENOUGH_LINES:]
