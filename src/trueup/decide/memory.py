"""What is worth remembering of a run, once its records and files are gone? Never a diff, never a file's content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from hashlib import sha256

from trueup.decide.outcome import Status
from trueup.decide.review import ReviewVerdict
from trueup.decide.snapshot import UNSTABLE
from trueup.decide.standing import standing
from trueup.decide.state import AttemptView, Class, Judgement, State
from trueup.decide.task import CheckSpec, Goal, Task
from trueup.decide.thought import shortened, thought
from trueup.evidence.failure import Failure, Key, make_key
from trueup.evidence.fingerprint import FORM, fingerprint
from trueup.evidence.report import Report

VERSION = 1
"""Of the shape; a memory of another one is never read."""
MOST_RUNS = 100
"""Of one item, besides those that hold a verdict: those all stay."""
_FILES, _KEYS, _TRIED, _MET = 5, 10, 40, 60
_LINE, _TEXT, _FEEDBACK = 200, 2_000, 20_000
_SAYING_SO = 50
"""Characters that it takes to say what was left out."""
_CIRCUMSTANCES = frozenset({"timeout", "hermetic"})
"""Fields of a check that do not alter what it demands."""
_KEPT = frozenset({Class.GREEN, Class.PROGRESS, Class.REJECTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One attempt: what it touched and what that changed."""

    attempt: int
    kind: str
    """Its class, as `decide.state.Class` calls it; "" when it was never judged."""
    files: tuple[str, ...] = ()
    """Changed paths, a few of them."""
    note: str = ""
    """The agent's own last words without code: a hypothesis, shortened to one line."""
    strike: bool = False
    """It led nowhere, or was turned down."""
    before: int = 0
    after: int = 0
    """How many failures counted in the best state before it, and in what it left."""
    fixed: tuple[Key, ...] = ()
    broke: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """One failure, by its fingerprint, and what became of it."""

    fingerprint: str
    key: Key
    kind: str = ""
    message: str = ""
    attempts: tuple[int, ...] = ()
    """Which attempts began with it."""
    fixed_by: int | None = None
    last: bool = False
    """It fails in the best state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMemory:
    """One run, as far as the next one can use it."""

    run: str
    task: str
    status: str = ""
    """"" while it goes on, or when it was killed."""
    reason: str = ""
    detail: str = ""
    started: float
    ended: float | None = None
    base: str
    """The tree that it began with."""
    head: str = ""
    """The commit that it began with, if there was one."""
    checks: str
    """Digest of what counted as done; see `checks_digest`."""
    branch: str = ""
    attempts: int = 0
    usd: float | None = None
    """None = not known."""
    best: str = ""
    partial: bool = False
    verdicts: tuple[ReviewVerdict, ...] = ()
    tried: tuple[Tried, ...] = ()
    failures: tuple[Met, ...] = ()
    entries: int = 0
    """How many entries of its journal are taken in here; more of them make another memory."""

    @property
    def trees(self) -> frozenset[str]:
        """Everything of this run that a later one may begin with."""
        return frozenset({self.base, self.best, *(v.tree for v in self.verdicts)}) - {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemMemory:
    """All runs of one work item, oldest first."""

    version: int = VERSION
    item: str
    project: str = ""
    runs: tuple[RunMemory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What a run's journal knows besides its moves and records."""

    run: str
    started: float
    ended: float | None = None
    base: str
    head: str = ""
    entries: int = 0


def remembered(state: State, about: Circumstances) -> RunMemory:
    """From the fold, however far it goes: a run that was killed has something to tell as well."""
    end = state.finished
    outcome = end.outcome if end else None
    return bounded(
        RunMemory(
            run=about.run,
            task=state.task.text,
            status=str(outcome.status) if outcome else "",
            reason=outcome.reason if outcome else "",
            detail=outcome.detail if outcome else "",
            started=about.started,
            ended=about.ended,
            base=about.base,
            head=about.head,
            checks=checks_digest(state.task),
            branch=end.branch if end else "",
            attempts=len(state.attempts),
            usd=state.spent_usd if state.cost_known else None,
            best=state.best or about.base,
            partial=outcome.partial if outcome else state.best not in {"", about.base},
            verdicts=state.verdicts,
            tried=tuple(map(_tried, state.attempts)),
            failures=tuple(_met(state)),
            entries=about.entries,
        )
    )


def merged(memory: ItemMemory, runs: Iterable[RunMemory]) -> ItemMemory:
    """With these runs as well. Of one that is there already, what knows more of its journal stays."""
    known = {(run.run, run.started): run for run in memory.runs}
    for run in runs:
        there = known.get((run.run, run.started), run)
        if there.entries <= run.entries:  # one that was resumed and killed has its branch all the same
            known[run.run, run.started] = replace(run, branch=run.branch or there.branch)
    return replace(memory, runs=_kept(sorted(known.values(), key=lambda run: (run.started, run.run))))


def _kept(runs: Sequence[RunMemory]) -> tuple[RunMemory, ...]:
    silent = [run for run in runs if not run.verdicts]
    gone = {(run.run, run.started) for run in silent[: max(len(silent) - MOST_RUNS, 0)]}
    return tuple(run for run in runs if (run.run, run.started) not in gone)


