"""What does the last screen say: what came out, what fails, what was tried, what is kept, what to do next?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from trueup.decide.completion import approval
from trueup.decide.moves import PutBackWhy, Suspicion
from trueup.decide.outcome import CurrentFailure, Outcome, Status
from trueup.decide.state import State
from trueup.evidence.failure import Key
from trueup.evidence.report import CheckStatus, Strength
from trueup.report import diagnosis
from trueup.report.events import ChangedFile
from trueup.report.text import (
    LABEL,
    WIDTH,
    cells,
    clock,
    labelled,
    money,
    name_list,
    number,
    one_line,
    packed,
    plain,
    plural,
    short_name,
    span,
    table,
    wording,
)

_SHOWN = 10
_LEARNED = 5
"""Lines of what an agent found out; all of them are in the prompt and in the report's files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """All that the last screen needs."""

    outcome: Outcome
    state: State
    branch: str = ""
    branch_note: str = ""
    changed: Sequence[ChangedFile] = ()
    project: str = "your checkout"
    withheld: tuple[str, ...] = ()
    logs: str = ""
    """Where the run's stored outputs lie."""
    width: int = WIDTH


def outcome_lines(
    outcome: Outcome,
    state: State,
    branch: str = "",
    *,
    branch_note: str = "",
    changed: Sequence[ChangedFile] = (),
    project: str = "your checkout",
    withheld: tuple[str, ...] = (),
    logs: str = "",
    width: int = WIDTH,
) -> list[str]:
    ending = Ending(
        outcome=outcome,
        state=state,
        branch=branch,
        branch_note=branch_note,
        changed=changed,
        project=project,
        withheld=withheld,
        logs=logs,
        width=width,
    )
    return [*_headline(ending), *_body(ending)]


# --- the headline --------------------------------------------------------------------------------------------

_TITLES = {
    Status.PASSED: "passed",
    Status.NOTHING_TO_DO: "nothing to do",
    Status.STUCK: "stuck",
    Status.OUT_OF_BUDGET: "out of budget",
    Status.UNVERIFIABLE: "unverifiable",
    Status.BLOCKED: "blocked",
    Status.CANCELLED: "cancelled",
    Status.USAGE: "cannot start",
}
_REASONS = {
    "suspicious": "a person has to look at the change before it can be believed",
    "runner_tampered": "tests that were made to fail did not fail; a person has to look at it",
}


def _headline(ending: Ending) -> list[str]:
    items = [_TITLES[ending.outcome.status], *(p for p in _headline_parts(ending) if p)]
    rows: list[str] = []
    for item in items:
        if rows and cells(rows[-1]) + 3 + cells(item) <= max(ending.width, WIDTH):
            rows[-1] += f" · {item}"
        else:
            rows.append(item if not rows else f"  {item}")
    return rows


def _headline_parts(ending: Ending) -> Iterator[str]:
    outcome = ending.outcome
    if outcome.status is not Status.PASSED:
        yield _why(outcome, ending.state)
    if outcome.attempts:
        yield plural(outcome.attempts, "attempt")
        yield clock(outcome.seconds)
        yield _cost(ending)
    if outcome.partial:
        found = diagnosis.start_and_best(ending.state)
        yield "better than the start" + (f": {found[0]} → {found[1]} failing" if found else "")


def _why(outcome: Outcome, state: State) -> str:
    if outcome.status is Status.NOTHING_TO_DO:
        return "the goal is met already at the start, so the checks cannot show the task"
    if outcome.reason in _REASONS:
        return _REASONS[outcome.reason]
    if outcome.detail:
        return one_line(outcome.detail).rstrip(".")
    return _limit_reached(outcome, state) if outcome.limit else plain(outcome.reason.replace("_", " "))


def _limit_reached(outcome: Outcome, state: State) -> str:
    limits = state.limits
    if outcome.limit == "usd" and limits.usd is not None:
        return f"another attempt does not fit into {money(limits.usd)}"
    if outcome.limit == "time" and limits.time is not None:
        return f"another attempt does not fit into {span(limits.time)}"
    return (
        f"all {plural(limits.attempts, 'attempt')} were used" if outcome.limit == "attempts" else "a limit was reached"
    )


