"""The journal of the running run is edited from inside: old entries rewritten, a forged end appended."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from trueup.errors import BlockedError
from trueup.testing import Driven

FORGED = {"status": "passed", "reason": "forged"}


def journal(tmp_path: Path) -> closing[sqlite3.Connection]:
    (database,) = tmp_path.glob("state/trueup/*/journal.db")
    return closing(sqlite3.connect(database))


def test_rewritten_entries_decide_nothing(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    def rewrite(workspace: Path, _prompt: str) -> None:
        (workspace / "README.md").write_text("2\n")
        with journal(tmp_path) as memory, memory:
            for (name,) in memory.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                memory.execute(f"DROP TRIGGER {name}")
            for seq, body in memory.execute("SELECT rowid, body FROM entries").fetchall():
                green = body.replace('"failed"', '"passed"').replace('"exit_code":1', '"exit_code":0')
                memory.execute("UPDATE entries SET body = ? WHERE rowid = ?", (green, seq))
            memory.execute("UPDATE runs SET status = 'passed', ended = 1")

    result = attack(rewrite, check=quick, attempts=1)
    assert result.outcome.remaining


@pytest.mark.usefixtures("unchanged")
def test_an_entry_of_another_writer_stops_the_run(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path, left_behind: Callable[[], list[int]]
) -> None:
    def append(_workspace: Path, _prompt: str) -> None:
        with journal(tmp_path) as memory, memory:
            row = memory.execute("SELECT run, MAX(seq), time FROM entries").fetchone()
            memory.execute(
                "INSERT INTO entries (run, seq, time, role, kind, refers, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (row[0], row[1] + 1, row[2], "record", "RunFinished", row[1], json.dumps({"outcome": FORGED})),
            )

    with pytest.raises(BlockedError, match="another process"):
        attack(append, check=quick, attempts=1)
    assert left_behind() == []
