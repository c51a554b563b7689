"""How is one attempt made? Prompt, agent, raw tree, candidate: everything is kept, nothing is believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from trueup.act.agents.base import AgentCall, AgentResult, Ground
from trueup.act.agents.claims import read_claim
from trueup.act.environment import check_environment
from trueup.act.process import Cancelled
from trueup.act.removal import real_folder
from trueup.act.sanitise import sanitise
from trueup.decide.moves import AgentStatus, Attempted, RunAttempt
from trueup.decide.state import State
from trueup.errors import TrueupError
from trueup.perform.begun import Begun
from trueup.perform.confinement import agent_processes, sealed_processes
from trueup.perform.context import Context
from trueup.perform.discretion import discreet
from trueup.perform.remembering import met_elsewhere
from trueup.perform.watching import neutral, watcher
from trueup.report.events import Activity
from trueup.report.prompt import write_prompt

MOST_PATHS = 500
"""In one stored patch of what was put back: a command line is not endless."""
RESULT_FILE = "result.json"
"""Where the command agent lets programs leave their cost, in the attempt's scratch folder."""


def attempt(context: Context, state: State, move: RunAttempt) -> Attempted:
    seconds = _seconds(context, move)
    if seconds <= 0:
        return _untouched(move, AgentStatus.DEADLINE)
    begun(context, move).forget()
    call = _call(context, state, move, seconds)
    context.lab.trusted = False
    begun(context, move).mark()
    try:
        result = context.agents[move.agent].run(call, agent_processes(context, call), _live(context, move))
        context.artifacts.transcript(move.number, result.transcript.decode(errors="replace"))
        if result.turns:
            context.artifacts.turns(move.number, neutral(f"{context.run}/{move.number}", result.turns))
    except Cancelled:
        result = _claimed(context, move, AgentStatus.CANCELLED)
    except (TrueupError, OSError) as error:
        return lost(context, move, str(error))
    return _cut_by_deadline(context, _record(context, move, result), result)


def salvage(context: Context, move: RunAttempt) -> Attempted:
    """trueup was killed while the agent ran: keep the half-done tree, charge what the agent reported, if it did.

    Time is charged up to the agent's last sign of life. Of one that gave none it is not known when it was killed: the
    time until now is charged, at most what it had been granted.
    """
    seconds = begun(context, move).seconds(move.seconds)
    record = _surely(context, move, _claimed(context, move, AgentStatus.INTERRUPTED))
    return replace(discreet(record, context.redactor.redact), duration=seconds)


def lost(context: Context, move: RunAttempt, problem: str) -> Attempted:
    """Something of ours broke while the agent was at work: it may have cost money all the same."""
    record = _surely(context, move, _claimed(context, move, AgentStatus.FAILED))
    return replace(record, problem=record.problem or context.redactor.redact(problem))


def _surely(context: Context, move: RunAttempt, result: AgentResult) -> Attempted:
    """Something went wrong already: whatever else does, the attempt is written down, charged and over."""
    try:
        return _record(context, move, result)
    except Exception as error:  # noqa: BLE001 - a bug of ours, too, must not make an attempt free
        return _unstored(context, move, result, error)


def begun(context: Context, move: RunAttempt) -> Begun:
    return Begun(context.folder / f"begun-{move.number}", context.clock)


def _claimed(context: Context, move: RunAttempt, status: AgentStatus) -> AgentResult:
    claim = read_claim(_scratch(context, move.number) / RESULT_FILE)
    return AgentResult(
        status=status,
        claimed_usd=claim.usd,
        total_usd=claim.total_usd,
        claim_problem=claim.problem,
        tokens=claim.tokens,
        session=claim.session,
    )


def _seconds(context: Context, move: RunAttempt) -> float:
    return move.seconds if context.until is None else min(move.seconds, context.until - context.clock())


def _untouched(move: RunAttempt, status: AgentStatus) -> Attempted:
    return Attempted(number=move.number, agent=status, began=False, raw=move.origin, candidate=move.origin)


def _cut_by_deadline(context: Context, record: Attempted, result: AgentResult) -> Attempted:
    """A time-out that `--until` caused is judged as a deadline, unless the agent left something to verify."""
    late = context.until is not None and context.clock() >= context.until
    if late and result.status is AgentStatus.TIMEOUT and not record.changed:
        return replace(record, agent=AgentStatus.DEADLINE)
    return record


def _scratch(context: Context, number: int) -> Path:
    folder = context.folder / "scratch" / f"attempt-{number}"
    for place in (folder.parent, folder):
        real_folder(place)
    (folder / "prompt.md").unlink(missing_ok=True)
    return folder


