"""The laws, on thousands of invented histories."""

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trueup.decide.fold import fold, step
from trueup.decide.judge import Findings
from trueup.decide.moves import AgentStatus, History, ProveTree, RunFinished, VerifyTree
from trueup.decide.outcome import Outcome, Status
from trueup.decide.policy import decide
from trueup.decide.state import Class
from trueup.decide.task import AgentSpec, Goal, GoalKind, Limits, Task
from trueup.evidence.failure import Key
from trueup.evidence.report import Seen
from trueup.testing.world import Effort, Verdict, World, play, simple_task

SUBJECTS = "ABCDE"
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    """Any tree of ten; what fails, what passes and what vanished is free, a tree always gives the same."""
    number = draw(st.integers(0, 9))
    failing = draw(st.dictionaries(st.sampled_from(SUBJECTS), st.just(1), max_size=5))
    gone = draw(st.sets(st.sampled_from(SUBJECTS), max_size=1))
    kinds = {s: draw(st.sampled_from([s, f"{s}2"])) for s in failing}
    stage = draw(st.sampled_from([1, 1, 1, 0])) if failing else 1
    passing = frozenset(SUBJECTS) - failing.keys() - gone if stage else frozenset[str]()
    ran = bool(draw(st.integers(0, 6))) or not failing
    if not failing and not passing:
        passing = frozenset("A")
    seconds = draw(st.sampled_from([0.0, 60.0]))  # long ones begin with what failed before
    return Verdict(
        tree=f"t{number}", failing=failing, kinds=kinds, passing=passing, stage=stage, ran=ran, seconds=seconds
    )


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Verdict, list[Effort]]:
    start = draw(verdicts().filter(lambda v: v.failing and v.ran))
    known = {start.tree: start}
    tries = []
    for verdict in draw(st.lists(verdicts(), min_size=1, max_size=12)):
        known.setdefault(verdict.tree, verdict)
        agent = draw(st.sampled_from([AgentStatus.DONE] * 8 + list(AgentStatus)))
        usd = draw(st.sampled_from([None, 0.0, 0.1, 1.0, float("nan"), -1.0]))
        tries.append(Effort(verdict=known[verdict.tree], agent=agent, usd=usd))
    return start, tries


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    goal = draw(
        st.sampled_from([Goal(), Goal(kind=GoalKind.NO_NEW_FAILURES), Goal(kind=GoalKind.TARGETS, targets=("A",))])
    )
    limits = Limits(usd=draw(st.sampled_from([None, 3.0])), time=None, attempts=draw(st.integers(1, 30)))
    agents = (AgentSpec(name="one", reports_cost=True), AgentSpec(name="two", reports_cost=True))
    return simple_task(
        goal=goal, limits=limits, agents=agents[: draw(st.integers(1, 2))], patience=draw(st.integers(1, 3))
    )


def endless(tries: list[Effort]) -> Iterator[Effort]:
    while True:
        yield from tries


def ended(history: History) -> Outcome:
    record = history[-1][1]
    assert isinstance(record, RunFinished)
    return record.outcome


@relaxed
@given(tasks(), worlds())
def test_every_run_ends_and_passed_needs_a_proof_on_the_tree_that_is_handed_back(
    task: Task, world: tuple[Verdict, list[Effort]]
) -> None:
    history = play(task, World(start=world[0], efforts=endless(world[1])))
    end = ended(history)
    proven = [m.tree for m, _ in history if isinstance(m, ProveTree)]
    if end.status is Status.PASSED:
        assert proven
        assert proven[-1] == end.tree
        assert end.proof is not None
        assert end.proof.tree == end.tree
    assert end.tree in {world[0].tree, *(e.verdict.tree for e in world[1])}


@relaxed
@given(tasks(), worlds())
def test_the_best_never_gets_worse(task: Task, world: tuple[Verdict, list[Effort]]) -> None:
    history = play(task, World(start=world[0], efforts=endless(world[1])))
    rank = None
    state = fold(task, ())
    for move, record in history:
        state = step(state, move, record)
        if state.best_snapshot is None or state.start_judgement is None:
            continue
        standing = next(
            (a.judgement for a in state.attempts if a.number == state.best_attempt and a.judgement),
            state.start_judgement,
        )
        now = Findings._rank(state.best_snapshot, standing.required)
        assert rank is None or now >= rank
        rank = now


