"""How did the run end, and what is handed back, file by file?"""

from __future__ import annotations

from trueup.decide.completion import best_report
from trueup.decide.moves import RunFinished
from trueup.decide.outcome import Outcome
from trueup.decide.state import State
from trueup.evidence.report import CheckStatus
from trueup.perform.context import Context
from trueup.report.events import ChangedFile, Notice, RunEnded


def run_ended(context: Context, record: RunFinished, state: State) -> RunEnded:
    """The last event of every sitting."""
    return RunEnded(
        outcome=record.outcome,
        branch=record.branch,
        branch_note=record.branch_note,
        changed=changed_files(context, state, record.outcome),
    )


def tell_the_tracker(context: Context, state: State) -> None:
    """Of a run that is about an issue: before the last event, which is the last one."""
    for note in context.work.settle() if context.work else ():
        context.stream.emit(Notice(text=note), state)


def changed_files(context: Context, state: State, outcome: Outcome) -> tuple[ChangedFile, ...]:
    if not outcome.tree or outcome.tree == outcome.start:
        return ()
    new_tests = frozenset(context.lab.new_tests(outcome.tree))
    verdict = _own_tests(state)
    changes = context.store.diff(outcome.start, outcome.tree)
    return tuple(
        ChangedFile(
            path=c.path,
            added=c.added,
            removed=c.removed,
            note=verdict if c.path in new_tests else {"added": "new", "deleted": "deleted"}.get(c.kind, ""),
        )
        for c in changes
    )


def _own_tests(state: State) -> str:
    """What the agent's own tests say; they are reported and count for nothing."""
    report = state.proof.report if state.proof else best_report(state)
    extra = [e for r in (report.results if report else ()) for e in r.extra]
    if not extra:
        return "new (the agent's own test, not run)"
    passes = all(e.status is CheckStatus.PASSED for e in extra)
    return f"new (the agent's own test, {'passes' if passes else 'fails'})"
