"""Which lines does a person read while a run goes on? Pure: facts in, lines out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trueup.decide.moves import (
    AgentStatus,
    Attempted,
    BaselineTaken,
    PutBack,
    PutBackWhy,
    RemediesTried,
    ReviewStatus,
    RunAttempt,
    Rung,
    TreeProved,
    TreeReviewed,
    TwinRun,
)
from trueup.decide.state import AttemptView, Class, Judgement, State, flips
from trueup.decide.task import PERSON
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Report, Seen
from trueup.report.diagnosis import attempt_name, counts, names_variable
from trueup.report.endings import outcome_lines
from trueup.report.events import AgentLine, CheckLine, Header
from trueup.report.seen import ignored_decisions, less_seen
from trueup.report.text import (
    LABEL,
    WIDTH,
    beside,
    cells,
    clock,
    labelled,
    money,
    name_list,
    one_line,
    packed,
    pad,
    place,
    plain,
    plural,
    short_name,
    shorten,
    span,
    table,
    wording,
)

__all__ = [
    "agent_trouble",
    "asking_line",
    "attempt_lines",
    "baseline_lines",
    "header_lines",
    "outcome_lines",
    "proof_line",
    "put_back_line",
    "review_lines",
    "rules_lines",
]

_SHOWN = 10
"""Failures, put-backs and the like beyond this are counted."""

# --- the first screen ----------------------------------------------------------------------------------------


def header_lines(header: Header, *, width: int = WIDTH) -> list[str]:
    lines = [
        _title(header),
        f"  {_where_it_works(header)}",
        *_agents(header, width),
        *_checks(header.checks),
        *_reviewer(header),
        *([labelled("goal", plain(header.goal))] if header.goal else []),
        *([labelled("setup", plain(header.setup))] if header.setup else []),
        *packed("files", [plain(f) for f in header.files], gap=" · ", width=width),
        *_hidden(header.withheld, width),
        labelled("limits", " · ".join(_limits(header))),
        *(labelled("note", plain(note)) for note in header.notes),
    ]
    return [*lines, ""]


def _title(header: Header) -> str:
    at = " ".join(plain(p) for p in (header.branch, header.head) if p)
    where = plain(header.project) + (f" at {at}" if at else "")
    dirty = f" + {plural(header.dirty, 'uncommitted file')}" if header.dirty else ""
    return f"trueup {header.version} · run {header.run} · {where}{dirty}"


def _where_it_works(header: Header) -> str:
    agent = plain(header.agents[0].name) if header.agents else "the agent"
    if header.in_place:
        return f"{agent} works in your checkout itself; a copy of it was put aside first"
    return f"your checkout stays as it is; {agent} works in a copy"


def _agents(header: Header, width: int) -> Iterator[str]:
    for i, agent in enumerate(header.agents):
        yield labelled("agent" if i == 0 else "then", _agent(agent))
    if header.sandbox:
        yield from packed("", [plain(p) for p in header.sandbox.split("\n")], gap="    ", width=width)


def _reviewer(header: Header) -> Iterator[str]:
    if header.reviewer == PERSON:
        yield labelled("review", "a person has to approve what is proven (trueup review)")
    elif header.reviewer:
        yield labelled("review", f"{plain(header.reviewer)} has to approve what is proven")
        yield labelled("", plain(header.reviews))


def _agent(agent: AgentLine) -> str:
    name = " ".join(plain(p) for p in (agent.name, agent.version) if p)
    return f"{name}, {plain(agent.permissions)}" if agent.permissions else name


def _checks(checks: Sequence[CheckLine]) -> list[str]:
    rows = table((pad(plain(c.command), 30), f"from {plain(c.origin)}" if c.origin else "") for c in checks)
    return [labelled("checks" if i == 0 else "", row) for i, row in enumerate(rows)]


def _hidden(names: Sequence[str], width: int) -> list[str]:
    if not names:
        return []
    shown = ", ".join(plain(n) for n in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    left = f"  hidden from checks: {shown}{more}"
    hint = f"(--env {plain(names[-1])} lets one through)"
    fits = cells(left) + 2 + len(hint) <= width
    return [pad(left, width - len(hint)) + hint] if fits else [left, labelled("", hint)]


def _limits(header: Header) -> Iterator[str]:
    if header.free:
        yield "$0: no model is asked"
    elif header.usd is not None:
        yield money(header.usd)
    if header.seconds is not None:
        yield span(header.seconds)
    if header.attempts is not None:
        yield plural(header.attempts, "attempt")
    if not header.cost_known:
        yield "the cost is not known: the agent does not report it"
    elif header.usd is None and not header.free:
        yield "no dollar limit"


# --- the start -----------------------------------------------------------------------------------------------


def baseline_lines(
    record: BaselineTaken, state: State | None = None, *, withheld: Sequence[str] = (), width: int = WIDTH
) -> list[str]:
    if record.report is None:
        return [labelled("start", f"the checks cannot be used: {one_line(record.problem)}")]
    report = record.report
    known = " (known from an earlier run on the same files)" if record.remembered else ""
    return [
        beside(labelled("start", tally(report) + known), span(record.duration or report.duration), width),
        *(labelled("", row) for row in failure_rows(report.failures)),
        *(labelled("", row) for row in not_run(report)),
        *(labelled("", row) for row in less_seen(report)),
        *(labelled("", row) for row in ignored_decisions(report)),
        *_missing_variables(report.failures, withheld),
        *_flaky_start(record, state),
        *(
            [labelled("", f"the checks rewrite {_paths(report.rewritten)}: put back each time")]
            if report.rewritten
            else []
        ),
    ]


def tally(report: Report) -> str:
    """`142 tests, 3 fail`; for tools that do not tell their tests, how many checks fail."""
    fail = len(report.failures)
    listed = [r.inventory for r in report.results if r.inventory is not None]
    if not listed:
        asked = [r for r in report.results if r.applies]
        red = sum(r.status is CheckStatus.FAILED for r in asked)
        dead = sum(not r.ran for r in asked)
        said = f"{plural(len(asked), 'check')}, {_failing(red)}"
        return said if not dead else f"{plural(len(asked), 'check')}, {dead} could not run"
    others = sum(len(r.failures) for r in report.results if r.inventory is None)
    said = f"{plural(sum(len(i) for i in listed), 'test')}, {_failing(fail - others)}"
    return f"{said}; {plural(others, 'other problem')}" if others else said


def _failing(count: int) -> str:
    return "none fails" if count == 0 else f"{count} fails" if count == 1 else f"{count} fail"


def failure_rows(failures: Sequence[Failure], *, limit: int = _SHOWN) -> list[str]:
    rows = table((short_name(f.key), wording(f.kind, f.message, 44), place(f)) for f in failures[:limit])
    more = [f"and {len(failures) - limit} more"] if len(failures) > limit else []
    return [*rows, *more]


def not_run(report: Report) -> list[str]:
    """Unknown is never a pass: what did not run is named, with its reason."""
    words = {
        CheckStatus.ERROR: "could not run",
        CheckStatus.TIMEOUT: "ran out of time",
        CheckStatus.SKIPPED: "was not run",
    }
    return [f"{plain(r.check)} {words[r.status]}: {one_line(r.reason)}" for r in report.results if r.status in words]


def _missing_variables(failures: Sequence[Failure], withheld: Sequence[str]) -> Iterator[str]:
    for name in withheld:
        if any(names_variable(f, name) for f in failures):
            yield labelled("", f"{plain(name)} is named there and hidden from the checks   --env {plain(name)}")


def _flaky_start(record: BaselineTaken, state: State | None) -> Iterator[str]:
    again = {o.key for o in record.observations if o.seen is Seen.PASSED}
    flaky = sorted(again | (state.quarantined if state else frozenset()))
    if flaky:
        yield labelled("", f"flaky: {name_list(flaky)} (another result on unchanged files)")


def _paths(paths: Sequence[str]) -> str:
    shown = ", ".join(plain(p) for p in paths[:3])
    return shown if len(paths) <= 3 else f"{shown} and {len(paths) - 3} more"  # noqa: PLR2004 - three are shown


# --- an attempt ----------------------------------------------------------------------------------------------

_ASKING = {
    Rung.RETHINK: "asking for a different idea …",
    Rung.MINIMAL: "asking for the smallest change …",
    Rung.FRESH: "starting over without what was said before …",
}


FOCUSED = "only what failed before was run: it fails as it did, so the rest was spared, and the files went back"


def asking_line(move: RunAttempt, takes_over: str = "") -> str | None:
    """Said once, when the way of asking changes, or when another agent takes over."""
    if takes_over:
        return labelled(str(move.number), f"{plain(takes_over)} takes over …")
    return labelled(str(move.number), _ASKING[move.rung]) if move.nudge and move.rung in _ASKING else None


def attempt_lines(view: AttemptView, state: State, *, width: int = WIDTH) -> list[str]:
    room = max(width - 20 - LABEL - 17 - 2, 20)
    headline, detail = _verdict(view, room)
    left = labelled(str(view.number), f"{pad(headline, 15)}  {detail}".rstrip() if detail else headline)
    return [beside(left, _bill(view), width), *(labelled("", text) for text in _follow_ups(view, state))]


def review_lines(record: TreeReviewed, *, width: int = WIDTH) -> list[str]:
    """What a reviewer said, or why it said nothing; a person is waited for on the last screen."""
    if record.status is ReviewStatus.WAITING:
        return []
    verdict = record.verdict
    if verdict is None:
        return [beside(labelled("review", f"no verdict: {one_line(record.detail)}"), clock(record.duration), width)]
    said = "approved" if verdict.approved else "rejected"
    left = f"{plain(verdict.reviewer)}: {said}" + (f": {one_line(verdict.feedback)}" if verdict.feedback else "")
    points = [labelled("", f"{point.aspect}: {one_line(point.demand)}") for point in verdict.points[:_SHOWN]]
    return [beside(labelled("review", left), clock(record.duration), width), *points]


def _bill(view: AttemptView) -> str:
    seconds = view.record.duration + sum(r.duration for r in (view.focus, view.report) if r)
    cost = f"  {money(view.charged_usd)}" if view.charged_usd is not None else ""
    return clock(seconds) + cost


def _verdict(view: AttemptView, room: int) -> tuple[str, str]:  # noqa: C901 - one line for each class
    judged = view.judgement
    if judged is None:
        return agent_trouble(view.record) or "not checked yet", ""
    failing = f"{counts(judged)} failing"
    match judged.kind:
        case Class.GREEN | Class.PROGRESS:
            return failing, _gained(judged, room)
        case Class.WORSE:
            return failing, shorten(f"{_broke(judged, room - 8)}: undone", room)
        case Class.MIXED:
            return failing, f"fixed {len(judged.fixed)}, {_broke(judged, room - 18)}: undone"
        case Class.MOVED:
            return failing, shorten(f"another failure: {_now(view)}", room)
        case Class.STUCK:
            return failing, shorten(f"same failure: {_now(view)}", room)
        case Class.CYCLE:
            return failing, f"back to the failures of {attempt_name(judged.same_as)}: undone"
        case Class.REVISIT:
            return f"the same files as {attempt_name(judged.same_as)}: undone, not checked again", ""
        case Class.NO_OP:
            return "changed nothing" + (" that may stay" if view.record.put_back else ""), ""
        case Class.REJECTED:
            return failing, shorten(f"the review turned it down: {one_line(judged.detail)}", room)
        case Class.INVALID:
            said = "not accepted" if view.proof else "the checks could not run"
            return f"{said}: {one_line(judged.detail, 60)}".removesuffix(": "), ""
        case Class.INTERRUPTED:
            return agent_trouble(view.record) or "interrupted: it will be repeated", ""


def _gained(judged: Judgement, room: int) -> str:
    fixed = f"fixed {name_list(judged.fixed, room=room - 6)}" if judged.fixed else "got further"
    seen = f"{len(judged.unveiled)} more can run now and fail" if judged.unveiled else ""
    both = "; ".join(part for part in (fixed, seen) if part)
    return both if cells(both) <= room else shorten(seen or fixed, room)


def _broke(judged: Judgement, room: int) -> str:
    broken = tuple(dict.fromkeys((*judged.regressed, *judged.new)))
    return f"broke {name_list(broken, room=room - 6)}" if broken else "worse than before"


def _now(view: AttemptView) -> str:
    """The first failure that the goal counts, in its own words."""
    required = view.judgement.required if view.judgement else {}
    found = [f for f in (view.seen.failures if view.seen else ()) if f.key in required]
    return wording(found[0].kind, found[0].message) if found else name_list(sorted(required))


def _follow_ups(view: AttemptView, state: State) -> Iterator[str]:
    if view.judgement and view.judgement.kind is not Class.INTERRUPTED and (trouble := agent_trouble(view.record)):
        yield trouble
    yield from (put_back_line(p) for p in view.record.put_back[:_SHOWN])
    if len(view.record.put_back) > _SHOWN:
        yield f"and {len(view.record.put_back) - _SHOWN} more files were put back"
    if view.in_part and view.judgement and view.judgement.kind is Class.STUCK:
        yield FOCUSED
    if view.report:
        yield from not_run(view.report)
        yield from ignored_decisions(view.report)
        yield from (_own_tests(e) for r in view.report.results for e in r.extra)
    if view.charge_note and not _is_free(view, state):
        yield f"charged {money(view.charged_usd or 0.0)}: {one_line(view.charge_note)}"
    flaky = sorted(k for k, seen in state.looks.get(view.record.candidate, {}).items() if flips(seen))
    if flaky:
        yield f"flaky: {name_list(flaky)} (another result on unchanged files)"


def _is_free(view: AttemptView, state: State) -> bool:
    """Its price needs no explanation."""
    agents = state.task.agents
    return view.move.agent < len(agents) and agents[view.move.agent].usd_per_attempt == 0


_PUT_BACK = {
    PutBackWhy.PROTECTED: "put back",
    PutBackWhy.CONTROL: "put back, because it decides how the checks run",
    PutBackWhy.SCOPE: "put back, because it is outside the allowed paths",
    PutBackWhy.TOO_MANY: "put back, because too many files were changed",
}


def put_back_line(item: PutBack) -> str:
    if item.why is PutBackWhy.KEYS:
        keys = f" ({plain(item.detail)})" if item.detail else ""
        return f"the agent changed how checks run in {plain(item.path)}{keys}: that part was put back"
    return f"the agent changed {plain(item.path)}: {_PUT_BACK[item.why]}"


def _own_tests(result: CheckResult) -> str:
    ran, bad = len(result.inventory or ()), len(result.failures)
    if result.status is CheckStatus.PASSED:
        return f"the agent's own new tests: {ran} of {ran} pass" if ran else "the agent's own new tests pass"
    if result.status is CheckStatus.FAILED:
        return f"the agent's own new tests: {_failing(bad)} (not counted)"
    return f"the agent's own new tests: {one_line(result.reason)} (not counted)"


_TROUBLE = {
    AgentStatus.FAILED: "the agent ended with an error",
    AgentStatus.TIMEOUT: "the agent ran out of time",
    AgentStatus.DEAD: "the agent did no work at all",
    AgentStatus.CREDENTIALS: "the agent was not let in: its login or key was refused",
    AgentStatus.RATE_LIMITED: "the agent hit a rate limit",
    AgentStatus.OVERLOADED: "the agent's provider has an outage",
    AgentStatus.MISSING: "the agent could not be started",
    AgentStatus.CANCELLED: "the agent was stopped",
    AgentStatus.DEADLINE: "the agent was stopped by the deadline",
    AgentStatus.HALTED: "the agent went round in circles and was stopped",
    AgentStatus.OVERSPENT: "the agent cost more than it may and was stopped",
    AgentStatus.CONTEXT_FULL: "the agent's conversation no longer fits into its model",
    AgentStatus.REFUSED: "the agent's model declined",
    AgentStatus.EXHAUSTED: "the agent found nothing more to try",
}


def agent_trouble(record: Attempted) -> str:
    """How the agent's process ended, when that is worth a line; "" otherwise."""
    said = _TROUBLE.get(record.agent, "")
    if record.agent is AgentStatus.FAILED and record.exit_code is not None:
        said += f" (exit code {record.exit_code})"
    return f"{said}: {one_line(record.detail, 80)}" if said and record.detail else said


