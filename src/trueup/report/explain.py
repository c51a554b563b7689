"""Why did a run, one attempt or one failure go as it did? The lines of `trueup explain`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trueup.decide.moves import RunAttempt, Rung
from trueup.decide.state import AttemptView, Class, State
from trueup.errors import UsageError
from trueup.evidence.failure import Failure, Key, check_of, subject_of
from trueup.report import diagnosis
from trueup.report.diagnosis import Verdict
from trueup.report.lines import FOCUSED, attempt_lines, baseline_lines, failure_rows, proof_line, rules_lines
from trueup.report.text import block, labelled, one_line, packed, place, plain, plural, short_name, wording

_MOST = 12
_WAYS = {
    Rung.NORMAL: "with the evidence",
    Rung.RETHINK: "for a different idea",
    Rung.MINIMAL: "for the smallest change",
    Rung.FRESH: "anew, without what was said before",
}
_MEANING = {
    Class.INVALID: "Its result could not be used, so it counts neither for nor against the agent.",
    Class.NO_OP: "It left the files as they were, so the checks were not run again.",
    Class.REVISIT: "It left files whose result was known already, so the checks were not run again.",
    Class.GREEN: "Nothing that counts fails any more, and the proof holds.",
    Class.PROGRESS: "Less fails than in the best state before, and nothing that passed fails: kept.",
    Class.REJECTED: "Nothing that counts fails any more, and it is proven; the review turned it down: kept.",
    Class.CYCLE: "The same failures as in an earlier attempt, with others in between: a circle.",
    Class.WORSE: "Something that passed fails now, or more fails, and nothing was repaired: undone.",
    Class.MIXED: "Something was repaired and something else broken. That is not better: undone.",
    Class.MOVED: "The same tests fail, but in another way: the next attempt goes on from here.",
    Class.STUCK: "The same failures as before. Edits alone are no progress.",
    Class.INTERRUPTED: "It did not come to its end, so it does not count.",
}


def explain_lines(state: State, attempt: int | None = None, failure: str | None = None) -> list[str]:
    """The whole run, one attempt (0 = the start), or one failure by its name, part of its name, or fingerprint."""
    if failure is not None:
        return list(_failure(state, failure))
    return list(_run(state) if attempt is None else _attempt(state, attempt))


# --- the run -------------------------------------------------------------------------------------------------


def _run(state: State) -> Iterator[str]:
    if state.baseline:
        yield from baseline_lines(state.baseline, state)
    for view in state.attempts:
        yield from attempt_lines(view, state)
    if state.proof:
        yield proof_line(state.proof)
    current = diagnosis.current_failures(state)
    for i, f in enumerate(current[:_MOST]):
        since = diagnosis.attempt_name(f.since)
        text = f"{short_name(f.key)}  {wording(f.kind, f.message)}  {plain(f.place)}  since {since}, seen {f.streak}×"
        yield labelled("fails" if i == 0 else "", text)
    if len(current) > _MOST:
        yield labelled("", f"and {len(current) - _MOST} more")
    yield labelled("more", "trueup explain 1 (an attempt of the latest run) · trueup explain RUN TEST")


# --- one attempt ---------------------------------------------------------------------------------------------


def _attempt(state: State, number: int) -> Iterator[str]:
    if number == 0 and state.baseline:
        yield from baseline_lines(state.baseline, state)
        return
    view = next((v for v in state.attempts if v.number == number), None)
    if view is None:
        raise UsageError(
            f"there is no attempt {number}",
            why=f"the run has {plural(len(state.attempts), 'attempt')}",
            do="trueup explain RUN lists them.",
        )
    yield from attempt_lines(view, state)
    yield labelled("asked", "nobody: rules repaired it" if view.by_rules else _asked(view.move, state))
    yield from rules_lines(view.remedied) if view.remedied else ()
    yield from packed("edited", [plain(p) for p in view.record.changed[:_MOST]], gap=" · ", width=100)
    yield from _judgement(view)
    if view.proof:
        yield proof_line(view.proof)
    if view.record.note:
        yield labelled("it said", f"{one_line(view.record.note)}   (not evidence)")
    for i, text in enumerate(view.record.learned[:_MOST]):
        yield labelled("learned" if i == 0 else "", one_line(text))


def _asked(move: RunAttempt, state: State) -> str:
    agents = state.task.agents
    name = plain(agents[move.agent].name) if move.agent < len(agents) else "the agent"
    starts = [v.number for v in state.attempts if v.record.candidate == move.origin and v.number < move.number]
    origin = diagnosis.attempt_name(starts[0] if starts else 0)
    return f"{name} {_WAYS[move.rung]}, beginning with the files of {origin}"


def _judgement(view: AttemptView) -> Iterator[str]:
    judged = view.judgement
    if judged is None:
        yield labelled("verdict", "none yet")
        return
    yield labelled("verdict", _MEANING[judged.kind])
    if judged.detail:
        yield labelled("", one_line(judged.detail))
    yield from _keys("fixed", judged.fixed)
    yield from _keys("broke", judged.regressed)
    yield from _keys("new", tuple(k for k in judged.new if k not in judged.regressed))
    if view.in_part and judged.kind is Class.STUCK:
        yield labelled("", FOCUSED)
    if view.seen:
        counted: Sequence[Failure] = [f for f in view.seen.failures if f.key in judged.required]
        for i, row in enumerate(failure_rows(counted)):
            yield labelled("fails" if i == 0 else "", row)


def _keys(label: str, keys: Sequence[Key]) -> list[str]:
    return packed(label, [short_name(k) for k in keys[:_MOST]], gap=" · ", width=100)


# --- one failure ---------------------------------------------------------------------------------------------


def _failure(state: State, wanted: str) -> Iterator[str]:
    history = diagnosis.verdicts(state)
    keys = _matching(history, wanted)
    if not keys:
        raise UsageError(
            f"no failure matches {plain(wanted)!r}",
            why="it is compared with names and fingerprints of everything that failed",
            do="trueup explain RUN lists what failed.",
        )
    for key in keys[:3]:
        yield f"{plain(subject_of(key) or check_of(key))}"
        yield from _timeline(history, key)
    if len(keys) > 3:  # noqa: PLR2004 - three are shown
        yield f"and {len(keys) - 3} more match: {', '.join(short_name(k) for k in keys[3:_MOST])}"


def _matching(history: Sequence[Verdict], wanted: str) -> list[Key]:
    keys = sorted({k for v in history for k in {*v.snapshot.failing, *v.required}})
    exact = [k for k in keys if wanted in {k, subject_of(k)}]
    printed = [k for k in keys if any(wanted in v.snapshot.prints.get(k, ()) for v in history)]
    return exact or printed or [k for k in keys if wanted in k]


def _timeline(history: Sequence[Verdict], key: Key) -> Iterator[str]:
    before: frozenset[str] = frozenset()
    last: Failure | None = None
    for verdict in history:
        label = "start" if verdict.attempt == 0 else str(verdict.attempt)
        marks = diagnosis.marks_of(verdict, key)
        seen = next((f for f in verdict.report.failures if f.key == key), None)
        last = seen or last
        undone = "  (undone)" if verdict.undone else ""
        yield labelled(label, _sight(verdict, key, seen, same=bool(before) and marks == before) + undone)
        before = marks if not verdict.undone else before
    if last and last.repro:
        yield labelled("repeat", plain(last.repro))
    if last and last.excerpt:
        yield from (f"           │ {line}" for line in block(last.excerpt).split("\n")[:40])


def _sight(verdict: Verdict, key: Key, seen: Failure | None, *, same: bool) -> str:
    if seen:
        text = f"fails: {wording(seen.kind, seen.message)}  {place(seen)}".rstrip()
        return f"{text}  the same failure" if same else text
    if key in verdict.snapshot.passing:
        return "passes"
    return "skipped" if key in verdict.snapshot.skipped else "did not run"
