"""What still fails, since when, what was tried, and what may be behind it?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trueup.decide.moves import AgentStatus, PutBackWhy, Rung
from trueup.decide.outcome import CurrentFailure, Outcome, Status
from trueup.decide.state import UNDONE, AttemptView, Class, Judgement, Snapshot, State
from trueup.evidence.failure import Failure, Key, check_of, subject_of
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckStatus, Report
from trueup.report.text import name_list, number, path_list, place, plain, span

_MISSING_MODULE = re.compile(r"(?:No module named|Cannot find (?:module|package)) ['\"]?([A-Za-z0-9_@./-]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the checks said after one attempt; attempt 0 is the start."""

    attempt: int
    snapshot: Snapshot
    report: Report
    required: dict[Key, int]
    undone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    text: str
    option: str = ""
    """What to add to the command line, if that is all it takes."""


# --- what fails ----------------------------------------------------------------------------------------------


def verdicts(state: State) -> tuple[Verdict, ...]:
    """Everything that was verified, oldest first. What could not be checked is no verdict."""
    return tuple(_verdicts(state))


def _verdicts(state: State) -> Iterator[Verdict]:
    if state.start_snapshot and state.baseline and state.baseline.report:
        required = _required_at_start(state, state.start_snapshot)
        report = state.baseline.report
        yield Verdict(attempt=0, snapshot=state.start_snapshot, report=report, required=required, undone=False)
    for view in state.attempts:
        judged = view.describes
        if view.seen and judged:
            yield Verdict(
                attempt=view.number,
                snapshot=view.snapshot or _focused(view, judged),
                report=view.seen,
                required=judged.required,
                undone=judged.kind in UNDONE or view.in_part,
            )


def _focused(view: AttemptView, judged: Judgement) -> Snapshot:
    """Only what failed before was run, and fails as it did."""
    return Snapshot(tree=view.record.candidate, failing=judged.required, prints=judged.prints)


def _required_at_start(state: State, start: Snapshot) -> dict[Key, int]:
    return state.start_judgement.required if state.start_judgement else start.failing


def standing(state: State) -> Verdict | None:
    """The latest verdict whose files were not undone."""
    return next((v for v in reversed(verdicts(state)) if not v.undone), None)


def current_failures(state: State) -> tuple[CurrentFailure, ...]:
    """What fails in the latest state that was not undone, one entry for each fingerprint."""
    history = verdicts(state)
    latest = standing(state)
    if latest is None:
        return ()
    return tuple(_current(f, mark, history) for f, mark in failures_at(latest, history))


def failures_at(verdict: Verdict, history: tuple[Verdict, ...]) -> list[tuple[Failure, str]]:
    """Required failures of one verdict with their fingerprints; what hides others comes first."""
    found: dict[str, Failure] = {}
    for failure in verdict.report.failures:
        if failure.key in verdict.required:
            found.setdefault(fingerprint(failure), failure)
    seen = {f.key for f in found.values()}
    for key in sorted(verdict.required.keys() - seen):
        failure, mark = _unseen(key, verdict, history)
        found[mark] = failure
    return sorted(((f, m) for m, f in found.items()), key=lambda pair: not pair[0].hides_others)


def _unseen(key: Key, verdict: Verdict, history: tuple[Verdict, ...]) -> tuple[Failure, str]:
    """Counts as failing although no report lists it: its last sight, or at least its name and why."""
    marks = verdict.snapshot.prints.get(key, ())
    result = verdict.report.result(check_of(key))
    if not marks:
        for earlier in reversed(history):
            sights = [f for f in earlier.report.failures if f.key == key]
            if sights and earlier.attempt <= verdict.attempt:
                return sights[0], fingerprint(sights[0])
    if result and result.reason:
        said = Failure(check=result.check, subject=subject_of(key), kind="error", message=result.reason, test=False)
    elif marks:
        said = _named(key, "unstable", "passes and fails on the same files")
    else:
        said = _named(key, "missing", "it did not run: neither passed nor failed")
    return said, marks[0] if marks else fingerprint(said)


def _named(key: Key, kind: str, message: str) -> Failure:
    return Failure(check=check_of(key), subject=subject_of(key), kind=kind, message=message)


def _current(failure: Failure, mark: str, history: tuple[Verdict, ...]) -> CurrentFailure:
    row = _streak(failure.key, mark, history)
    return CurrentFailure(
        key=failure.key,
        kind=failure.kind,
        message=failure.message,
        place=place(failure, folders=True),
        fingerprint=mark,
        excerpt=failure.excerpt,
        streak=len(row),
        since=row[0].attempt if row else history[-1].attempt,
    )


def _streak(key: Key, mark: str, history: tuple[Verdict, ...]) -> list[Verdict]:
    """The latest verdicts in a row that show this fingerprint, oldest first.

    An undone attempt that happened to lack it says nothing about the files as they are now.
    """
    row: list[Verdict] = []
    for verdict in reversed(history):
        if mark in marks_of(verdict, key):
            row.insert(0, verdict)
        elif row or not verdict.undone:
            break
    return row


