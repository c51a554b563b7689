"""Law 5 with a reviewer, on invented histories: reserved before it is asked, charged once, and an end to it all."""

import math
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from trueup.decide.budget import A_ROUNDING, LEAST_AGENT_SECONDS, charge_review
from trueup.decide.fold import fold, step
from trueup.decide.moves import (
    AgentStatus,
    AskReview,
    History,
    Move,
    ProveTree,
    Record,
    ReviewStatus,
    RunFinished,
    RunResumed,
    TreeReviewed,
)
from trueup.decide.outcome import Status
from trueup.decide.policy import next_move
from trueup.decide.review import Aspect, Point, ReviewVerdict
from trueup.decide.task import AgentSpec, Limits, ReviewerSpec, Task
from trueup.testing.world import Effort, Verdict, World, play, simple_task

relaxed = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
START = Verdict(tree="t0", failing={"A": 1}, passing=frozenset("p"))
AUTHOR = AgentSpec(name="author", reports_cost=True)
CRITICS = (AgentSpec(name="tells", reports_cost=True), AgentSpec(name="flat", usd_per_attempt=0.75))
MOST = 400

amounts = st.one_of(st.none(), st.sampled_from([0.0, 0.01, 0.5, 99.0, math.nan, math.inf, -1.0, 1e7]), st.floats(0, 5))
failures = st.sampled_from([s for s in ReviewStatus if s not in {ReviewStatus.ANSWERED, ReviewStatus.WAITING}])


@st.composite
def answers(draw: st.DrawFn) -> TreeReviewed:
    demand = draw(st.sampled_from(["", "a", "b", "c", "d"]))
    points = (Point(aspect=Aspect.APPROACH, demand=demand, subject=demand),) if demand else ()
    verdict = ReviewVerdict(approved=not demand, feedback=demand, points=points)
    status = draw(st.one_of(st.just(ReviewStatus.ANSWERED), failures))
    return TreeReviewed(
        tree="",
        status=status,
        verdict=verdict if status is ReviewStatus.ANSWERED else None,
        agent=draw(st.sampled_from(list(AgentStatus))) if status is ReviewStatus.FAILED else AgentStatus.DONE,
        began=draw(st.sampled_from([True, True, True, False])),
        claimed_usd=draw(amounts),
        claim_problem=draw(st.sampled_from(["", "", "told twice"])),
        least_usd=draw(st.sampled_from([0.0, 0.25])),
        tokens=draw(st.sampled_from([None, 7])),
        duration=draw(st.floats(0, 60)),
    )


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    limits = Limits(
        usd=draw(st.sampled_from([None, 0.3, 3.0, 10.0])),
        time=draw(st.sampled_from([None, 200.0, 2000.0])),
        attempts=draw(st.integers(1, 8)),
        max_usd_per_attempt=draw(st.sampled_from([None, 1.0])),
    )
    critic = ReviewerSpec(agent=draw(st.sampled_from(CRITICS)))
    rounds = draw(st.integers(1, 4))
    return simple_task(agents=(AUTHOR,), reviewer=critic, review_rounds=rounds, limits=limits, agent_timeout=50.0)


def market(said: list[TreeReviewed]) -> World:
    """Each attempt is green and costs a little; the reviewer says these in turn, for ever."""
    left = _endless(said)

    def review(move: AskReview) -> TreeReviewed:
        record = next(left)
        verdict = record.verdict and replace(record.verdict, tree=move.tree, round=move.round)
        return replace(record, tree=move.tree, verdict=verdict)

    efforts = (Effort(verdict=Verdict(tree=f"t{n}", passing=frozenset("Ap")), usd=0.1) for n in range(1, 1000))
    return World(start=START, efforts=efforts, review=review)


def _endless(said: list[TreeReviewed]) -> Iterator[TreeReviewed]:
    while True:
        yield from said


lists = st.lists(answers(), min_size=1, max_size=6)


