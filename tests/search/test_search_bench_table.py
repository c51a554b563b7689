"""The search benchmark's own arithmetic: what counts as repaired, as wrong, as an error."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from trueup.act.output import Captured
from trueup.act.process import Completed

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.search_bench")


def result(bench: ModuleType, name: str, group: str, verdict: str, cpu: float) -> Any:
    given = verdict in {"right", "wrong"}
    facts = {
        "kind": "off-by-one",
        "wall": 1.0,
        "outcome": "",
        "patch": "",
        "given": given,
        "holdout": verdict == "right",
    }
    return bench.Result(name=name, group=group, verdict=verdict, cpu=cpu, **facts)


@pytest.mark.parametrize(
    ("code", "timed_out", "holdout", "verdict"),
    [
        (0, False, True, "right"),
        (0, False, False, "wrong"),
        (1, False, False, "none"),
        (2, False, False, "error"),
        (None, False, False, "error"),
        (-9, True, False, "error"),
    ],
)
def test_only_an_accepted_repair_that_the_hold_out_tests_accept_is_right(
    bench: ModuleType, code: int | None, timed_out: bool, holdout: bool, verdict: str
) -> None:
    done = Completed(argv=("trueup",), exit_code=code, timed_out=timed_out)
    assert bench._verdict(done, holdout=holdout) == verdict


def test_totals_are_counted_per_group_and_over_all(bench: ModuleType) -> None:
    rows = [
        ("a", "single", "right", 1.0),
        ("b", "single", "wrong", 2.0),
        ("c", "far", "none", 9.0),
        ("d", "far", "error", 0.0),
    ]
    told = json.loads(bench.in_json([result(bench, *row) for row in rows]))["totals"]
    assert list(told) == ["single", "far", "all"]
    assert told["single"]["repaired_given"] == 2
    assert told["single"]["repaired_holdout"] == told["single"]["wrong_patches"] == 1
    assert told["all"] == {
        "bugs": 4,
        "repaired_given": 2,
        "repaired_holdout": 1,
        "wrong_patches": 1,
        "errors": 1,
        "median_cpu": 1.5,
        "median_cpu_repaired": 1.0,
    }


def test_the_end_is_told_by_the_last_event_with_an_outcome_or_by_the_last_line(bench: ModuleType) -> None:
    events = b'{"event": {"outcome": {"detail": "nothing fits"}}}\n{"event": {"kind": "x"}}\n'
    assert bench._outcome(Completed(argv=("t",), exit_code=1, stdout=Captured(head=events))) == "nothing fits"
    assert (
        bench._outcome(Completed(argv=("t",), exit_code=2, stderr=Captured(head=b"a\nNo such option\n")))
        == "No such option"
    )
    assert bench._outcome(Completed(argv=("t",), exit_code=7)) == "exit code 7"
