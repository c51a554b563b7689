from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from trueup.cli.proof import verdict
from trueup.cli.shelf import open_shelf
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Report


def test_the_proof_shows_what_passed_rests_on(played: Any, cli: Any) -> None:
    said = cli(played, "proof", played.passed)
    assert said.code == 0
    assert "8 tests, 2 fail" in said.out
    assert "-m pytest -q  exit code 0  8 of 8 tests pass" in said.out
    assert "strong: 8 tests were made to fail on the result, and all of them failed" in said.out
    assert "tests/test_cart.py: put back" in said.out
    assert "$0.25 · 1 attempt" in said.out


def test_json_holds_counts_with_their_denominators(played: Any, cli: Any) -> None:
    proof = cli(played, "proof", played.passed, "--json").json
    (check,) = proof["checks"]
    assert (check["passed"], check["tests"], check["exit_code"]) == (8, 8, 0)
    assert proof["at_start"][0]["failed"] == 2
    assert proof["put_back"][0]["path"] == "tests/test_cart.py"
    assert proof["rerun"] is None


def test_a_run_that_did_not_pass_has_no_proof(played: Any, cli: Any) -> None:
    said = cli(played, "proof", played.stuck)
    assert said.code == 2
    assert "only a run that passed has one" in said.err


def test_rerun_repeats_the_checks_and_writes_nothing_down(own: Any, cli: Any) -> None:
    before = entries(own)
    said = cli(own, "proof", own.passed, "--rerun", "--json")
    assert said.code == 0
    assert said.json["rerun"]["checks"][0]["passed"] == 8
    assert entries(own) == before


def entries(place: Any) -> int:
    with open_shelf(place.project, place.environ) as shelf:
        return int(shelf.db.query("SELECT COUNT(*) FROM entries")[0][0])


@pytest.fixture
def known(played: Any) -> Any:
    with open_shelf(played.project, played.environ) as shelf:
        return shelf.run(played.passed)


def changed(known: Any, **changes: Any) -> Report:
    report: Report = known.state.proof.report
    return replace(report, results=(replace(report.results[0], **changes),))


def test_the_same_answer_holds(known: Any) -> None:
    assert verdict(known, known.state.proof, known.state.proof.report) == 0


def test_a_new_failure_does_not_hold(known: Any) -> None:
    failure = Failure(check="pytest", subject="tests/test_cart.py::test_items_are_counted", kind="AssertionError")
    again = changed(known, status=CheckStatus.FAILED, failures=(failure,), exit_code=1)
    assert verdict(known, known.state.proof, again) == 1


def test_fewer_tests_do_not_hold(known: Any) -> None:
    result = known.state.proof.report.results[0]
    again = changed(known, passed=result.passed[1:], inventory=result.inventory[1:])
    assert verdict(known, known.state.proof, again) == 1


def test_a_check_that_cannot_run_says_nothing(known: Any) -> None:
    error = CheckResult(check="pytest", status=CheckStatus.ERROR, reason="gone")
    again = replace(known.state.proof.report, results=(error,))
    assert verdict(known, known.state.proof, again) == 4


def test_a_void_report_says_nothing(known: Any) -> None:
    assert verdict(known, known.state.proof, replace(known.state.proof.report, void="written meanwhile")) == 4
