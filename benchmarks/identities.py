"""What does it cost to tell the failures of a log apart, and what can a hostile log make it cost?"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from benchmarks import telling
from benchmarks.adversary import hard_lines, hard_texts, readers
from benchmarks.measure import Row
from benchmarks.telling import SIZE
from trueup.evidence.parsers.found import MOST_FAILURES, Lines

HOSTILE_BAR = 2.0
_SAMPLE, _LOOK = 6_000, 1
_HALF = 100_000
"""Lines: of a longer text the first and the last are read."""
_USUAL = "".join(f"collecting part {number} of the suite, everything is as it should be\n" for number in range(25))
_SHORTEST = 200


def rows(scratch: Path, env: Mapping[str, str]) -> Iterator[Row]:
    yield from telling.rows(scratch, env, samples())
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
