"""`trueup check`: do the checks hold on the checkout as it is now?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueup.cli.options import HERE, Checks, Directory, Json, Sandboxed

if TYPE_CHECKING:
    from trueup.act.files import FileRules
    from trueup.act.looks import Looks
    from trueup.cli.shelf import Shelf
    from trueup.decide.task import Task
    from trueup.evidence.failure import Failure
    from trueup.evidence.report import CheckResult, Report
    from trueup.perform.opening import Setting

PASSED, FAILING, COULD_NOT_RUN = 0, 1, 4
LOGS = "checks"
"""In the state folder: the outputs of the latest checks without a run, by what was asked."""
LOGS_KEPT = 20
LOOKS = "checkout.looks"
"""There, too: how the files looked when they were last read."""
SHOWN = 30
LAST_LINES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A report, with the folder of its outputs."""

    report: Report
    logs: Path
    remembered: bool = False

    @property
    def since(self) -> float | None:
        """When a remembered answer was found; None when it is new, or was found by a run."""
        return self.logs.stat().st_mtime if self.remembered and self.logs.is_dir() else None

    @property
    def exit_code(self) -> int:
        return exit_code(self.report)


def command(
    check: Checks = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run them even if nothing changed since the last time.")
    ] = False,
    sandbox: Sandboxed = None,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Run your checks once, as `trueup run` does: on a fresh copy of the checkout, uncommitted files included.

    Nothing is changed and no agent is started. If nothing changed since the last time, the answer is remembered.
    Exit code: 0 all pass, 1 something fails, 4 a check could not run.

    \b
      trueup check
      trueup check --check "pytest -q" --check "ruff check ."
    """
    from trueup.act.process import make_undumpable
    from trueup.cli.shelf import open_shelf, show, show_json
    from trueup.config import Overrides, build_task, load_config
    from trueup.perform.checklist import with_checks

    make_undumpable()
    environ = os.environ
    with open_shelf(directory, environ) as shelf:
        config = load_config(shelf.project.root)
        wishes = Overrides(check=tuple(check) if check else None, sandbox=sandbox)
        task = build_task(config.values, wishes, environ)
        task, _ = with_checks(shelf.project, task, environ, configured="")
        answer = find_answer(shelf, task, environ, fresh=fresh)
        if json:
            show_json(_about(answer), shelf.redact)
        else:
            show(_lines(answer, task, environ), shelf.redact)
    raise typer.Exit(answer.exit_code)


def exit_code(report: Report) -> int:
    """A failure is known even if another check could not run; what could not run is never a pass."""
    from trueup.evidence.report import CheckStatus

    if report.void:
        return COULD_NOT_RUN
    if report.all_passed:
        return PASSED
    bad = {CheckStatus.FAILED, CheckStatus.TIMEOUT}
    return FAILING if any(r.status in bad for r in report.results) else COULD_NOT_RUN


# --- asking ------------------------------------------------------------------------------------------------------


def find_answer(shelf: Shelf, task: Task, environ: Mapping[str, str], *, fresh: bool) -> Answer:
    """What the checks say about the checkout now; remembered by its files, the checks and their environment."""
    from trueup.perform.opening import Setting

    setting = Setting(project=shelf.project, environ=environ)
    with ExitStack() as stack:
        stack.push(setting.processes)  # closed in any case, started only if a check runs
        return _answer(shelf, setting, task, fresh=fresh)


def _answer(shelf: Shelf, setting: Setting, task: Task, *, fresh: bool) -> Answer:
    from trueup.act.dependencies import dependency_folders
    from trueup.act.files import FileRules
    from trueup.act.looks import Looks
    from trueup.perform.opening import environment_digest
    from trueup.remember import verdicts

    environment = environment_digest(setting, task, dependency_folders(shelf.project.root))
    rules = FileRules.of(shelf.project.root, include=task.include)
    looks = Looks(shelf.state / LOOKS)
    asks = verdicts.cacheable(task.checks) and not fresh

    def remembered(files: str | None) -> Answer | None:
        key = verdicts.cache_key(files, task.checks, environment) if files and asks else ""
        known = verdicts.load(shelf.db, key) if key else None
        return Answer(report=known, logs=shelf.state / LOGS / key[:16], remembered=True) if known else None

    answer = remembered(looks.recall(rules.walk(shelf.project.root)) if asks else None)
    if answer is not None:
        return answer
    files = _files_now(shelf, rules, looks)
    answer = remembered(files)
    if answer is not None:
        return answer
    key = verdicts.cache_key(files, task.checks, environment)
    logs = shelf.state / LOGS / key[:16]
    report = _measure(shelf, setting, task, files, logs)
    if all(result.ran for result in report.results):
        verdicts.save(shelf.db, key, report)
    return Answer(report=report, logs=logs)


def _files_now(shelf: Shelf, rules: FileRules, looks: Looks) -> str:
    """Read every file, and remember how they looked."""
    import tempfile

    from trueup.errors import UnverifiableError

    store = shelf.store()
    with tempfile.TemporaryDirectory(dir=shelf.state, prefix="look-") as scratch:
        taken = store.snapshot(shelf.project.root, rules, index=Path(scratch) / "index")
    if taken.tree == store.empty_tree():
        raise UnverifiableError("there is nothing here to check", why=f"{shelf.where} holds no file")
    looks.remember(taken)
    return taken.tree


def _measure(shelf: Shelf, setting: Setting, task: Task, files: str, logs: Path) -> Report:
    from trueup.act.dependencies import detect_setup
    from trueup.act.process import which
    from trueup.act.removal import remove
    from trueup.perform.lab import Ask
    from trueup.perform.laboratory import laboratory

    path = setting.environ.get("PATH", "")
    setup = task.setup or detect_setup(shelf.project.root, lambda name: which(name, path))
    remove(logs)
    _make_room(logs.parent)
    with laboratory(setting, task, files, setup=setup, redactor=shelf.redactor, logs=logs, tell=_tell) as lab:
        return lab.measure(Ask(tree=files, checks=task.checks))


def _make_room(folder: Path) -> None:
    from trueup.act.removal import remove

    kept = sorted(folder.iterdir(), key=lambda one: one.lstat().st_mtime) if folder.is_dir() else []
    for old in kept[: -LOGS_KEPT + 1]:
        remove(old)


def _tell(text: str) -> None:
    """What goes on, for a person who watches."""
    if sys.stderr.isatty():
        print(f"  … {text}", file=sys.stderr)


# --- saying it ---------------------------------------------------------------------------------------------------


def _about(answer: Answer) -> dict[str, Any]:
    from trueup.decide.moves import BaselineTaken
    from trueup.report.artifacts import baseline_failures

    report = answer.report
    return {
        **baseline_failures(BaselineTaken(tree=report.tree, report=report)),
        "passed": answer.exit_code == PASSED,
        "exit_code": answer.exit_code,
        "void": report.void,
        "logs": str(answer.logs),
        "remembered": answer.remembered,
        "unchanged_since": answer.since,
    }


def _lines(answer: Answer, task: Task, environ: Mapping[str, str]) -> Iterator[str]:
    from trueup.report.text import table

    results = answer.report.results
    for result, row in zip(results, table(_row(r) for r in results), strict=True):
        yield f"  {row}"
        yield from _failures(result, answer.logs)
    yield from _hidden(answer.report, task, environ)
    yield _verdict(answer)
    if answer.remembered:
        yield f"  {_unchanged(answer)}; --fresh runs them anyway"


def _row(result: CheckResult) -> list[str]:
    from trueup.report.text import one_line, plain, span
    from trueup.verify.gate import describe

    return [plain(result.check), one_line(describe(result), 80), plain(result.command), span(result.duration)]


def _failures(result: CheckResult, logs: Path) -> Iterator[str]:
    from trueup.report.text import place, plain, short_name, table, wording

    shown = result.failures[:SHOWN]
    for failure, row in zip(
        shown,
        table((short_name(f.key), wording(f.kind, f.message), place(f, folders=True)) for f in shown),
        strict=True,
    ):
        yield f"      {row}"
        yield from _words(failure)
    if len(result.failures) > SHOWN:
        yield f"      and {len(result.failures) - SHOWN} more; --json lists all"
    if not result.ran or result.failures:
        log = logs / result.log
        yield from [f"      output: {plain(str(log))}"] if result.log and log.is_file() else []


def _words(failure: Failure) -> Iterator[str]:
    """The last lines of a command that does not say what is wrong where."""
    from trueup.report.text import block

    lines = block(failure.excerpt).strip().split("\n")
    if failure.file is None and not failure.test and len(lines) > 1:
        yield from (f"      │ {line}" for line in lines[-LAST_LINES:])


def _hidden(report: Report, task: Task, environ: Mapping[str, str]) -> Iterator[str]:
    """A failure that names a variable which looks like a secret: the checks did not get it."""
    from trueup.act.environment import check_environment
    from trueup.report.diagnosis import names_variable
    from trueup.report.text import plain

    nowhere = Path(os.devnull)
    for name in check_environment(environ, allow=task.env, tmp=nowhere, cache=nowhere).withheld:
        if any(names_variable(failure, name) for failure in report.failures):
            yield f"  {plain(name)} is named there and hidden from the checks; let it through: env in trueup.toml"


def _verdict(answer: Answer) -> str:
    from trueup.report.lines import tally
    from trueup.report.text import one_line

    if answer.report.void:
        return f"no answer · {one_line(answer.report.void)}"
    words = {PASSED: "passed", FAILING: "failing", COULD_NOT_RUN: "could not be checked"}
    return f"{words[answer.exit_code]} · {tally(answer.report)}"


def _unchanged(answer: Answer) -> str:
    from trueup.cli.shelf import said_time

    when = said_time(answer.since) if answer.since else "a run last checked it"
    return f"unchanged since {when}"
