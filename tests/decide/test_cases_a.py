"""Progress, streaks and the ladder: one situation each, played through the real `decide`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from trueup.decide.fold import fold, step
from trueup.decide.moves import (
    History,
    ProveTree,
    RestoreTree,
    RunAttempt,
    RunControl,
    Rung,
    TakeBaseline,
    TreeProved,
    TreeVerified,
    VerifyTree,
)
from trueup.decide.outcome import Outcome, Status
from trueup.decide.policy import next_move
from trueup.decide.state import Class, State
from trueup.decide.task import AgentSpec, Goal, GoalKind, Limits
from trueup.errors import InvariantError
from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import evidence_id, fingerprint
from trueup.testing.world import Effort, Verdict, World, efforts, forever, play, report_of, simple_task

ALL = frozenset("ABCDEFGH") | {"p", "q"}


def v(tree: str, failing: str | Sequence[str], *, kinds: dict[str, str] | None = None) -> Verdict:
    """Everything that is not failing passes."""
    return Verdict(tree=tree, failing=dict.fromkeys(failing, 1), passing=ALL - set(failing), kinds=kinds or {})


def outcome(history: History) -> Outcome:
    record = history[-1][1]
    assert hasattr(record, "outcome")
    found = record.outcome
    assert isinstance(found, Outcome)
    return found


def classes(state: State) -> list[Class]:
    return [a.judgement.kind for a in state.attempts if a.judgement]


def played(start: Verdict, tries: Iterator[Effort] | Iterable[Verdict], **task: object) -> tuple[History, State]:
    world = World(start=start, efforts=tries if isinstance(tries, Iterator) else efforts(*tries))
    request = simple_task(**task)
    history = play(request, world)
    return history, fold(request, history)


def fresh_trees(failing: str) -> Iterator[Effort]:
    number = 0
    while True:
        number += 1
        yield Effort(verdict=v(f"tree{number}", failing))


def test_the_same_failure_across_edits_is_a_streak_that_edits_never_reset() -> None:
    history, _ = played(v("t0", "A"), fresh_trees("A"))
    failure = outcome(history).current_failures[0]
    assert failure.streak == 5, "the start and four attempts"
    assert failure.since == 0


def test_another_failure_begins_a_streak_of_one() -> None:
    tries = [v("t1", "A", kinds={"A": "A2"}), v("t2", "A", kinds={"A": "A3"})]
    _, state = played(v("t0", "A"), [*tries, v("t3", "")])
    assert classes(state)[:2] == [Class.MOVED, Class.MOVED]
    assert all(not a.move.nudge for a in state.attempts[:3])


def test_identical_failures_end_the_run_after_four_fruitless_attempts() -> None:
    history, state = played(v("t0", "A"), fresh_trees("A"))
    assert outcome(history).status is Status.STUCK
    assert [a.move.rung for a in state.attempts] == [Rung.NORMAL, Rung.RETHINK, Rung.MINIMAL, Rung.FRESH]


def test_a_pass_clears_everything() -> None:
    history, _ = played(v("t0", "A"), [v("t1", "A"), v("t2", "")])
    assert outcome(history).status is Status.PASSED
    assert outcome(history).current_failures == ()


def test_alternating_failures_are_a_cycle_by_the_third_visit_and_never_progress() -> None:
    history, state = played(v("t0", "A"), iter(Effort(verdict=v(f"t{n}", "BA"[(n + 1) % 2])) for n in range(1, 20)))
    assert outcome(history).status is Status.STUCK
    assert Class.CYCLE in classes(state)[:3]
    assert Class.PROGRESS not in classes(state)


@pytest.mark.parametrize(
    ("after", "kind"),
    [("AB", Class.PROGRESS), ("ABD", Class.MIXED), ("ABCD", Class.WORSE), ("D", Class.MIXED)],
)
def test_three_failures_and_what_becomes_of_them(after: str, kind: Class) -> None:
    _, state = played(v("t0", "ABC"), [v("t1", after), v("t2", "")])
    assert classes(state)[0] is kind


def test_worse_is_restored_before_the_next_attempt() -> None:
    history, _ = played(v("t0", "ABC"), [v("t1", "ABCD"), v("t2", "")])
    moves = [m for m, _ in history]
    assert RestoreTree(tree="t0") in moves
    second = [m for m in moves if isinstance(m, RunAttempt)][1]
    assert second.origin == "t0"


def test_fixing_one_and_breaking_ten_earns_no_credit_and_is_not_kept() -> None:
    broken = frozenset(f"x{n}" for n in range(10))
    start = Verdict(tree="t0", failing={"A": 1}, passing=broken)
    bad = Verdict(tree="t1", failing=dict.fromkeys(broken, 1), passing=frozenset("A"))
    tries = iter([Effort(verdict=bad), *(Effort(verdict=start) for _ in range(9))])
    history, state = played(start, tries)
    assert classes(state)[0] is Class.MIXED
    assert outcome(history).tree == "t0"
    assert not outcome(history).partial


def test_twenty_failures_fixed_one_at_a_time_are_never_stopped_by_the_ladder() -> None:
    names = [f"x{n:02}" for n in range(20)]
    steps = [
        Verdict(tree=f"t{n}", failing=dict.fromkeys(names[n:], 1), passing=frozenset(names[:n])) for n in range(21)
    ]
    history, state = played(steps[0], steps[1:])
    assert outcome(history).status is Status.PASSED
    assert set(classes(state)) == {Class.PROGRESS, Class.GREEN}
    assert {a.move.rung for a in state.attempts} == {Rung.NORMAL}


def test_fixing_the_build_that_hid_forty_failures_is_progress() -> None:
    names = frozenset(f"x{n}" for n in range(40))
    start = Verdict(tree="t0", failing={"build": 1}, stage=0, hiding=frozenset({"build"}))
    unveiled = Verdict(tree="t1", failing=dict.fromkeys(names, 1), passing=frozenset("pq"))
    _, state = played(start, [unveiled, Verdict(tree="t2", passing=names | {"p", "q"})])
    assert classes(state) == [Class.PROGRESS, Class.GREEN]


def test_a_set_that_changes_while_one_failure_never_moves_ends_stuck() -> None:
    tries = iter(Effort(verdict=v(f"t{n}", ["AC", "AD", "AE", "AF", "AG"][n % 5])) for n in range(20))
    history, _ = played(v("t0", "AB"), tries)
    assert outcome(history).status is Status.STUCK
    assert "late A" in {f.key for f in outcome(history).current_failures}


def test_the_nudge_fires_once_on_the_attempt_that_reaches_the_step_and_again_only_after_progress() -> None:
    tries = [v("t1", "AB"), v("t2", "AB"), v("t3", "A"), v("t4", "A"), v("t5", "")]
    _, state = played(v("t0", "AB"), tries, patience=2)
    rungs = [(a.move.rung, a.move.nudge) for a in state.attempts]
    assert rungs == [
        (Rung.NORMAL, False),
        (Rung.NORMAL, False),
        (Rung.RETHINK, True),
        (Rung.NORMAL, False),
        (Rung.NORMAL, False),
    ]
    _, state = played(v("t0", "AB"), [*tries[:2], v("t3", "AB"), v("t4", "")], patience=2)
    assert [a.move.nudge for a in state.attempts] == [False, False, True, False]


def test_after_progress_the_ladder_returns_to_its_first_step() -> None:
    _, state = played(v("t0", "AB"), [v("t1", "AB"), v("t2", "AB"), v("t3", "A"), v("t4", "")])
    assert [a.move.rung for a in state.attempts] == [Rung.NORMAL, Rung.RETHINK, Rung.MINIMAL, Rung.NORMAL]


def test_no_change_and_a_known_tree_are_named_and_not_verified_again() -> None:
    tries = iter([Effort(verdict=v(t, "A")) for t in ("t1", "t0", "t1", "t0")])
    history, state = played(v("t0", "A"), tries)
    assert classes(state) == [Class.STUCK, Class.REVISIT, Class.REVISIT, Class.NO_OP]
    assert [a.judgement.same_as for a in state.attempts if a.judgement] == [None, 0, 1, None]
    verified = [m.tree for m, _ in history if isinstance(m, VerifyTree)]
    assert verified == ["t1"]


def test_two_attempts_in_a_row_that_change_nothing_end_the_run() -> None:
    history, state = played(v("t0", "A"), forever([v("t0", "A")]))
    assert (outcome(history).status, outcome(history).reason) == (Status.STUCK, "no_change")
    assert len(state.attempts) == 2


def test_two_attempts_that_change_nothing_skip_to_the_next_agent() -> None:
    tries = iter([Effort(verdict=v("t0", "A")), Effort(verdict=v("t0", "A")), Effort(verdict=v("t1", ""))])
    agents = (AgentSpec(name="first"), AgentSpec(name="second"))
    history, state = played(v("t0", "A"), tries, agents=agents)
    assert outcome(history).status is Status.PASSED
    assert [(a.move.agent, a.move.rung) for a in state.attempts][-1] == (1, Rung.FRESH)


def test_skipped_or_deleted_tests_never_look_like_a_shrinking_failure_set() -> None:
    start = Verdict(tree="t0", failing={"A": 1, "B": 1}, passing=frozenset("pq"))
    deleted = Verdict(tree="t1", failing={"B": 1}, passing=frozenset("pq"))
    _, state = played(start, [deleted, Verdict(tree="t2", passing=frozenset("ABpq"))])
    first = state.attempts[0].judgement
    assert first is not None
    assert first.kind not in {Class.PROGRESS, Class.GREEN}
    assert "late A" in first.required


def test_a_later_assertion_of_the_same_test_is_moved_and_kept_as_the_next_start() -> None:
    _, state = played(v("t0", "A"), [v("t1", "A", kinds={"A": "later"}), v("t2", "")])
    assert classes(state) == [Class.MOVED, Class.GREEN]
    assert state.attempts[1].move.origin == "t1"


def test_the_third_move_in_an_episode_is_a_strike() -> None:
    tries = iter(Effort(verdict=v(f"t{n}", "A", kinds={"A": f"A{n}"})) for n in range(1, 30))
    history, state = played(v("t0", "A"), tries)
    assert [a.judgement.strike for a in state.attempts if a.judgement] == [False, False, True, True, True, True]
    assert outcome(history).status is Status.STUCK


def test_one_lint_error_less_of_the_same_rule_in_the_same_file_is_progress() -> None:
    def lint(tree: str, count: int) -> Verdict:
        return Verdict(tree=tree, failing={"F401:a": count}, passing=frozenset("pq"), not_tests=frozenset({"F401:a"}))

    _, state = played(lint("t0", 20), [lint("t1", 19), Verdict(tree="t2", passing=frozenset("pq"))])
    assert classes(state) == [Class.PROGRESS, Class.GREEN]


def test_a_broken_build_after_forty_red_tests_is_worse() -> None:
    names = frozenset(f"x{n}" for n in range(40))
    start = Verdict(tree="t0", failing=dict.fromkeys(names, 1), passing=frozenset("pq"))
    broken = Verdict(tree="t1", failing={"build": 1}, stage=0, hiding=frozenset({"build"}))
    _, state = played(start, [broken, Verdict(tree="t2", passing=names | {"p", "q"})])
    assert classes(state)[0] is Class.WORSE


@pytest.mark.parametrize(("control", "kind"), [(True, Class.WORSE), (False, Class.INVALID)])
def test_an_endless_loop_is_the_agents_own_failure_only_if_the_check_still_runs_on_the_best(
    control: bool, kind: Class
) -> None:
    hangs = Verdict(tree="t1", failing={"timeout": 1}, not_tests=frozenset({"timeout"}), ran=False)
    world = World(start=v("t0", "A"), efforts=efforts(hangs, v("t2", "")), control=control)
    task = simple_task()
    history = play(task, world)
    state = fold(task, history)
    assert classes(state)[0] is kind
    assert any(isinstance(m, RunControl) for m in world.performed)
    assert outcome(history).status is (Status.PASSED if control else Status.UNVERIFIABLE)


def test_repairing_other_tests_than_the_target_is_no_progress() -> None:
    goal = Goal(kind=GoalKind.TARGETS, targets=("A",))
    _, state = played(v("t0", "ABCD"), [v("t1", "A"), v("t2", "BCD")], goal=goal)
    assert classes(state) == [Class.STUCK, Class.GREEN]


def test_three_sets_in_turn_are_a_cycle_not_mixed_for_ever() -> None:
    sets = ["AC", "BC", "AC", "BC"]
    tries = iter(Effort(verdict=v(f"t{n}", s)) for n, s in enumerate(sets * 5, 1))
    history, state = played(v("t0", "AB"), tries)
    assert classes(state) == [Class.MIXED, Class.MIXED, Class.CYCLE, Class.CYCLE]
    assert outcome(history).reason == "cycle"


def test_only_the_real_limits_stop_a_run_that_keeps_shrinking() -> None:
    names = [f"x{n:02}" for n in range(20)]
    steps = [
        Verdict(tree=f"t{n}", failing=dict.fromkeys(names[n:], 1), passing=frozenset(names[:n])) for n in range(21)
    ]
    limits = Limits(usd=None, time=None, attempts=5)
    history, _ = played(steps[0], steps[1:], limits=limits)
    end = outcome(history)
    assert (end.status, end.limit, end.partial, end.tree) == (Status.OUT_OF_BUDGET, "attempts", True, "t5")


# --- which failure is it? ---------------------------------------------------------------------------------------------

SEEN = Failure(
    check="tests",
    subject="tests/test_cart.py::test_total[3]",
    kind="AssertionError",
    message="assert 90 == 85",
    file="cart.py",
    line=41,
    source_line="return total - discount",
    excerpt="cart.py:41: AssertionError",
)


@pytest.mark.parametrize(
    "change",
    [
        {"line": 57},
        {"excerpt": "/tmp/pytest-of-me/pytest-7/cart.py:41: AssertionError in 0.31s at 0x7f3a"},
        {"message": "assert 91 == 85"},
        {"message": "the total is wrong, as I said before"},
        {"source_line": "    return total - discount  "},
        {"repro": "pytest -x"},
    ],
)
def test_what_varies_without_meaning_leaves_it_the_same_failure(change: dict[str, Any]) -> None:
    assert fingerprint(replace(SEEN, **change)) == fingerprint(SEEN)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "KeyError"},
        {"source_line": "return total * discount"},
        {"subject": "tests/test_cart.py::test_total[4]"},
        {"check": "slow"},
    ],
)
def test_another_exception_place_or_test_is_another_failure(change: dict[str, Any]) -> None:
    assert fingerprint(replace(SEEN, **change)) != fingerprint(SEEN)


@pytest.mark.parametrize(
    "change", [{"message": "assert 90 == 86"}, {"message": "HTTP 500"}], ids=["expected-value", "status"]
)
def test_another_value_is_the_same_failure_with_other_evidence(change: dict[str, Any]) -> None:
    assert evidence_id(replace(SEEN, **change)) != evidence_id(SEEN)


def test_a_result_about_other_files_never_counts() -> None:
    """A stale or foreign result neither clears a failure nor is it a pass."""
    world = World(start=v("t0", "A"), efforts=efforts(v("t1", "")))
    task = simple_task()
    state = step(fold(task, ()), TakeBaseline(), world.perform(TakeBaseline()))
    state = step(state, (move := next_move(state)), world.perform(move))
    stale = TreeVerified(tree="t1", report=report_of(v("old", "")))
    with pytest.raises(InvariantError, match="other files"):
        step(state, VerifyTree(tree="t1", attempt=1), stale)
    state = step(state, VerifyTree(tree="t1", attempt=1), TreeVerified(tree="t1", report=report_of(v("t1", ""))))
    proof = world.perform(ProveTree(tree="t1", attempt=1, again=0, must_fail=(), twins=()))
    assert isinstance(proof, TreeProved)
    with pytest.raises(InvariantError, match="another tree"):
        step(state, None, replace(proof, tree="old"))