def marks_of(verdict: Verdict, key: Key) -> frozenset[str]:
    known = verdict.snapshot.prints.get(key)
    return frozenset(known) if known else frozenset(fingerprint(f) for f in verdict.report.failures if f.key == key)


def start_and_best(state: State) -> tuple[int, int] | None:
    """How many required failures the start had and the kept state has."""
    found = (v.judgement or v.leaning for v in state.attempts if v.number == state.best_attempt)
    best = next(found, None)
    if state.start_judgement is None or best is None:
        return None
    return sum(state.start_judgement.required.values()), sum(best.required.values())


# --- what was tried ------------------------------------------------------------------------------------------

_ASKED = {Rung.MINIMAL: "asked for a small change → ", Rung.FRESH: "started over → "}
_AGENT_TROUBLE = {
    AgentStatus.TIMEOUT: "ran out of time",
    AgentStatus.CREDENTIALS: "was not let in",
    AgentStatus.RATE_LIMITED: "hit a rate limit",
    AgentStatus.OVERLOADED: "met an outage",
    AgentStatus.MISSING: "could not be started",
    AgentStatus.DEAD: "did no work at all",
    AgentStatus.CANCELLED: "was stopped",
    AgentStatus.DEADLINE: "was stopped by the deadline",
    AgentStatus.HALTED: "went round in circles",
    AgentStatus.OVERSPENT: "cost more than it may",
    AgentStatus.CONTEXT_FULL: "ran out of context",
    AgentStatus.REFUSED: "declined",
    AgentStatus.EXHAUSTED: "found nothing more to try",
}


def tried(state: State) -> list[str]:
    """One line for each attempt: what it touched and what came of it. Never a diff."""
    return [f"{view.number} {summary(view)}" for view in state.attempts]


def summary(view: AttemptView) -> str:
    parts = (_trouble(view), touched(view), came_of_it(view))
    return _ASKED.get(view.move.rung, "") + " → ".join(p for p in parts if p)


def _trouble(view: AttemptView) -> str:
    return _AGENT_TROUBLE.get(view.record.agent, "")


def touched(view: AttemptView) -> str:
    changed, back = view.record.changed, view.record.put_back
    if changed:
        return f"edited {path_list(changed, limit=2)}"
    if not back:
        return "" if _trouble(view) else "changed nothing"
    if all(p.why is PutBackWhy.PROTECTED for p in back):
        return f"edited only {'the test' if len(back) == 1 else 'tests'} → put back"
    return f"edited only {path_list([p.path for p in back], limit=2)} → put back"


def came_of_it(view: AttemptView) -> str:  # noqa: C901 - one line for each class
    """The class of an attempt in plain words, with its numbers."""
    judged = view.judgement
    if judged is None:
        return _not_judged(view)
    match judged.kind:
        case Class.NO_OP:
            return ""
        case Class.GREEN | Class.PROGRESS:
            return counts(judged)
        case Class.WORSE:
            return f"{_broke(judged) or counts(judged)}, undone"
        case Class.MIXED:
            return f"fixed {len(judged.fixed)}, {_broke(judged) or counts(judged)}, undone"
        case Class.REVISIT:
            return f"the same files as {attempt_name(judged.same_as)}, undone"
        case Class.CYCLE:
            return f"back to the failures of {attempt_name(judged.same_as)}, undone"
        case Class.MOVED:
            return "another failure in the same test"
        case Class.STUCK:
            same = "the same failure" if sum(judged.required.values()) == 1 else "the same failures"
            return f"{same}, undone" if view.in_part else same
        case Class.REJECTED:
            return f"{counts(judged)}, turned down by the review"
        case Class.INVALID:
            return f"not proven: {judged.detail}" if view.proof else "the checks could not run"
        case Class.INTERRUPTED:
            return "" if _trouble(view) else "interrupted"


def _not_judged(view: AttemptView) -> str:
    if view.leaning and view.review:
        return f"{counts(view.leaning)}, proven, not approved"
    return "" if _trouble(view) else "not checked to the end"


def _broke(judged: Judgement) -> str:
    broken = len(set(judged.regressed) | set(judged.new))
    return f"broke {broken}" if broken else ""


def counts(judged: Judgement) -> str:
    return f"{judged.before} → {sum(judged.required.values())}"


def attempt_name(attempt: int | None) -> str:
    return f"attempt {attempt}" if attempt else "the start"


def lessons(state: State, tree: str) -> tuple[str, ...]:
    """What an agent found out, while it is still about these files: the latest that began with them, or left them."""
    about = (v.record.learned for v in reversed(state.attempts) if tree in {v.move.origin, v.record.candidate})
    return next((learned for learned in about if learned), ())


# --- what may be behind it -----------------------------------------------------------------------------------


def maybe(state: State, *, withheld: tuple[str, ...] = ()) -> tuple[Hint, ...]:
    """What a person would ask next. Each hint rests on something that was recorded."""
    failures = _recent_failures(state)
    found = (
        *_only_tests(state),
        *_withheld(failures, withheld),
        *_missing_modules(state, failures),
        *_timeouts(state),
        *_out_of_scope(state),
        *_slow_agent(state),
        *_flaky(state),
    )
    return tuple(dict.fromkeys(found))


