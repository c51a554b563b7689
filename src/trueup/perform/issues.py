"""How does a run work on an issue? Claimed before the first move, told about the outcome, and always let go of.

What happens at the tracker is a side effect around the run, not a move of it. `remember.claims` says which runs may
have something there; what a killed one left is put right by its `resume`, or by the next run that asks for an issue.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from trueup.act.project import Project
from trueup.act.store import Store
from trueup.act.trackers import BEAT, Issue, IssueState, Tracker
from trueup.decide.fold import fold
from trueup.decide.moves import RunFinished
from trueup.decide.outcome import Outcome, Status
from trueup.decide.state import State
from trueup.errors import BlockedError, TrueupError
from trueup.perform.issue_source import Source, living, open_tracker
from trueup.perform.offering import Offer, Result, offer
from trueup.remember import claims, leases
from trueup.remember.database import Database
from trueup.remember.journal import Journal, run_exists
from trueup.report.issue import Told, paragraph
from trueup.report.text import Redact, one_line

BLAMELESS = frozenset({"credentials", "agent_missing", "rate_limited", "overloaded"})
"""Reasons that say nothing about the issue: the next run may have better luck."""


class TakenError(BlockedError):
    """Somebody else works on the issue; nothing of ours is there."""


# --- what becomes of the issue ------------------------------------------------------------------------------------


def says_nothing_about_it(outcome: Outcome) -> bool:
    """The run ended for a reason that is not the issue's, before anything could be learned about it."""
    if outcome.reason in BLAMELESS:
        return True
    early = {Status.UNVERIFIABLE, Status.USAGE, Status.BLOCKED, Status.CANCELLED}
    return outcome.status in early and not outcome.attempts


def state_after(outcome: Outcome, was: IssueState) -> IssueState:
    """`done` needs a proof. What a person has to look at is `stalled`: nothing takes it up again by itself."""
    match outcome.status:
        case Status.PASSED:
            return IssueState.DONE
        case Status.CANCELLED:
            return was
        case _:
            return was if says_nothing_about_it(outcome) else IssueState.STALLED


# --- one run and its issue ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """What it takes to work with trackers on behalf of a project."""

    project: Project
    store: Store
    environ: Mapping[str, str]
    redact: Redact


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """An issue in the hands of a run. Whoever uses it holds the lease of the run's item."""

    tracker: Tracker
    source: Source
    journal: Journal
    db: Database
    hands: Hands

    @property
    def run(self) -> str:
        return self.journal.run

    @property
    def is_open(self) -> bool:
        return claims.of_run(self.db, self.run) is not None

    @property
    def _ends(self) -> int:
        return sum(isinstance(record, RunFinished) for _, record in self.journal.history)

    def claim(self) -> None:
        """Raises `TakenError`, or whatever keeps the tracker from answering; nothing of ours is left then."""
        issue = self.tracker.get(self.source.id)
        self._refuse_others(issue)
        claims.begin(self.db, self.run, os.urandom(8).hex(), ends=self._ends)
        try:
            won = self.tracker.claim(issue, self.run)
        except TrueupError:
            with suppress(TrueupError):  # if it is not possible now, the next one who asks for an issue does it
                self.give_back()
            raise
        if not won:
            claims.end(self.db, self.run)
            raise self._taken("")

    def _refuse_others(self, issue: Issue) -> None:
        if issue.state is IssueState.IN_PROGRESS:
            holder = self.tracker.holder(issue)
            if holder is None and not self.is_open:
                raise TakenError(
                    f"issue {issue.id} is in progress, and not by trueup",
                    why="Somebody gave it that state by hand.",
                    do=f"If nobody works on it: give it the state {self.source.settings.ready!r}, then try again.",
                )
            if holder is not None and holder.alive and holder.run != self.run:
                raise self._taken(holder.run)
        elif issue.state is IssueState.DONE:
            raise TakenError(
                f"issue {issue.id} is done",
                why=f"It has the state {self.source.settings.done!r}.",
                do=f"To work on it again, give it the state {self.source.settings.ready!r}.",
            )

    def _taken(self, run: str) -> TakenError:
        return TakenError(
            f"somebody else works on issue {self.source.id}",
            why=f"Run {run} claims it." if run else "It was claimed, or changed, at this moment.",
            do="Wait for it, or take another one: --issue next",
        )

    def settle(self) -> list[str]:
        """Tell the outcome, once, and let go. Returns what the user should know; never raises for the tracker.

        Contract: may be repeated until it succeeds; `is_open` says whether it has.
        """
        claim = claims.of_run(self.db, self.run)
        if claim is None:
            return []
        state = fold(self.journal.task, self.journal.history)
        finished = state.finished if self._ends > claim.ends else None
        try:
            issue = self.tracker.find(self.source.id)
            said = self._out_of_our_hands(issue)
            if issue is not None and not said:
                said = self._tell(issue, state, finished, claim.mark) if finished else self.give_back()
        except TrueupError as error:
            later = f"`trueup resume {self.run}`, or the next run with --issue, does it"
            told = f"issue {self.source.id} could not be told how it ended: {error}; {later}"
            return [self.hands.redact(one_line(told, 400))]
        claims.end(self.db, self.run)
        return said

    def _out_of_our_hands(self, issue: Issue | None) -> list[str]:
        """Somebody has closed, removed or taken over the issue: whatever the run came to, it is not told there."""
        if issue is None:
            return [f"issue {self.source.id} is gone: nothing was written there"]
        if issue.closed:
            self.tracker.release(issue, self.run)
            return [f"issue {self.source.id} was closed meanwhile: nothing was written there"]
        holder = self.tracker.holder(issue)
        if holder is not None and holder.alive and holder.run != self.run:
            return [f"issue {self.source.id} is in the hands of run {holder.run} now: nothing was written there"]
        return []

    def _tell(self, issue: Issue, state: State, finished: RunFinished, mark: str) -> list[str]:
        outcome = finished.outcome
        told = Told(run=self.run, outcome=outcome, state=state, branch=finished.branch, redact=self.hands.redact)
        offered = offer(self.tracker, issue, self._result(told)) if outcome.status is Status.PASSED else Offer()
        if not says_nothing_about_it(outcome):
            told = replace(told, offered=offered.url, not_offered=offered.why_not)
            self.tracker.comment(issue, paragraph(told), mark=mark)
        target = state_after(outcome, IssueState(self.source.was))
        if issue.state is IssueState.IN_PROGRESS:  # else a person has moved it, who knows better
            self.tracker.move(issue, target)
        self.tracker.release(issue, self.run)
        return [self.hands.redact(note) for note in self._notes(outcome, target, offered)]

    def _result(self, told: Told) -> Result:
        facts = self.journal.facts
        return Result(
            told=told,
            title=self.journal.task.text,
            project=replace(self.hands.project, head=facts["head"], branch=facts["branch"]),
            store=self.hands.store,
            start=facts["start"],
            environ=self.hands.environ,
            wanted=self.source.settings.pull_request,
            folder=self.source.folder,
        )

    def _notes(self, outcome: Outcome, target: IssueState, offered: Offer) -> Iterator[str]:
        label = "as it was before" if target is IssueState.OTHER else target.value
        yield f"issue {self.source.id}: {label} ({self.source.shown})"
        if outcome.status is not Status.PASSED:
            return
        if offered.url:
            yield f"pull request: {offered.url}"
        elif offered.why_not:
            yield f"no pull request: {offered.why_not}"

    def give_back(self) -> list[str]:
        """As if it had never been claimed by this run."""
        issue = self.tracker.get(self.source.id)
        holder = self.tracker.holder(issue)
        others = holder is not None and holder.alive and holder.run != self.run
        if issue.state is IssueState.IN_PROGRESS and not others:
            self.tracker.move(issue, IssueState(self.source.was))
        self.tracker.release(issue, self.run)
        claims.end(self.db, self.run)
        return [f"issue {self.source.id}: given back ({self.source.shown})"]


