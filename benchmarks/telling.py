"""How many MB of logs are told apart per second of CPU? `python -m benchmarks.telling RECORDS.jsonl`, or `make bench`.

Each figure stands beside a fixed piece of work on the same texts, done in turns with it: counting their words in plain
Python. On a busy machine both cost more, and the ratio tells more than the seconds.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.measure import MEGABYTE, Row, environment, ran, table
from trueup.evidence import fingerprint
from trueup.evidence.text import failures_from_text

BAR = 1.0
"""Seconds for 10 MB: 10 MB/s."""
SIZE = 10 * MEGABYTE
_RATIO = "the ratio is to counting their words"
_ROUNDS, _STARTS, _TIMES = 30, 5, 10


def main() -> None:
    given = sys.argv[1:]
    if not given:
        sys.exit("usage: python -m benchmarks.telling RECORDS.jsonl")
    with tempfile.TemporaryDirectory(prefix="trueup-bench-", ignore_cleanup_errors=True) as folder:
        lines = Path(given[0]).read_text(encoding="utf-8").splitlines()
        texts = [json.loads(line)["output"] for line in lines if line.strip()]
        found = list(rows(Path(folder), environment(Path(folder)), texts))
    sys.stdout.write(f"{table(found)}\n\nCPU seconds, the least that was seen\n")


def rows(scratch: Path, env: Mapping[str, str], texts: Sequence[str]) -> Iterator[Row]:
    size = sum(map(len, texts))
    cost, counting = (seconds / size * SIZE for seconds in _in_turns(texts))
    note = f"{len(texts)} logs, {size / len(texts):.0f} characters each: {SIZE / MEGABYTE / cost:.1f} MB/s; {_RATIO}"
    yield Row(what="failures of 10 MB of short logs told apart", value=cost, limit=BAR, bare=counting, note=note)
    for times in (1, _TIMES):
        start, cost = _as_a_command(scratch, env, list(texts) * times)
        read = size * times / MEGABYTE
        speeds = f"{read:.1f} MB: {read / cost:.1f} MB/s, {read / (cost - start):.1f} without the start"
        what = f"trueup fingerprint --jsonl, {times} × these logs, per 10 MB"
        yield Row(what=what, value=cost * 10 / read, bare=counting, note=f"{speeds} ({start:.3f} s); {_RATIO}")


def _in_turns(texts: Sequence[str]) -> tuple[float, float]:
    """What telling them apart and counting their words takes: the sums of the least that each of the texts took."""
    told, counted = [], []
    for _ in range(_ROUNDS):
        fingerprint._normal.cache_clear()  # noqa: SLF001 - the second round must not profit from the first
        told.append([_seconds(_told_apart, text) for text in texts])
        counted.append([_seconds(_counted, text) for text in texts])
    return sum(map(min, zip(*told, strict=True))), sum(map(min, zip(*counted, strict=True)))


def _seconds(work: Callable[[str], None], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started


def _told_apart(text: str) -> None:
    for failure in failures_from_text("c", text, exit_code=1, sources=_no_tree):
        fingerprint.fingerprint(failure)


def _no_tree(path: str) -> None:  # noqa: ARG001 - only the log is known
    return None


def _counted(text: str) -> None:
    words: dict[str, int] = {}
    for line in text.split("\n"):
        for word in line.split():
            words[word] = words.get(word, 0) + 1


def _as_a_command(scratch: Path, env: Mapping[str, str], texts: Sequence[str]) -> tuple[float, float]:
    """Its start, with nothing to read, and the whole, in turns."""
    records, nothing = scratch / "records.jsonl", scratch / "nothing.jsonl"
    lines = [json.dumps({"command": "x", "exit_code": 1, "output": text}) for text in texts]
    records.write_text("\n".join(lines) + "\n", encoding="utf-8")
    nothing.write_text("", encoding="utf-8")
    _filtered(records, env)  # compiles the modules
    rounds = [(_filtered(nothing, env), _filtered(records, env)) for _ in range(_STARTS)]
    starts, wholes = zip(*rounds, strict=True)
    return min(starts), min(wholes)


def _filtered(records: Path, env: Mapping[str, str]) -> float:
    argv = (str(Path(sys.executable).with_name("trueup")), "fingerprint", "--jsonl")
    with records.open("rb") as source:
        return ran(argv, env, stdin=source.fileno()).cpu


if __name__ == "__main__":
    main()
