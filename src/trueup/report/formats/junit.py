"""How do the checks look as JUnit XML? One suite for each check, one case for each test or other complaint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html import escape
from typing import NamedTuple

from trueup.decide.comparison import Found
from trueup.evidence.failure import subject_of
from trueup.evidence.report import CheckResult, CheckStatus
from trueup.report.formats.findings import Findings, Voice
from trueup.report.text import Redact, place, unchanged

_LONGEST = 20_000
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document can hold, not even escaped."""


class Case(NamedTuple):
    subject: str
    outcome: str = ""
    """`failure`, `error` or `skipped`; "" = passed."""
    kind: str = ""
    message: str = ""
    body: str = ""


def junit(findings: Findings, *, redact: Redact = unchanged) -> str:
    """A document that the usual schemas of JUnit reports accept, and that names nothing of this machine."""
    voice = Voice(redact)
    suites: list[tuple[str, list[Case], CheckResult | None]]
    suites = [(r.check, list(_cases(findings, r, voice)), r) for r in findings.report.results]
    if findings.report.void:
        reason = voice.line(findings.report.void)
        suites.append(("trueup", [Case(subject="report", outcome="error", kind="void", message=reason)], None))
    body = [_suite(n, *suite, findings=findings, voice=voice) for n, suite in enumerate(suites)]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", *body, "</testsuites>", ""])


# --- cases -------------------------------------------------------------------------------------------------------


def _cases(findings: Findings, result: CheckResult, voice: Voice) -> Iterator[Case]:
    found, vanished = findings.of(result.check), {subject_of(k) for k in findings.vanished(result.check)}
    yield from (_failed(f, voice) for f in found)
    for subject in sorted(vanished):
        said = f"new: {voice.name(findings.base)} has this test, here it does not run"
        yield Case(subject=subject, outcome="error", kind="vanished", message=said)
    if result.status in {CheckStatus.ERROR, CheckStatus.SKIPPED}:
        outcome = "error" if result.status is CheckStatus.ERROR else "skipped"
        yield Case(subject="", outcome=outcome, kind="not run", message=voice.line(result.reason))
    told = vanished | {f.failure.subject for f in found}
    yield from _quiet(result, told)
    for extra in result.extra:
        yield from _quiet(extra, told)
    if result.status is CheckStatus.PASSED and result.inventory is None:
        yield Case(subject="")


def _quiet(result: CheckResult, told: set[str]) -> Iterator[Case]:
    yield from (Case(subject=subject, outcome="skipped") for subject in result.skipped if subject not in told)
    yield from (Case(subject=subject) for subject in result.passed if subject not in told)


def _failed(found: Found, voice: Voice) -> Case:
    failure = found.failure
    return Case(
        subject=failure.subject,
        outcome="failure",
        kind=voice.line(failure.kind),
        message=voice.wording(found),
        body="\n".join(line for line in _body(found, voice) if line),
    )


def _body(found: Found, voice: Voice) -> Iterator[str]:
    failure = found.failure
    yield voice.name(place(failure, folders=True))
    yield voice.block(failure.excerpt or failure.message, _LONGEST)
    yield f"run it alone: {voice.line(failure.repro)}" if failure.repro else ""
    yield f"fingerprint: {found.print}"


# --- XML ---------------------------------------------------------------------------------------------------------


def _suite(
    number: int, name: str, cases: list[Case], result: CheckResult | None, *, findings: Findings, voice: Voice
) -> str:
    counts = {word: sum(c.outcome == word for c in cases) for word in ("failure", "error", "skipped")}
    moment = datetime.fromtimestamp(findings.time, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    attributes = _attributes(
        name=name,
        package=name,
        id=str(number),
        tests=str(len(cases)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
        time=f"{result.duration if result else 0:.3f}",
        timestamp=moment,
        hostname="localhost",
    )
    facts = "".join(f"<property{_attributes(name=n, value=v)}/>" for n, v in _facts(findings, result, voice))
    inside = [f"<properties>{facts}</properties>", *(_case(case, name, voice) for case in cases)]
    inside += ["<system-out></system-out>", "<system-err></system-err>"]
    return "\n".join([f"<testsuite{attributes}>", *inside, "</testsuite>"])


def _facts(findings: Findings, result: CheckResult | None, voice: Voice) -> Iterable[tuple[str, str]]:
    if findings.base:
        yield "base", voice.line(findings.base)
    if result is not None:
        yield "command", voice.line(result.command, _LONGEST)
        yield "status", str(result.status)
        yield from [("exit_code", str(result.exit_code))] if result.exit_code is not None else []


def _case(case: Case, check: str, voice: Voice) -> str:
    group, name = _names(voice.name(case.subject), check)
    head = f"<testcase{_attributes(classname=group, name=name, time='0')}"
    if not case.outcome:
        return f"{head}/>"
    said = _attributes(type=case.kind, message=case.message) if case.message else ""
    return f"{head}><{case.outcome}{said}>{_text(case.body)}</{case.outcome}></testcase>"


def _names(subject: str, check: str) -> tuple[str, str]:
    """`tests/test_cart.py::TestBulk::test_one[a]` -> (`tests.test_cart.TestBulk`, `test_one[a]`)."""
    head, bracket, values = subject.partition("[")
    group, colons, name = head.rpartition("::")
    if not colons:
        return check, subject or check
    file, more, classes = group.partition("::")
    parts = file.removesuffix(".py").split("/") + (classes.split("::") if more else [])
    return ".".join(parts), name + bracket + values


def _attributes(**values: str) -> str:
    return "".join(f' {name}="{_text(value)}"' for name, value in values.items())


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("", text))
