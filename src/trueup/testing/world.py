"""A world without processes: what `decide` would do if trees and checks behaved like this.

`play` runs the real `decide` against scripted verdicts, so that a policy can be tried on thousands of histories in
seconds. It performs every move in memory and follows the journal's order exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from trueup.decide.fold import fold, step
from trueup.decide.moves import (
    AgentStatus,
    AskReview,
    Attempted,
    BaselineTaken,
    ConfirmKeys,
    ControlRun,
    FinishRun,
    FocusTree,
    History,
    KeptFix,
    KeysConfirmed,
    Move,
    ProveTree,
    Record,
    RemediesTried,
    RestoreTree,
    ReviewStatus,
    RunAttempt,
    RunControl,
    RunFinished,
    TakeBaseline,
    TreeFocused,
    TreeProved,
    TreeRestored,
    TreeReviewed,
    TreeVerified,
    TryRemedies,
    TwinRun,
    VerifyTree,
    Wait,
    Waited,
)
from trueup.decide.policy import next_move
from trueup.decide.task import AgentSpec, CheckSpec, Goal, Limits, Task
from trueup.evidence.failure import Failure, Key, Phase, subject_of
from trueup.evidence.report import CheckResult, CheckStatus, Observation, Report, Seen, Strength

EARLY, LATE = "early", "late"
"""Two checks: `late` comes after `early`, so that an early failure hides the late ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the checks say about one tree, in the words of the judging table."""

    tree: str
    failing: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    """subject -> what distinguishes this failure of it from another; the subject itself by default."""
    passing: frozenset[str] = frozenset()
    stage: int = 1
    hiding: frozenset[str] = frozenset()
    """Failing subjects that are build or collection failures."""
    not_tests: frozenset[str] = frozenset()
    ran: bool = True
    seconds: float = 0.0
    """How long the check takes."""
    selects: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """One attempt: the tree it leaves, what it claims to cost, how its agent ended."""

    verdict: Verdict
    usd: float | None = None
    agent: AgentStatus = AgentStatus.DONE
    seconds: float = 1.0


def simple_task(**changes: object) -> Task:
    checks = (CheckSpec(name=EARLY, run="early"), CheckSpec(name=LATE, run="late", after=(EARLY,)))
    fields: dict[str, object] = {
        "checks": checks,
        "agents": (AgentSpec(name="scripted"),),
        "limits": Limits(usd=None, time=None, attempts=1000),
        "goal": Goal(),
    }
    return Task(**(fields | changes))  # type: ignore[arg-type]


def report_of(verdict: Verdict) -> Report:
    if verdict.stage == 0:
        early = _result(EARLY, verdict)
        late = CheckResult(check=LATE, status=CheckStatus.SKIPPED, reason="early failed")
        return Report(tree=verdict.tree, results=(early, late), duration=1.0)
    early = CheckResult(check=EARLY, status=CheckStatus.PASSED, exit_code=0)
    return Report(tree=verdict.tree, results=(early, _result(LATE, verdict)), duration=1.0)


def _result(check: str, verdict: Verdict) -> CheckResult:
    failures = tuple(
        f for subject, n in sorted(verdict.failing.items()) for f in [_failure(check, subject, verdict)] * n
    )
    tests = {f.subject for f in failures if f.test}
    inventory = tuple(sorted(verdict.passing | tests)) or None
    verdict_of_its_own = CheckStatus.FAILED if failures else CheckStatus.PASSED
    return CheckResult(
        check=check,
        status=verdict_of_its_own if verdict.ran else CheckStatus.TIMEOUT,
        failures=failures,
        passed=tuple(sorted(verdict.passing)),
        inventory=inventory if verdict.ran else None,
        exit_code=1 if failures else 0,
        reason="" if verdict.ran else "took too long",
        strength=Strength.INVENTORY,
        command=check,
        duration=verdict.seconds,
        selects=verdict.selects,
    )


def _failure(check: str, subject: str, verdict: Verdict) -> Failure:
    return Failure(
        check=check,
        subject=subject,
        phase=Phase.COLLECT if subject in verdict.hiding else Phase.RUN,
        kind=verdict.kinds.get(subject, subject),
        source_line=verdict.kinds.get(subject, subject),
        message=f"{subject} is wrong",
        test=subject not in verdict.not_tests | verdict.hiding,
    )


Look = Callable[[str, Key], Seen | None]
"""A look at (tree, key) that differs from the scripted verdict, or None."""


@dataclass(slots=True)
class World:
    """Performs moves in memory. `control` False means that the checks cannot run on the best tree either."""

    start: Verdict
    efforts: Iterator[Effort]
    control: bool = True
    look: Look = lambda _tree, _key: None
    proof: Callable[[TreeProved], TreeProved] = lambda proof: proof
    """Changes what a proof comes to."""
    review: Callable[[AskReview], TreeReviewed] = lambda move: TreeReviewed(
        tree=move.tree, status=ReviewStatus.WAITING, began=False
    )
    """What a reviewer says; without one, a person is waited for."""
    rules: Callable[[str], Verdict | None] = lambda _tree: None
    """What rules make of a tree; None when they leave it alone."""
    known: dict[str, Verdict] = field(default_factory=dict)
    performed: list[Move] = field(default_factory=list)

    def perform(self, move: Move) -> Record:  # noqa: C901 - one case per move
        self.performed.append(move)
        match move:
            case TakeBaseline():
                self.known[self.start.tree] = self.start
                return BaselineTaken(tree=self.start.tree, report=report_of(self.start), duration=1.0)
            case TryRemedies():
                return self._remedy(move)
            case RunAttempt():
                return self._attempt(move)
            case FocusTree():
                return TreeFocused(tree=move.tree, report=self._alone(move), duration=1.0)
            case VerifyTree():
                return TreeVerified(tree=move.tree, report=report_of(self.known[move.tree]), duration=1.0)
            case RunControl():
                return self._control(move)
            case ConfirmKeys():
                looks = tuple(self._observe(move.tree, k) for _ in range(move.times) for k in move.keys)
                return KeysConfirmed(tree=move.tree, observations=looks, duration=1.0)
            case ProveTree():
                return self._prove(move)
            case AskReview():
                return self.review(move)
            case RestoreTree():
                return TreeRestored(tree=move.tree)
            case Wait():
                return Waited(seconds=move.seconds, duration=move.seconds)
            case FinishRun():
                return RunFinished(outcome=move.outcome)
        assert_never(move)

    def _remedy(self, move: TryRemedies) -> RemediesTried:
        made = self.rules(move.tree)
        if made is None:
            return RemediesTried(tree=move.tree, result=move.tree, duration=1.0)
        self.known[made.tree] = made
        kept = (KeptFix(remedy="rule", why="a rule", removed=(), paths=("file",)),)
        return RemediesTried(tree=move.tree, result=made.tree, kept=kept, changed=("file",), duration=1.0)

    def _attempt(self, move: RunAttempt) -> Attempted:
        effort = next(self.efforts)
        tree = effort.verdict.tree
        self.known[tree] = effort.verdict
        return Attempted(
            number=move.number,
            agent=effort.agent,
            raw=tree,
            candidate=tree,
            changed=("file",) if tree != move.origin else (),
            claimed_usd=effort.usd,
            duration=effort.seconds,
        )

    def _alone(self, move: FocusTree) -> Report:
        """The wanted keys of the tree's verdict, and nothing of the others."""
        whole, wanted = self.known[move.tree], {subject_of(key) for key in move.keys}
        if not whole.ran:
            return report_of(whole)
        failing = {k: n for k, n in whole.failing.items() if k in wanted}
        return report_of(replace(whole, failing=failing, passing=whole.passing & wanted))

    def _control(self, move: RunControl) -> ControlRun:
        verdict = self.known[move.tree]
        if not self.control:
            verdict = Verdict(tree=move.tree, failing={"timeout": 1}, not_tests=frozenset({"timeout"}), ran=False)
        return ControlRun(tree=move.tree, report=report_of(verdict), duration=1.0)

    def _prove(self, move: ProveTree) -> TreeProved:
        report = report_of(self.known[move.tree])
        proof = TreeProved(
            tree=move.tree,
            report=report,
            twin=TwinRun(failed_as_told=move.twins),
            suspicions=(),
            start=tuple(self._observe(self.start.tree, k) for k in move.must_fail),
            strength=Strength.TWIN,
            duration=1.0,
        )
        return self.proof(proof)

    def _observe(self, tree: str, key: Key) -> Observation:
        verdict, subject = self.known[tree], subject_of(key)
        seen = Seen.FAILED if subject in verdict.failing else Seen.PASSED
        if seen is Seen.PASSED and subject not in verdict.passing and subject in self.start.passing:
            seen = Seen.ABSENT
        return Observation(key=key, seen=self.look(tree, key) or seen)


def play(task: Task, world: World, *, after: History = (), most: int = 10_000) -> History:
    """Decide and perform until the run finishes; the history that a journal would hold. `after`: what it begins with,
    such as an earlier sitting and the fact that it was resumed."""
    history: list[tuple[Move | None, Record]] = list(after)
    state = fold(task, after)
    for _ in range(most):
        move = next_move(state)
        record = world.perform(move)
        history.append((move, record))
        state = step(state, move, record)
        if isinstance(record, RunFinished):
            return tuple(history)
    raise AssertionError(f"the run did not end within {most} moves")


def efforts(*verdicts: Verdict) -> Iterator[Effort]:
    return iter([Effort(verdict=v) for v in verdicts])


def forever(verdicts: Sequence[Verdict]) -> Iterator[Effort]:
    while True:
        yield from (Effort(verdict=v) for v in verdicts)
