"""How was it found out what a check says? A few words for a screen; a check that told less than others says so."""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.report import CheckResult, CheckStatus, Report, SeenBy
from trueup.evidence.tools import LOOKED_INTO
from trueup.report.text import one_line, plain


def seen_words(result: CheckResult) -> str:
    """`pytest, test by test`; "" when nothing was seen, or the exit code was all that there is to see."""
    if not result.ran and result.status is not CheckStatus.TIMEOUT:
        return ""
    how = _how(result)
    return ", ".join(part for part in (plain(result.tool), how) if part) if how else ""


def _how(result: CheckResult) -> str:
    tests = result.inventory is not None
    match result.seen_by:
        case SeenBy.STRUCTURE:
            return "test by test" if tests else "finding by finding"
        case SeenBy.REPORT:
            return "from its report file"
        case SeenBy.TEXT if tests:
            return "test by test, read from its text"
        case SeenBy.TEXT if result.failures:
            return "read from its text"
    return "by its exit code alone" if result.tool else ""


def less_seen(report: Report) -> Iterator[str]:
    """Checks with a tool that can be looked into, but not behind this command: what passes in them has no name."""
    for result in report.results:
        if result.tool in LOOKED_INTO and result.inventory is None and result.seen_by is SeenBy.TEXT and result.ran:
            yield f"{plain(result.command)}: {seen_words(result)}; its tests could not be seen one by one"


def decision_words(result: CheckResult) -> str:
    """What a check decided itself, or why that was ignored; "" when it was not asked."""
    if not result.decision:
        return ""
    beaten = result.decision.startswith("pass") and result.status is not CheckStatus.PASSED
    return f"decision: {one_line(result.decision)}{'; what failed outweighs it' if beaten else ''}"


def ignored_decisions(report: Report) -> Iterator[str]:
    """Of checks that failed all the same; of one that has no result, that is told as the reason."""
    for result in report.results:
        said = decision_words(result) if result.status is not CheckStatus.ERROR else ""
        if said.startswith("decision: none") or said.endswith("outweighs it"):
            yield f"{plain(result.check)}: {said}"
