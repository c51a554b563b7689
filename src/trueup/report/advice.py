"""What did built-in verifiers see that does not count, and how is it told?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.failure import Failure
from trueup.evidence.report import Report
from trueup.report.text import one_line, place

SHOWN = 5
_LONGEST = 200


def advice_lines(report: Report, shown: int = SHOWN) -> Iterator[str]:
    """For people, before anything is paid."""
    found = report.advice
    for failure in found[:shown]:
        yield f"seen by trueup ({failure.check}, advice): {said(failure)}"
    if len(found) > shown:
        yield f"… and {len(found) - shown} more; `trueup check --builtin` lists them"


def said(failure: Failure) -> str:
    where = place(failure, folders=True)
    return f"{one_line(failure.message, _LONGEST)}{f', {where}' if where else ''}"
