"""The lines that a person reads while a run goes on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from trueup.decide.moves import (
    AgentStatus,
    BaselineTaken,
    PutBack,
    PutBackWhy,
    Rung,
    Suspicion,
    TreeProved,
    TwinRun,
)
from trueup.decide.state import Class
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Observation, Report, Seen, Strength
from trueup.report.lines import asking_line, attempt_lines, baseline_lines, header_lines, proof_line


def screen(text: str) -> list[str]:
    return text.strip("\n").split("\n")


def last(told: Any) -> list[str]:
    lines: list[str] = attempt_lines(told.state.attempts[-1], told.state)
    return lines


def head(told: Any) -> str:
    """The first line, without time and money."""
    return re.sub(r"\s+\d+:\d\d(  \$[\d.]+)?$", "", last(told)[0])


def test_the_first_screen(header: Any) -> None:
    assert header_lines(header())[:-1] == screen("""
trueup 0.1.0 · run 7f3a · ~/shop at main 4c1e9d2 + 3 uncommitted files
  your checkout stays as it is; claude works in a copy
  agent    claude 2.1.197, your login, edits and runs commands without asking
           not sandboxed: it can do what you can do    (--sandbox: bubblewrap found)
  checks   pytest -q                       from pyproject.toml
  setup    uv sync
  files    .env.test copied (.worktreeinclude)
  hidden from checks: STRIPE_KEY, DATABASE_URL                 (--env DATABASE_URL lets one through)
  limits   $2.00 · 45 min · 10 attempts
""")
    assert header_lines(header())[-1] == ""


def test_the_first_screen_says_when_the_checkout_itself_is_worked_in(header: Any) -> None:
    assert "works in your checkout itself" in header_lines(header(in_place=True))[1]


def test_the_first_screen_says_when_the_cost_is_not_known(header: Any) -> None:
    lines = header_lines(header(usd=None, cost_known=False))
    assert "  limits   45 min · 10 attempts · the cost is not known: the agent does not report it" in lines


def test_many_hidden_names_are_counted_and_the_hint_moves_below(header: Any) -> None:
    lines = header_lines(header(withheld=tuple(f"SECRET_NUMBER_{n}" for n in range(14))))
    where = next(i for i, line in enumerate(lines) if "hidden from checks" in line)
    assert lines[where].endswith("and 4 more")
    assert lines[where + 1].strip() == "(--env SECRET_NUMBER_13 lets one through)"


def test_a_plain_folder_has_no_branch(header: Any) -> None:
    assert header_lines(header(branch="", head="", dirty=0))[0] == "trueup 0.1.0 · run 7f3a · ~/shop"


def test_the_start_lists_what_fails_in_columns(story: Any, failure: Any, quote_failure: Failure) -> None:
    told = story().start(failure(), failure("tests/test_cart.py::test_bulk_tax", "assert 99 == 93.5"), quote_failure)
    assert baseline_lines(told.state.baseline, told.state) == screen("""
  start    142 tests, 3 fail                                                    6 s
           test_cart.py::test_bulk      assert 90 == 85       cart.py:41
           test_cart.py::test_bulk_tax  assert 99 == 93.5     cart.py:41
           test_api.py::test_quote      KeyError: 'discount'  api.py:88