def _cost(ending: Ending) -> str:
    outcome, task = ending.outcome, ending.state.task
    if outcome.usd is None:
        return "cost not known"
    free = all(agent.usd_per_attempt == 0 for agent in task.agents)
    of = f" of {money(outcome.usd_limit)}" if outcome.usd_limit is not None and not free else ""
    over = outcome.usd_limit is not None and outcome.usd > outcome.usd_limit
    reporters = [plain(a.name) for a in task.agents if a.reports_cost and outcome.status is Status.PASSED]
    source = f" (as {' and '.join(dict.fromkeys(reporters))} reports it)" if reporters else ""
    return f"{money(outcome.usd)}{of}{', over the limit' if over else ''}{source}"


# --- the body ------------------------------------------------------------------------------------------------


def _body(ending: Ending) -> Iterator[str]:
    match ending.outcome.status:
        case Status.PASSED:
            yield from _passed(ending)
        case Status.NOTHING_TO_DO:
            yield labelled(
                "next", "add a check that shows the task, or let the agent work all the same: --on-green work"
            )
        case Status.USAGE:
            yield labelled("next", _corrected(ending.outcome))
        case _:
            yield from _not_passed(ending)


def _corrected(outcome: Outcome) -> str:
    if outcome.reason == "max_time":
        return "give more time: --max-time"
    return "correct --target, or add --edit-tests if the agent is to write that test"


def _passed(ending: Ending) -> Iterator[str]:
    yield from _changed(ending)
    yield from _look_at(ending)
    yield labelled("proven", _proven(ending.outcome))
    yield from approval_lines(ending.state)
    yield from _branch(ending)
    yield labelled("next", "trueup diff      show it")
    bring = f"trueup apply     bring it into {plain(ending.project)} as uncommitted changes"
    yield from packed("", [bring, "(undo: trueup apply --undo)"], gap=" ", width=ending.width)


def _changed(ending: Ending) -> list[str]:
    items = [_changed_file(c) for c in ending.changed[:_SHOWN]]
    if len(ending.changed) > _SHOWN:
        items.append(f"and {len(ending.changed) - _SHOWN} more")
    return packed("changed", items, gap="   ", width=ending.width)


def _changed_file(file: ChangedFile) -> str:
    counted = file.added is not None and file.removed is not None
    sums = f"+{file.added} −{file.removed}" if counted else ""
    return " ".join(p for p in (plain(file.path), sums, plain(file.note)) if p)


def _look_at(ending: Ending) -> list[str]:
    state = ending.state
    texts = [*_put_back(state), *_gone(ending), *_learned(ending)]
    if ending.outcome.flaky:
        texts.append(f"flaky: {name_list(ending.outcome.flaky)} (another result on unchanged files)")
    return [labelled("look at" if i == 0 else "", text) for i, text in enumerate(texts)]


def _learned(ending: Ending) -> list[str]:
    """Wrapped, because what is cut off at the end of a line is often the point of it."""
    found = [one_line(text) for text in diagnosis.lessons(ending.state, ending.outcome.tree)]
    rest = [f"and {len(found) - _LEARNED} more"] if len(found) > _LEARNED else []
    room = max(ending.width - LABEL, 20)
    return [row for text in (*found[:_LEARNED], *rest) for row in wrap(text, room, subsequent_indent="  ")]


def _put_back(state: State) -> Iterator[str]:
    items = {p.path: p for view in state.attempts for p in view.record.put_back}
    for item in list(items.values())[:_SHOWN]:
        part = "in part " if item.why is PutBackWhy.KEYS else ""
        yield f"{plain(item.path)} was changed by the agent and {part}put back"
    if len(items) > _SHOWN:
        yield f"and {len(items) - _SHOWN} more files were put back"


