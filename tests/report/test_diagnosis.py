"""What still fails, since when, what was tried, and what may be behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trueup.decide.moves import AgentStatus, PutBack, PutBackWhy, Rung
from trueup.decide.outcome import Status
from trueup.decide.state import Class, State
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.report import CheckStatus, Seen
from trueup.report.diagnosis import current_failures, maybe, next_steps, tried

TEST_PUT_BACK = (PutBack(path="tests/test_api.py", why=PutBackWhy.PROTECTED),)


def streaks(state: State) -> dict[str, tuple[int, int]]:
    return {f.key.rpartition("::")[2]: (f.streak, f.since) for f in current_failures(state)}


def hints(state: State, **more: Any) -> list[tuple[str, str]]:
    return [(h.text, h.option) for h in maybe(state, **more)]


def test_the_same_failure_across_edits_is_one_streak(story: Any, failure: Any) -> None:
    a = failure()
    state = story().start(a).attempt(Class.STUCK, a).attempt(Class.STUCK, a).state
    assert streaks(state) == {"test_bulk": (3, 0)}


def test_another_failure_of_the_same_test_begins_a_new_streak(story: Any, failure: Any) -> None:
    a, b = failure(), failure(message="assert 91 == 85")
    state = story().start(a).attempt(Class.MOVED, b).attempt(Class.STUCK, b).state
    assert streaks(state) == {"test_bulk": (2, 1)}


def test_a_moved_line_number_is_still_the_same_failure(story: Any, failure: Any) -> None:
    state = story().start(failure(line=41)).attempt(Class.STUCK, failure(line=57)).state
    assert streaks(state) == {"test_bulk": (2, 0)}


def test_failures_of_an_undone_attempt_are_not_what_fails_now(story: Any, failure: Any) -> None:
    a, b = failure(), failure("tests/test_b.py::test_b")
    state = story().start(a).attempt(Class.WORSE, a, b, broke=[b]).state
    assert streaks(state) == {"test_bulk": (2, 0)}


def test_an_undone_attempt_that_lacked_the_failure_does_not_end_its_streak(story: Any, failure: Any) -> None:
    a, b = failure(), failure("tests/test_b.py::test_b")
    state = story().start(a).attempt(Class.STUCK, a).attempt(Class.MIXED, b, fixed=[a], broke=[b]).state
    assert streaks(state) == {"test_bulk": (2, 0)}


def test_what_hides_other_failures_comes_first(story: Any, failure: Any) -> None:
    broken = failure("tests/test_z.py", "SyntaxError", phase=Phase.COLLECT, test=False)
    state = story().start(failure(), broken).state
    assert [f.key for f in current_failures(state)] == ["tests tests/test_z.py", "tests tests/test_cart.py::test_bulk"]


def test_a_required_test_that_did_not_run_is_still_listed(story: Any, failure: Any) -> None:
    a, b = failure(), failure("tests/test_b.py::test_b", "boom", kind="ValueError")
    state = story().start(a, b).attempt(Class.STUCK, a).state
    view = state.attempts[0]
    assert view.judgement is not None
    carried = replace(view.judgement, required={a.key: 1, b.key: 1})
    state = replace(state, attempts=(replace(view, judgement=carried),))
    assert [(f.key, f.message) for f in current_failures(state)] == [(a.key, a.message), (b.key, "boom")]


def test_a_check_that_could_not_run_is_listed_with_its_reason(story: Any) -> None:
    state = story().start(status=CheckStatus.ERROR, reason="pytest: command not found", exit_code=127).state
    snapshot = replace(state.start_snapshot, failing={"tests ": 1}, prints={"tests ": ("error:tests ",)})
    judged = replace(state.start_judgement, required={"tests ": 1})
    state = replace(state, start_snapshot=snapshot, start_judgement=judged)
    found = current_failures(state)
    assert [(f.key, f.message, f.fingerprint) for f in found] == [
        ("tests ", "pytest: command not found", "error:tests ")
    ]


def test_tried_says_what_was_touched_and_what_came_of_it(story: Any, failure: Any, quote_failure: Failure) -> None:
    a, b, c = failure(), failure("tests/test_cart.py::test_tax"), quote_failure
    broken = [failure(f"tests/test_b.py::test_{n}") for n in range(4)]
    told = (
        story()
        .start(a, b, c)
        .attempt(Class.PROGRESS, c, fixed=[a, b], changed=("src/shop/api.py",))
        .attempt(Class.WORSE, c, *broken, broke=broken)
        .attempt(Class.NO_OP, changed=(), put_back=TEST_PUT_BACK)
        .attempt(Class.NO_OP, changed=())
        .attempt(Class.MIXED, broken[0], fixed=[c], broke=broken[:1], rung=Rung.MINIMAL)
        .attempt(Class.REVISIT, same_as=0)
        .attempt(Class.CYCLE, c, same_as=2)
        .attempt(Class.INTERRUPTED, changed=(), agent=AgentStatus.RATE_LIMITED)
        .attempt(Class.STUCK, c, agent=AgentStatus.TIMEOUT, rung=Rung.FRESH)
    )
    assert tried(told.state) == [
        "1 edited api.py → 3 → 1",
        "2 edited cart.py → broke 4, undone",
        "3 edited only the test → put back",
        "4 changed nothing",
        "5 asked for a small change → edited cart.py → fixed 1, broke 1, undone",
        "6 edited cart.py → the same files as the start, undone",
        "7 edited cart.py → back to the failures of attempt 2, undone",
        "8 hit a rate limit",
        "9 started over → ran out of time → edited cart.py → the same failure",
    ]


def test_two_attempts_that_edit_only_the_test_raise_the_question_whether_they_may(story: Any, failure: Any) -> None:
    told = story().start(failure()).attempt(Class.NO_OP, changed=(), put_back=TEST_PUT_BACK)
    assert hints(told.state) == []
    told.attempt(Class.NO_OP, changed=(), put_back=TEST_PUT_BACK)
    question = "two attempts changed only tests/test_api.py. Is the test meant to change?"
    assert hints(told.state) == [(question, "--edit-tests")]


def test_a_hidden_variable_that_a_failure_names_is_a_hint(story: Any, failure: Any) -> None:
    state = story().start(failure(message="KeyError: 'DATABASE_URL'", kind="KeyError")).state
    assert hints(state, withheld=("DATABASE_URL", "DATABASE", "STRIPE_KEY")) == [
        ("the failure names DATABASE_URL, which is hidden from the checks.", "--env DATABASE_URL")
    ]


def test_a_missing_module_asks_for_a_setup(story: Any, failure: Any) -> None:
    missing = failure(message="No module named 'httpx'", kind="ModuleNotFoundError")
    assert hints(story().start(missing).state)[0][1] == "--setup CMD"
    assert "httpx is not installed by the setup" in hints(story(setup="uv sync").start(missing).state)[0][0]


def test_timeouts_scope_a_slow_agent_and_flaky_tests_are_hints(story: Any, failure: Any) -> None:
    hangs = failure("", "no end after 600 s", kind="timeout", test=False)
    outside = (PutBack(path="docs/my file.md", why=PutBackWhy.SCOPE),)
    state = (
        story()
        .start(hangs, status=CheckStatus.TIMEOUT, reason="no end after 600 s")
        .attempt(Class.NO_OP, changed=(), put_back=outside, agent=AgentStatus.TIMEOUT)
        .state
    )
    state = replace(state, looks={"tree-0": {"tests t::a": (Seen.PASSED, Seen.FAILED)}})
    assert hints(state) == [
        ("the check tests ran out of time. Is its `timeout` long enough?", ""),
        ("the agent also wanted to change my file.md, outside the allowed paths.", "--only 'docs/my file.md'"),
        ("the agent ran out of its 15 min in one of the attempts.", "--agent-timeout 30m"),
        ("a: another result on unchanged files.", "trueup flaky"),
    ]


def test_next_steps_raise_the_limit_that_was_reached(story: Any, failure: Any) -> None:
    told = story().start(failure()).attempt(Class.STUCK, failure())
    spent = told.ends(Status.OUT_OF_BUDGET, limit="usd", usd=2.4)
    assert next_steps(spent)[-1] == "trueup resume --max-usd 4.8"
    late = told.ends(Status.OUT_OF_BUDGET, limit="time", seconds=2700.0)
    assert next_steps(late)[-1] == "trueup resume --max-time 90m"
    many = told.ends(Status.OUT_OF_BUDGET, limit="attempts")
    assert next_steps(many)[-1] == "trueup resume --max-attempts 2"
    assert next_steps(told.ends(Status.CANCELLED)) == ("trueup explain", "trueup resume")


def test_a_test_that_gives_two_answers_and_one_that_vanished_are_named(story: Any) -> None:
    state = story().start().state
    snapshot = replace(state.start_snapshot, prints={"tests a::flips": ("unstable:tests a::flips",)})
    judged = replace(state.start_judgement, required={"tests a::flips": 1, "? a::gone": 1})
    state = replace(state, start_snapshot=snapshot, start_judgement=judged)
    assert {f.key: f.message for f in current_failures(state)} == {
        "tests a::flips": "passes and fails on the same files",
        "? a::gone": "it did not run: neither passed nor failed",
    }


def test_a_change_of_too_many_files_is_a_hint(story: Any, failure: Any) -> None:
    back = (PutBack(path="a.py", why=PutBackWhy.TOO_MANY),)
    told = story().start(failure()).attempt(Class.NO_OP, changed=(), put_back=back)
    assert "too many files" in hints(told.state)[0][0]
    assert tried(told.state) == ["1 edited only a.py → put back"]


def test_next_steps_of_the_quiet_ends(story: Any) -> None:
    told = story().start()
    assert next_steps(told.ends(Status.NOTHING_TO_DO)) == ("trueup run --on-green work",)
    assert next_steps(told.ends(Status.USAGE)) == ()
    assert next_steps(told.ends(Status.STUCK, usd_limit=None)) == ("trueup resume",)