@relaxed
@given(tasks(), lists)
def test_no_review_is_asked_for_that_does_not_fit_and_each_is_charged_once(
    task: Task, said: list[TreeReviewed]
) -> None:
    limits, state, charged = task.limits, fold(task, ()), 0.0
    for move, record in play(task, market(said), most=MOST):
        before, state = state, step(state, move, record)
        if not isinstance(move, AskReview) or not isinstance(record, TreeReviewed):
            continue
        assert task.reviewer is not None
        if limits.usd is not None:
            assert move.reserve_usd is not None
            assert 0 < move.reserve_usd <= limits.usd - before.spent_usd + A_ROUNDING
        if limits.time is not None:
            assert LEAST_AGENT_SECONDS <= move.seconds <= limits.time - before.active_seconds + 1e-6
        usd = charge_review(task.reviewer.agent, move, record) or 0.0
        assert math.isfinite(usd)
        assert math.isclose(state.spent_usd, before.spent_usd + usd, abs_tol=1e-9)
        charged += usd
    attempts = math.fsum(v.charged_usd or 0.0 for v in state.attempts)
    assert math.isclose(state.spent_usd, attempts + charged, rel_tol=1e-9, abs_tol=1e-9)


@relaxed
@given(tasks(), lists)
def test_only_an_approval_of_a_proven_tree_passes_and_every_run_ends(task: Task, said: list[TreeReviewed]) -> None:
    history = play(task, market(said), most=MOST)
    state = fold(task, history)
    proven = {move.tree for move, _ in history if isinstance(move, ProveTree)}
    asked = [move.tree for move, _ in history if isinstance(move, AskReview)]
    assert set(asked) <= proven
    assert state.finished is not None
    outcome = state.finished.outcome
    approved = {v.tree for v in state.verdicts if v.approved}
    assert (outcome.status is Status.PASSED) == (outcome.tree in approved)
    rejected = [v for v in state.verdicts if not v.approved]
    assert len(rejected) <= task.review_rounds


@relaxed
@given(tasks(), lists, st.frozensets(st.integers(0, 30), max_size=4))
def test_a_run_that_is_killed_anywhere_says_the_same_in_the_end_and_pays_for_what_was_cut_short(
    task: Task, said: list[TreeReviewed], kills: frozenset[int]
) -> None:
    assume(not any({n, n + 1, n + 2} <= kills for n in kills))  # three in a row count against the reviewer
    task = replace(task, limits=Limits(usd=1e6, time=None, attempts=8, max_usd_per_attempt=1.0))
    cancelled = {ReviewStatus.CANCELLED, ReviewStatus.INTERRUPTED}
    said = [r for r in said if r.status not in cancelled] or [
        replace(said[0], status=ReviewStatus.NO_ANSWER, verdict=None)
    ]
    calm, (disturbed, cut) = play(task, market(said), most=MOST), killed(task, market(said), kills)
    one, other = fold(task, calm).finished, fold(task, disturbed).finished
    assert one is not None
    assert other is not None
    same = ("status", "reason", "tree", "unapproved", "attempts")
    assert [getattr(one.outcome, s) for s in same] == [getattr(other.outcome, s) for s in same]
    assert fold(task, calm).verdicts == fold(task, disturbed).verdicts
    assert task.reviewer is not None
    paid = math.fsum(charge_review(task.reviewer.agent, m, r) or 0.0 for m, r in cut)
    assert math.isclose(other.outcome.usd or 0.0, (one.outcome.usd or 0.0) + paid, rel_tol=1e-9, abs_tol=1e-9)


def killed(task: Task, world: World, kills: frozenset[int]) -> tuple[History, list[tuple[AskReview, TreeReviewed]]]:
    """Killed while the reviews with these numbers are under way, and resumed."""
    history: list[tuple[Move | None, Record]] = []
    cut: list[tuple[AskReview, TreeReviewed]] = []
    state, number = fold(task, ()), 0
    for _ in range(MOST):
        move = next_move(state)
        if isinstance(move, AskReview):
            number += 1
            if number in kills:
                limits = state.limits
                resumed = RunResumed(after_end=False, usd=limits.usd, time=limits.time, attempts=limits.attempts)
                half = TreeReviewed(tree=move.tree, status=ReviewStatus.INTERRUPTED, agent=AgentStatus.INTERRUPTED)
                facts: list[tuple[Move | None, Record]] = [(None, resumed), (move, half)]
                cut.append((move, half))
                history += facts
                for one, record in facts:
                    state = step(state, one, record)
                continue
        record = world.perform(move)
        history.append((move, record))
        state = step(state, move, record)
        if isinstance(record, RunFinished):
            return tuple(history), cut
    raise AssertionError("the run did not end")