def work_of(journal: Journal, db: Database, hands: Hands) -> Work | None:
    """None for a run that is about no issue."""
    fact = journal.facts.get("issue")
    if not fact:
        return None
    source = Source.from_fact(fact)
    tracker = open_tracker(source.folder, source.settings, hands.project.root, hands.environ, living=living(db))
    return Work(tracker=tracker, source=source, journal=journal, db=db, hands=hands)


@contextmanager
def held(work: Work | None) -> Iterator[Work | None]:
    """The issue is this run's from here to the end of the sitting, in whatever way that comes."""
    if work is None:
        yield None
        return
    work.claim()
    try:
        with _signs_of_life(work):
            yield work
    finally:
        work.settle()  # of a sitting that came to its end, it is told already


@contextmanager
def _signs_of_life(work: Work) -> Iterator[None]:
    """So that others can tell a long run from one whose machine is gone."""
    over = threading.Event()
    issue = Issue(id=work.source.id, item=work.source.item, title="", url=work.source.url)

    def beat() -> None:
        while not over.wait(BEAT):
            with suppress(TrueupError):  # one that is missing does no harm
                work.tracker.beat(issue, work.run)

    thread = threading.Thread(target=beat, name="trueup-issue", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=1.0)


# --- what killed runs left ----------------------------------------------------------------------------------------


def put_right(db: Database, hands: Hands, *, only: str | None = None) -> list[str]:
    """Tell what ended and was not told, and give back what was left in the middle. `only`: of that run.

    A run that is going on is left alone, and nobody else can begin one on its item meanwhile.
    """
    return [
        note for claim in claims.all_open(db) if only in {None, claim.run} for note in _settled(db, claim.run, hands)
    ]


def _settled(db: Database, run: str, hands: Hands) -> list[str]:
    if not run_exists(db, run):
        claims.end(db, run)
        return []
    item = Journal.open(db, run).task.item
    with suppress(leases.ItemHeldError), leases.Lease.acquire(db, item, run):
        work = work_of(Journal.open(db, run), db, hands)
        return work.settle() if work else []
    return []
