"""Which identities have the failures of a log? Loads nothing that reads options: a filter starts for every log."""

from __future__ import annotations

import gc
import json
import sys

TYPE_CHECKING = False  # as checkers of types know it; loading `typing` would be a tenth of the start
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from trueup.evidence.told import Told

CHECK = "log"
"""The name that stands in for a check's name: a log does not say which check it came from."""

PLAIN = frozenset({"--jsonl", "--no-xml", "--json"})
"""With nothing but these words `trueup fingerprint` is a filter."""


_CHUNK = 1 << 18
_OBJECTS = 50_000
"""Reading a log makes no cycles: looking for them after every few hundred objects, as is usual, only costs time."""


def answer_plainly(words: list[str]) -> None:
    gc.set_threshold(_OBJECTS)
    answer(sys.stdin.buffer, jsonl="--jsonl" in words, no_xml="--no-xml" in words)
    gc.freeze()  # the end of the program would look through everything once more


def answer(source: BinaryIO, *, jsonl: bool, no_xml: bool) -> None:
    if jsonl:
        _answer_lines(source, no_xml=no_xml)
        return
    import msgspec

    failures = _failures(source.read().decode("utf-8", "replace"), "", None, no_xml=no_xml)
    _say(msgspec.json.format(msgspec.json.encode({"failures": [_told(f) for f in failures]}), indent=2))


def _answer_lines(source: BinaryIO, *, no_xml: bool) -> None:
    number = 0
    for lines in _as_they_come(source):
        answers = [_fingerprints(line, number + n, no_xml=no_xml) for n, line in enumerate(lines, start=1)]
        number += len(answers)
        _say(b"\n".join(answers))


def _as_they_come(source: BinaryIO) -> Iterator[list[bytes]]:
    """Whole lines, as many as have arrived: who asks one record after another waits for each answer."""
    parts: list[bytes] = []
    while chunk := source.read1(_CHUNK):  # type: ignore[attr-defined]  # what is read without waiting for more
        whole, end, rest = chunk.rpartition(b"\n")
        if end:
            yield b"".join([*parts, whole]).split(b"\n")
            parts = []
        parts.append(rest)
    last = b"".join(parts)
    if last:
        yield [last]


def _say(answer: bytes) -> None:
    sys.stdout.buffer.write(answer + b"\n")
    sys.stdout.buffer.flush()


def _fingerprints(line: bytes, number: int, *, no_xml: bool) -> bytes:
    """As a JSON list. (Nothing in a fingerprint needs an escape.)"""
    from trueup.evidence.fingerprint import fingerprint

    record = _record(line)
    if isinstance(record, str):
        print(f"line {number}: {record}", file=sys.stderr)
        return b"[]"
    failures = _failures(record["output"], record["junit_xml"], record["exit_code"], no_xml=no_xml)
    listed = '","'.join(dict.fromkeys(map(fingerprint, failures)))
    return f'["{listed}"]'.encode("ascii") if listed else b"[]"


def _record(line: bytes) -> dict[str, Any] | str:
    """The record's parts that matter, or what is wrong with it."""
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        return f"no JSON: {error}"
    if not isinstance(record, dict) or not isinstance(record.get("output"), str):
        return 'no record: it needs an "output" that is text'
    xml, code = record.get("junit_xml"), record.get("exit_code")
    return {
        "output": record["output"],
        "junit_xml": xml if isinstance(xml, str) else "",
        "exit_code": code if isinstance(code, int) else None,
    }


def _failures(output: str, xml: str, exit_code: int | None, *, no_xml: bool) -> list[Told]:
    """What a report tells comes first; the text of a command that did not succeed holds at least one failure."""
    from trueup.evidence.text import told_in_report, told_in_text

    reported = None if no_xml else told_in_report(CHECK, xml or output, sources=_no_tree)
    if exit_code == 0 or (reported is not None and (reported or not xml)):
        return reported or []
    return told_in_text(CHECK, output, exit_code=exit_code, sources=_no_tree)


def _no_tree(path: str) -> None:  # noqa: ARG001 - only the log is known
    return None


def _told(failure: Told) -> dict[str, Any]:
    from trueup.evidence.fingerprint import evidence_id, fingerprint

    return {
        "fingerprint": fingerprint(failure),
        "evidence_id": evidence_id(failure),
        "subject": failure.subject,
        "phase": failure.phase,
        "kind": failure.kind,
        "message": failure.message,
        "file": failure.file,
        "line": failure.line,
        "source_line": failure.source_line,
        "test": failure.test,
        "excerpt": failure.excerpt,
    }
