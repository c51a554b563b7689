"""`trueup proof`: what does `passed` rest on, and does it still hold?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueup.cli.options import HERE, Directory, Json, Run

if TYPE_CHECKING:
    from trueup.cli.shelf import KnownRun, Shelf
    from trueup.decide.moves import PutBack, TreeProved
    from trueup.evidence.report import CheckResult, Report

HOLDS, DIFFERS = 0, 1


def command(
    run: Run = None,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run the same checks again, on a fresh copy of the result.")
    ] = False,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Show what a passed run was proven with: commands, exit codes, counts, and what was put back.

    With --rerun the exit code is 0 if it holds again, 1 if not, 4 if the checks could not run.

    \b
      trueup proof
      trueup proof 7f3a --rerun
    """
    from trueup.cli.shelf import open_shelf, show, show_json

    with open_shelf(directory, os.environ) as shelf:
        known = shelf.run(run)
        proof = _proof(known)
        again = _again(shelf, known, os.environ) if rerun else None
        code = HOLDS if again is None else verdict(known, proof, again)
        if json:
            repeated = None if again is None else {"exit_code": code, "checks": [_check(r) for r in again.results]}
            show_json({**_about(known, proof), "rerun": repeated}, shelf.redact)
        else:
            show(_lines(known, proof), shelf.redact)
            show(_how_to_repeat(known) if again is None else _repeated(known, proof, again), shelf.redact)
    raise typer.Exit(code)


def _proof(known: KnownRun) -> TreeProved:
    from trueup.cli.shelf import said_status
    from trueup.errors import UsageError

    if known.status != "passed" or known.state.proof is None:
        raise UsageError(
            f"run {known.id} has no proof",
            why=f"only a run that passed has one; this one is {said_status(known.status)}",
            do=f"`trueup explain {known.id}` tells what is known.",
        )
    return known.state.proof


# --- once more ---------------------------------------------------------------------------------------------------


def _again(shelf: Shelf, known: KnownRun, environ: Mapping[str, str]) -> Report:
    """The run's own checks on a fresh copy of its result. Nothing is written down."""
    from trueup.act.process import make_undumpable
    from trueup.decide.task import GoalKind
    from trueup.perform.lab import Ask
    from trueup.perform.laboratory import laboratory
    from trueup.perform.setting import Setting

    make_undumpable()
    task = known.state.task
    setting = Setting(project=shelf.project, environ=environ)
    setup = task.setup or known.journal.facts["setup"]
    ask = Ask(tree=known.best, checks=task.checks, every_stage=task.goal.kind is not GoalKind.GREEN, fresh=True)
    with laboratory(setting, task, known.start, setup=setup, redactor=shelf.redactor, tell=_tell) as lab:
        if known.state.baseline and known.state.baseline.report:
            lab.learn(known.state.baseline.report)
        return lab.check(ask)


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        print(f"  … {text}", file=sys.stderr)


def verdict(known: KnownRun, proof: TreeProved, again: Report) -> int:
    """Does it hold again? Old and flaky failures that the proof tolerated are tolerated; fewer tests are not."""
    from trueup.cli.check import COULD_NOT_RUN
    from trueup.evidence.report import CheckStatus

    if _new_failures(known, proof, again) or _missing(proof, again):
        return DIFFERS if not again.void else COULD_NOT_RUN
    tolerated = {CheckStatus.PASSED, CheckStatus.FAILED}
    ran = not again.void and all(r.status in tolerated for r in again.results)
    return HOLDS if ran else COULD_NOT_RUN


def _new_failures(known: KnownRun, proof: TreeProved, again: Report) -> list[str]:
    old = {f.key for f in proof.report.failures} | known.state.quarantined
    return sorted({f.key for f in again.failures} - old)


def _missing(proof: TreeProved, again: Report) -> list[str]:
    """Tests of the proof that were not collected this time, by checks that ran."""
    ran = {r.check: r.keys(r.inventory or ()) for r in again.results if r.ran}
    before = {r.check: r.keys(r.inventory or ()) for r in proof.report.results}
    return sorted(key for check, keys in ran.items() for key in before.get(check, frozenset()) - keys)


def _how_to_repeat(known: KnownRun) -> Iterator[str]:
    from trueup.report.text import labelled

    yield labelled("again", f"trueup proof {known.id} --rerun")


def _repeated(known: KnownRun, proof: TreeProved, again: Report) -> Iterator[str]:
    from trueup.report.lines import not_run
    from trueup.report.text import labelled, name_list, one_line

    for i, text in enumerate(_rows(again)):
        yield labelled("again" if i == 0 else "", text)
    if again.void:
        yield labelled("", one_line(again.void))
    yield from (labelled("", text) for text in not_run(again))
    if new := _new_failures(known, proof, again):
        yield labelled("fails", name_list(new))
    if missing := _missing(proof, again):
        yield labelled("missing", f"{name_list(missing)} did not run")
    words = {HOLDS: "holds", DIFFERS: "does not hold any more"}
    yield f"the proof {words.get(verdict(known, proof, again), 'could not be repeated')}"


