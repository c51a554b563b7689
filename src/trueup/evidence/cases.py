"""Which tests does a report file name, and what became of each?"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from trueup.evidence.failure import Failure, Sources
from trueup.evidence.normalize import neutralise
from trueup.evidence.parsers.found import Found
from trueup.evidence.parsers.junit_xml import junit_cases
from trueup.evidence.parsers.sarif import sarif
from trueup.evidence.places import in_tree
from trueup.evidence.text import failures_from_report, failures_from_text

_TAP_RESULT = re.compile(r"^(?:not )?ok\b", re.MULTILINE)
_TAP_PLAN = re.compile(r"^1\.\.(\d{1,7})(?:\s|$)", re.MULTILINE)
_TAP_LEFT_OUT = re.compile(r"^ok\b(?: \d{1,9})?(?: -)? ?(.{0,1000}?)\s{0,4}#\s{0,4}skip", re.MULTILINE | re.IGNORECASE)
_TAP_GIVEN_UP = re.compile(r"^Bail out!(.{0,1000})", re.MULTILINE)
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
        return _sarif(check, text, sources)
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


def _sarif(check: str, text: str, sources: Sources) -> Cases | None:
    """Without a run nobody looked at anything; and a tool may say itself that it did not come to its end."""
    found = failures_from_report(check, text, sources=sources) if sarif(text) is not None else None
    runs = json.loads(text)["runs"] if found is not None else []
    if found is None or not runs:
        return None
    told = [run.get("invocations") for run in runs if isinstance(run, dict)]
    each = [one for invocations in told if isinstance(invocations, list) for one in invocations]
    ended = all(one.get("executionSuccessful") is not False for one in each if isinstance(one, dict))
    return Cases(failures=found if ended else (*found, _unnamed(check, "the tool says that its run did not succeed")))


def _subject(case: Found, sources: Sources) -> str:
    owner = in_tree(case.owner, sources) if case.owner else ""
    return case.glue.join(part for part in (owner, case.name) if part)


def _tap(check: str, text: str, sources: Sources) -> Cases | None:
    """Failures only: what passed is often named in another way than what failed. Where all was skipped, that."""
    text = neutralise(text)
    plan = _TAP_PLAN.search(text)
    results = len(_TAP_RESULT.findall(text))
    failed = failures_from_text(check, text, exit_code=None, sources=sources) if _TAP_FAILED.search(text) else ()
    given_up = _TAP_GIVEN_UP.search(text)
    if given_up:
        return Cases(failures=(*failed, _unnamed(check, f"the tests were given up: {given_up[1].strip()}")))
    if plan is None or not results or int(plan[1]) != results:
        return None
    left_out = _TAP_LEFT_OUT.findall(text)
    if len(left_out) == results:
        return Cases(skipped=tuple(left_out), inventory=tuple(left_out))
    return Cases(failures=failed)


def _unnamed(check: str, message: str) -> Failure:
    return Failure(check=check, subject="", kind="report", message=message, test=False)