""")


def test_a_start_that_cannot_be_measured_says_why() -> None:
    record = BaselineTaken(tree="t", report=None, problem="uv sync failed:\nno network")
    assert baseline_lines(record) == ["  start    the checks cannot be used: uv sync failed: no network"]


def test_a_check_without_a_list_of_tests_is_counted_as_a_check(failure: Any) -> None:
    red = CheckResult(
        check="build", status=CheckStatus.FAILED, failures=(failure("", "exit 2", kind="exit", test=False),)
    )
    record = BaselineTaken(tree="t", report=Report(tree="t", results=(red,)), duration=2)
    assert baseline_lines(record)[0].startswith("  start    1 check, 1 fails")


def test_unknown_is_named_beside_the_start(story: Any, failure: Any) -> None:
    told = story().start(failure(message="KeyError: 'DATABASE_URL'"))
    report = told.state.baseline.report
    missing = CheckResult(check="lint", status=CheckStatus.ERROR, reason="ruff: command not found")
    later = CheckResult(check="e2e", status=CheckStatus.SKIPPED, reason="an earlier check failed")
    flips = Observation(key="tests tests/test_cart.py::test_bulk", seen=Seen.PASSED)
    record = replace(
        told.state.baseline,
        report=replace(report, results=(*report.results, missing, later), rewritten=("uv.lock",)),
        observations=(flips,),
    )
    assert [line.strip() for line in baseline_lines(record, withheld=("DATABASE_URL",))[2:]] == [
        "lint could not run: ruff: command not found",
        "e2e was not run: an earlier check failed",
        "DATABASE_URL is named there and hidden from the checks   --env DATABASE_URL",
        "flaky: test_bulk (another result on unchanged files)",
        "the checks rewrite uv.lock: put back each time",
    ]


def test_an_attempt_that_got_further(story: Any, failure: Any, quote_failure: Failure) -> None:
    a, b = failure(), failure("tests/test_cart.py::test_bulk_tax")
    told = story().start(a, b, quote_failure).attempt(Class.PROGRESS, quote_failure, fixed=[a, b])
    assert last(told) == ["  1        3 → 1 failing    fixed test_bulk, test_bulk_tax                      1:31  $0.24"]


def test_an_attempt_that_changed_a_test_says_that_it_was_put_back(story: Any, quote_failure: Failure) -> None:
    back = (
        PutBack(path="tests/test_api.py", why=PutBackWhy.PROTECTED),
        PutBack(path="pytest.ini", why=PutBackWhy.CONTROL),
        PutBack(path="docs/a.md", why=PutBackWhy.SCOPE),
        PutBack(path="pyproject.toml", why=PutBackWhy.KEYS, detail="tool.pytest"),
    )
    told = story().start(quote_failure).attempt(Class.STUCK, quote_failure, put_back=back)
    assert last(told) == screen("""
  1        1 → 1 failing    same failure: KeyError: 'discount'                  1:31  $0.24
           the agent changed tests/test_api.py: put back
           the agent changed pytest.ini: put back, because it decides how the checks run
           the agent changed docs/a.md: put back, because it is outside the allowed paths
           the agent changed how checks run in pyproject.toml (tool.pytest): that part was put back
""")


def test_each_class_has_its_own_plain_words(story: Any, failure: Any, quote_failure: Failure) -> None:
    a, q = failure(), quote_failure
    broken = [failure(f"tests/test_b.py::test_{n}") for n in range(4)]
    told = story().start(a, q)
    rows = []
    for kind, failures, more in (
        (Class.WORSE, (a, q, *broken), {"broke": broken}),
        (Class.MIXED, (q, broken[0]), {"fixed": [a], "broke": broken[:1]}),
        (Class.MOVED, (failure(message="assert 91 == 85"), q), {}),
        (Class.CYCLE, (a, q), {"same_as": 1}),
        (Class.REVISIT, (), {"same_as": 2}),
        (Class.NO_OP, (), {"changed": ()}),
        (Class.INVALID, (a, q), {"detail": "database is down"}),
        (Class.INTERRUPTED, (), {}),
        (Class.INTERRUPTED, (), {"agent": AgentStatus.CREDENTIALS}),
        (Class.GREEN, (), {"fixed": [a, q]}),
    ):
        rows.append(head(told.attempt(kind, *failures, **more)))
    assert rows == screen("""
  1        2 → 6 failing    broke test_0, test_1, test_2 and 1 more: undone
  2        2 → 2 failing    fixed 1, broke test_0: undone
  3        2 → 2 failing    another failure: assert 91 == 85
  4        2 → 2 failing    back to the failures of attempt 1: undone
  5        the same files as attempt 2: undone, not checked again
  6        changed nothing
  7        the checks could not run: database is down
  8        interrupted: it will be repeated
  9        the agent was not let in: its login or key was refused
  10       2 → 0 failing    fixed test_bulk, test_quote
