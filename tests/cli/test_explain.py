from __future__ import annotations

from typing import Any


def test_a_run_is_told_attempt_by_attempt(played: Any, cli: Any) -> None:
    said = cli(played, "explain", played.passed)
    assert said.code == 0
    assert said.out.startswith(f"run {played.passed} · passed")
    assert "8 tests, 2 fail" in said.out
    assert "2 → 0 failing" in said.out
    assert "the agent changed tests/test_cart.py: put back" in said.out


def test_a_number_means_an_attempt(played: Any, cli: Any) -> None:
    out = cli(played, "explain", played.stuck, "1").out
    assert "edited   shop/cart.py" in out
    assert "test_bulk_starts_at_ten" in out


def test_anything_else_means_a_failure(played: Any, cli: Any) -> None:
    out = cli(played, "explain", played.stuck, "test_bulk_gets").out
    assert "tests/test_cart.py::test_bulk_gets_a_discount" in out
    assert "  1        passes" in out


def test_a_failure_is_found_by_its_fingerprint_too(played: Any, cli: Any) -> None:
    (failure,) = cli(played, "explain", "--json").json["current_failures"]
    (found,) = cli(played, "explain", played.stuck, failure["fingerprint"], "--json").json["failures"]
    assert found["key"].endswith("test_bulk_starts_at_ten")
    assert [v["fails"] for v in found["verdicts"]] == [True, True]
    assert found["verdicts"][0]["fingerprints"] == [failure["fingerprint"]]


def test_json_holds_what_each_attempt_did(played: Any, cli: Any) -> None:
    (attempt,) = cli(played, "explain", played.passed, "1", "--json").json["attempts"]
    assert attempt["class"] == "green"
    assert attempt["put_back"][0]["path"] == "tests/test_cart.py"
    assert len(attempt["fixed"]) == 2


def test_a_failure_that_never_was_is_refused(played: Any, cli: Any) -> None:
    said = cli(played, "explain", played.stuck, "test_of_the_moon")
    assert said.code == 2
    assert "no failure matches" in said.err
