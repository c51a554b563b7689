"""How runs end: each status and its reason, decided from recorded facts alone."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from trueup.decide.fold import fold, step
from trueup.decide.moves import (
    AgentStatus,
    Attempted,
    BaselineTaken,
    CancelRequested,
    ConfirmKeys,
    FinishRun,
    History,
    KeysConfirmed,
    Move,
    MoveFailed,
    ProveTree,
    Record,
    RunAttempt,
    RunFinished,
    RunResumed,
    Suspicion,
    TakeBaseline,
    TreeProved,
    TreeVerified,
    TwinRun,
    VerifyTree,
    Wait,
)
from trueup.decide.outcome import Outcome, ProofSummary, Status
from trueup.decide.patience import BACK_OFFS
from trueup.decide.policy import baseline_problem, next_move
from trueup.decide.state import Class, State
from trueup.decide.task import (
    AgentSpec,
    CheckSpec,
    Goal,
    GoalKind,
    Limits,
    OnGreen,
    Task,
    prerequisites,
    stages,
    with_prerequisites,
)
from trueup.errors import InvariantError, UsageError
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Observation, Report, Seen, Strength
from trueup.testing.world import Effort, Verdict, World, efforts, forever, play, report_of, simple_task

START = Verdict(tree="t0", failing={"A": 1}, passing=frozenset("pq"))
GREEN = Verdict(tree="t1", passing=frozenset("Apq"))
STUCK = Verdict(tree="s1", failing={"A": 1}, passing=frozenset("pq"))


def end(history: History) -> Outcome:
    record = history[-1][1]
    assert isinstance(record, RunFinished)
    return record.outcome


def one(effort: Effort, **task: object) -> Outcome:
    return end(
        play(
            simple_task(**task), World(start=START, efforts=forever([effort.verdict]) if False else iter([effort] * 20))
        )
    )


@pytest.mark.parametrize(
    ("agent", "status", "reason"),
    [
        (AgentStatus.CREDENTIALS, Status.BLOCKED, "credentials"),
        (AgentStatus.MISSING, Status.BLOCKED, "agent_missing"),
        (AgentStatus.RATE_LIMITED, Status.BLOCKED, "rate_limited"),
        (AgentStatus.OVERLOADED, Status.BLOCKED, "overloaded"),
        (AgentStatus.DEADLINE, Status.OUT_OF_BUDGET, "until"),
        (AgentStatus.CANCELLED, Status.CANCELLED, "cancelled"),
        (AgentStatus.TIMEOUT, Status.STUCK, "no_change"),
        (AgentStatus.DEAD, Status.STUCK, "no_change"),
    ],
)
def test_an_agent_that_cannot_work_ends_the_run_for_its_own_reason(
    agent: AgentStatus, status: Status, reason: str
) -> None:
    result = one(Effort(verdict=START, agent=agent))
    assert (result.status, result.reason) == (status, reason)


def test_an_agent_with_nothing_more_to_try_is_not_asked_again() -> None:
    tries = [Effort(verdict=START, agent=AgentStatus.EXHAUSTED)] * 3
    result = end(play(simple_task(), World(start=START, efforts=iter(tries))))
    assert (result.status, result.reason, result.attempts) == (Status.STUCK, "exhausted", 1)
    assert result.detail == "the agent has nothing more to try"


def test_the_next_agent_takes_over_at_once_from_one_with_nothing_more_to_try() -> None:
    tries = [Effort(verdict=START, agent=AgentStatus.EXHAUSTED), Effort(verdict=GREEN)]
    agents = (AgentSpec(name="search"), AgentSpec(name="other"))
    result = end(play(simple_task(agents=agents), World(start=START, efforts=iter(tries))))
    assert (result.status, result.attempts) == (Status.PASSED, 2)


def test_an_agent_that_left_a_change_with_its_last_words_is_judged_by_the_change() -> None:
    tries = [Effort(verdict=STUCK, agent=AgentStatus.EXHAUSTED), Effort(verdict=GREEN)]
    assert end(play(simple_task(), World(start=START, efforts=iter(tries)))).status is Status.PASSED


def test_two_time_outs_in_a_row_end_the_run_although_files_changed() -> None:
    tries = [Effort(verdict=replace(STUCK, tree=f"s{n}"), agent=AgentStatus.TIMEOUT) for n in range(5)]
    result = end(play(simple_task(), World(start=START, efforts=iter(tries))))
    assert (result.status, result.reason) == (Status.STUCK, "agent_timeout")


def test_rate_limits_back_off_longer_each_time_and_consume_no_attempt() -> None:
    tries = [Effort(verdict=START, agent=AgentStatus.RATE_LIMITED)] * 2 + [Effort(verdict=GREEN)]
    world = World(start=START, efforts=iter(tries))
    history = play(simple_task(limits=Limits(usd=None, time=None, attempts=1)), world)
    waits = [m.seconds for m in world.performed if isinstance(m, Wait)]
    assert waits == list(BACK_OFFS[:2])
    assert end(history).status is Status.PASSED


def test_a_provider_that_keeps_refusing_blocks_when_no_time_is_left_to_wait() -> None:
    limits = Limits(usd=None, time=30.0, attempts=10)
    result = one(Effort(verdict=START, agent=AgentStatus.RATE_LIMITED), limits=limits)
    assert (result.status, result.detail) == (Status.BLOCKED, "no time is left to wait for the provider")


def test_nobody_waits_for_an_attempt_that_has_less_time_than_the_refusal_took() -> None:
    slow = Effort(verdict=START, agent=AgentStatus.RATE_LIMITED, seconds=100.0)
    for time, attempts in ((200.0, 1), (230.0, 2)):
        world = World(start=START, efforts=iter([slow] * 9))
        result = end(play(simple_task(limits=Limits(usd=None, time=time, attempts=10)), world))
        assert (result.status, result.detail) == (Status.BLOCKED, "no time is left to wait for the provider")
        assert result.attempts == attempts


def test_an_agent_that_was_refused_but_changed_files_is_judged_by_its_files() -> None:
    result = one(Effort(verdict=GREEN, agent=AgentStatus.CREDENTIALS))
    assert result.status is Status.PASSED


def test_a_time_limit_that_cannot_hold_one_attempt_is_a_usage_error() -> None:
    result = one(Effort(verdict=GREEN), limits=Limits(usd=None, time=2.0, attempts=10))
    assert (result.status, result.reason, result.exit_code) == (Status.USAGE, "max_time", 2)


def test_time_that_runs_out_ends_the_run_before_another_attempt_is_paid() -> None:
    tries = iter(Effort(verdict=replace(STUCK, tree=f"s{n}"), seconds=20.0) for n in range(9))
    task = simple_task(limits=Limits(usd=None, time=40.0, attempts=10), patience=5)
    result = end(play(task, World(start=START, efforts=tries)))
    assert (result.status, result.limit) == (Status.OUT_OF_BUDGET, "time")


def test_a_target_that_nothing_collects_is_a_usage_error() -> None:
    goal = Goal(kind=GoalKind.TARGETS, targets=("nowhere",))
    result = one(Effort(verdict=GREEN), goal=goal)
    assert (result.status, result.reason) == (Status.USAGE, "target")
    assert "nowhere" in result.detail


def test_a_missing_target_is_allowed_when_the_task_is_about_tests() -> None:
    goal = Goal(kind=GoalKind.TARGETS, targets=("new",))
    made = Verdict(tree="t1", failing={"A": 1}, passing=frozenset({"p", "q", "new"}))
    result = one(Effort(verdict=made), goal=goal, edit_tests=True)
    assert result.status is Status.PASSED


def test_a_goal_that_holds_at_the_start_is_nothing_to_do() -> None:
    history = play(simple_task(), World(start=replace(GREEN, tree="t0"), efforts=efforts()))
    assert end(history).status is Status.NOTHING_TO_DO
    assert end(history).exit_code == 0


def test_work_on_a_green_start_passes_only_with_a_change() -> None:
    task = simple_task(on_green=OnGreen.WORK)
    start = replace(GREEN, tree="t0")
    assert end(play(task, World(start=start, efforts=efforts(GREEN)))).status is Status.PASSED
    idle = end(play(task, World(start=start, efforts=efforts(start, start))))
    assert (idle.status, idle.reason) == (Status.STUCK, "no_change")


# --- proofs -----------------------------------------------------------------------------------------------------


def proven(change: Callable[[TreeProved], TreeProved], **task: object) -> tuple[Outcome, World]:
    world = World(start=START, efforts=iter([Effort(verdict=GREEN)] * 9), proof=change)
    return end(play(simple_task(**task), world)), world


def test_a_suspicious_change_waits_for_a_person() -> None:
    doubt = Suspicion(path="a.py", line=1, text="os._exit(0)", why="ends the interpreter")
    result, _ = proven(lambda p: replace(p, suspicions=(doubt,)))
    assert (result.status, result.reason) == (Status.BLOCKED, "suspicious")


def test_tests_that_survive_being_made_to_fail_wait_for_a_person() -> None:
    result, _ = proven(lambda p: replace(p, twin=TwinRun(survived=("late A",))))
    assert (result.status, result.reason) == (Status.BLOCKED, "runner_tampered")


def test_a_start_that_passes_now_is_unverifiable() -> None:
    looks = tuple(Observation(key="late A", seen=Seen.PASSED) for _ in range(3))
    result, _ = proven(lambda p: replace(p, start=looks))
    assert result.status is Status.UNVERIFIABLE
    assert "start" in result.detail


def test_a_start_that_passes_twice_of_three_is_flaky_not_changed() -> None:
    looks = tuple(Observation(key="late A", seen=s) for s in (Seen.PASSED, Seen.PASSED, Seen.FAILED))
    result, _ = proven(lambda p: replace(p, start=looks))
    assert result.status is Status.PASSED
    assert result.flaky == ("late A",)


def test_a_proof_weaker_than_demanded_is_unverifiable() -> None:
    result, _ = proven(lambda p: replace(p, strength=Strength.EXIT_CODE), min_strength=Strength.TWIN)
    assert result.status is Status.UNVERIFIABLE
    assert result.proof is None


def test_a_void_proof_is_repeated_at_most_twice() -> None:
    result, world = proven(lambda p: replace(p, report=replace(p.report, void="written meanwhile")))
    assert result.status is Status.UNVERIFIABLE
    assert [m.again for m in world.performed if isinstance(m, ProveTree)] == [0, 1, 2]
    assert result.detail == "no proof could be had: written meanwhile"


def failing_in_proof(proof: TreeProved) -> TreeProved:
    return replace(proof, report=report_of(Verdict(tree=proof.tree, failing={"p": 1}, passing=frozenset("Aq"))))


def test_a_test_that_fails_only_in_the_proof_is_the_candidates_failure() -> None:
    result, world = proven(failing_in_proof)
    assert result.status is Status.STUCK
    looked_at = [m for m in world.performed if isinstance(m, ConfirmKeys) and m.tree == "t0"]
    assert [m.keys for m in looked_at] == [("late p",)]


def test_a_test_that_fails_in_the_proof_and_flips_on_the_start_is_excused_and_the_proof_repeated() -> None:
    seen = iter([Seen.FAILED, Seen.PASSED] * 50)
    tried: list[TreeProved] = []

    def first_fails(proof: TreeProved) -> TreeProved:
        tried.append(proof)
        return failing_in_proof(proof) if len(tried) == 1 else proof

    world = World(
        start=START,
        efforts=efforts(GREEN),
        proof=first_fails,
        look=lambda tree, key: next(seen) if (tree, key) == ("t0", "late p") else None,
    )
    result = end(play(simple_task(), world))
    assert result.status is Status.PASSED
    assert result.flaky == ("late p",)
    assert sum(isinstance(m, ProveTree) for m in world.performed) == 2


# --- facts that come without a plan --------------------------------------------------------------------------------


def began(task: Task, *facts: tuple[Move | None, Record]) -> State:
    world = World(start=START, efforts=efforts(GREEN))
    state = step(fold(task, ()), TakeBaseline(), world.perform(TakeBaseline()))
    for move, record in facts:
        state = step(state, move, record)
    return state


def test_a_cancel_ends_the_run_and_resuming_goes_on_with_the_same_ladder() -> None:
    task = simple_task()
    state = began(task, (None, CancelRequested()))
    move = next_move(state)
    assert isinstance(move, FinishRun)
    assert move.outcome.status is Status.CANCELLED
    state = step(state, move, RunFinished(outcome=move.outcome))
    state = step(state, None, RunResumed(after_end=False, usd=None, time=None, attempts=3))
    assert state.limits.attempts == 3
    assert isinstance(next_move(replace(state, workspace="t0")), RunAttempt)


def test_a_performer_that_fails_makes_the_run_unverifiable_until_it_is_resumed() -> None:
    state = began(simple_task(), (TakeBaseline(), MoveFailed(move="VerifyTree", problem="the disk is full")))
    move = next_move(state)
    assert isinstance(move, FinishRun)
    assert (move.outcome.status, move.outcome.detail) == (Status.UNVERIFIABLE, "the disk is full")
    state = step(state, None, RunResumed(after_end=True, usd=None, time=None, attempts=10))
    assert not isinstance(next_move(state), FinishRun)


def test_resuming_an_end_in_the_middle_of_an_attempt_goes_on_with_what_was_paid_for() -> None:
    world = World(start=START, efforts=efforts(GREEN))
    task = simple_task()
    state = began(task)
    move = next_move(state)
    state = step(state, move, world.perform(move))
    assert isinstance(next_move(state), VerifyTree)
    state = step(state, None, RunResumed(after_end=True, usd=None, time=None, attempts=10))
    assert isinstance(next_move(state), VerifyTree)


def test_a_run_that_has_ended_decides_nothing_more() -> None:
    state = began(simple_task())
    finished = replace(state, finished=RunFinished(outcome=Outcome(status=Status.STUCK, reason="ladder")))
    with pytest.raises(InvariantError, match="resume"):
        next_move(finished)


def test_a_confirmation_that_comes_to_nothing_is_said() -> None:
    record = KeysConfirmed(tree="t0", observations=(), problem="no verdict")
    move = next_move(began(simple_task(), (ConfirmKeys(tree="t0", keys=(), times=1, attempt=0), record)))
    assert isinstance(move, FinishRun)
    assert move.outcome.detail == "no verdict"


def test_a_baseline_that_could_not_be_taken_is_unverifiable_and_taken_again_after_a_resume() -> None:
    state = step(
        fold(simple_task(), ()), TakeBaseline(), BaselineTaken(tree="t0", report=None, problem="set-up failed")
    )
    move = next_move(state)
    assert isinstance(move, FinishRun)
    assert move.outcome.status is Status.UNVERIFIABLE
    state = step(state, None, RunResumed(after_end=True, usd=None, time=None, attempts=10))
    assert next_move(state) == TakeBaseline()


def test_interruptions_in_a_row_are_repeated_twice_and_then_count() -> None:
    tries = [Effort(verdict=START, agent=AgentStatus.INTERRUPTED)] * 3 + [Effort(verdict=GREEN)]
    task = simple_task()
    state = fold(task, play(task, World(start=START, efforts=iter(tries))))
    strikes = [v.judgement.strike for v in state.attempts if v.judgement]
    assert strikes == [False, False, True, False]


def test_written_files_void_a_verification_and_twice_end_the_run() -> None:
    state = began(simple_task())
    world = World(start=START, efforts=efforts(GREEN))
    move = next_move(state)
    state = step(state, move, world.perform(move))
    void = replace(report_of(GREEN), void="written while late ran: a.py")
    for again in (0, 1):
        assert next_move(state) == VerifyTree(tree="t1", attempt=1, again=again)
        state = step(state, next_move(state), TreeVerified(tree="t1", report=void))
    move = next_move(state)
    assert isinstance(move, FinishRun)
    assert (move.outcome.status, move.outcome.detail) == (Status.UNVERIFIABLE, void.void)


# --- baselines ------------------------------------------------------------------------------------------------------


def result(check: str, status: CheckStatus) -> CheckResult:
    failures = (
        (Failure(check=check, subject="x", kind="E"),) if status in {CheckStatus.FAILED, CheckStatus.TIMEOUT} else ()
    )
    code = 0 if status is CheckStatus.PASSED else 1
    return CheckResult(check=check, status=status, failures=failures, reason="why", exit_code=code)


@pytest.mark.parametrize(
    ("early", "late", "problem"),
    [
        (CheckStatus.PASSED, CheckStatus.FAILED, ""),
        (CheckStatus.ERROR, CheckStatus.PASSED, "early: why"),
        (CheckStatus.TIMEOUT, CheckStatus.SKIPPED, "early: why"),
        (CheckStatus.FAILED, CheckStatus.ERROR, ""),
        (CheckStatus.PASSED, CheckStatus.ERROR, "late: why"),
    ],
)
def test_a_red_baseline_is_a_legal_start_and_one_that_cannot_run_is_not(
    early: CheckStatus, late: CheckStatus, problem: str
) -> None:
    report = Report(tree="t0", results=(result("early", early), result("late", late)))
    assert baseline_problem(simple_task(), report) == problem


def test_a_void_baseline_is_a_problem() -> None:
    assert baseline_problem(simple_task(), Report(tree="t0", results=(), void="written")) == "written"


def test_checks_that_wait_for_each_other_or_for_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match="wait for each other"):
        stages((CheckSpec(name="a", run="a", after=("b",)), CheckSpec(name="b", run="b", after=("a",))))
    with pytest.raises(UsageError, match="does not exist"):
        stages((CheckSpec(name="a", run="a", after=("c",)),))


# --- outcomes that cannot be built -----------------------------------------------------------------------------------


def test_passed_cannot_be_built_without_a_proof_of_the_same_tree() -> None:
    proof = ProofSummary(tree="t1", strength=Strength.TWIN, passed=1, collected=1, twins=1, commands=())
    assert Outcome(status=Status.PASSED, reason="proven", tree="t1", proof=proof).exit_code == 0
    with pytest.raises(InvariantError):
        Outcome(status=Status.PASSED, reason="proven", tree="t1")
    with pytest.raises(InvariantError):
        Outcome(status=Status.PASSED, reason="proven", tree="t2", proof=proof)
    with pytest.raises(InvariantError):
        Outcome(status=Status.STUCK, reason="ladder", tree="t1", proof=proof)


def test_a_failed_result_without_a_failure_cannot_be_built() -> None:
    with pytest.raises(InvariantError):
        CheckResult(check="c", status=CheckStatus.FAILED)
    with pytest.raises(InvariantError):
        CheckResult(check="c", status=CheckStatus.PASSED, exit_code=1)
    with pytest.raises(InvariantError):
        CheckResult(check="c", status=CheckStatus.PASSED, exit_code=0, inventory=())
    with pytest.raises(InvariantError):
        CheckResult(check="c", status=CheckStatus.ERROR)


def test_the_numbers_of_attempts_and_their_records_agree() -> None:
    task = simple_task()
    history = play(task, World(start=START, efforts=efforts(STUCK, GREEN)))
    numbers = [r.number for _, r in history if isinstance(r, Attempted)]
    assert numbers == [1, 2]


def test_an_attempt_that_could_not_be_stored_is_charged_and_ends_the_run() -> None:
    task = simple_task(agents=(AgentSpec(name="priced", reports_cost=True),))
    state = began(task)
    move = next_move(state)
    assert isinstance(move, RunAttempt)
    lost = Attempted(
        number=1, agent=AgentStatus.DONE, problem="the disk is full", raw="t0", candidate="t0", claimed_usd=0.7
    )
    state = step(state, move, lost)
    assert state.spent_usd == 0.7
    end_ = next_move(state)
    assert isinstance(end_, FinishRun)
    assert (end_.outcome.status, end_.outcome.detail) == (Status.UNVERIFIABLE, "the disk is full")


def test_a_deadline_that_had_passed_costs_nothing() -> None:
    task = simple_task(agents=(AgentSpec(name="flat", usd_per_attempt=1.0),))
    state = began(task)
    move = next_move(state)
    late = Attempted(number=1, agent=AgentStatus.DEADLINE, began=False, raw="t0", candidate="t0")
    assert step(state, move, late).spent_usd == 0.0


def test_with_tests_that_may_change_a_skipped_test_is_still_not_seen_passing() -> None:
    start = Verdict(tree="t0", failing={"A": 1}, passing=frozenset("pq"))
    task = simple_task(edit_tests=True)
    world = World(start=start, efforts=iter([Effort(verdict=GREEN)]))
    state = step(fold(task, ()), TakeBaseline(), world.perform(TakeBaseline()))
    move = next_move(state)
    state = step(state, move, world.perform(move))
    green = report_of(GREEN)
    late = replace(green.results[1], passed=("p", "q"), skipped=("A",))
    state = step(
        state, next_move(state), TreeVerified(tree="t1", report=replace(green, results=(green.results[0], late)))
    )
    judged = state.attempts[-1].judgement
    assert judged is not None
    assert judged.kind is not Class.GREEN
    assert "late A" in judged.required


def test_a_check_that_runs_alone_brings_what_it_comes_after() -> None:
    checks = (
        CheckSpec(name="build", run="b"),
        CheckSpec(name="types", run="t"),
        CheckSpec(name="tests", run="p", after=("build",)),
        CheckSpec(name="e2e", run="e", after=("tests", "build")),
    )
    assert prerequisites(checks, ["e2e"]) == {"tests", "build"}
    assert with_prerequisites(checks, {"tests": ("a",)}) == {"build": ("",), "tests": ("a",)}


def test_tests_that_a_broken_start_hid_are_all_made_to_fail() -> None:
    names = frozenset(f"x{n:02}" for n in range(30))
    start = Verdict(tree="t0", failing={"build": 1}, stage=0, hiding=frozenset({"build"}))
    world = World(start=start, efforts=efforts(Verdict(tree="t1", passing=names)))
    assert end(play(simple_task(), world)).status is Status.PASSED
    (proof,) = [m for m in world.performed if isinstance(m, ProveTree)]
    assert {k.partition(" ")[2] for k in proof.twins} == names