""")


def test_a_repaired_build_says_how_much_can_be_seen_now(story: Any, failure: Any) -> None:
    build = failure("", "SyntaxError", test=False)
    seen = [failure(f"tests/test_b.py::test_{n}") for n in range(40)]
    told = story().start(build).attempt(Class.PROGRESS, *seen, unveiled=seen)
    assert head(told) == "  1        1 → 40 failing   got further; 40 more can run now and fail"


def test_the_agents_own_tests_and_a_doubtful_bill_are_told(story: Any, failure: Any) -> None:
    own = CheckResult(check="own", status=CheckStatus.PASSED, exit_code=0, inventory=("a", "b"), passed=("a", "b"))
    told = story().start(failure()).attempt(Class.STUCK, failure(), extra=(own,), agent=AgentStatus.TIMEOUT)
    view = replace(told.state.attempts[0], charged_usd=0.67, charge_note="the agent reported no cost")
    assert [line.strip() for line in attempt_lines(view, told.state)[1:]] == [
        "the agent ran out of time",
        "the agent's own new tests: 2 of 2 pass",
        "charged $0.67: the agent reported no cost",
    ]


def test_no_line_of_an_attempt_outgrows_its_screen_because_of_long_names(story: Any, failure: Any) -> None:
    many = [failure(f"tests/test_{'long' * 8}_{n}.py::test_{'name' * 8}_{n}") for n in range(30)]
    told = story().start(*many).attempt(Class.PROGRESS, fixed=many)
    assert len(last(told)[0]) <= 100
    told.attempt(Class.WORSE, *many, broke=many)
    assert len(last(told)[0]) <= 100


@pytest.mark.parametrize(
    ("rung", "text"),
    [
        (Rung.RETHINK, "  3        asking for a different idea …"),
        (Rung.MINIMAL, "  3        asking for the smallest change …"),
        (Rung.NORMAL, None),
    ],
)
def test_a_change_in_the_way_of_asking_is_said_once(move: Any, rung: Rung, text: str | None) -> None:
    assert asking_line(move(3, rung=rung, nudge=True)) == text
    assert asking_line(move(3, rung=rung, nudge=False)) is None


def a_proof(report: Report, **more: Any) -> TreeProved:
    fields: dict[str, Any] = {
        "tree": report.tree,
        "report": report,
        "twin": TwinRun(failed_as_told=("tests t::a",)),
        "suspicions": (),
        "start": (),
        "strength": Strength.TWIN,
        "duration": 14.0,
    }
    return TreeProved(**(fields | more))


def test_the_proof(report: Any) -> None:
    ids = tuple(f"t::{n}" for n in range(142))
    assert proof_line(a_proof(report("t", [], ids))) == (
        "  proof    fresh copy, your tests: 142 of 142 pass; made to fail, they fail     14 s"
    )


def test_a_proof_that_does_not_hold_names_what_differs(report: Any, failure: Any) -> None:
    line = proof_line(
        a_proof(
            report("t", [failure()], ("t::1",), skipped=("t::2",), inventory=("t::1", "t::2", failure().subject)),
            twin=TwinRun(survived=("tests t::1",)),
            start=tuple(Observation(key="tests t::1", seen=Seen.PASSED) for _ in range(3)),
            suspicions=(Suspicion(path="a.py", line=1, text="x", why="y"),),
        )
    )
    assert "1 of 3 pass, 1 skipped, test_bulk failing; made to fail, 1 did not fail" in line
    assert "1 now passes on your unchanged files too; 1 change to look at" in line


def test_a_proof_by_exit_code_counts_checks(report: Any) -> None:
    opaque = report("t", [], (), inventory=None)
    line = proof_line(a_proof(opaque, twin=TwinRun(why_not="make does not tell its tests")))
    assert "fresh copy, your checks: 1 of 1 pass; not made to fail: make does not tell its tests" in line
