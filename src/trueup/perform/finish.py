"""How does a run end? The best state becomes a branch of the user's, and everything readable is written."""

from __future__ import annotations

from trueup.act.handback import HandedBack, hand_back
from trueup.decide.moves import FinishRun, RunFinished
from trueup.decide.outcome import Outcome, Status
from trueup.decide.state import State
from trueup.errors import TrueupError
from trueup.perform.context import Context
from trueup.perform.leaks import WHY, leaked
from trueup.remember import flips

_NAMED = 3
_UNPUBLISHED = f"No branch: {{files}} {WHY}, which a push would publish. The result is kept: `trueup diff` shows it."


def finish(context: Context, state: State, move: FinishRun) -> RunFinished:
    """The outcome stands whatever happens here: what cannot be written is said, not a reason to end otherwise."""
    outcome, problems = move.outcome, []
    given = HandedBack()
    try:
        _remember_flips(context, state)
        if outcome.tree:
            context.keep("best", outcome.tree)
        given = _give(context, outcome)
    except (TrueupError, OSError) as error:
        problems.append(f"not everything could be written: {error}")
    note = context.redactor.redact(" ".join([given.note, *problems]).strip())
    return RunFinished(outcome=outcome, branch=given.branch, branch_note=note)


def _remember_flips(context: Context, state: State) -> None:
    """Which keys gave different answers, and on which tree; each once, however often the run is resumed."""
    for tree in state.looks:
        keys = sorted(key for where, key in state.flips - state.flips_told if where == tree)
        if keys:
            at_start = tree == context.start
            flips.add(context.db, keys, tree=tree, time=context.clock(), run=context.run, at_start=at_start)


def _give(context: Context, outcome: Outcome) -> HandedBack:
    """After `passed`, and after any end that is better than the start."""
    if outcome.tree == outcome.start or not (outcome.status is Status.PASSED or outcome.partial):
        return HandedBack()
    secret = [s.path for s in leaked(context, outcome.tree)]
    if secret:
        return HandedBack(note=_UNPUBLISHED.format(files=", ".join(secret[:_NAMED])))
    return hand_back(
        context.project,
        context.store,
        start=outcome.start,
        best=outcome.tree,
        item=context.task.item,
        proven=outcome.status is Status.PASSED,
        unapproved=outcome.unapproved,
        message=_message(context, outcome),
        run=context.run,
    )


def _message(context: Context, outcome: Outcome) -> str:
    """One commit message: what was asked, what came out, which run shows the proof."""
    title = context.redactor.redact(" ".join(context.task.text.split()))[:68]
    left = f", {len(outcome.remaining)} still failing" if outcome.remaining else ""
    body = f"{outcome.status} after {outcome.attempts} attempts: {len(outcome.fixed)} fixed{left}."
    return f"{title}\n\n{body}\n"
