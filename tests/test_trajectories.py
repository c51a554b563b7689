"""The measure of the turn fold: what it counts, on runs that are made up."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent))
    return importlib.import_module("benchmarks.trajectories")


def turn(number: int, args: str = "ls", **more: object) -> dict[str, object]:
    return {"i": number, "tool": "bash", "args": args, "kind": "run", "verify": False, "out": "a", "tok": 10, **more}


def run(name: str, turns: list[dict[str, object]], *, resolved: bool) -> dict[str, object]:
    return {"id": name, "source": name[0], "task": name, "resolved": resolved, "turns": turns}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    repaired = [
        turn(0, "make", verify=True, failed=True, out="oh"),
        turn(1, "make", verify=True, failed=False, out="b"),
    ]
    file = tmp_path / "runs.jsonl"
    records = [
        run("a1", [turn(number) for number in range(12)], resolved=False),
        run("a2", [turn(number, f"cat {number}", out=f"text {number}") for number in range(10)], resolved=False),
        run("b1", repaired, resolved=True),
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in records))
    return file


def test_what_came_after_the_stop_is_saved(bench: ModuleType, runs: Path) -> None:
    scored = bench.score(bench.read(runs), bench.at_level(5))
    assert (scored.saved, scored.spent, scored.ended, scored.unresolved) == (60, 220, 1, 2)
    assert (scored.touched, scored.resolved, scored.too_early, scored.repaired) == (0, 1, 0, 1)


def test_a_stop_before_the_repair_is_counted(bench: ModuleType, runs: Path) -> None:
    scored = bench.score(bench.read(runs), lambda _: 0)
    assert (scored.touched, scored.too_early, scored.too_early_any) == (1, 1, 1)


def test_the_rules_that_others_use_are_measured_beside_it(bench: ModuleType, runs: Path) -> None:
    loop, fine, _ = bench.read(runs)
    assert (bench.same_action_thrice(loop), bench.repeats_and_swings(loop)) == (2, 3)
    assert (bench.same_action_thrice(fine), bench.repeats_and_swings(fine)) == (None, None)


def test_the_number_is_shaped_on_runs_with_a_good_end_alone(bench: ModuleType, runs: Path) -> None:
    assert bench.shaped(bench.read(runs)) == 0 + bench.MARGIN


def test_the_table_is_printed(bench: ModuleType, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.main(runs)
    said = capsys.readouterr().out
    assert "| a | 9.1 % | 9.1 % | 1 of 2 | 0 of 0 |" in said
    assert "resolved: spoken to in 0 of 1" in said