def _recent_failures(state: State) -> list[Failure]:
    latest = standing(state)
    return list(latest.report.failures) if latest else []


def _only_tests(state: State) -> Iterator[Hint]:
    hits = [
        v
        for v in state.attempts
        if not v.record.changed and any(p.why is PutBackWhy.PROTECTED for p in v.record.put_back)
    ]
    if len(hits) > 1 and not state.task.edit_tests:
        paths = _unique(p.path for v in hits for p in v.record.put_back if p.why is PutBackWhy.PROTECTED)
        asked = "Is the test" if len(paths) == 1 else "Are the tests"
        shown = ", ".join(plain(p) for p in paths[:2])
        text = f"{number(len(hits))} attempts changed only {shown}. {asked} meant to change?"
        yield Hint(text=text, option="--edit-tests")


def _withheld(failures: Iterable[Failure], withheld: tuple[str, ...]) -> Iterator[Hint]:
    for name in withheld:
        if any(names_variable(f, name) for f in failures):
            yield Hint(
                text=f"the failure names {plain(name)}, which is hidden from the checks.",
                option=f"--env {shlex.quote(plain(name))}",
            )


def names_variable(failure: Failure, name: str) -> bool:
    pattern = rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])"
    return re.search(pattern, f"{failure.message}\n{failure.excerpt}\n{failure.source_line or ''}") is not None


def _missing_modules(state: State, failures: Iterable[Failure]) -> Iterator[Hint]:
    modules = _unique(m.group(1) for f in failures if (m := _MISSING_MODULE.search(f"{f.message}\n{f.excerpt}")))
    for module in modules[:2]:
        if state.task.setup is None:
            yield Hint(text=f"{module} is not installed where the checks run: it needs a setup.", option="--setup CMD")
        else:
            yield Hint(text=f"{module} is not installed by the setup command.")


def _timeouts(state: State) -> Iterator[Hint]:
    latest = standing(state)
    for result in latest.report.results if latest else ():
        if result.status is CheckStatus.TIMEOUT:
            yield Hint(text=f"the check {plain(result.check)} ran out of time. Is its `timeout` long enough?")


def _out_of_scope(state: State) -> Iterator[Hint]:
    paths = _unique(p.path for v in state.attempts for p in v.record.put_back if p.why is PutBackWhy.SCOPE)
    if paths:
        yield Hint(
            text=f"the agent also wanted to change {path_list(paths, limit=2)}, outside the allowed paths.",
            option=f"--only {shlex.quote(plain(paths[0]))}",
        )
    if any(p.why is PutBackWhy.TOO_MANY for v in state.attempts for p in v.record.put_back):
        yield Hint(text="a change was put back because it touched too many files. See max_changed_files.")


def _slow_agent(state: State) -> Iterator[Hint]:
    late = [v for v in state.attempts if v.record.agent is AgentStatus.TIMEOUT]
    if late:
        longer = round(state.task.agent_timeout * 2 / 60)
        text = f"the agent ran out of its {span(state.task.agent_timeout)} in {number(len(late))} of the attempts."
        yield Hint(text=text, option=f"--agent-timeout {longer}m")


def _flaky(state: State) -> Iterator[Hint]:
    if state.flaky:
        yield Hint(text=f"{name_list(sorted(state.flaky))}: another result on unchanged files.", option="trueup flaky")


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


# --- what to do next -----------------------------------------------------------------------------------------


def next_steps(outcome: Outcome) -> tuple[str, ...]:
    """Commands, most useful first."""
    look = ("trueup diff",) if outcome.tree != outcome.start else ("trueup explain",) if outcome.attempts else ()
    take = ("trueup apply --partial",) if outcome.partial else ()
    match outcome.status:
        case Status.PASSED:
            return ("trueup diff", "trueup apply")
        case Status.NOTHING_TO_DO:
            return ("trueup run --on-green work",)
        case Status.USAGE:
            return ()
        case Status.UNVERIFIABLE:
            return (*look, *take, "trueup doctor", "trueup resume" if outcome.attempts else "trueup run, once it works")
        case Status.BLOCKED if outcome.reason == "review":  # resumed, it would only wait again
            return (*look, *take)
        case Status.BLOCKED | Status.CANCELLED:
            return (*look, *take, "trueup resume")
        case Status.STUCK | Status.OUT_OF_BUDGET:
            return (*look, *take, resume_command(outcome))


def resume_command(outcome: Outcome) -> str:
    """The values given to `resume` are new totals, so the limit that was reached has to grow."""
    match outcome.limit:
        case "usd" if outcome.usd_limit is not None:
            return f"trueup resume --max-usd {_dollars(max(outcome.usd_limit, outcome.usd or 0.0) * 2)}"
        case "time":
            return f"trueup resume --max-time {max(round(outcome.seconds * 2 / 60), 1)}m"
        case "attempts":
            return f"trueup resume --max-attempts {max(outcome.attempts * 2, 1)}"
        case _:
            return "trueup resume"


def _dollars(usd: float) -> str:
    return f"{usd:.2f}".rstrip("0").rstrip(".")
