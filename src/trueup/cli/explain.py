"""`trueup explain`: why did a run, an attempt or a failure go as it did?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueup.cli.options import HERE, Directory, Json, Run, of_the_latest

if TYPE_CHECKING:
    from trueup.cli.shelf import KnownRun
    from trueup.decide.state import AttemptView, State


def command(
    run: Run = None,
    about: Annotated[
        str | None,
        typer.Argument(
            metavar="ATTEMPT|FAILURE",
            help="The number of an attempt (0 = the start), or a failure: its name, a part of it, its fingerprint.",
        ),
    ] = None,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Tell what a run did, attempt by attempt, and what fails since when.

    \b
      trueup explain                       the latest run
      trueup explain 2                     attempt 2 of the latest run
      trueup explain 7f3a 2                what attempt 2 was asked, did, and was judged
      trueup explain 7f3a test_quote       one failure through the whole run
    """
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.report.explain import explain_lines

    given = int(about) if about is not None and about.isdecimal() else None
    run, attempt = of_the_latest(run, given) if about is None else (run, given)
    failure = about if attempt is None else None
    with open_shelf(directory, os.environ) as shelf:
        known = shelf.run(run)
        lines = explain_lines(known.state, attempt, failure)
        if json:
            show_json({**_facts(known, attempt, failure), "lines": lines}, shelf.redact)
        else:
            show([_title(known), *lines], shelf.redact)


def _title(known: KnownRun) -> str:
    from trueup.cli.shelf import said_status
    from trueup.report.text import one_line

    why = f" · {one_line(known.outcome.detail)}" if known.outcome and known.outcome.detail else ""
    return f"run {known.id} · {said_status(known.status)}{why} · {one_line(known.state.task.text, 80)}"


def _facts(known: KnownRun, attempt: int | None, failure: str | None) -> dict[str, Any]:
    from trueup.report import diagnosis

    state = known.state
    facts: dict[str, Any] = {"run": known.id, "status": known.status, "task": state.task.text}
    if failure is not None:
        return {**facts, "failures": _timelines(state, failure)}
    views = [v for v in state.attempts if attempt is None or v.number == attempt]
    facts["attempts"] = [_attempt(v) for v in views]
    return facts if attempt is not None else {**facts, "current_failures": diagnosis.current_failures(state)}


def _attempt(view: AttemptView) -> dict[str, Any]:
    from trueup.report.diagnosis import summary

    judged = view.judgement
    return {
        "attempt": view.number,
        "asked": view.move.rung,
        "class": judged.kind if judged else None,
        "summary": summary(view),
        "fixed": judged.fixed if judged else (),
        "regressed": judged.regressed if judged else (),
        "failing": sorted(judged.required) if judged else (),
        "changed": view.record.changed,
        "put_back": view.record.put_back,
        "usd": view.charged_usd,
        "seconds": view.record.duration,
    }


def _timelines(state: State, wanted: str) -> list[dict[str, Any]]:
    """Everything that matches by name or fingerprint, with what each verdict said about it."""
    from trueup.report import diagnosis

    history = diagnosis.verdicts(state)
    marks = {(v.attempt, key): diagnosis.marks_of(v, key) for v in history for key in v.snapshot.failing}
    keys = sorted({key for (_, key), seen in marks.items() if wanted in key or wanted in seen})
    return [
        {
            "key": key,
            "verdicts": [
                {
                    "attempt": v.attempt,
                    "fails": key in v.snapshot.failing,
                    "fingerprints": sorted(marks.get((v.attempt, key), ())),
                    "undone": v.undone,
                }
                for v in history
            ],
        }
        for key in keys
    ]
