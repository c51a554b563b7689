"""The benchmark's own arithmetic: what is held against a bar, and how it is shown."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.measure")


def test_a_value_above_its_bar_is_missed_and_one_on_it_is_not(measure: ModuleType) -> None:
    assert measure.Row(what="x", value=0.11, limit=0.1).verdict == "MISSED"
    assert measure.Row(what="x", value=0.1, limit=0.1).verdict == "ok"
    assert measure.Row(what="x", value=9.0).verdict == ""
    assert measure.Row(what="x", limit=0.1).verdict == "not built yet"
    assert [measure.Row(what="x", value=v, limit=1.0).missed for v in (None, 0.5, 1.5)] == [False, False, True]


def test_the_ratio_is_to_the_bare_command(measure: ModuleType) -> None:
    assert measure.Row(what="x", value=3.0, bare=1.5).ratio == 2.0
    assert measure.Row(what="x", value=3.0).ratio is None
    assert measure.Row(what="x", bare=1.5).ratio is None
    assert measure.Row(what="x", value=3.0, bare=0.0).ratio is None


def test_the_columns_are_aligned_and_say_everything(measure: ModuleType) -> None:
    rows = [
        measure.Row(what="short", value=0.25, limit=0.5, bare=0.125, note="a note"),
        measure.Row(what="a longer name", unit="MB", value=151.0, limit=150.0),
        measure.Row(what="later", limit=1.0),
    ]
    head, *lines = measure.table(rows).splitlines()
    assert lines[0].split("  ")[0] == "short"
    assert "≤ 0.500 s" in lines[0]
    assert "0.250 s" in lines[0]
    assert "2 ×" in lines[0]
    assert "ok" in lines[0]
    assert lines[0].endswith("a note")
    assert "≤ 150 MB" in lines[1]
    assert "MISSED" in lines[1]
    assert lines[2].endswith("not built yet")
    assert len({line.index(word) for line, word in zip([head, *lines], ("bar", "≤", "≤", "≤"), strict=True)}) == 1


def test_differences_of_cpu_keep_our_process_and_its_children_apart(measure: ModuleType) -> None:
    before, after = measure.Cpu(1.0, 2.0), measure.Cpu(1.5, 4.0)
    assert after - before == measure.Cpu(0.5, 2.0)
    assert (after - before).total == 2.5
    assert measure.cheapest([after, before]) == before


def test_a_program_is_measured_with_what_it_waited_for(measure: ModuleType, tmp_path: Path) -> None:
    script = tmp_path / "busy.py"
    script.write_text(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    while time.process_time() < 0.2:\n"
        "        pass\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "raise SystemExit(3)\n"
    )
    done = measure.ran((sys.executable, "-S", str(script)), measure.environment(tmp_path))
    assert done.code == 3
    assert done.cpu >= 0.2


def test_a_missed_bar_is_said_loudly_and_in_the_json(monkeypatch: pytest.MonkeyPatch, measure: ModuleType) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    bench = importlib.import_module("benchmarks.bench")
    rows = [measure.Row(what="slow thing", value=2.0, limit=1.0), measure.Row(what="fine", value=1.0, limit=1.0)]
    assert bench.in_words({"cores": 2}, rows).endswith("MISSED: slow thing\n")
    assert bench.in_words({"cores": 2}, rows[1:]).endswith("every bar is held\n")
    told = json.loads(bench.in_json({"cores": 2}, rows))
    assert [row["verdict"] for row in told["rows"]] == ["MISSED", "ok"]