def checks_digest(task: Task) -> str:
    """One value for what counts as done. Settings at their defaults do not enter: a newer version has more of them."""
    said = [sorted(_said(check, _CIRCUMSTANCES)) for check in task.checks]
    return sha256(repr((said, sorted(_said(task.goal)))).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _said(value: CheckSpec | Goal, without: frozenset[str] = frozenset()) -> Iterator[str]:
    for field in fields(value):
        given = getattr(value, field.name)
        if field.name not in without and given != field.default:
            yield f"{field.name}={given!r}"


# --- what was tried, and what was met ---------------------------------------------------------------------------


def _tried(view: AttemptView) -> Tried:
    judged = view.judgement or Judgement(kind=Class.INTERRUPTED)
    return Tried(
        attempt=view.number,
        kind=str(judged.kind) if view.judgement else "",
        files=view.record.changed,
        note=thought(view.record.note),
        strike=judged.strike or judged.kind is Class.REJECTED,
        before=judged.before,
        after=sum(judged.required.values()),
        fixed=judged.fixed,
        broke=tuple(dict.fromkeys((*judged.regressed, *judged.new))),
    )


def _met(state: State) -> Iterator[Met]:
    """Every failure that counted, in the order in which it was met; what fails in the best state comes first."""
    ends = standing(state, state.best)
    last = {(key, mark) for key, marks in ends.prints.items() for mark in marks}
    found = list(dict.fromkeys((*sorted(last), *_faced(state))))[:_MET]
    texts = _texts(state, {key for key, _ in found})
    origins = [(v.number, standing(state, v.move.origin).prints) for v in state.attempts]
    reasons = _reasons(state)
    for key, mark in found:
        seen = texts.get(mark)
        yield Met(
            fingerprint=mark,
            key=key,
            kind=seen.kind if seen else mark.partition(":")[0],
            message=_first_line(seen.message if seen else reasons.get(key, "")),
            attempts=tuple(number for number, prints in origins if mark in prints.get(key, ())),
            fixed_by=None if key in ends.required else _fixed_by(state, key),
            last=(key, mark) in last,
        )


def _faced(state: State) -> Iterator[tuple[Key, str]]:
    judged = [state.start_judgement, *(v.describes for v in state.attempts)]
    for judgement in judged:
        for key, marks in sorted(judgement.prints.items()) if judgement else ():
            yield from ((key, mark) for mark in marks)


def _texts(state: State, keys: AbstractSet[Key]) -> Mapping[str, Failure]:
    """By fingerprint, as the latest report words it."""
    wanted = (f for report in _reports(state) for f in report.failures if f.key in keys)
    return {fingerprint(failure): failure for failure in wanted}


def _reasons(state: State) -> Mapping[Key, str]:
    """Why whole checks could not run, as the latest report words it."""
    return {make_key(r.check, ""): r.reason for report in _reports(state) for r in report.results if r.reason}


def _reports(state: State) -> list[Report]:
    baseline = state.baseline.report if state.baseline else None
    return [report for report in (baseline, *(v.seen for v in state.attempts)) if report]


def _fixed_by(state: State, key: Key) -> int | None:
    """The latest attempt after which it passed and whose files were kept."""
    kept = (v for v in reversed(state.attempts) if v.judgement and v.judgement.kind in _KEPT)
    return next((v.number for v in kept if v.judgement and key in v.judgement.fixed), None)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


# --- bounds -----------------------------------------------------------------------------------------------------


def bounded(run: RunMemory) -> RunMemory:
    """Text from agents, tools, reviewers and other machines takes a limited room; what is left out is said."""
    return replace(
        run,
        task=shortened(run.task, _TEXT),
        detail=shortened(run.detail, _TEXT),
        verdicts=tuple(map(_bounded_verdict, run.verdicts)),
        tried=tuple(map(_bounded_attempt, run.tried[-_TRIED:])),
        failures=tuple(map(_bounded_failure, run.failures[:_MET])),
    )


def _bounded_verdict(verdict: ReviewVerdict) -> ReviewVerdict:
    points = tuple(
        replace(p, demand=_cut(p.demand, _TEXT), subject=_cut(p.subject, _LINE), file=_cut(p.file, _LINE))
        for p in verdict.points[:_TRIED]
    )
    return replace(verdict, feedback=_cut(verdict.feedback, _FEEDBACK), points=points)


def _bounded_attempt(one: Tried) -> Tried:
    return replace(
        one,
        files=tuple(shortened(f, _LINE) for f in one.files[:_FILES]),
        note=thought(one.note),
        fixed=tuple(shortened(k, _LINE) for k in one.fixed[:_KEYS]),
        broke=tuple(shortened(k, _LINE) for k in one.broke[:_KEYS]),
    )


def _bounded_failure(one: Met) -> Met:
    named = replace(one, kind=shortened(one.kind, _LINE), message=shortened(one.message, _LINE))
    mark = one.fingerprint if FORM.fullmatch(one.fingerprint) else shortened(one.fingerprint, 2 * _LINE)
    return replace(named, fingerprint=mark, key=shortened(one.key, 2 * _LINE), attempts=one.attempts[:_TRIED])


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    kept = limit - _SAYING_SO
    return f"{text[:kept]}\n[… {len(text) - kept} characters left out …]"


def is_mark(text: str) -> bool:
    """A failure's fingerprint, or the word for a check that could not run or gives two answers."""
    return bool(FORM.fullmatch(text)) or text.startswith(("error:", f"{UNSTABLE}:"))


def is_over(run: RunMemory) -> bool:
    """It did what was asked: what led nowhere on the way no longer matters."""
    return run.status in {Status.PASSED, Status.NOTHING_TO_DO}
