"""Long checks: what failed before runs alone first, and only one thing can be concluded from it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from trueup.decide.budget import FOCUS_FACTOR, verification_seconds
from trueup.decide.fold import fold, step
from trueup.decide.moves import (
    AgentStatus,
    BaselineTaken,
    FocusTree,
    History,
    Move,
    ProveTree,
    RunAttempt,
    Rung,
    TakeBaseline,
    TreeFocused,
    TreeVerified,
    VerifyTree,
)
from trueup.decide.outcome import Status
from trueup.decide.policy import next_move
from trueup.decide.state import Class, State
from trueup.decide.task import AgentSpec, Goal, GoalKind, Limits
from trueup.errors import InvariantError
from trueup.evidence.failure import make_key
from trueup.evidence.report import Observation, Seen
from trueup.testing.world import LATE, Effort, Verdict, World, efforts, play, report_of, simple_task

ALL = frozenset("ABCD")
LONG = 60.0


def v(tree: str, failing: str, *, kinds: dict[str, str] | None = None, **more: object) -> Verdict:
    """A check that takes a minute; everything that is not failing passes."""
    base = Verdict(tree=tree, failing=dict.fromkeys(failing, 1), passing=ALL - set(failing), kinds=kinds or {})
    return replace(base, **({"seconds": LONG} | more))  # type: ignore[arg-type]


def played(start: Verdict, tries: Sequence[Verdict] | Iterator[Effort], **task: object) -> tuple[History, State]:
    world = World(start=start, efforts=efforts(*tries) if isinstance(tries, Sequence) else tries)
    request = simple_task(**task)
    history = play(request, world)
    return history, fold(request, history)


def fresh(failing: str, **more: object) -> Iterator[Effort]:
    number = 0
    while True:
        number += 1
        yield Effort(verdict=v(f"t{number}", failing, **more))  # type: ignore[arg-type]


def moves(history: History, *kinds: type) -> list[tuple[str, str]]:
    return [
        (type(m).__name__, m.tree) for m, _ in history if m is not None and isinstance(m, kinds) and hasattr(m, "tree")
    ]


def checked(history: History) -> list[tuple[str, str]]:
    return moves(history, FocusTree, VerifyTree)


def until_focus(start: Verdict, after: Verdict, **task: object) -> tuple[State, Move]:
    """A run up to the look at what failed before."""
    world, request = World(start=start, efforts=efforts(after)), simple_task(**task)
    state = fold(request, ())
    while not isinstance(move := next_move(state), FocusTree):
        assert not isinstance(move, VerifyTree), "the whole checks were asked for"
        state = step(state, move, world.perform(move))
    return state, move


def test_unchanged_failures_spare_the_whole_checks_but_a_run_never_ends_on_that() -> None:
    history, state = played(v("t0", "AB"), fresh("AB"))
    assert checked(history) == [
        ("FocusTree", "t1"),
        ("FocusTree", "t2"),
        ("FocusTree", "t3"),
        ("VerifyTree", "t4"),  # the strike that ends the ladder is known wholly
    ]
    assert [a.judgement.kind for a in state.attempts if a.judgement] == [Class.STUCK] * 4
    assert [a.move.rung for a in state.attempts] == list(Rung)
    assert state.finished is not None
    assert state.finished.outcome.status is Status.STUCK
    assert {f.streak for f in state.finished.outcome.current_failures} == {5}, "the start and four attempts"
    assert {a.move.origin for a in state.attempts} == {"t0"}, "nobody knows what else those files break"


def test_quick_checks_are_run_as_a_whole() -> None:
    history, _ = played(v("t0", "A", seconds=29.9), fresh("A", seconds=29.9))
    assert {kind for kind, _ in checked(history)} == {"VerifyTree"}


def test_the_bound_can_be_set() -> None:
    history, _ = played(v("t0", "A", seconds=5.0), fresh("A"), focus_above=5.0)
    assert checked(history)[0] == ("FocusTree", "t1")
    history, _ = played(v("t0", "A"), fresh("A"), focus_above=61.0)
    assert checked(history)[0] == ("VerifyTree", "t1")


def test_a_tool_that_cannot_select_is_run_as_a_whole() -> None:
    history, _ = played(v("t0", "A", selects=False), fresh("A", selects=False))
    assert {kind for kind, _ in checked(history)} == {"VerifyTree"}


@pytest.mark.parametrize(
    ("after", "kinds"),
    [("A", {}), ("AB", {"A": "another exception"}), ("ABC", {"B": "another line"}), ("", {})],
    ids=["one passes", "one fails otherwise", "one fails otherwise and one is new", "all pass"],
)
def test_in_every_other_case_the_whole_checks_run(after: str, kinds: dict[str, str]) -> None:
    history, _ = played(
        v("t0", "AB"), [v("t1", after, kinds=kinds), v("t2", "")], limits=Limits(usd=None, time=None, attempts=2)
    )
    assert checked(history)[:2] == [("FocusTree", "t1"), ("VerifyTree", "t1")]


def test_passing_alone_is_no_pass() -> None:
    """What failed before passes, and something else is broken: only the whole checks can tell."""
    tries = [v("t1", "C"), v("t2", "")]
    history, state = played(v("t0", "AB"), tries)
    first = state.attempts[0]
    assert first.judgement is not None
    assert first.judgement.kind is Class.MIXED
    proved = moves(history, ProveTree)
    assert [tree for _, tree in proved] == ["t2"]
    assert checked(history)[-1] == ("VerifyTree", "t2")


def test_a_look_that_is_void_says_nothing() -> None:
    state, move = until_focus(v("t0", "A"), v("t1", "A"))
    void = replace(report_of(v("t1", "A")), void="a file was written meanwhile")
    state = step(state, move, TreeFocused(tree="t1", report=void))
    assert next_move(state) == VerifyTree(tree="t1", attempt=1)
    assert state.seen("t1", make_key(LATE, "A")) == ()


def test_a_test_that_did_not_run_alone_is_left_to_the_whole_checks_and_is_no_flip() -> None:
    state, move = until_focus(v("t0", "A"), v("t1", "A"))
    state = step(state, move, TreeFocused(tree="t1", report=report_of(Verdict(tree="t1", passing=frozenset("D")))))
    assert isinstance(next_move(state), VerifyTree)
    assert state.seen("t1", make_key(LATE, "A")) == ()


def test_a_look_at_other_files_is_refused() -> None:
    state, move = until_focus(v("t0", "A"), v("t1", "A"))
    with pytest.raises(InvariantError):
        step(state, move, TreeFocused(tree="t9", report=report_of(v("t9", "A"))))


def test_the_last_attempt_that_is_left_is_checked_wholly() -> None:
    history, _ = played(v("t0", "A"), fresh("A"), limits=Limits(usd=None, time=None, attempts=2))
    assert checked(history) == [("FocusTree", "t1"), ("VerifyTree", "t2")]


def test_files_that_the_agent_insists_on_are_checked_wholly() -> None:
    tries = [v("t1", "A"), v("t2", "A"), v("t1", "A"), v("t3", "")]
    history, _ = played(v("t0", "A"), tries, limits=Limits(usd=None, time=None, attempts=4))
    assert checked(history)[:3] == [("FocusTree", "t1"), ("FocusTree", "t2"), ("VerifyTree", "t1")]


def test_a_correct_repair_is_not_blamed_for_what_an_attempt_before_it_broke_unseen() -> None:
    """The first attempt leaves A as it was and breaks B; the second one repairs A in the files that it is given."""
    world = World(start=v("t0", "A"), efforts=iter(()))

    def tries() -> Iterator[Effort]:
        yield Effort(verdict=v("t1", "AB"))
        origin = next(m.origin for m in reversed(world.performed) if isinstance(m, RunAttempt))
        yield Effort(verdict=v("t2", "B" if origin == "t1" else ""))

    world.efforts = tries()
    history = play(simple_task(), world)
    assert checked(history) == [("FocusTree", "t1"), ("FocusTree", "t2"), ("VerifyTree", "t2")]
    finished = fold(simple_task(), history).finished
    assert finished is not None
    assert finished.outcome.status is Status.PASSED


def test_a_goal_that_tolerates_failures_sees_them_go() -> None:
    """What hid other tests is gone while the target fails as before: only the whole checks can tell."""
    start = Verdict(tree="t0", failing={"A": 1, "X": 1}, passing=frozenset("B"), hiding=frozenset("X"), seconds=LONG)
    tries = [v("t1", "A"), v("t2", "A")]
    goal, limits = Goal(kind=GoalKind.TARGETS, targets=("A",)), Limits(usd=None, time=None, attempts=2)
    history, state = played(start, tries, goal=goal, limits=limits)
    assert state.best == "t1"
    assert checked(history)[0] == ("VerifyTree", "t1")


def test_a_look_in_part_is_no_point_of_a_cycle() -> None:
    """A, then A otherwise, then A again: what the first attempt really left was never seen."""
    kinds = [{}, {"A": "q"}, {}]
    tries = [v(f"t{n}", "A", kinds=kind) for n, kind in enumerate(kinds, 1)]
    _, state = played(v("t0", "A"), tries, patience=3, limits=Limits(usd=None, time=None, attempts=3))
    assert Class.CYCLE not in [a.judgement.kind for a in state.attempts if a.judgement]


def test_many_failures_are_no_small_part_of_the_checks() -> None:
    history, _ = played(v("t0", "ABC"), fresh("ABC"))
    assert {kind for kind, _ in checked(history)} == {"VerifyTree"}


def test_the_last_attempt_that_the_money_allows_is_checked_wholly() -> None:
    agents = (AgentSpec(name="scripted", usd_per_attempt=1.0),)
    limits = Limits(usd=2.0, time=None, attempts=9)
    history, _ = played(v("t0", "A"), fresh("A"), agents=agents, limits=limits)
    assert checked(history) == [("FocusTree", "t1"), ("VerifyTree", "t2")]


def test_what_an_agent_left_when_its_time_was_over_is_checked_wholly() -> None:
    late = [Effort(verdict=v(f"t{n}", "A"), agent=AgentStatus.TIMEOUT) for n in (1, 2)]
    history, _ = played(v("t0", "A"), iter(late))
    assert checked(history) == [("VerifyTree", "t1"), ("VerifyTree", "t2")]


def test_a_failure_that_is_known_to_flip_is_not_believed_alone() -> None:
    world, state = World(start=v("t0", "A"), efforts=efforts(v("t1", "A"))), fold(simple_task(), ())
    taken = world.perform(TakeBaseline())
    assert isinstance(taken, BaselineTaken)
    flip = Observation(key=make_key(LATE, "A"), seen=Seen.PASSED)
    state = step(state, TakeBaseline(), replace(taken, observations=(flip,)))
    attempt = next_move(state)
    state = step(state, attempt, world.perform(attempt))
    assert isinstance(next_move(state), VerifyTree)


def test_a_complaint_that_is_no_test_cannot_be_run_alone() -> None:
    lint = v("t0", "A", not_tests=frozenset("A"))
    history, _ = played(lint, fresh("A", not_tests=frozenset("A")))
    assert {kind for kind, _ in checked(history)} == {"VerifyTree"}


def test_a_broken_build_is_checked_as_a_whole() -> None:
    start = Verdict(tree="t0", failing={"build": 1}, stage=0, hiding=frozenset({"build"}), seconds=LONG)
    tries = (Effort(verdict=replace(start, tree=f"t{n}")) for n in range(1, 9))
    history, _ = played(start, tries)
    assert {kind for kind, _ in checked(history)} == {"VerifyTree"}


def test_a_target_that_nothing_collects_yet_is_checked_as_a_whole() -> None:
    goal = Goal(kind=GoalKind.TARGETS, targets=("Z",))
    history, _ = played(v("t0", ""), fresh(""), goal=goal, edit_tests=True)
    assert {kind for kind, _ in checked(history)} == {"VerifyTree"}


def test_an_attempt_that_could_not_be_checked_wholly_describes_no_files() -> None:
    """The look alone moved, then the whole checks came to nothing twice: what it left is not what fails now."""
    state, move = until_focus(v("t0", "AB"), v("t1", "A"))
    world = World(start=v("t0", "AB"), efforts=efforts())
    world.known["t1"] = v("t1", "A")
    state = step(state, move, world.perform(move))
    void = replace(report_of(v("t1", "A")), void="a file was written meanwhile")
    for again in (0, 1):
        whole = VerifyTree(tree="t1", attempt=1, again=again)
        assert next_move(state) == whole
        state = step(state, whole, TreeVerified(tree="t1", report=void))
    assert state.attempts[0].judgement is not None
    assert state.attempts[0].judgement.kind is Class.INVALID
    assert state.attempts[0].describes is None


def test_the_time_limit_reserves_the_first_look() -> None:
    """`--max-time` has to hold an attempt with everything that may be run for it."""

    def needed(seconds: float) -> float:
        world, task = World(start=v("t0", "A", seconds=seconds), efforts=efforts()), simple_task()
        taken = world.perform(TakeBaseline())
        assert isinstance(taken, BaselineTaken)
        assert taken.report is not None
        taken = replace(taken, report=replace(taken.report, duration=seconds))
        return verification_seconds(step(fold(task, ()), TakeBaseline(), taken)) / seconds

    assert needed(60.0) - needed(20.0) == pytest.approx(FOCUS_FACTOR)
