"""What does it cost to tell the failures of a log apart, and what can a hostile log make it cost?"""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from benchmarks.adversary import hard_lines, hard_texts, readers
from benchmarks.measure import MEGABYTE, Row, ran
from trueup.evidence import fingerprint
from trueup.evidence.parsers.found import MOST_FAILURES, Lines
from trueup.evidence.text import failures_from_text

BAR = 1.0
"""Seconds for 10 MB: 10 MB/s."""
HOSTILE_BAR = 2.0
SIZE = 10 * MEGABYTE
_SAMPLE, _LOOK = 6_000, 1
_HALF = 100_000
"""Lines: of a longer text the first and the last are read."""
_USUAL = "".join(f"collecting part {number} of the suite, everything is as it should be\n" for number in range(25))
_SHORTEST, _ROUNDS, _TIMES = 200, 5, 20


def rows(scratch: Path, env: Mapping[str, str]) -> Iterator[Row]:
    texts = samples()
    size = sum(len(text) for text in texts)
    cost = min(_seconds(texts) for _ in range(_ROUNDS)) / size * SIZE
    note = f"{len(texts)} logs, {size / len(texts):.0f} characters each: {SIZE / MEGABYTE / cost:.1f} MB/s"
    yield Row(what="failures of 10 MB of short logs told apart", value=cost, limit=BAR, note=note)
    yield _as_a_command(scratch, env, texts)
    name, what, worst = max((_hardest(name) for name in readers()), key=lambda one: one[2])
    yield Row(what="10 MB of the hardest lines, one parser", value=worst, limit=HOSTILE_BAR, note=f"{name}: {what}")


def samples() -> list[str]:
    """The outputs in the tests of the parsers, each below what a run prints about all that went well."""
    folder = Path(__file__).parent.parent / "tests" / "evidence"
    found: list[str] = []
    for path in sorted(folder.glob("test_*.py")):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
        found += [text for text in texts if len(text) >= _SHORTEST and "\n" in text]
    return [f"{_USUAL}{text}" for text in dict.fromkeys(found)]


def _seconds(texts: list[str]) -> float:
    fingerprint._normal.cache_clear()  # noqa: SLF001 - the second round must not profit from the first
    started = time.process_time()
    for text in texts:
        for failure in failures_from_text("c", text, exit_code=1, sources=_no_tree):
            fingerprint.fingerprint(failure)
    return time.process_time() - started


def _no_tree(path: str) -> None:  # noqa: ARG001 - only the log is known
    return None


def _as_a_command(scratch: Path, env: Mapping[str, str], texts: list[str]) -> Row:
    records = scratch / "records.jsonl"
    lines = [json.dumps({"command": "x", "exit_code": 1, "output": text}) for text in texts * _TIMES]
    records.write_text("\n".join(lines) + "\n", encoding="utf-8")
    argv = (str(Path(sys.executable).with_name("trueup")), "fingerprint", "--jsonl")
    with records.open("rb") as source:
        costs = []
        for _ in range(3):
            source.seek(0)
            costs.append(ran(argv, env, stdin=source.fileno()).cpu)
    size = sum(len(text) for text in texts) * _TIMES
    note = f"{size / MEGABYTE:.1f} MB, {size / MEGABYTE / min(costs):.1f} MB/s with the start; the logs repeat"
    return Row(what="trueup fingerprint --jsonl, per 10 MB", value=min(costs) / size * SIZE, note=note)


def _hardest(name: str) -> tuple[str, str, float]:
    """The hardest of many texts by a small sample of each, and what 10 MB of it take."""
    read, marks = readers()[name]
    texts = list(hard_texts(hard_lines(read, marks), _SAMPLE))
    costs = [(_reading(name, lines) / _size(lines), what, lines) for what, lines in texts]
    hardest = sorted(costs, key=lambda one: one[0], reverse=True)[:_LOOK]
    full = ((_reading(name, list(lines) * (SIZE // _size(lines))), what) for _, what, lines in hardest)
    cost, what = max(full)
    return name, what, cost


def _size(lines: Lines) -> int:
    return sum(len(line) + 1 for line in lines)


def _reading(name: str, lines: Lines) -> float:
    """As much of them as a parser ever sees."""
    read, _ = readers()[name]
    lines = [*lines[:_HALF], *lines[-_HALF:]] if len(lines) > 2 * _HALF else lines
    started = time.process_time()
    for _ in islice(read(lines), MOST_FAILURES):
        pass
    return time.process_time() - started