# --- rules ---------------------------------------------------------------------------------------------------


def rules_lines(record: RemediesTried, *, width: int = WIDTH) -> list[str]:
    """Every fix that stays, with the failures that it removed."""
    said = []
    for i, fix in enumerate(record.kept[:_SHOWN]):
        said.append(labelled("rules" if i == 0 else "", one_line(fix.why, width)))
        said += [labelled("", f"removed {name_list(fix.removed)}")] if fix.removed else []
    if len(record.kept) > _SHOWN:
        said.append(labelled("", f"and {len(record.kept) - _SHOWN} more"))
    said += [
        labelled("note", f"the rule {plain(name)} is off here: its fixes kept being taken back") for name in record.off
    ]
    return said


# --- the proof -----------------------------------------------------------------------------------------------


def proof_line(record: TreeProved, *, width: int = WIDTH) -> str:
    parts = [_fresh_copy(record.report), _twins(record.twin), _start_again(record), _suspicious(record)]
    return beside(labelled("proof", "; ".join(p for p in parts if p)), span(record.duration), width)


def _fresh_copy(report: Report) -> str:
    if report.void:
        return f"fresh copy: no result, {one_line(report.void)}"
    bad = [f.key for f in report.failures]
    listed = [r for r in report.results if r.inventory is not None]
    said = [*([f"{name_list(tuple(dict.fromkeys(bad)))} failing"] if bad else []), *not_run(report)]
    if not listed:
        green = sum(r.status is CheckStatus.PASSED for r in report.results)
        return ", ".join([f"fresh copy, your checks: {green} of {len(report.results)} pass", *said])
    passed, skipped = (sum(len(getattr(r, name)) for r in listed) for name in ("passed", "skipped"))
    every = sum(len(r.inventory or ()) for r in listed)
    aside = [f"{skipped} skipped"] if skipped else []
    return ", ".join([f"fresh copy, your tests: {passed} of {every} pass", *aside, *said])


def _twins(twin: TwinRun) -> str:
    if twin.survived:
        return f"made to fail, {name_list(twin.survived)} did not fail"
    if twin.failed_as_told:
        return "made to fail, they fail"
    return f"not made to fail: {one_line(twin.why_not, 60)}" if twin.why_not else ""


def _start_again(record: TreeProved) -> str:
    seen: dict[str, set[Seen]] = {}
    for look in record.start:
        seen.setdefault(look.key, set()).add(look.seen)
    passing = sorted(k for k, looks in seen.items() if looks == {Seen.PASSED})
    return f"{name_list(passing)} now passes on your unchanged files too" if passing else ""


def _suspicious(record: TreeProved) -> str:
    return f"{plural(len(record.suspicions), 'change')} to look at" if record.suspicions else ""