def _call(context: Context, state: State, move: RunAttempt, seconds: float) -> AgentCall:
    prompt = write_prompt(
        context.task,
        state,
        move,
        context.sources(move.origin),
        redact=context.redactor.redact,
        prior=context.prior,
        elsewhere=met_elsewhere(context, state, move),
    )
    scratch = _scratch(context, move.number)
    prompt_file = scratch / "prompt.md"
    prompt_file.write_text(prompt, encoding="utf-8")
    context.artifacts.prompt(move.number, prompt)
    return AgentCall(
        prompt=prompt,
        prompt_file=prompt_file,
        workspace=context.workspace.path,
        attempt=move.number,
        seconds=seconds,
        usd=move.reserve_usd,
        env=context.agent_env,
        scratch=scratch,
        fresh_session=move.fresh_session,
        session="" if move.fresh_session else state.session(move.agent),
        sandboxed=context.lab.sandbox is not None,
        ground=_ground(context, scratch),
        watch=watcher(context.task.checks, str(context.workspace.path)),
    )


def _ground(context: Context, scratch: Path) -> Ground:
    variables = check_environment(context.agent_env, allow=context.task.env, tmp=scratch, cache=scratch).variables
    protection = context.protection
    assert protection is not None
    return Ground(
        checks=context.task.checks,
        check_env=variables,
        may_change=lambda path: protection.in_scope(path) and protection.why_back(path) is None,
        sealed=lambda writable, readable: sealed_processes(context, writable, readable),
    )


def _live(context: Context, move: RunAttempt) -> Callable[[str], None]:
    note = begun(context, move).sign_of_life()

    def show(text: str) -> None:
        note()
        context.stream.emit(Activity(text=context.redactor.redact(text)))

    return show


def _record(context: Context, move: RunAttempt, result: AgentResult) -> Attempted:
    """The agent was paid: whatever goes wrong from here on, the attempt is written down and charged."""
    try:
        return _stored(context, move, result)
    except (TrueupError, OSError) as error:
        return _unstored(context, move, result, error)


def _unstored(context: Context, move: RunAttempt, result: AgentResult, error: Exception) -> Attempted:
    return replace(
        _untouched(move, result.status),
        began=result.began,
        problem=context.redactor.redact(f"what the agent left could not be stored: {error}"),
        exit_code=result.exit_code,
        claimed_usd=result.claimed_usd,
        total_usd=result.total_usd,
        claim_problem=result.claim_problem,
        least_usd=result.least_usd,
        least_total_usd=result.least_total_usd,
        worked=result.worked,
        tokens=result.tokens,
        session=result.session,
    )


def _stored(context: Context, move: RunAttempt, result: AgentResult) -> Attempted:
    raw = context.workspace.snapshot().tree
    context.keep(f"attempt-{move.number}/raw", raw)
    assert context.protection is not None
    clean = sanitise(
        context.store,
        start=context.start,
        origin=move.origin,
        raw=raw,
        protection=replace(context.protection, max_files=move.max_files),
    )
    clean = replace(clean, tree=_without_products(context, clean.tree))
    context.keep(f"attempt-{move.number}/candidate", clean.tree)
    if clean.put_back:
        paths = [p.path for p in clean.put_back[:MOST_PATHS]]
        patch = context.store.patch(clean.tree, raw, paths)
        context.artifacts.put_back(move.number, patch.decode(errors="replace"))
    changed = tuple(c.path for c in context.store.diff(move.origin, clean.tree))
    return Attempted(
        number=move.number,
        agent=_status(result, changed=bool(changed)),
        began=result.began,
        raw=raw,
        candidate=clean.tree,
        changed=changed,
        put_back=clean.put_back,
        exit_code=result.exit_code,
        claimed_usd=result.claimed_usd,
        total_usd=result.total_usd,
        claim_problem=result.claim_problem,
        least_usd=result.least_usd,
        least_total_usd=result.least_total_usd,
        worked=result.worked,
        tokens=result.tokens,
        note=context.redactor.redact(result.note),
        session=result.session,
        detail=context.redactor.redact(result.detail),
        learned=tuple(map(context.redactor.redact, result.learned)),
        duration=result.duration,
    )


def _without_products(context: Context, tree: str) -> str:
    """An agent that ran the checks left their reports and databases: they are no part of its work."""
    known = context.store.entries(context.start)
    made = {p: None for p in context.store.entries(tree) if p in context.lab.created and p not in known}
    return context.store.edit(tree, made) if made else tree


def _status(result: AgentResult, *, changed: bool) -> AgentStatus:
    """An agent that exits 0 with no model usage and no change is dead, not done."""
    unused = result.tokens == 0 or (result.tokens is None and result.claimed_usd == 0)
    return AgentStatus.DEAD if result.status is AgentStatus.DONE and unused and not changed else result.status
