"""Who does which move? One performer for each kind, in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trueup.act.process import Cancelled
from trueup.decide.moves import (
    AskReview,
    ConfirmKeys,
    FinishRun,
    FocusTree,
    Move,
    MoveFailed,
    ProveTree,
    Record,
    RestoreTree,
    RunAttempt,
    RunControl,
    TakeBaseline,
    TreeRestored,
    TryRemedies,
    VerifyTree,
    Wait,
    Waited,
)
from trueup.decide.state import State
from trueup.errors import TrueupError
from trueup.perform.attempt import attempt
from trueup.perform.checks import confirm, control, focus, take_baseline, verify
from trueup.perform.context import Context
from trueup.perform.discretion import discreet
from trueup.perform.finish import finish
from trueup.perform.prove import prove
from trueup.perform.review import review
from trueup.perform.rules import try_remedies


def restore(context: Context, _state: State, move: RestoreTree) -> TreeRestored:
    context.workspace.restore(move.tree)
    return TreeRestored(tree=move.tree)


def wait(context: Context, _state: State, move: Wait) -> Waited:
    if not context.sleep(move.seconds):
        raise Cancelled
    return Waited(seconds=move.seconds)


PERFORMERS: dict[type, Callable[[Context, State, Any], Record]] = {
    TakeBaseline: take_baseline,
    TryRemedies: try_remedies,
    RunAttempt: attempt,
    FocusTree: focus,
    VerifyTree: verify,
    RunControl: control,
    ConfirmKeys: confirm,
    ProveTree: prove,
    AskReview: review,
    RestoreTree: restore,
    Wait: wait,
    FinishRun: finish,
}


def perform(context: Context, state: State, move: Move) -> Record:
    """Do it, and say what happened, without secrets. What a person can act on becomes a record; a bug in trueup is
    raised."""
    try:
        record = PERFORMERS[type(move)](context, state, move)
    except (TrueupError, OSError) as error:
        record = MoveFailed(move=type(move).__name__, problem=str(error))
    return discreet(record, context.redactor.redact)
