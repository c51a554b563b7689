"""The last screen, for every way in which a run can end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from trueup.decide.moves import BaselineTaken, PutBack, PutBackWhy, Rung, Suspicion, TreeProved, TwinRun
from trueup.decide.outcome import ProofSummary, Status
from trueup.decide.state import Class
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Report, Strength
from trueup.report.endings import outcome_lines
from trueup.report.events import ChangedFile

TEST_PUT_BACK = (PutBack(path="tests/test_api.py", why=PutBackWhy.PROTECTED),)


def screen(text: str) -> list[str]:
    return text.strip("\n").split("\n")


@pytest.fixture
def green(story: Any, failure: Any, quote_failure: Failure) -> Any:
    a, q = failure(), quote_failure
    return (
        story()
        .start(a, q)
        .attempt(Class.PROGRESS, q, fixed=[a])
        .attempt(Class.STUCK, q, put_back=TEST_PUT_BACK)
        .attempt(Class.GREEN, fixed=[q])
    )


@pytest.fixture
def halfway(story: Any, failure: Any, quote_failure: Failure) -> Any:
    """Three failures, one left, and nothing more to be had."""
    a, b, q = failure(), failure("tests/test_cart.py::test_tax"), quote_failure
    broken = [failure(f"tests/test_b.py::test_{n}") for n in range(4)]
    return (
        story()
        .start(a, b, q)
        .attempt(Class.PROGRESS, q, fixed=[a, b], changed=("src/shop/api.py",))
        .attempt(Class.WORSE, q, *broken, broke=broken)
        .attempt(Class.NO_OP, changed=(), put_back=TEST_PUT_BACK, rung=Rung.RETHINK)
        .attempt(Class.NO_OP, changed=(), put_back=TEST_PUT_BACK, rung=Rung.MINIMAL)
    )


def test_passed(green: Any) -> None:
    changed = [
        ChangedFile(path="src/shop/cart.py", added=6, removed=3),
        ChangedFile(path="src/shop/api.py", added=2, removed=1),
        ChangedFile(path="tests/test_bulk2.py", note="new (the agent's own test, passes)"),
    ]
    outcome = green.ends(Status.PASSED, "proven", seconds=272.0, usd=0.78)
    assert outcome_lines(outcome, green.state, "trueup/bulk", changed=changed, project="~/shop") == screen("""
