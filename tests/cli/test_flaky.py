"""`trueup flaky`: what wavered on unchanged files, over all runs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from trueup.remember import flips
from trueup.remember.database import Database

DAY = 86400.0
BULK = "tests tests/test_cart.py::test_bulk"


@pytest.fixture
def wavering(empty: Any) -> Any:
    """A project in which one test wavered in two runs, and another one long ago."""
    with Database(empty.state) as db:
        now = time.time()
        flips.add(db, ["tests tests/test_old.py::test_old"], tree="t0", time=now - 90 * DAY, run="aaaa", at_start=False)
        flips.add(db, [BULK], tree="t0", time=now - 40 * DAY, run="bbbb", at_start=True)
        flips.add(db, [BULK], tree="t1", time=now - DAY, run="cccc", at_start=False)
    return empty


def test_nothing_wavered_is_said_and_is_no_error(empty: Any, cli: Any) -> None:
    said = cli(empty, "flaky")
    assert said.code == 0
    assert "no test gave different answers on unchanged files" in said.out
    assert cli(empty, "flaky", "--json").json == {"flaky": [], "since": None}


def test_tests_are_listed_with_how_often_where_and_which_runs(wavering: Any, cli: Any) -> None:
    said = cli(wavering, "flaky")
    assert said.code == 0
    first, second = said.out.splitlines()[:2]
    assert first.startswith("test_cart.py::test_bulk  2 times  last 20")
    assert "1 before any change, 1 after a change  run cccc, bbbb" in first
    assert second.split()[-5:] == ["after", "a", "change", "run", "aaaa"]
    assert "1 after a change" not in second


def test_json_has_every_figure(wavering: Any, cli: Any) -> None:
    first = cli(wavering, "flaky", "--json").json["flaky"][0]
    assert first["last"] > time.time() - 2 * DAY
    assert {k: v for k, v in first.items() if k != "last"} == {
        "key": BULK,
        "check": "tests",
        "test": "tests/test_cart.py::test_bulk",
        "times": 2,
        "before_any_change": 1,
        "after_a_change": 1,
        "runs": ["cccc", "bbbb"],
    }


def test_since_leaves_older_sightings_out(wavering: Any, cli: Any) -> None:
    (only,) = cli(wavering, "flaky", "--since", "30d", "--json").json["flaky"]
    assert (only["key"], only["times"]) == (BULK, 1)
    assert "in the last 1h" in cli(wavering, "flaky", "--since", "1h").out
    refused = cli(wavering, "flaky", "--since", "yesterday")
    assert refused.code == 2
    assert "--since 30d" in refused.err


def test_a_run_on_a_project_with_a_wavering_check_leaves_it_in_the_list(empty: Any, cli: Any, tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.write_text("0\n")
    wobble = f"sh -c 'n=$(cat {count}); echo $((n + 1)) > {count}; test $((n % 2)) -eq 1'"
    cli(empty, "run", "fix it", "--agent-cmd", "true", "--check", wobble, "--max-attempts", "1")
    (only,) = cli(empty, "flaky", "--json").json["flaky"]
    run = cli(empty, "runs", "--json").json["runs"][0]["run"]
    assert (only["key"], only["before_any_change"], only["runs"]) == ("sh ", 1, [run])


def test_names_from_outside_cannot_draw_on_the_screen(empty: Any, cli: Any) -> None:
    with Database(empty.state) as db:
        flips.add(db, ["tests a.py::t[\x1b[31m\n]"], tree="t0", time=time.time())
    said = cli(empty, "flaky")
    assert "\x1b" not in said.out
    assert said.out.startswith("a.py::t[\\n]  1 time  last ")
