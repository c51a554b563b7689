"""What came of a run? Plain, frozen values; what is handed back can be read, applied and taken back later."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from trueup.decide.moves import AgentStatus, PutBack
from trueup.decide.outcome import EXIT_CODES, CurrentFailure, ProofSummary, Status
from trueup.decide.state import AttemptView, Class
from trueup.errors import TrueupError, UsageError
from trueup.evidence.failure import Key
from trueup.evidence.report import Strength
from trueup.report.events import ChangedFile, CheckLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call of an agent, and what it amounts to."""

    number: int
    agent: str
    ended: AgentStatus
    """How the agent ended; never evidence about the work."""
    verdict: Class | None
    """What our own checks made of it; None when it was cut short."""
    fixed: tuple[Key, ...]
    broken: tuple[Key, ...]
    remaining: int | None
    """How many failures were left that the goal counts; None when it was not verified."""
    changed: tuple[str, ...]
    put_back: tuple[PutBack, ...]
    """Changes that were undone before anything was checked."""
    tree: str
    """What it left, without what was put back."""
    usd: float | None
    """What it was charged; None when no cost is known."""
    tokens: int | None
    seconds: float
    note: str
    """The agent's own last words."""
    learned: tuple[str, ...] = ()
    """What it found out about the files that it began with, a line each: suspicious lines, edits that repair a part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What `Result.apply` wrote into the checkout."""

    paths: tuple[str, ...]
    already: tuple[str, ...] = ()
    """Files that held the result before."""
    risky: tuple[str, ...] = ()
    """Files among `paths` that run by themselves when the project is opened, built, tested or pushed."""
    merged: bool = False
    """The checkout had moved on: the merged files are not the ones that were checked."""


class NotPassedError(TrueupError):
    """The run ended without success. `result` says how."""

    def __init__(self, result: Result) -> None:
        super().__init__(f"run {result.run}: {result.status}", why=result.explanation)
        self.result = result
        self.exit_code = result.exit_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    run: str
    """The run's id; `resume` and the command line know it."""
    status: Status
    reason: str
    """One word for machines: `ladder`, `cycle`, `usd`, `baseline` …"""
    explanation: str
    """The last screen, as on the command line: what came out, what fails, what was tried, what to do next."""
    partial: bool
    """Better than the start, but not passed."""
    proof: ProofSummary | None
    """What `passed` rests on."""
    fixed: tuple[Key, ...]
    new: tuple[Key, ...]
    remaining: tuple[Key, ...]
    flaky: tuple[Key, ...]
    failures: tuple[CurrentFailure, ...]
    """What still fails, each with its message and since when."""
    attempts: tuple[Attempt, ...]
    best_attempt: int
    """Whose files are handed back; 0 = nobody's, they are the start's."""
    usd: float | None
    """None: no cost is known."""
    seconds: float
    checks: tuple[CheckLine, ...]
    """What was checked, and where each command comes from."""
    project: Path
    start: str
    tree: str
    """Git's name for the files that are handed back, in trueup's own store."""
    branch: str | None
    """The branch with the result, in your repository."""
    branch_note: str
    changed: tuple[ChangedFile, ...]
    report_path: Path
    """A page for people; beside it lie prompts, transcripts, check outputs and `events.jsonl`."""
    _json: str = field(repr=False)
    _state: Path = field(repr=False)

    @property
    def passed(self) -> bool:
        """Proven on exactly the files that are handed back."""
        return self.status is Status.PASSED

    @property
    def strength(self) -> Strength | None:
        """How strong the proof is; None without one."""
        return self.proof.strength if self.proof else None

    @property
    def exit_code(self) -> int:
        """What the command line would return."""
        return EXIT_CODES[self.status]

    def raise_unless_passed(self) -> None:
        """Raise `NotPassedError` unless the goal is met: proven, or met before anything was done."""
        if self.exit_code:
            raise NotPassedError(self)

    def diff(self) -> str:
        """What leads from the start to the result, to read. Bytes that are no text are shown as �."""
        return self.patch().decode("utf-8", "replace")

    def patch(self) -> bytes:
        """The same, byte for byte, for `git apply`."""
        from trueup.perform.setting import open_store

        return open_store(self._state).patch(self.start, self.tree) if self.tree != self.start else b""

    def apply(self, *, partial: bool = False) -> Applied:
        """Bring the result into the checkout, as uncommitted changes: all of it, or nothing.

        Raises `UsageError` when there is nothing to apply or, without `partial`, when it did not pass, and
        `ConflictError` when it does not fit what the checkout holds now. `trueup apply --undo` takes it back.
        """
        from trueup.act.apply import plan_apply
        from trueup.act.files import FileRules
        from trueup.perform.applying import apply_index, carry_out
        from trueup.perform.setting import open_store
        from trueup.remember.database import Database
        from trueup.remember.journal import Journal

        self._refuse(partial=partial)
        store, index = open_store(self._state), apply_index(self._state, self.run)
        with Database(self._state) as db:
            rules = FileRules.from_dict(Journal.open(db, self.run).facts["rules"])
            plan = plan_apply(self.project, store, rules, start=self.start, best=self.tree, index=index)
            carry_out(db, store, self.project, rules, plan, run=self.run, index=index)
        paths = tuple(write.path for write in plan.writes)
        return Applied(paths=paths, already=plan.already, risky=plan.risky, merged=plan.moved_on)

    def to_json(self) -> str:
        """One line, the same as the last one of `trueup run --json`; secrets are left out."""
        return self._json

    def _refuse(self, *, partial: bool) -> None:
        if self.tree == self.start:
            raise UsageError(
                f"run {self.run} has nothing to apply",
                why=f"it ended {self.status}, and its best state is the files as they were",
            )
        if not self.passed and not partial:
            raise UsageError(
                f"run {self.run} did not pass: {self.status}",
                why="its best state is better than the start, but not proven",
                do="Look at it with diff(), and take it with apply(partial=True).",
            )


def attempt_of(view: AttemptView, agents: tuple[str, ...]) -> Attempt:
    judged = view.judgement
    return Attempt(
        number=view.number,
        agent="rules" if view.by_rules else agents[view.move.agent],
        ended=view.record.agent,
        verdict=judged.kind if judged else None,
        fixed=judged.fixed if judged else (),
        broken=judged.regressed if judged else (),
        remaining=sum(judged.required.values()) if judged and view.seen else None,
        changed=view.record.changed,
        put_back=view.record.put_back,
        tree=view.record.candidate,
        usd=view.charged_usd,
        tokens=view.record.tokens,
        seconds=view.record.duration,
        note=view.record.note,
        learned=view.record.learned,
    )
