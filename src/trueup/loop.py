"""The whole program: decide, perform, record, until the run is finished."""

from __future__ import annotations

import time
from dataclasses import replace

from trueup.act.process import Cancelled
from trueup.decide.fold import fold, step
from trueup.decide.moves import AskReview, CancelRequested, FinishRun, Move, MoveFailed, Record, RunAttempt, RunFinished
from trueup.decide.policy import next_move
from trueup.decide.state import State
from trueup.perform.attempt import begun, lost, salvage
from trueup.perform.context import Context
from trueup.perform.discretion import discreet
from trueup.perform.performers import perform
from trueup.perform.remembering import leave
from trueup.perform.review import begun as asked
from trueup.perform.review import lost_review, unanswered
from trueup.remember.journal import Journal
from trueup.report.events import Judged, MoveDone, MoveStarted


def run(context: Context, journal: Journal) -> tuple[RunFinished, State]:
    """One sitting. The journal holds every move before it is performed and every record after."""
    try:
        return _until_the_end(context, journal)
    finally:
        leave(context)


def _until_the_end(context: Context, journal: Journal) -> tuple[RunFinished, State]:
    state = _pick_up(context, journal, fold(journal.task, journal.history))
    while True:
        move = next_move(state)
        journal.begin(move)
        context.stream.emit(MoveStarted(move=move), state)
        began = time.monotonic()
        try:
            record = _timed(_performed(context, state, move), began)
        except Exception as error:
            _end_by_a_bug(context, journal, state, move, error, began)
            raise
        state = _write_down(context, journal, state, move, record)
        if isinstance(record, RunFinished):
            return record, state


def _end_by_a_bug(context: Context, journal: Journal, state: State, move: Move, error: Exception, began: float) -> None:
    """What was paid is charged and the run has an end, also when trueup itself is broken; then the error goes on."""
    problem = context.redactor.redact(f"a bug in trueup: {type(error).__name__}: {error}")
    record: Record = MoveFailed(move=type(move).__name__, problem=problem)
    if isinstance(move, RunAttempt) and begun(context, move):
        record = discreet(lost(context, move, problem), context.redactor.redact)
    elif isinstance(move, AskReview) and asked(context, move):
        record = discreet(lost_review(context, move, problem), context.redactor.redact)
    state = _write_down(context, journal, state, move, _timed(record, began))
    end = next_move(state)
    journal.begin(end)
    _write_down(context, journal, state, end, perform(context, state, end))


def _pick_up(context: Context, journal: Journal, state: State) -> State:
    """An attempt or a review that was under way when trueup was killed is recorded as interrupted; other moves are
    repeated."""
    move = journal.pending
    if isinstance(move, AskReview) and asked(context, move):
        return _write_down(context, journal, state, move, unanswered(context, move))
    if not isinstance(move, RunAttempt) or not begun(context, move):
        return state
    return _write_down(context, journal, state, move, salvage(context, move))


def _performed(context: Context, state: State, move: Move) -> Record:
    if context.processes.cancelled and not isinstance(move, FinishRun):
        return CancelRequested()
    try:
        return perform(context, state, move)
    except Cancelled:
        return CancelRequested()


def _timed(record: Record, began: float) -> Record:
    return replace(record, duration=time.monotonic() - began)


def _write_down(context: Context, journal: Journal, state: State, move: Move, record: Record) -> State:
    journal.finish(record)
    before = state.current
    state = step(state, move, record)
    context.stream.emit(MoveDone(move=move, record=record), state)
    judged = state.attempts[-1] if state.attempts and state.current is None else None
    if judged and judged.judgement and (before is not None or judged.record is record):
        context.stream.emit(Judged(attempt=judged.number, judgement=judged.judgement), state)
    return state
