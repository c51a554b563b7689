"""What failed, when all we have is a program's text? The fallback for tools without a machine format.

Known shapes are read first: pytest, unittest, compiler and linter lines, a Python traceback. Otherwise the
lines that speak of an error are the evidence, as a set: the order in which they came means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueup.evidence.diagnostics import diagnostics
from trueup.evidence.failure import Failure, Sources
from trueup.evidence.normalize import neutralise, normalize, strip_prefixes
from trueup.evidence.places import LONGEST_MESSAGE, shorten
from trueup.evidence.python_text import crash, pytest_failures, unittest_failures

_LONGEST_LINE = 2000
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
    lines = [line[:_LONGEST_LINE].rstrip() for line in strip_prefixes(neutralise(output)).split("\n")]
    for reader in (pytest_failures, unittest_failures, diagnostics, crash):
        found = tuple(reader(check, lines, sources))
        if found:
            return found
    return (_whole_check(check, lines, exit_code),)


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