def _gone(ending: Ending) -> Iterator[str]:
    """With --edit-tests a test may vanish; that is never silent."""
    proof = ending.state.proof
    if proof is None or not ending.state.task.edit_tests:
        return
    here = {key for r in proof.report.results for key in r.keys(r.inventory or ())}
    gone = sorted(ending.state.universe - here)
    if gone:
        yield f"{plural(len(gone), 'test')} of the start {'is' if len(gone) == 1 else 'are'} gone: {name_list(gone)}"


def approval_lines(state: State) -> Iterator[str]:
    """Who approved the result, if somebody had to."""
    verdict = approval(state)
    if verdict is not None:
        said = f": {one_line(verdict.feedback)}" if verdict.feedback else ""
        yield labelled("review", f"approved by {plain(verdict.reviewer)}{said}")


def _proven(outcome: Outcome) -> str:
    proof = outcome.proof
    if proof is None or proof.strength is Strength.EXIT_CODE:
        return "by exit codes only: this check does not say which tests it ran"
    of = f"{proof.passed} of {proof.collected} tests pass on a fresh copy"
    if proof.strength is Strength.TWIN:
        return f"{of}; {number(proof.twins)} of them made to fail, and they fail"
    return f"{of}; they could not be made to fail as a test of the tests"


def _branch(ending: Ending) -> Iterator[str]:
    if ending.branch:
        note = f"   {one_line(ending.branch_note)}" if ending.branch_note else ""
        yield labelled("branch", plain(ending.branch) + note)
    elif ending.branch_note:
        yield labelled("branch", one_line(ending.branch_note))


def _not_passed(ending: Ending) -> Iterator[str]:
    outcome, state = ending.outcome, ending.state
    suspicions = _suspicions(state) if outcome.status is Status.BLOCKED else ()
    yield from _suspicious(suspicions, ending.width)
    yield from _could_not_run(ending)
    yield from _fails(outcome.current_failures or (() if outcome.unapproved else diagnosis.current_failures(state)))
    yield from packed("tried", diagnosis.tried(state), gap=" · ", width=ending.width)
    if not outcome.partial:
        yield from (labelled("learned" if i == 0 else "", text) for i, text in enumerate(_learned(ending)))
    if outcome.status is not Status.CANCELLED:
        yield from _maybe(ending)
    elif state.attempts:
        yield labelled("", "nothing is lost: every attempt is kept")
    yield from _look_at(ending) if not suspicions and outcome.partial else ()
    yield from _kept(ending)
    yield from _branch(ending)
    yield from _advice(ending)


def _suspicions(state: State) -> tuple[Suspicion, ...]:
    proofs = [v.proof for v in state.attempts if v.proof and v.proof.suspicions]
    return proofs[-1].suspicions if proofs else ()


def _suspicious(suspicions: Sequence[Suspicion], width: int) -> Iterator[str]:
    rows = table((f"{plain(s.path)}:{s.line}", one_line(s.text, 60)) for s in suspicions[:_SHOWN])
    for i, (row, suspicion) in enumerate(zip(rows, suspicions, strict=False)):
        yield from packed("look at" if i == 0 else "", [row, one_line(suspicion.why)], gap="  ", width=width)
    if len(suspicions) > _SHOWN:
        yield labelled("", f"and {len(suspicions) - _SHOWN} more")


def _could_not_run(ending: Ending) -> Iterator[str]:
    state = ending.state
    if ending.outcome.status is not Status.UNVERIFIABLE:
        return
    reports = [v.report for v in state.attempts if v.report]
    latest = reports[-1] if reports else state.baseline.report if state.baseline else None
    for result in latest.results if latest else ():
        if result.status in {CheckStatus.ERROR, CheckStatus.TIMEOUT}:
            log = f"   (output: {plain(ending.logs + result.log)})" if result.log else ""
            yield labelled("no run", f"{plain(result.check)}: {one_line(result.reason)}{log}")
    for problem in dict.fromkeys((state.problem, state.baseline.problem if state.baseline else "")):
        if problem and one_line(problem).rstrip(".") != one_line(ending.outcome.detail).rstrip("."):
            yield labelled("because", one_line(problem))


