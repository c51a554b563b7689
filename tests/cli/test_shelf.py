from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from trueup.cli.shelf import open_shelf, show, show_json
from trueup.report.text import unchanged


def poor_terminal() -> io.TextIOWrapper:
    """A stdout that cannot show every character."""
    return io.TextIOWrapper(io.BytesIO(), encoding="latin-1", write_through=True)


def shown(stream: io.TextIOWrapper) -> bytes:
    stream.seek(0)
    return bytes(stream.buffer.read())


def test_a_poor_terminal_gets_a_question_mark_instead_of_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", stream := poor_terminal())
    show(["2 → 0 é"], unchanged)
    assert shown(stream) == "2 ? 0 é\n".encode("latin-1")


def test_machines_get_utf_8_and_visible_names_whatever_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", stream := poor_terminal())
    show_json({"path": "2 → \udce9"}, unchanged)
    assert json.loads(shown(stream)) == {"path": "2 → \\udce9"}


def test_a_known_run_tells_its_start_its_best_and_its_status(played: Any) -> None:
    with open_shelf(played.project, played.environ) as shelf:
        run = shelf.run(played.passed)
        kept = shelf.store().kept(f"{run.id}/")
    assert run.status == "passed"
    assert kept[f"{run.id}/start"] == run.start
    assert kept[f"{run.id}/best"] == run.best == run.attempt(1).record.candidate
