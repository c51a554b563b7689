from __future__ import annotations

from typing import Any

from trueup.act.process import quick


def test_the_diff_is_a_patch_of_the_best_state_byte_for_byte(own: Any, cli: Any) -> None:
    said = cli(own, "diff", own.passed)
    assert said.code == 0
    assert b"+caf\xe9\r\n" in said.raw
    quick(["git", "apply"], cwd=own.project, input=said.raw)
    assert (own.project / "notes.txt").read_bytes() == b"caf\xe9\r\n"
    assert ">= BULK_FROM" in (own.project / "shop/cart.py").read_text()


def test_the_latest_run_is_the_default(played: Any, cli: Any) -> None:
    assert cli(played, "diff").raw == cli(played, "diff", played.stuck[:5]).raw


def test_raw_shows_what_was_put_back(played: Any, cli: Any) -> None:
    kept = [f["path"] for f in cli(played, "diff", played.passed, "1", "--json").json["files"]]
    left = [f["path"] for f in cli(played, "diff", played.passed, "1", "--raw", "--json").json["files"]]
    assert kept == ["Makefile", "notes.txt", "shop/cart.py"]
    assert left == [*kept, "tests/test_cart.py"]
    assert cli(played, "diff", played.passed, "--raw", "--json").json["files"][-1]["path"] == "tests/test_cart.py"


def test_json_counts_lines(played: Any, cli: Any) -> None:
    (file,) = cli(played, "diff", "--json").json["files"]
    assert (file["path"], file["added"], file["removed"]) == ("shop/cart.py", 1, 1)


def test_an_attempt_that_does_not_exist_is_named(played: Any, cli: Any) -> None:
    said = cli(played, "diff", played.passed, "7")
    assert said.code == 2
    assert "has no attempt 7" in said.err
    assert said.raw == b""


def test_an_unknown_run_is_refused_with_the_known_ones(played: Any, cli: Any) -> None:
    said = cli(played, "diff", "zzzz")
    assert said.code == 2
    assert played.passed in said.err


def test_without_any_run_it_says_how_to_start_one(empty: Any, cli: Any) -> None:
    said = cli(empty, "diff")
    assert said.code == 2
    assert "no run in this project yet" in said.err
