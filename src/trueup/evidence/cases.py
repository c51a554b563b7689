"""Which tests does a report file name, and what became of each?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trueup.evidence.failure import Failure, Sources
from trueup.evidence.parsers.found import Found
from trueup.evidence.parsers.junit_xml import junit_cases
from trueup.evidence.parsers.sarif import sarif
from trueup.evidence.places import in_tree
from trueup.evidence.text import failures_from_report, failures_from_text

_TAP_RESULT = re.compile(r"^(?:not )?ok\b", re.MULTILINE)
_TAP_PLAN = re.compile(r"^1\.\.(\d{1,7})(?:\s|$)", re.MULTILINE)
_TAP_FAILED = re.compile(r"^not ok\b(?!.{0,1000}#\s{0,4}(?:skip|todo))", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """What one report file tells."""

    failures: tuple[Failure, ...] = ()
    passed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    inventory: tuple[str, ...] | None = None
    """Every test it names; None when the format names failures only."""


def read_cases(check: str, kind: str, text: str, *, sources: Sources) -> Cases | None:
    """`kind` is `junit`, `sarif` or `tap`. None when the text is not a whole report of this kind."""
    if kind == "junit":
        return _junit(check, text, sources)
    if kind == "sarif":
        found = failures_from_report(check, text, sources=sources) if sarif(text) is not None else None
        return None if found is None else Cases(failures=found)
    return _tap(check, text, sources)


def _junit(check: str, text: str, sources: Sources) -> Cases | None:
    read = junit_cases(text)
    failures = failures_from_report(check, text, sources=sources)
    if read is None or failures is None:
        return None
    cases, claimed = read
    outcomes: dict[str, set[str]] = {}
    for case, outcome in cases:
        outcomes.setdefault(_subject(case, sources), set()).add(outcome)
    bad = {f.subject for f in failures}
    if claimed and not failures:
        failures = (_unnamed(check, f"the report counts {claimed} failures and names none"),)
    return Cases(
        failures=failures,
        passed=tuple(i for i, seen in outcomes.items() if i and seen == {"passed"} and i not in bad),
        skipped=tuple(i for i, seen in outcomes.items() if "skipped" in seen and "failed" not in seen),
        inventory=tuple(outcomes),
    )


def _subject(case: Found, sources: Sources) -> str:
    owner = in_tree(case.owner, sources) if case.owner else ""
    return case.glue.join(part for part in (owner, case.name) if part)


def _tap(check: str, text: str, sources: Sources) -> Cases | None:
    """Failures only: what passed is often named in another way than what failed."""
    plan = _TAP_PLAN.search(text)
    results = len(_TAP_RESULT.findall(text))
    if plan is None or not results or int(plan[1]) != results:
        return None
    if not _TAP_FAILED.search(text):
        return Cases()
    return Cases(failures=failures_from_text(check, text, exit_code=None, sources=sources))


def _unnamed(check: str, message: str) -> Failure:
    return Failure(check=check, subject="", kind="report", message=message, test=False)