@relaxed
@given(tasks(), worlds())
def test_replaying_a_journal_gives_the_same_moves(task: Task, world: tuple[Verdict, list[Effort]]) -> None:
    history = play(task, World(start=world[0], efforts=endless(world[1])))
    for length, (move, _) in list(enumerate(history))[:: max(1, len(history) // 12)]:
        assert decide(task, history[:length]) == move


@relaxed
@given(st.integers(1, 4), worlds())
def test_a_thrashing_agent_is_stopped_within_four_steps_and_two_free_moves(
    patience: int, world: tuple[Verdict, list[Effort]]
) -> None:
    task = simple_task(patience=patience, limits=Limits(usd=None, time=None, attempts=10_000))
    tries = [e for e in world[1] if e.agent is AgentStatus.DONE] or [Effort(verdict=world[0])]
    history = play(task, World(start=world[0], efforts=endless(tries)))
    state = fold(task, history)
    length = 0
    for view in state.attempts:
        length += 1
        assert length <= 4 * patience + 2
        if view.judgement and view.judgement.kind in {Class.PROGRESS, Class.GREEN}:
            length = 0


@relaxed
@given(st.integers(2, 30), st.integers(1, 3))
def test_a_failing_set_that_keeps_shrinking_is_never_stopped_by_the_ladder(count: int, patience: int) -> None:
    names = [f"x{n}" for n in range(count)]
    steps = [
        Verdict(tree=f"t{n}", failing=dict.fromkeys(names[n:], 1), passing=frozenset(names[:n]) | {"p"})
        for n in range(count + 1)
    ]
    task = simple_task(patience=patience)
    world = World(start=steps[0], efforts=iter(Effort(verdict=s) for s in steps[1:]))
    end = ended(play(task, world))
    assert end.status is Status.PASSED
    assert end.attempts == count


@relaxed
@given(worlds(), st.integers(0, 2**32))
def test_a_target_that_passes_only_sometimes_is_never_green(world: tuple[Verdict, list[Effort]], seed: int) -> None:
    """Every look at A on another tree than the start fails at least once in three."""
    looks: dict[tuple[str, Key], int] = {}

    def flaky(tree: str, key: Key) -> Seen | None:
        if tree == "t0" or not key.endswith(" A"):
            return None
        looks[tree, key] = looks.get((tree, key), seed % 3) + 1
        return Seen.FAILED if looks[tree, key] % 2 == 0 else Seen.PASSED

    start = Verdict(tree="t0", failing={"A": 1}, passing=frozenset("BCDE"))
    lucky = [Effort(verdict=Verdict(tree=f"l{n}", passing=frozenset(SUBJECTS))) for n in range(3)]
    task = simple_task()
    history = play(task, World(start=start, efforts=endless(lucky), look=flaky))
    assert ended(history).status is not Status.PASSED


@relaxed
@given(st.sampled_from([Seen.ABSENT, Seen.SKIPPED]), st.sampled_from(["A", "B"]))
def test_a_test_that_is_not_there_at_another_look_is_no_pass_and_the_run_ends(seen: Seen, subject: str) -> None:
    start = Verdict(tree="t0", failing={"A": 1}, passing=frozenset("BCDE"))
    fixed = [Effort(verdict=Verdict(tree=f"f{n}", passing=frozenset(SUBJECTS))) for n in range(3)]
    world = World(start=start, efforts=endless(fixed), look=lambda _, key: seen if key.endswith(subject) else None)
    end = ended(play(simple_task(), world))
    assert end.status is (Status.PASSED if subject == "B" else Status.STUCK)


@relaxed
@given(tasks(), worlds())
def test_only_stuck_may_rest_on_a_part_of_the_checks_and_no_run_ends_on_it(
    task: Task, world: tuple[Verdict, list[Effort]]
) -> None:
    start, tries = world
    history = play(task, World(start=replace(start, seconds=60.0), efforts=endless(tries)))
    state = fold(task, history)
    for view in state.attempts:
        if view.focus and not view.report and view.judgement and view.judgement.kind is not Class.INVALID:
            assert view.judgement.kind is Class.STUCK
    if ended(history).status is Status.STUCK:
        assert not state.attempts[-1].in_part, "what it ends with is known wholly"
    for view in state.attempts:
        known = {state.start, *(v.record.candidate for v in state.attempts if v.snapshot)}
        assert view.move.origin in known, "nothing is built on files that are known in part"
    if ended(history).status is Status.PASSED:
        assert any(isinstance(m, VerifyTree) and m.tree == ended(history).tree for m, _ in history)