passed · 3 attempts · 4:32 · $0.78 of $2.00 (as claude reports it)
  changed  src/shop/cart.py +6 −3   src/shop/api.py +2 −1
           tests/test_bulk2.py new (the agent's own test, passes)
  look at  tests/test_api.py was changed by the agent and put back
  proven   142 of 142 tests pass on a fresh copy; three of them made to fail, and they fail
  branch   trueup/bulk
  next     trueup diff      show it
           trueup apply     bring it into ~/shop as uncommitted changes (undo: trueup apply --undo)
""")


@pytest.mark.parametrize(
    ("strength", "words"),
    [(Strength.EXIT_CODE, "by exit codes only"), (Strength.INVENTORY, "could not be made to fail")],
)
def test_a_weaker_proof_says_so(green: Any, strength: Strength, words: str) -> None:
    proof = ProofSummary(tree=green.state.best, strength=strength, passed=1, collected=1, twins=0, commands=("make",))
    lines = outcome_lines(green.ends(Status.PASSED, proof=proof), green.state)
    assert any(line.startswith("  proven") and words in line for line in lines)


def test_passed_over_the_limit_says_so(green: Any) -> None:
    outcome = green.ends(Status.PASSED, usd=99.0, usd_limit=0.01)
    assert "$99.00 of $0.01, over the limit" in outcome_lines(outcome, green.state)[0]


def test_an_unknown_cost_is_not_shown_as_zero(green: Any) -> None:
    assert "cost not known" in outcome_lines(green.ends(Status.PASSED, usd=None), green.state)[0]


def test_tests_that_vanished_by_permission_are_listed(story: Any, failure: Any, report: Any) -> None:
    told = story(edit_tests=True).start(failure()).attempt(Class.GREEN, fixed=[failure()])
    proof = TreeProved(
        tree="tree-1",
        report=report("tree-1", [], ("tests/test_other.py::test_1",)),
        twin=TwinRun(),
        suspicions=(),
        start=(),
        strength=Strength.TWIN,
    )
    state = replace(told.state, proof=proof)
    lines = outcome_lines(told.ends(Status.PASSED), state)
    assert any("139 tests of the start are gone" in line for line in lines)


def test_stuck(halfway: Any) -> None:
    outcome = halfway.ends(Status.STUCK, "no_change", "two attempts in a row changed nothing", usd=1.31)
    assert outcome_lines(outcome, halfway.state) == screen("""
stuck · two attempts in a row changed nothing · 4 attempts · 6:10 · $1.31 of $2.00
  better than the start: 3 → 1 failing
  fails    test_api.py::test_quote  KeyError: 'discount'  api.py:88  the same since the start
  tried    1 edited api.py → 3 → 1 · 2 edited cart.py → broke 4, undone
           3 edited only the test → put back
           4 asked for a small change → edited only the test → put back
  maybe    two attempts changed only tests/test_api.py. Is the test meant to change?   --edit-tests
  look at  tests/test_api.py was changed by the agent and put back
  kept     attempt 1 (3 → 1), not proven.   trueup diff · trueup apply --partial · trueup resume
""")


def test_stuck_without_a_better_state_keeps_the_start(story: Any, failure: Any) -> None:
    told = story().start(failure()).attempt(Class.STUCK, failure())
    lines = outcome_lines(told.ends(Status.STUCK, "ladder", "4 attempts in a row got no further"), told.state)
    assert lines[-1] == ("  kept     your files as they were: no attempt was better.   trueup explain · trueup resume")


def test_out_of_budget_names_the_limit_and_how_to_go_on(halfway: Any) -> None:
    outcome = halfway.ends(Status.OUT_OF_BUDGET, "time", limit="time", seconds=2690.0)
    lines = outcome_lines(outcome, halfway.state)
    assert lines[0].startswith("out of budget · another attempt does not fit into 45 min · 4 attempts")
    assert lines[-2].endswith("trueup diff · trueup apply --partial")
    assert lines[-1].strip() == "trueup resume --max-time 90m"


def test_unverifiable_names_the_check_and_its_reason(story: Any) -> None:
    told = story()
    bad = CheckResult(check="tests", status=CheckStatus.ERROR, reason="pytest: not found", log="checks/start-tests.log")
    state = replace(told.state, baseline=BaselineTaken(tree="t", report=Report(tree="t", results=(bad,))))
    lines = outcome_lines(told.ends(Status.UNVERIFIABLE, "baseline", "tests: pytest: not found"), state)
    assert lines == screen("""
unverifiable · tests: pytest: not found
  no run   tests: pytest: not found   (output: checks/start-tests.log)
  next     trueup doctor · trueup run, once it works
""")


def test_a_suspicious_change_is_shown_line_by_line(story: Any, failure: Any, report: Any) -> None:
    proof = TreeProved(
        tree="tree-1",
        report=report("tree-1", []),
        twin=TwinRun(),
        suspicions=(
            Suspicion(path="src/a.py", line=12, text="    os._exit(0)", why="ends the interpreter at once"),
            Suspicion(path="src/b.py", line=3, text="return True", why="equal to everything"),
        ),
        start=(),
        strength=Strength.TWIN,
    )
    told = story().start(failure()).attempt(Class.INVALID, proof=proof, detail="suspicious change")
    assert outcome_lines(told.ends(Status.BLOCKED, "suspicious", "suspicious change"), told.state) == screen("""
blocked · a person has to look at the change before it can be believed · 1 attempt · 6:10
  $0.24 of $2.00
  look at  src/a.py:12  os._exit(0)  ends the interpreter at once
           src/b.py:3   return True  equal to everything
  fails    test_cart.py::test_bulk  assert 90 == 85  cart.py:41  since the start
  tried    1 edited cart.py → not proven: suspicious change
  kept     your files as they were; the change waits until a person has looked.   trueup explain
           trueup resume
  do       read these lines and `trueup diff 1`; if it is fine: trueup review approve
""")


def test_refused_credentials_say_what_to_do(story: Any, failure: Any) -> None:
    told = story().start(failure()).attempt(Class.INTERRUPTED, changed=())
    lines = outcome_lines(told.ends(Status.BLOCKED, "credentials", "401: invalid key"), told.state)
    assert lines[0].startswith("blocked · 401: invalid key")
    assert lines[-1] == "  do       log in to the agent (or set its key), then: trueup resume"


def test_nothing_to_do_says_that_the_checks_cannot_show_the_task(story: Any) -> None:
    told = story().start()
    assert outcome_lines(told.ends(Status.NOTHING_TO_DO, "goal_holds"), told.state) == screen("""
nothing to do · the goal is met already at the start, so the checks cannot show the task
  next     add a check that shows the task, or let the agent work all the same: --on-green work
""")


def test_cancelled_can_be_resumed(halfway: Any) -> None:
    lines = outcome_lines(halfway.ends(Status.CANCELLED, "cancelled", "stopped on request"), halfway.state)
    assert lines[0].startswith("cancelled · stopped on request")
    assert any("nothing is lost" in line for line in lines)
    assert "  tried    1 edited api.py → 3 → 1 · 2 edited cart.py → broke 4, undone" in lines
    assert lines[-1].endswith("trueup resume")


def test_a_request_that_cannot_be_carried_out_points_to_the_help(story: Any) -> None:
    told = story()
    lines = outcome_lines(told.ends(Status.USAGE, "target", "no check collects t::x"), told.state)
    assert lines == [
        "cannot start · no check collects t::x",
        "  next     correct --target, or add --edit-tests if the agent is to write that test",
    ]


def test_a_branch_that_was_not_made_says_why(green: Any) -> None:
    lines = outcome_lines(green.ends(Status.PASSED), green.state, branch_note="your uncommitted files are in the way")
    assert "  branch   your uncommitted files are in the way" in lines
