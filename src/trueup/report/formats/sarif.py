"""How do the checks look as SARIF 2.1.0? One run; an invocation for each check, a result for each failure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from trueup.decide.comparison import Found, Newness
from trueup.evidence.failure import Key, check_of, subject_of
from trueup.evidence.fingerprint import evidence_id
from trueup.evidence.report import CheckResult
from trueup.report.events import encode
from trueup.report.formats.findings import Findings, Voice
from trueup.report.text import Redact, unchanged
from trueup.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"
FINGERPRINT = "trueup/v1"
_ROOT = "%SRCROOT%"
_VANISHED = "vanished"
_LONGEST = 4000
_STATES = {Newness.NEW: "new", Newness.CHANGED: "updated", Newness.KNOWN: "unchanged"}
_LEVELS = {Newness.NEW: "error", Newness.CHANGED: "warning", Newness.KNOWN: "warning", None: "error"}

_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Lone surrogates that do not stand for a byte of a file's name."""

Node = dict[str, Any]


def sarif(findings: Findings, *, redact: Redact = unchanged) -> str:
    voice = Voice(redact)
    results = [*(_result(f, findings, voice) for f in findings.ordered), *_missing(findings, voice)]
    rules = list(dict.fromkeys(result["ruleId"] for result in results))
    for result in results:
        result["ruleIndex"] = rules.index(result["ruleId"])
    run = {
        "tool": {"driver": _driver(rules)},
        "invocations": [*(_invocation(r, voice) for r in findings.report.results), *_void(findings, voice)],
        "results": results,
    }
    return encode({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, redact=redact, indent=2) + "\n"


def _driver(rules: list[str]) -> Node:
    return {
        "name": "trueup",
        "semanticVersion": __version__,
        "rules": [{"id": rule, "shortDescription": {"text": _about(rule)}} for rule in rules],
    }


def _about(rule: str) -> str:
    check, _, kind = rule.partition("/")
    return f"a test of {check} that is gone" if kind == _VANISHED else f"{kind}, found by the check {check}"


# --- results -----------------------------------------------------------------------------------------------------


def _result(found: Found, findings: Findings, voice: Voice) -> Node:
    failure = found.failure
    state = {"baselineState": _STATES[found.newness]} if found.newness else {}
    return {
        "ruleId": f"{voice.name(failure.check)}/{voice.line(failure.kind, 100)}",
        "level": _LEVELS[found.newness],
        "message": {"text": _message(found, voice)},
        "locations": [_location(found, findings, voice)],
        "partialFingerprints": {FINGERPRINT: found.print},
        "properties": _properties(found, voice),
        **state,
    }


def _message(found: Found, voice: Voice) -> str:
    failure = found.failure
    said = voice.block(failure.message, _LONGEST) or voice.line(failure.kind)
    return f"{voice.name(failure.subject)}: {said}" if failure.subject and failure.test else said


def _properties(found: Found, voice: Voice) -> Node:
    failure = found.failure
    alone = {"repro": voice.line(failure.repro, _LONGEST)} if failure.repro else {}
    return {"key": voice.name(failure.key), "evidence_id": evidence_id(failure), "phase": str(failure.phase), **alone}


def _location(found: Found, findings: Findings, voice: Voice) -> Node:
    failure = found.failure
    file = failure.file or findings.home
    physical: Node = {"artifactLocation": {"uri": _uri(file, voice), "uriBaseId": _ROOT}}
    if failure.file and failure.line is not None and failure.line >= 1:
        physical["region"] = {"startLine": failure.line, **_snippet(found, voice)}
    where = {"physicalLocation": physical} if file else {}
    return {**where, "logicalLocations": [_logical(failure.key, voice)]}


def _snippet(found: Found, voice: Voice) -> Node:
    line = found.failure.source_line
    return {"snippet": {"text": voice.block(line, _LONGEST)}} if line and line.strip() else {}


def _logical(key: Key, voice: Voice) -> Node:
    return {"fullyQualifiedName": voice.name(subject_of(key) or check_of(key))}


def _uri(path: str, voice: Voice) -> str:
    return quote(_NO_BYTE.sub("?", voice.redact(path)), safe="/", errors="surrogateescape")


def _missing(findings: Findings, voice: Voice) -> Iterator[Node]:
    """A test that the base has and that does not run any more is a result like a failure."""
    base = voice.line(findings.base)
    for key in findings.comparison.vanished:
        where = {"physicalLocation": {"artifactLocation": {"uri": _uri(findings.home, voice), "uriBaseId": _ROOT}}}
        yield {
            "ruleId": f"{voice.name(check_of(key))}/{_VANISHED}",
            "level": "error",
            "message": {"text": f"{voice.name(subject_of(key))}: {base} has this test, here it does not run"},
            "locations": [{**(where if findings.home else {}), "logicalLocations": [_logical(key, voice)]}],
            "partialFingerprints": {FINGERPRINT: f"{_VANISHED}:{voice.name(key)}"},
            "baselineState": "new",
        }


# --- invocations -------------------------------------------------------------------------------------------------


def _invocation(result: CheckResult, voice: Voice) -> Node:
    about: Node = {"commandLine": voice.line(result.command, _LONGEST), "executionSuccessful": result.ran}
    if result.exit_code is not None:
        about["exitCode"] = result.exit_code
    if not result.ran:
        said = f"{voice.name(result.check)}: {voice.line(result.reason, _LONGEST)}"
        about["toolExecutionNotifications"] = [{"level": "error", "message": {"text": said}}]
    return about


def _void(findings: Findings, voice: Voice) -> list[Node]:
    if not findings.report.void:
        return []
    said = f"no answer: {voice.line(findings.report.void, _LONGEST)}"
    note = {"level": "error", "message": {"text": said}}
    return [{"executionSuccessful": False, "toolExecutionNotifications": [note]}]