# --- what it says ------------------------------------------------------------------------------------------------


def _about(known: KnownRun, proof: TreeProved) -> dict[str, Any]:
    from trueup.decide.completion import approval

    state, facts = known.state, known.journal.facts
    baseline = state.baseline.report if state.baseline else None
    return {
        "run": known.id,
        "task": state.task.text,
        "start": known.start,
        "head": facts.get("head"),
        "result": proof.tree,
        "checks": [_check(r) for r in proof.report.results],
        "at_start": [_check(r) for r in baseline.results] if baseline else [],
        "strength": proof.strength,
        "made_to_fail": proof.twin,
        "approval": approval(state),
        "put_back": [{"attempt": v.number, **_put_back(p)} for v in state.attempts for p in v.record.put_back],
        "flaky": sorted(state.flaky),
        "attempts": len(state.attempts),
        "usd": state.spent_usd if state.cost_known else None,
        "seconds": known.outcome.seconds if known.outcome else None,
    }


def _check(result: CheckResult) -> dict[str, Any]:
    return {
        "check": result.check,
        "command": result.command,
        "status": result.status,
        "exit_code": result.exit_code,
        "passed": len(result.passed),
        "failed": len({f.key for f in result.failures}),
        "skipped": len(result.skipped),
        "tests": None if result.inventory is None else len(result.inventory),
        "tool": result.tool,
        "seen_by": result.seen_by,
        "seconds": result.duration,
        "reason": result.reason,
        "decision": result.decision,
    }


def _put_back(item: PutBack) -> dict[str, str]:
    return {"path": item.path, "why": item.why, "detail": item.detail}


def _lines(known: KnownRun, proof: TreeProved) -> Iterator[str]:
    from trueup.cli.shelf import short_id
    from trueup.report.endings import approval_lines
    from trueup.report.lines import put_back_line, tally
    from trueup.report.text import labelled, one_line

    state = known.state
    baseline = state.baseline.report if state.baseline else None
    yield f"run {known.id} · passed · {one_line(state.task.text, 80)}"
    yield labelled("start", f"{short_id(known.start)}{_commit(known)}" + (f": {tally(baseline)}" if baseline else ""))
    yield labelled("proven", f"{short_id(proof.tree)}, written to a fresh copy after the last change")
    yield from approval_lines(known.state)
    for i, text in enumerate(_rows(proof.report)):
        yield labelled("checks" if i == 0 else "", text)
    yield labelled("strength", _strength(proof))
    if still := _still_failing(proof):
        yield labelled("start", still)
    back = dict.fromkeys(put_back_line(p) for v in state.attempts for p in v.record.put_back)
    for i, text in enumerate(back):
        yield labelled("look at" if i == 0 else "", text)
    yield labelled("cost", _cost(known))


def _commit(known: KnownRun) -> str:
    facts = known.journal.facts
    head = (facts.get("head") or "")[:7]
    return f", from commit {head}" if head else ""


def _rows(report: Report) -> list[str]:
    from trueup.report.seen import seen_words
    from trueup.report.text import plain, span, table

    return table(
        [plain(r.command), f"exit code {r.exit_code}", _counts(r), span(r.duration), seen_words(r)]
        for r in report.results
    )


def _counts(result: CheckResult) -> str:
    if result.inventory is None:
        return "does not say which tests it ran"
    skipped = f", {len(result.skipped)} skipped" if result.skipped else ""
    return f"{len(result.passed)} of {len(result.inventory)} tests pass{skipped}"


def _strength(proof: TreeProved) -> str:
    from trueup.evidence.report import Strength

    told = len(proof.twin.failed_as_told)
    match proof.strength:
        case Strength.TWIN:
            return f"strong: {told} tests were made to fail on the result, and all of them failed"
        case Strength.INVENTORY:
            return "medium: every test is known by name; they could not be made to fail as a test of the tests"
        case Strength.EXIT_CODE:
            return "weak: exit codes only; the check does not say which tests it ran"


def _still_failing(proof: TreeProved) -> str:
    from trueup.evidence.report import Seen
    from trueup.report.text import name_list

    failing = sorted({o.key for o in proof.start if o.seen is Seen.FAILED})
    return f"{name_list(failing)} still failed there at the time of the proof" if failing else ""


def _cost(known: KnownRun) -> str:
    from trueup.report.text import clock, money, plural

    state = known.state
    usd = money(state.spent_usd) if state.cost_known else "not known"
    return (
        f"{usd} · {plural(len(state.attempts), 'attempt')} · {clock(known.outcome.seconds if known.outcome else 0.0)}"
    )
