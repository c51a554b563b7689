"""How does `trueup check` tell its answer: on a screen, as JSON, or in the format of another program?"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.act.environment import check_environment
from trueup.cli.check import PASSED, Answer, Format, exit_code
from trueup.cli.shelf import Shelf, said_time, show, show_bytes, show_json
from trueup.decide.comparison import Comparison, Found, findings
from trueup.report.diagnosis import names_variable
from trueup.report.formats.findings import Findings, headline, remarks
from trueup.report.seen import decision_words, seen_words
from trueup.report.text import block, name_list, one_line, place, plain, plural, short_name, span, table, wording
from trueup.verify.wording import describe

if TYPE_CHECKING:
    from trueup.evidence.failure import Failure
    from trueup.evidence.report import CheckResult
    from trueup.report.text import Redact

SHOWN = 30
LAST_LINES = 8
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


def tell_answer(answer: Answer, shelf: Shelf, form: Format | str) -> None:
    """On stdout the answer alone; whatever else there is to say goes to stderr."""
    about = _findings(answer)
    match form:
        case Format.TERMINAL:
            show((*_fixes(answer, shelf), *_lines(answer, about)), shelf.redact)
        case "json":
            show_json({**_about(answer, about), **_fix_facts(answer, shelf)}, shelf.redact)
        case _:
            show_bytes(_formatted(about, form, shelf.redact).encode("utf-8", "backslashreplace"))
            show((*_fixes(answer, shelf), *remarks(about)), shelf.redact, as_json=True)
    if form == Format.GITHUB and answer.environ.get(STEP_SUMMARY):
        _summarise(about, Path(answer.environ[STEP_SUMMARY]), shelf)


def _findings(answer: Answer) -> Findings:
    return Findings(
        report=answer.report,
        comparison=answer.comparison or Comparison(found=findings(answer.report)),
        exit_code=answer.exit_code,
        base=answer.base,
        put_back=answer.put_back,
        flaky=answer.flaky,
        home=answer.home,
        time=answer.since or time.time(),
    )


def _formatted(about: Findings, form: Format | str, redact: Redact) -> str:
    """Each format is read only when it is asked for."""
    if form == Format.JUNIT:
        from trueup.report.formats.junit import junit

        return junit(about, redact=redact)
    if form == Format.SARIF:
        from trueup.report.formats.sarif import sarif

        return sarif(about, redact=redact)
    from trueup.report.formats.github import workflow_commands

    return workflow_commands(about, redact=redact)


def _summarise(about: Findings, file: Path, shelf: Shelf) -> None:
    """Added to what the step wrote there before; a summary that cannot be written is no reason to fail."""
    from trueup.report.formats.github import SUMMARY_BYTES, summary

    try:
        room = SUMMARY_BYTES - (file.stat().st_size if file.exists() else 0)
        with file.open("ab") as target:
            target.write(summary(about, redact=shelf.redact, room=room).encode("utf-8", "backslashreplace"))
    except OSError as error:
        show([f"the summary of the step cannot be written: {error.strerror}"], shelf.redact, as_json=True)


def _fixes(answer: Answer, shelf: Shelf) -> Iterator[str]:
    if answer.fixed is not None:
        from trueup.cli.check_fix import fix_lines

        yield from fix_lines(answer.fixed, shelf.store(), dry_run=answer.dry_run)


def _fix_facts(answer: Answer, shelf: Shelf) -> dict[str, Any]:
    if answer.fixed is None:
        return {}
    from trueup.cli.check_fix import fix_facts

    return {"fixes": fix_facts(answer.fixed, shelf.store(), dry_run=answer.dry_run)}


# --- JSON --------------------------------------------------------------------------------------------------------


def _about(answer: Answer, about: Findings) -> dict[str, Any]:
    from trueup.decide.moves import BaselineTaken
    from trueup.report.artifacts import baseline_failures

    report = answer.report
    whole = {
        **baseline_failures(BaselineTaken(tree=report.tree, report=report)),
        "passed": exit_code(report) == PASSED,
        "exit_code": answer.exit_code,
        "void": report.void,
        "advice": [_advised(failure) for failure in report.advice],
        "logs": str(answer.logs),
        "remembered": answer.remembered,
        "unchanged_since": answer.since,
    }
    return whole if answer.comparison is None else {**whole, "base": _against(about)}


def _against(about: Findings) -> dict[str, Any]:
    comparison = about.comparison
    return {
        "revision": about.base,
        "nothing_new": about.exit_code == PASSED,
        "new": [_named(f) for f in comparison.new],
        "changed": [_named(f) for f in comparison.changed],
        "known": [_named(f) for f in comparison.known],
        "vanished": comparison.vanished,
        "fixed": comparison.fixed,
        "flaky": about.flaky,
        "could_not_be_compared": comparison.uncompared,
        "put_back": about.put_back,
    }


def _advised(failure: Failure) -> dict[str, Any]:
    keys = ("check", "kind", "message", "file", "line")
    return {key: getattr(failure, key) for key in keys}


def _named(found: Found) -> dict[str, Any]:
    return {
        "key": found.failure.key,
        "fingerprint": found.print,
        "file": found.failure.file,
        "line": found.failure.line,
        "message": found.failure.message,
    }


# --- the screen --------------------------------------------------------------------------------------------------


def _lines(answer: Answer, about: Findings) -> Iterator[str]:
    results = answer.report.results
    for result, row in zip(results, table(_row(r) for r in results), strict=True):
        yield f"  {row}"
        yield from [f"      {decided}"] if (decided := decision_words(result)) else []
        yield from _failures(result, about, answer.logs)
        yield from _advice(result)
    yield from _gone(about)
    yield from (f"  {remark}" for remark in remarks(about))
    yield from _hidden(answer)
    yield headline(about)
    if answer.remembered:
        yield f"  {_unchanged(answer)}; --fresh runs them anyway"


def _row(result: CheckResult) -> list[str]:
    if result.builtin:
        return [plain(result.check), one_line(describe(result), 100), span(result.duration)]
    said, seen = one_line(describe(result), 80), seen_words(result)
    return [plain(result.check), said, plain(result.command), span(result.duration), *([seen] if seen else [])]


def _failures(result: CheckResult, about: Findings, logs: Path) -> Iterator[str]:
    found = about.of(result.check)
    shown = found[:SHOWN]
    for one, row in zip(shown, table(_failure_row(f, about) for f in shown), strict=True):
        yield f"      {row}"
        yield from _words(one.failure)
    if len(found) > SHOWN:
        yield f"      and {len(found) - SHOWN} more; --json lists all"
    if not result.ran or result.failures:
        log = logs / result.log
        yield from [f"      output: {plain(str(log))}"] if result.log and log.is_file() else []


def _advice(result: CheckResult) -> Iterator[str]:
    """Apart from what counts, and called by its name."""
    shown = result.advice[:SHOWN]
    rows = table([short_name(f.key), wording(f.kind, f.message), place(f, folders=True)] for f in shown)
    yield from (f"      advice: {row}" for row in rows)
    if len(result.advice) > SHOWN:
        yield f"      and {len(result.advice) - SHOWN} more; --json lists all"


def _failure_row(found: Found, about: Findings) -> list[str]:
    failure = found.failure
    mark = [str(found.newness)] if about.base else []
    return [*mark, short_name(failure.key), wording(failure.kind, failure.message), place(failure, folders=True)]


def _words(failure: Failure) -> Iterator[str]:
    """The last lines of a command that does not say what is wrong where."""
    lines = block(failure.excerpt).strip().split("\n")
    if failure.file is None and not failure.test and len(lines) > 1:
        yield from (f"      │ {line}" for line in lines[-LAST_LINES:])


def _gone(about: Findings) -> Iterator[str]:
    vanished, fixed = about.comparison.vanished, about.comparison.fixed
    if vanished:
        verb = "does" if len(vanished) == 1 else "do"
        yield f"  {plural(len(vanished), 'test')} of {plain(about.base)} {verb} not run here: {name_list(vanished)}"
    if fixed:
        yield f"  fixed since {plain(about.base)}: {name_list(fixed)}"


def _hidden(answer: Answer) -> Iterator[str]:
    """A failure that names a variable which looks like a secret: the checks did not get it."""
    nowhere = Path(os.devnull)
    for name in check_environment(answer.environ, allow=answer.task.env, tmp=nowhere, cache=nowhere).withheld:
        if any(names_variable(failure, name) for failure in answer.report.failures):
            yield f"  {plain(name)} is named there and hidden from the checks; let it through: env in trueup.toml"


def _unchanged(answer: Answer) -> str:
    when = said_time(answer.since) if answer.since else "a run last checked it"
    return f"unchanged since {when}"