def _fails(failures: Sequence[CurrentFailure]) -> Iterator[str]:
    rows = table(
        (short_name(f.key), wording(f.kind, f.message, 44), plain(f.place.rpartition("/")[2]), _since(f))
        for f in failures[:_SHOWN]
    )
    for i, row in enumerate(rows):
        yield labelled("fails" if i == 0 else "", row)
    rest: tuple[Key, ...] = tuple(f.key for f in failures[_SHOWN:])
    if rest:
        yield labelled("", f"and {len(rest)} more")


def _since(failure: CurrentFailure) -> str:
    name = diagnosis.attempt_name(failure.since)
    return f"the same since {name}" if failure.streak > 1 else f"since {name}"


def _maybe(ending: Ending) -> Iterator[str]:
    for i, hint in enumerate(diagnosis.maybe(ending.state, withheld=ending.withheld)):
        parts = [hint.text, hint.option] if hint.option else [hint.text]
        yield from packed("maybe" if i == 0 else "", parts, gap="   ", width=ending.width)


def _kept(ending: Ending) -> list[str]:
    outcome = ending.outcome
    steps = diagnosis.next_steps(outcome)
    if not outcome.partial and not outcome.attempts:
        return packed("next", steps, gap=" · ", width=ending.width)
    if outcome.partial:
        found = diagnosis.start_and_best(ending.state)
        said = f"attempt {outcome.best_attempt}{f' ({found[0]} → {found[1]})' if found else ''}, {_short_of(outcome)}."
    else:
        said = f"your files as they were{_nothing_better(outcome)}."
    return packed("kept", [f"{said}   {steps[0]}", *steps[1:]], gap=" · ", width=ending.width)


def _short_of(outcome: Outcome) -> str:
    return "proven, but not approved" if outcome.unapproved else "not proven"


def _nothing_better(outcome: Outcome) -> str:
    if outcome.reason in _REASONS:
        return "; the change waits until a person has looked"
    return ": no attempt was better" if outcome.status in {Status.STUCK, Status.OUT_OF_BUDGET} else ""


_WITHOUT_SANDBOX = (
    "install or repair bubblewrap, then: trueup resume",
    "or put search_unsandboxed = true into trueup.toml, then a new trueup run:",
    "altered versions of your program run with your rights then",
)


def _advice(ending: Ending) -> Iterator[str]:
    outcome, attempts, agents = ending.outcome, ending.state.attempts, ending.state.task.agents
    latest = agents[attempts[-1].move.agent].kind if attempts else ""
    if outcome.status is Status.BLOCKED and outcome.reason == "agent_missing" and latest == "search":
        yield from (labelled("do" if i == 0 else "", text) for i, text in enumerate(_WITHOUT_SANDBOX))
        return
    advice = {
        "credentials": "log in to the agent (or set its key), then: trueup resume",
        "agent_missing": "install the agent or correct its command, then: trueup resume",
        "rate_limited": "wait until the provider lets you in again, then: trueup resume",
        "overloaded": "wait until the provider is back, then: trueup resume",
        "suspicious": f"read these lines and `trueup diff {outcome.attempts}`; if it is fine: trueup review approve",
        "review": "look at it: trueup review show; then: trueup review approve, or: trueup review reject -m WHY",
        "review_failed": "mend the reviewer, then: trueup resume; or decide yourself: trueup review approve, or reject",
        "review_cycle": "read the verdicts: trueup review show; then decide: trueup review approve, or reject -m WHY",
        "review_rounds": "read the verdicts: trueup review show; then decide: trueup review approve, or reject -m WHY",
        "runner_tampered": f"read `trueup diff {outcome.attempts}`: something decides what the tests say",
    }
    if outcome.status is Status.BLOCKED and outcome.reason in advice:
        yield labelled("do", advice[outcome.reason])
