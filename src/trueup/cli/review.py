"""`trueup review`: a person's word about a result that waits for one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Directory, Json
from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.cli.shelf import KnownRun, Shelf
    from trueup.decide.state import AttemptView, State

ACTIONS = ("approve", "reject", "show")


def command(
    action: Annotated[str, typer.Argument(help="approve, reject or show.")],
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Run id or its beginning; the one that waits.")
    ] = None,
    because: Annotated[
        str | None, typer.Option("--because", "-m", metavar="TEXT", help="What is wrong, or why it is fine.")
    ] = None,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Approve or reject what a run has proven, or what it found suspicious; the run then goes on.

    A run with `--reviewer person` ends with exit code 5 as soon as a result is proven. Approved, it passes; rejected,
    the agent is told why, word by word, and tries again within the same limits. An approval never makes a red check
    green.

    \b
      trueup review show                 what waits, and what was said so far
      trueup review approve
      trueup review reject -m "the cache is never emptied"

    Exit code: that of the run as it goes on; 2 when nothing waits for a person.
    """
    said = (because or "").strip()
    if action not in ACTIONS:
        raise UsageError(f"trueup review {action} is not known", do=f"It is one of: {', '.join(ACTIONS)}.")
    if action == "show":
        _show(directory, run, as_json=json)
        return
    if action == "reject" and not said:
        raise UsageError(
            "a rejection needs a reason",
            why="It is what the agent gets to read, word by word.",
            do='Say it: trueup review reject -m "…"',
        )
    refuse_agents(directory, os.environ)
    _refuse_too_much(said)
    from trueup.cli.sitting import answer_run

    meant = _meant(directory, run)
    raise typer.Exit(answer_run(directory, meant, os.environ, approved=action == "approve", because=said, as_json=json))


# --- who may decide, and about what -------------------------------------------------------------------------------


def refuse_agents(directory: Path, environ: Mapping[str, str]) -> None:
    """The agent does not grade itself: neither openly, nor without the variable, nor from where it works."""
    from trueup.act.ancestry import inside_a_run
    from trueup.act.project import state_root
    from trueup.perform.setting import NESTED

    where = os.path.realpath(directory)
    copies = f"{os.path.realpath(state_root(environ))}/"
    if NESTED in environ or inside_a_run() or f"{where}/".startswith(copies):
        raise UsageError(
            "an agent cannot approve or reject its own work",
            why="this command was started from inside a run, or in a copy that a run works in",
            do="A person says it, in the project itself: trueup review approve, or reject.",
        )


def _refuse_too_much(said: str) -> None:
    from trueup.decide.review_answer import LONGEST

    if len(said) > LONGEST:
        raise UsageError(
            f"the reason is longer than {LONGEST} characters",
            why="the agent gets every word of it, and there is room for no more",
            do="Say what matters most, or put the rest into a file of the project and name it.",
        )


def _meant(directory: Path, run: str | None) -> str:
    """Never a guess: what is approved has to be what the person looked at, and has to be there still."""
    from trueup.cli.shelf import open_shelf

    with open_shelf(directory, os.environ) as shelf:
        known = _chosen(shelf, run)
        view = awaited(known.id, known.state)
        _refuse_lost_files(shelf, known.id, view.record.candidate)
        return known.id


def _refuse_lost_files(shelf: Shelf, run: str, tree: str) -> None:
    from trueup.act.process import ToolFailed

    try:
        shelf.store().entries(tree)
    except ToolFailed as error:
        raise UsageError(
            f"the files of run {run} are gone",
            why="they were removed from where trueup keeps them: nothing is left that could be handed back",
            do="Start a new run.",
        ) from error


def _chosen(shelf: Shelf, run: str | None) -> KnownRun:
    from trueup.decide.needs import undecided
    from trueup.decide.outcome import Status
    from trueup.remember.journal import runs

    latest = shelf.run(run)
    if run is not None:
        return latest
    blocked = [row.id for row in runs(shelf.db) if row.status == Status.BLOCKED]
    others = [shelf.known(one) for one in blocked if one != latest.id]
    waiting = [one for one in (latest, *others) if undecided(one.state)]
    if len(waiting) > 1:
        raise UsageError(
            f"{len(waiting)} runs wait for a person",
            why="; ".join(f"{one.id}: {one.state.task.item}" for one in waiting),
            do=f"Say which one: trueup review show {waiting[0].id}",
        )
    return waiting[0] if waiting else latest


def awaited(run: str, state: State) -> AttemptView:
    """The attempt that a person may decide about."""
    from trueup.decide.needs import undecided

    view = undecided(state)
    if view is None:
        raise UsageError(
            f"run {run} does not wait for a person",
            why=f"{_state_of(state)}; a proven result that nobody approved, or a suspicious one, can be decided about",
            do=f"`trueup runs` lists the runs; `trueup explain {run}` tells what this one did.",
        )
    return view


def _state_of(state: State) -> str:
    from trueup.decide.outcome import Status

    if state.finished is None:
        return "it is still going on, or was cut short (trueup resume)"
    status = state.finished.outcome.status
    if state.proof and status is not Status.PASSED:
        return "it was approved already, and then cut short (trueup resume)"
    return f"it ended as {str(status).replace('_', ' ')}"


def refuse_against_the_checks(run: str, state: State, view: AttemptView) -> None:
    from trueup.decide.needs import against_approval

    against = against_approval(state, view)
    if against:
        raise UsageError(
            f"attempt {view.number} of run {run} cannot be approved",
            why=f"its proof does not hold: {against}; no approval outweighs that",
            do=f'Look at it: trueup diff {run} {view.number}; then: trueup review reject {run} -m "…"',
        )


# --- what there is to decide --------------------------------------------------------------------------------------


def _show(directory: Path, run: str | None, *, as_json: bool) -> None:
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.decide.needs import undecided

    with open_shelf(directory, os.environ) as shelf:
        known = _chosen(shelf, run)
        view = undecided(known.state)
        if view is None and not known.state.verdicts:
            awaited(known.id, known.state)
        if as_json:
            about = {"attempt": view.number, "tree": view.record.candidate} if view else None
            show_json({"run": known.id, "waits": about, "verdicts": known.state.verdicts}, shelf.redact)
        else:
            show(_lines(known, view), shelf.redact)


def _lines(known: KnownRun, view: AttemptView | None) -> Iterator[str]:
    from trueup.report.earlier import verdict_text, verdict_title
    from trueup.report.text import block, labelled, one_line, plain

    if view is None:
        yield f"run {known.id} does not wait for a person; what was said:"
    else:
        yield f"run {known.id}: attempt {view.number} {_how_it_stands(known.state, view)}"
        yield labelled("task", one_line(known.state.task.text))
        yield labelled("change", f"trueup diff {known.id} {view.number}")
        yield labelled("decide", f"trueup review approve {known.id}")
        yield labelled("", f'trueup review reject {known.id} -m "what is wrong"')
    for verdict in known.state.verdicts:
        yield ""
        yield plain(verdict_title(verdict))
        yield from (f"  {line}" for line in block(verdict_text(verdict)).splitlines())


def _how_it_stands(state: State, view: AttemptView) -> str:
    """Proven, and by what; or what stands in its way."""
    from trueup.decide.completion import ProofVerdict
    from trueup.decide.needs import proof_verdict
    from trueup.report.text import one_line

    if proof_verdict(state, view) is not ProofVerdict.SUSPICIOUS or view.proof is None:
        return "is proven and waits for a person"
    found = "; ".join(f"{s.path}:{s.line}: {s.why}" for s in view.proof.suspicions)
    return f"passes its checks, but looks suspicious: {one_line(found)}"
