"""What is remembered about the start from this run is rewritten, so that the next one finds nothing to do."""

import json
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from trueup.testing import Driven


def all_green(report: Any) -> Any:
    if isinstance(report, list):
        return [all_green(part) for part in report]
    if not isinstance(report, dict):
        return report
    green = {"failures": [], "status": "passed", "exit_code": 0} if "failures" in report else {}
    return {name: all_green(value) for name, value in report.items()} | green


def test_a_remembered_verdict_does_not_end_a_run_as_if_all_were_well(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    poisoned = []

    def poison(_workspace: Path, _prompt: str) -> None:
        (database,) = tmp_path.glob("state/trueup/*/*.db")
        with closing(sqlite3.connect(database)) as memory, memory:
            for key, body in memory.execute("SELECT key, report FROM verdicts").fetchall():
                report = json.dumps(all_green(json.loads(zlib.decompress(body)))).encode()
                memory.execute("UPDATE verdicts SET report = ? WHERE key = ?", (zlib.compress(report), key))
                poisoned.append(key)

    attack(poison, check=quick, attempts=1)
    if not poisoned:
        pytest.fail("there was nothing to poison", pytrace=False)
    attack({"README.md": "2\n"}, check=quick, attempts=1)
