"""Histories with a reviewer: what is proven is approved, turned down, or waits, and no word outweighs a red check."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from trueup.decide.fold import fold
from trueup.decide.moves import (
    AgentStatus,
    AskReview,
    FinishRun,
    History,
    PersonDecided,
    ProveTree,
    RestoreTree,
    ReviewStatus,
    RunAttempt,
    RunFinished,
    RunResumed,
    Suspicion,
    TreeProved,
    TreeReviewed,
    TwinRun,
    Wait,
)
from trueup.decide.needs import against_approval, undecided
from trueup.decide.outcome import Outcome, Status
from trueup.decide.patience import BACK_OFFS
from trueup.decide.policy import next_move
from trueup.decide.review import Aspect, Point, ReviewVerdict
from trueup.decide.state import Class, State
from trueup.decide.task import PERSON, AgentSpec, Limits, ReviewerSpec, Task
from trueup.errors import InvariantError
from trueup.testing.world import Effort, Verdict, World, efforts, play, simple_task

START = Verdict(tree="t0", failing={"A": 1}, passing=frozenset("pq"))
HALF = Verdict(tree="half", failing={"A": 1}, passing=frozenset("p"))
PRICED = AgentSpec(name="critic", reports_cost=True)
BY_AGENT = ReviewerSpec(agent=AgentSpec(name="critic"))


def green(tree: str) -> Verdict:
    return Verdict(tree=tree, passing=frozenset("Apq"))


def task(reviewer: ReviewerSpec | None = BY_AGENT, **more: object) -> Task:
    return simple_task(reviewer=reviewer, **more)


def verdict(tree: str, demand: str = "", *, round: int = 1, reviewer: str = "critic") -> ReviewVerdict:  # noqa: A002
    """An approval, unless something is demanded."""
    points = (Point(aspect=Aspect.CORRECTNESS, demand=demand, subject=demand),) if demand else ()
    return ReviewVerdict(approved=not demand, feedback=demand, points=points, tree=tree, round=round, reviewer=reviewer)


def says(*demands: str) -> Callable[[AskReview], TreeReviewed]:
    """A reviewer with these demands, one after the other; "" approves."""
    left = iter(demands)

    def answer(move: AskReview) -> TreeReviewed:
        own = verdict(move.tree, next(left), round=move.round)
        return TreeReviewed(tree=move.tree, status=ReviewStatus.ANSWERED, verdict=own, duration=1.0)

    return answer


def fails(*records: TreeReviewed) -> Callable[[AskReview], TreeReviewed]:
    """What comes of asking, one after the other; the last one for ever."""
    left = [*records]
    return lambda move: replace(left.pop(0) if len(left) > 1 else left[0], tree=move.tree)


def none(status: ReviewStatus = ReviewStatus.FAILED, **more: object) -> TreeReviewed:
    return TreeReviewed(tree="", status=status, **more)  # type: ignore[arg-type]


def one_answer(
    answer: Callable[[AskReview], TreeReviewed], *first: TreeReviewed
) -> Callable[[AskReview], TreeReviewed]:
    """These, and then the answers."""
    left = [*first]
    return lambda move: replace(left.pop(0), tree=move.tree) if left else answer(move)


def trees(*names: str) -> Iterator[Effort]:
    return efforts(*map(green, names))


def end(history: History) -> Outcome:
    record = history[-1][1]
    assert isinstance(record, RunFinished)
    return record.outcome


def moves(history: History, *kinds: type) -> list[str]:
    return [type(move).__name__ for move, _ in history if isinstance(move, kinds)]


def classes(history: History, given: Task) -> list[Class | None]:
    return [v.judgement.kind if v.judgement else None for v in fold(given, history).attempts]


def go_on(given: Task, world: World, history: History, *facts: PersonDecided, **limits: object) -> History:
    """Another sitting, after what a person said, if anything."""
    old = fold(given, history).limits
    new = replace(old, **limits)  # type: ignore[arg-type]
    resumed = RunResumed(after_end=True, usd=new.usd, time=new.time, attempts=new.attempts)
    return play(given, world, after=(*history, *((None, fact) for fact in facts), (None, resumed)))


def person(state: State, demand: str = "") -> PersonDecided:
    view = undecided(state)
    assert view is not None
    return PersonDecided(verdict=verdict(view.record.candidate, demand, reviewer=PERSON))


# --- the reviewer's word ---------------------------------------------------------------------------------------


def test_what_is_proven_and_approved_has_passed() -> None:
    history = play(task(), World(start=START, efforts=trees("t1"), review=says("")))
    outcome = end(history)
    assert outcome.status is Status.PASSED
    assert outcome.detail == "the goal is met and proven; approved by critic"
    assert outcome.proof is not None
    assert outcome.proof.tree == outcome.tree == "t1"
    assert not outcome.unapproved
    assert moves(history, ProveTree, AskReview) == ["ProveTree", "AskReview"], "the review comes after the proof"


def test_without_a_reviewer_nobody_is_asked() -> None:
    history = play(task(None), World(start=START, efforts=trees("t1")))
    assert end(history).detail == "the goal is met and proven"
    assert moves(history, AskReview) == []


def test_a_red_check_is_never_sent_to_review() -> None:
    def never(_: AskReview) -> TreeReviewed:
        raise AssertionError("asked about files that fail")

    world = World(start=START, efforts=iter([Effort(verdict=HALF)] * 20), review=never)
    assert end(play(task(), world)).status is Status.STUCK


def test_an_approval_of_files_that_are_not_proven_cannot_be_recorded() -> None:
    history = play(task(), World(start=START, efforts=trees("t1"), review=says("")))
    asked = next(n for n, (move, _) in enumerate(history) if isinstance(move, AskReview))
    move, record = history[asked]
    assert isinstance(record, TreeReviewed)
    with pytest.raises(InvariantError, match="a review of other files"):
        fold(task(), (*history[:asked], (move, replace(record, tree="t9"))))
    with pytest.raises(InvariantError, match="a review without its question"):
        fold(task(), (*history[:asked], (None, record)))


def test_a_rejected_result_is_kept_and_the_next_attempt_begins_with_it() -> None:
    world = World(start=START, efforts=trees("t1", "t2"), review=says("round it", ""))
    history = play(task(), world)
    assert classes(history, task()) == [Class.REJECTED, Class.GREEN]
    second = [m for m in world.performed if isinstance(m, RunAttempt)][1]
    assert second.origin == "t1"
    outcome = end(history)
    assert (outcome.status, outcome.tree) == (Status.PASSED, "t2")
    state = fold(task(), history)
    assert [v.round for v in state.verdicts] == [1, 2]
    assert [v.feedback for v in state.verdicts] == ["round it", ""]


def test_a_redraft_that_breaks_something_goes_back_to_the_result_that_was_turned_down() -> None:
    broken = Verdict(tree="t2", failing={"p": 1}, passing=frozenset("Aq"))
    attempts = iter([Effort(verdict=v) for v in (green("t1"), broken, green("t3"))])
    world = World(start=START, efforts=attempts, review=says("round it", ""))
    history = play(task(), world)
    assert classes(history, task()) == [Class.REJECTED, Class.WORSE, Class.GREEN]
    assert [m.origin for m in world.performed if isinstance(m, RunAttempt)] == ["t0", "t1", "t1"]
    assert moves(history, AskReview) == ["AskReview"] * 2


def test_files_that_were_turned_down_are_not_judged_again() -> None:
    attempts = trees("t1", "t2", "t1", "t3")
    history = play(task(), World(start=START, efforts=attempts, review=says("a", "b", "")))
    assert classes(history, task()) == [Class.REJECTED, Class.REJECTED, Class.REVISIT, Class.GREEN]


def test_the_same_demand_of_changed_files_is_a_cycle() -> None:
    history = play(task(), World(start=START, efforts=trees("t1", "t2"), review=says("round it", "round it")))
    outcome = end(history)
    assert (outcome.status, outcome.reason, outcome.exit_code) == (Status.BLOCKED, "review_cycle", 5)
    assert "what it demanded in round 1" in outcome.detail
    assert (outcome.tree, outcome.partial, outcome.unapproved) == ("t2", True, True)


def test_flipping_between_two_demands_is_a_cycle() -> None:
    given = task(review_rounds=9)
    history = play(given, World(start=START, efforts=trees("t1", "t2", "t3"), review=says("a", "b", "a")))
    assert end(history).reason == "review_cycle"
    assert classes(history, given) == [Class.REJECTED] * 3


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_after_so_many_rejections_a_person_is_needed(rounds: int) -> None:
    given = task(review_rounds=rounds)
    history = play(given, World(start=START, efforts=trees("t1", "t2", "t3", "t4"), review=says(*"abcd")))
    outcome = end(history)
    assert (outcome.status, outcome.reason) == (Status.BLOCKED, "review_rounds")
    assert outcome.detail == f"the review turned down {rounds} results"
    assert moves(history, AskReview) == ["AskReview"] * rounds


def test_rejections_climb_the_ladder_like_other_strikes() -> None:
    given = task(review_rounds=99)
    world = World(start=START, efforts=trees(*(f"t{n}" for n in range(1, 20))), review=says(*"abcdefghij"))
    history = play(given, world)
    assert end(history).status is Status.STUCK
    assert end(history).unapproved
    rungs = [m.rung for m in world.performed if isinstance(m, RunAttempt)]
    assert rungs == ["normal", "rethink", "minimal", "fresh"]


def test_a_result_that_is_no_better_than_the_start_is_reviewed_all_the_same() -> None:
    """A run whose goal held at the start: only the review can show the task."""
    already = green("t0")
    given = task(review_rounds=9)
    world = World(start=already, efforts=trees("t1", "t2"), review=says("a", ""))
    history = play(given, world)
    assert end(history).status is Status.PASSED
    assert end(history).tree == "t2"


# --- a reviewer that does not answer -----------------------------------------------------------------------------


@pytest.mark.parametrize("status", [ReviewStatus.TAMPERED, ReviewStatus.NO_ANSWER, ReviewStatus.FAILED])
def test_no_answer_is_asked_for_once_more_and_is_never_an_approval(status: ReviewStatus) -> None:
    world = World(start=START, efforts=trees("t1"), review=fails(none(status, detail="it wrote to cart.py")))
    history = play(task(), world)
    outcome = end(history)
    assert (outcome.status, outcome.reason) == (Status.BLOCKED, "review_failed")
    assert "attempt 1, which is proven: it wrote to cart.py" in outcome.detail
    assert [m.again for m in world.performed if isinstance(m, AskReview)] == [0, 1]
    assert (outcome.tree, outcome.unapproved, outcome.proof) == ("t1", True, None)
    again = World(start=START, efforts=trees(), review=says(""), known={**world.known})
    resumed = go_on(task(), again, history)
    assert end(resumed).status is Status.PASSED, "a reviewer that was mended is asked anew"
    assert [m.again for m in again.performed if isinstance(m, AskReview)] == [2]


@pytest.mark.parametrize("agent", [AgentStatus.CREDENTIALS, AgentStatus.MISSING])
def test_a_reviewer_that_is_refused_for_good_is_asked_once(agent: AgentStatus) -> None:
    world = World(start=START, efforts=trees("t1"), review=fails(none(agent=agent, began=False)))
    history = play(task(), world)
    assert end(history).reason == "review_failed"
    assert moves(history, AskReview) == ["AskReview"]
    resumed = go_on(task(), World(start=START, efforts=trees(), review=says("")), history)
    assert end(resumed).status is Status.PASSED


@pytest.mark.parametrize("agent", [AgentStatus.RATE_LIMITED, AgentStatus.OVERLOADED])
def test_a_reviewer_that_is_refused_for_now_is_waited_for(agent: AgentStatus) -> None:
    refused = none(agent=agent, began=False, detail="429")
    world = World(start=START, efforts=trees("t1"), review=one_answer(says(""), refused, refused, refused))
    history = play(task(), world)
    assert end(history).status is Status.PASSED
    assert [m.seconds for m in world.performed if isinstance(m, Wait)] == list(BACK_OFFS[:3])
    endless = World(start=START, efforts=trees("t1"), review=fails(refused))
    outcome = end(play(task(), endless))
    assert (outcome.status, outcome.reason, outcome.detail) == (Status.BLOCKED, str(agent), "the reviewer: 429")
    assert len([m for m in endless.performed if isinstance(m, Wait)]) == len(BACK_OFFS)
    hasty = World(start=START, efforts=trees("t1"), review=fails(refused))
    outcome = end(play(task(limits=Limits(usd=None, time=30.0, attempts=9)), hasty))
    assert outcome.detail == "no time is left to wait for the provider"


@pytest.mark.parametrize("status", [ReviewStatus.INTERRUPTED, ReviewStatus.CANCELLED])
def test_a_review_that_was_cut_short_by_us_is_asked_for_again(status: ReviewStatus) -> None:
    first = World(start=START, efforts=trees("t1"), review=one_answer(says(""), none(status)))
    history = play(task(), first)
    if status is ReviewStatus.CANCELLED:
        assert end(history).status is Status.CANCELLED
        old = fold(task(), history).limits
        resumed = RunResumed(after_end=False, usd=old.usd, time=old.time, attempts=old.attempts)
        history = play(task(), first, after=(*history, (None, resumed)))
    assert end(history).status is Status.PASSED
    assert [m.again for m in first.performed if isinstance(m, AskReview)] == [0, 1]


def test_a_reviewer_that_takes_trueup_along_each_time_is_not_asked_for_ever() -> None:
    cut = none(ReviewStatus.INTERRUPTED, detail="it was cut short")
    world = World(start=START, efforts=trees("t1"), review=fails(cut))
    outcome = end(play(task(), world))
    assert (outcome.status, outcome.reason) == (Status.BLOCKED, "review_failed")
    assert len([m for m in world.performed if isinstance(m, AskReview)]) == 4
    now_and_then = World(start=START, efforts=trees("t1"), review=one_answer(says(""), cut, cut, none(), cut, cut))
    assert end(play(task(), now_and_then)).status is Status.PASSED


def test_a_review_that_the_deadline_forbids_ends_the_run() -> None:
    late = none(agent=AgentStatus.DEADLINE, began=False)
    history = play(task(), World(start=START, efforts=trees("t1"), review=fails(late)))
    outcome = end(history)
    assert (outcome.status, outcome.reason, outcome.limit) == (Status.OUT_OF_BUDGET, "until", "time")
    assert outcome.unapproved
    assert end(go_on(task(), World(start=START, efforts=trees(), review=says("")), history)).status is Status.PASSED


def test_something_of_ours_that_breaks_during_a_review_ends_the_run() -> None:
    broken = none(problem="no space left", claimed_usd=0.5)
    given = task(ReviewerSpec(agent=PRICED), limits=Limits(usd=9.0, time=None, attempts=9))
    given = replace(given, agents=(AgentSpec(name="scripted", reports_cost=True),))
    history = play(
        given, World(start=START, efforts=iter([Effort(verdict=green("t1"), usd=1.0)]), review=fails(broken))
    )
    outcome = end(history)
    assert (outcome.status, outcome.detail) == (Status.UNVERIFIABLE, "no space left")
    assert outcome.usd == 1.5


# --- money and time ------------------------------------------------------------------------------------------------


def paid(**more: object) -> Task:
    limits = Limits(**({"usd": 9.0, "time": None, "attempts": 9} | more))  # type: ignore[arg-type]
    return replace(
        task(ReviewerSpec(agent=PRICED)), agents=(AgentSpec(name="scripted", reports_cost=True),), limits=limits
    )


def priced(*trees_and_usd: tuple[str, float]) -> Iterator[Effort]:
    return iter([Effort(verdict=green(tree), usd=usd) for tree, usd in trees_and_usd])


@pytest.mark.parametrize(
    ("claim", "charged"),
    [
        ({"claimed_usd": 0.5}, 0.5),
        ({"claimed_usd": 0.0}, 0.0),
        ({"claimed_usd": 0.0, "tokens": 7}, 3.0),
        ({"claimed_usd": None}, 3.0),
        ({"claimed_usd": -1.0}, 3.0),
        ({"claimed_usd": math.nan}, 3.0),
        ({"claimed_usd": 1e9}, 3.0),
        ({"claimed_usd": 0.5, "claim_problem": "told twice"}, 3.0),
        ({"claimed_usd": None, "claim_problem": "not known", "least_usd": 4.0}, 4.0),
        ({"claimed_usd": None, "began": False}, 0.0),
    ],
)
def test_a_review_is_charged_what_it_says_or_what_was_reserved(claim: dict[str, object], charged: float) -> None:
    def review(move: AskReview) -> TreeReviewed:
        assert move.reserve_usd == 3.0
        return replace(says("")(move), **claim)  # type: ignore[arg-type]

    history = play(paid(), World(start=START, efforts=priced(("t1", 1.0)), review=review))
    assert end(history).usd == 1.0 + charged


@pytest.mark.parametrize(
    ("spec", "usd"),
    [
        (None, None),
        (AgentSpec(name="critic"), None),
        (AgentSpec(name="critic", usd_per_attempt=0.25), 0.25),
    ],
)
def test_a_person_costs_nothing_and_a_command_what_it_is_said_to_cost(
    spec: AgentSpec | None, usd: float | None
) -> None:
    given = task(ReviewerSpec(agent=spec))
    history = play(given, World(start=START, efforts=trees("t1"), review=says("")))
    assert end(history).usd == usd


def test_money_is_reserved_before_the_reviewer_is_asked_and_the_dearest_review_counts() -> None:
    def review(move: AskReview) -> TreeReviewed:
        demand = "" if move.round == 3 else f"demand {move.round}"
        own = verdict(move.tree, demand, round=move.round)
        usd = {1: 4.0, 2: 0.5}.get(move.round, 0.1)
        return TreeReviewed(tree=move.tree, status=ReviewStatus.ANSWERED, verdict=own, claimed_usd=usd)

    world = World(start=START, efforts=priced(("t1", 0.1), ("t2", 0.1), ("t3", 0.1)), review=review)
    history = play(paid(usd=12.0), world)
    assert end(history).status is Status.PASSED
    assert [m.reserve_usd for m in world.performed if isinstance(m, AskReview)] == [4.0, 4.0, 4.0]


@pytest.mark.parametrize(
    ("limits", "spent", "limit", "words"),
    [
        ({"usd": 1.0}, 1.0, "usd", "proven, but $0.00 of $1.00 is left"),
        ({"usd": 3.0, "max_usd_per_attempt": 2.0}, 1.5, "usd", "the review may need $2.00"),
        ({"time": 30.0}, 0.1, "time", "proven, but no time is left"),
    ],
)
def test_a_review_that_does_not_fit_is_not_asked_for(
    limits: dict[str, float], spent: float, limit: str, words: str
) -> None:
    effort = Effort(verdict=green("t1"), usd=spent, seconds=24.0 if limit == "time" else 1.0)
    world = World(start=START, efforts=iter([effort]), review=says(""))
    history = play(paid(**limits), world)
    outcome = end(history)
    assert (outcome.status, outcome.limit, outcome.exit_code) == (Status.OUT_OF_BUDGET, limit, 3)
    assert words in outcome.detail
    assert (outcome.tree, outcome.unapproved) == ("t1", True)
    assert moves(history, AskReview) == []
    more = go_on(paid(**limits), World(start=START, efforts=iter([]), review=says("")), history, usd=50.0, time=500.0)
    assert end(more).status is Status.PASSED, "with more of it, the reviewer is asked about the same files"


def test_a_review_gets_no_more_time_than_is_left() -> None:
    world = World(start=START, efforts=priced(("t1", 0.1)), review=says(""))
    play(paid(time=60.0), world)
    asked = next(m for m in world.performed if isinstance(m, AskReview))
    assert 0 < asked.seconds < 60.0


# --- a person's word ------------------------------------------------------------------------------------------------

PERSONS = ReviewerSpec()


def waiting(given: Task, *names: str) -> tuple[World, History]:
    world = World(start=START, efforts=trees(*names))
    return world, play(given, world)


def test_a_run_waits_for_a_person_and_passes_with_the_approval() -> None:
    given = task(PERSONS)
    world, history = waiting(given, "t1")
    outcome = end(history)
    assert (outcome.status, outcome.reason, outcome.exit_code) == (Status.BLOCKED, "review", 5)
    assert outcome.unapproved
    state = fold(given, history)
    approved = go_on(given, world, history, person(state))
    assert end(approved).status is Status.PASSED
    assert end(approved).detail == "the goal is met and proven; approved by person"
    assert moves(approved, RunAttempt, AskReview, ProveTree) == moves(history, RunAttempt, AskReview, ProveTree)


def test_resumed_without_a_word_it_waits_again_and_pays_nothing() -> None:
    given = task(PERSONS)
    world, history = waiting(given, "t1")
    again = go_on(given, world, history)
    assert end(again).reason == "review"
    assert moves(again, RunAttempt) == ["RunAttempt"]


def test_what_a_person_turns_down_is_tried_again_and_shown_again() -> None:
    given = task(PERSONS, review_rounds=1)
    world, history = waiting(given, "t1", "t2", "t3")
    for tree in ("t1", "t2"):
        state = fold(given, history)
        assert end(history).tree == tree
        history = go_on(given, world, history, person(state, "no, never"))
        assert end(history).reason == "review", "neither rounds nor repetitions count against a person"
    assert end(go_on(given, world, history, person(fold(given, history)))).tree == "t3"


def test_a_verdict_on_other_files_than_the_waiting_ones_cannot_be_recorded() -> None:
    given = task(PERSONS)
    _, history = waiting(given, "t1")
    foreign = PersonDecided(verdict=verdict("t0"))
    with pytest.raises(InvariantError, match="a verdict on other files"):
        fold(given, (*history, (None, foreign)))


def test_who_was_killed_between_the_verdict_and_the_resumption_has_lost_nothing() -> None:
    """The verdict is written down first: resuming the run is enough."""
    given = task(PERSONS)
    world, history = waiting(given, "t1", "t2")
    state = fold(given, history)
    for fact, status in ((person(state), Status.PASSED), (person(state, "no"), Status.BLOCKED)):
        decided: History = (*history, (None, fact))
        assert end(go_on(given, world, decided)).status is status


def test_nobody_can_decide_about_a_run_that_goes_on_has_passed_or_proved_nothing() -> None:
    assert undecided(fold(task(), ())) is None
    passed = play(task(), World(start=START, efforts=trees("t1"), review=says("")))
    assert undecided(fold(task(), passed)) is None
    assert undecided(fold(task(), passed[:-1])) is None
    stuck = play(task(), World(start=START, efforts=iter([Effort(verdict=HALF)] * 20)))
    assert undecided(fold(task(), stuck)) is None
    nothing = play(task(None), World(start=green("t0"), efforts=trees()))
    assert undecided(fold(task(None), nothing)) is None


@pytest.mark.parametrize("demand", ["", "round it after all"])
def test_a_person_can_decide_about_the_kept_result_when_what_came_after_it_was_undone(demand: str) -> None:
    given = task(limits=Limits(usd=None, time=None, attempts=2))
    broken = Verdict(tree="t2", failing={"p": 1}, passing=frozenset("Aq"))
    world = World(
        start=START,
        efforts=iter([Effort(verdict=v) for v in (green("t1"), broken, green("t3"))]),
        review=says("round it", ""),
    )
    history = play(given, world)
    assert (end(history).status, end(history).unapproved) == (Status.OUT_OF_BUDGET, True)
    state = fold(given, history)
    view = undecided(state)
    assert view is not None
    assert view.number == 1
    decided = go_on(given, world, history, person(state, demand), attempts=3)
    outcome = end(decided)
    assert outcome.status is Status.PASSED
    assert outcome.tree == ("t3" if demand else "t1")
    assert outcome.proof is not None
    assert outcome.proof.tree == outcome.tree


# --- suspicious changes ----------------------------------------------------------------------------------------------

ODD = (Suspicion(path="cart.py", line=1, text="os._exit(0)", why="ends the interpreter"),)


def suspicious(proof: TreeProved) -> TreeProved:
    return replace(proof, suspicions=ODD) if proof.tree == "t1" else proof


@pytest.mark.parametrize("reviewer", [None, PERSONS, BY_AGENT])
def test_a_person_can_release_what_looks_suspicious(reviewer: ReviewerSpec | None) -> None:
    given = task(reviewer)
    world = World(start=START, efforts=trees("t1"), proof=suspicious, review=says(""))
    history = play(given, world)
    assert (end(history).reason, moves(history, AskReview)) == ("suspicious", [])
    released = go_on(given, world, history, person(fold(given, history)))
    assert end(released).status is Status.PASSED
    assert end(released).tree == "t1"


def test_who_turns_down_what_looks_suspicious_gets_another_attempt_from_the_best_state() -> None:
    world = World(start=START, efforts=trees("t1", "t2"), proof=suspicious)
    history = play(task(None), world)
    again = go_on(task(None), world, history, person(fold(task(None), history), "do not leave the interpreter"))
    assert classes(again, task(None)) == [Class.REJECTED, Class.GREEN]
    assert [m.origin for m in world.performed if isinstance(m, RunAttempt)] == ["t0", "t0"]
    assert [m.tree for m in world.performed if isinstance(m, RestoreTree)] == ["t0"]
    assert end(again).status is Status.PASSED


def test_a_release_outweighs_no_check() -> None:
    """Suspicious, and besides something decides what the tests say: no approval of that can be written down."""

    def both(proof: TreeProved) -> TreeProved:
        return replace(proof, suspicions=ODD, twin=TwinRun(survived=("late A",)))

    world = World(start=START, efforts=trees("t1"), proof=both)
    history = play(task(None), world)
    state = fold(task(None), history)
    view = undecided(state)
    assert view is not None
    assert against_approval(state, view) == "tests that were made to fail did not fail"
    with pytest.raises(InvariantError, match="an approval against the checks"):
        fold(task(None), (*history, (None, person(state))))
    turned_down = fold(task(None), (*history, (None, person(state, "no"))))
    assert turned_down.attempts[0].judgement is not None
    assert turned_down.attempts[0].judgement.kind is Class.REJECTED


def test_a_released_result_whose_proof_came_to_nothing_is_proven_again_and_not_asked_about_again() -> None:
    proofs = 0

    def odd_and_red(proof: TreeProved) -> TreeProved:
        nonlocal proofs
        proofs += 1
        void = replace(proof.report, void="the disk was full") if proofs == 1 else proof.report
        return replace(proof, suspicions=ODD, report=void)

    given = task(PERSONS)
    world = World(start=START, efforts=trees("t1"), proof=odd_and_red)
    history = play(given, world)
    assert end(history).reason == "suspicious"
    approved = go_on(given, world, history, person(fold(given, history)))
    assert end(approved).status is Status.PASSED
    assert moves(approved, ProveTree, AskReview) == ["ProveTree", "ProveTree"]


def test_an_ended_run_decides_nothing_more() -> None:
    given = task(PERSONS)
    _, history = waiting(given, "t1")
    with pytest.raises(InvariantError, match="the run has ended"):
        next_move(fold(given, history))
    assert isinstance(history[-1][0], FinishRun)
