"""Which identities have the failures of a log? Loads nothing that reads options: a filter starts for every log."""

from __future__ import annotations

import gc
import os
import sys
from functools import lru_cache
from itertools import count

TYPE_CHECKING = False  # as checkers of types know it; loading `typing` would be a tenth of the start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO, NoReturn

    from trueup.evidence.told import Told

CHECK = "log"
"""The name that stands in for a check's name: a log does not say which check it came from."""

PLAIN = frozenset({"--jsonl", "--no-xml", "--json"})
"""With nothing but these words `trueup fingerprint` is a filter."""


_CHUNK = 1 << 18
_KEPT, _LONG = 256, 50_000
"""Answers, and characters of an output that is kept with its answer. The same text comes again and again: with and
without colours, on its own and inside a log, in every attempt of a loop that is stuck."""
_HEAD, _BLANK, _REPORTS = 4096, "\ufeff \t\r\n", frozenset(("<", "{"))
_OBJECTS = 50_000
"""Reading a log makes no cycles: looking for them after every few hundred objects, as is usual, only costs time."""


def answer_plainly(words: list[str]) -> NoReturn:
    gc.set_threshold(_OBJECTS)
    answer(sys.stdin.buffer, jsonl="--jsonl" in words, no_xml="--no-xml" in words)
    sys.stderr.flush()
    os._exit(0)  # all is said, and nobody needs what Python would take down piece by piece


def answer(source: BinaryIO, *, jsonl: bool, no_xml: bool) -> None:
    if jsonl:
        _answer_lines(source, no_xml=no_xml)
        return
    import msgspec

    failures = _failures(source.read().decode("utf-8", "replace"), "", None, no_xml=no_xml)
    _say(msgspec.json.format(msgspec.json.encode({"failures": [_told(f) for f in failures]}), indent=2))


def _answer_lines(source: BinaryIO, *, no_xml: bool) -> None:
    answers = _Answers(no_xml=no_xml)
    number = 0
    for lines in _as_they_come(source):
        _say("\n".join(map(answers.to, lines, count(number + 1))).encode("ascii"))
        number += len(lines)
    if number and answers.refused == number:
        from trueup.errors import UsageError

        raise UsageError(
            "no line is a record",
            why=f"all {number} were looked at" if number > 1 else "there is one line",
            do='Each line is a JSON object with "output", the text; without --jsonl the whole input is one log.',
        )


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


class _Answers:
    """To one record after another, each as a JSON list of fingerprints."""

    def __init__(self, *, no_xml: bool) -> None:
        from json import JSONDecoder

        from trueup.evidence.text import plain_text

        self.refused = 0
        self._no_xml = no_xml
        self._decode = JSONDecoder().raw_decode
        self._plain_text = plain_text
        self._to_text = _to_text()
        self._again = lru_cache(maxsize=_KEPT)(self._to_text)

    def to(self, line: bytes, number: int) -> str:
        try:
            output, xml, exit_code = self._record(line)
        except ValueError as error:
            print(f"line {number}: {error}", file=sys.stderr)
            self.refused += 1
            return "[]"
        if exit_code == 0 or (xml and not self._no_xml) or output[:_HEAD].lstrip(_BLANK)[:1] in _REPORTS:
            return _listed(_failures(output, xml, exit_code, no_xml=self._no_xml))
        text = self._plain_text(output)
        return (self._again if len(text) < _LONG else self._to_text)(text, exit_code)

    def _record(self, line: bytes) -> tuple[str, str, int | None]:
        """Its output, JUnit XML and exit code."""
        text = line.decode("utf-8", "replace").strip(_BLANK)
        try:
            record, end = self._decode(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"no JSON: {error}") from error
        if end < len(text):
            raise ValueError(f"no JSON: more than one value, the second from character {end + 1} on")
        output = record.get("output") if isinstance(record, dict) else None
        if isinstance(output, str):
            xml, code = record.get("junit_xml"), record.get("exit_code")
            return output, xml if isinstance(xml, str) else "", code if isinstance(code, int) else None
        raise ValueError('no record: it needs an "output" that is text')


def _to_text() -> Callable[[str, int | None], str]:
    from trueup.evidence.text import told_in_plain_text as told

    return lambda text, exit_code: _listed(told(CHECK, text, exit_code=exit_code, sources=_no_tree))


def _listed(failures: list[Told]) -> str:
    """Nothing in a fingerprint needs an escape."""
    from trueup.evidence.fingerprint import fingerprint

    fingerprints = '","'.join(dict.fromkeys(map(fingerprint, failures)))
    return f'["{fingerprints}"]' if fingerprints else "[]"


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
