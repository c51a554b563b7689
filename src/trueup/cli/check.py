"""`trueup check`: do the checks hold on the checkout as it is now?"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Checks, Directory, Json, Sandboxed

if TYPE_CHECKING:
    from trueup.act.files import FileRules
    from trueup.act.looks import Looks
    from trueup.cli.shelf import Shelf
    from trueup.config import Overrides
    from trueup.decide.comparison import Comparison
    from trueup.decide.moves import PutBack
    from trueup.decide.task import Task
    from trueup.evidence.failure import Key
    from trueup.evidence.report import Report
    from trueup.perform.fixing import Fixed
    from trueup.perform.setting import Setting

PASSED, FAILING, COULD_NOT_RUN = 0, 1, 4
LOGS = "checks"
"""In the state folder: the outputs of the latest checks without a run, by what was asked."""
LOGS_KEPT = 20
LOOKS = "checkout.looks"
"""There, too: how the files looked when they were last read."""


class Format(StrEnum):
    TERMINAL = "terminal"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A report, with the folder of its outputs; and, against a base, what of it is new."""

    report: Report
    logs: Path
    environ: Mapping[str, str]
    task: Task
    remembered: bool = False
    comparison: Comparison | None = None
    flaky: tuple[Key, ...] = ()
    """Failed once and passed when run again: told, and not new."""
    base: str = ""
    put_back: tuple[PutBack, ...] = ()
    home: str = ""
    """The file that configures the checks; "" without one."""
    fixed: Fixed | None = None
    """What the rules made of it, if they were asked; the report is then about that."""
    dry_run: bool = False

    @property
    def since(self) -> float | None:
        """When a remembered answer was found; None when it is new, or was found by a run."""
        return self.logs.stat().st_mtime if self.remembered and self.logs.is_dir() else None

    @property
    def exit_code(self) -> int:
        return exit_code(self.report) if self.comparison is None else exit_code_of_new(self.report, self.comparison)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixing:
    """That rules are asked to repair what fails."""

    dry_run: bool = False


def command(
    check: Checks = None,
    builtin: Annotated[
        bool,
        typer.Option("--builtin", help="Ask the built-in verifiers: files, dependencies, start. See docs/gate.md."),
    ] = False,
    verifier: Annotated[
        list[str] | None,
        typer.Option("--verifier", metavar="NAME", help="Only this one of them, and what it needs; repeatable."),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair what a rule can repair, and write it. See docs/remedies.md.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --fix: show the changes, write nothing.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run them even if nothing changed since the last time.")
    ] = False,
    sandbox: Sandboxed = None,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="REV", help="Count only what is new since this commit; it decides the rules."),
    ] = None,
    format: Annotated[  # noqa: A002 - the name of the option
        Format | None, typer.Option("--format", help="How to tell it on stdout.", show_choices=True)
    ] = None,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Run your checks once, as `trueup run` does: on a fresh copy of the checkout, uncommitted files included.

    Nothing is changed and no agent is started. If nothing changed since the last time, the answer is remembered.
    Exit code: 0 all pass, 1 something fails, 4 a check could not run.

    With --base, settings, tests and the files that steer the checks are taken from that commit, failures that it has
    as well do not count, and a test that is gone does. A new failure is run again by itself; one that then passes is
    flaky, and is told as such. Exit code: 0 nothing new, 1 something new, 4 could not run.

    With --builtin, no command of yours is needed: syntax, encoding, imports and dependencies are looked at, the modules
    are imported and the program is started, on a copy. What is only advice never counts.

    With --fix, rules try to repair what fails, on a copy. A fix stays if its failure is gone and nothing else broke;
    what stays is written into your checkout after a rescue copy, and `trueup apply --undo` takes it back.

    \b
      trueup check
      trueup check --builtin
      trueup check --builtin --fix
      trueup check --builtin --fix --dry-run
      trueup check --builtin --verifier syntax --verifier imports
      trueup check --check "pytest -q" --check "ruff check ."
      trueup check --base origin/main
      trueup check --base origin/main --format github
      trueup check --format junit > junit.xml
      trueup check --format sarif > trueup.sarif
    """
    from trueup.act.process import make_undumpable
    from trueup.cli.check_lines import tell_answer
    from trueup.cli.shelf import open_shelf
    from trueup.config import Overrides
    from trueup.errors import UsageError

    if json and format is not None:
        raise UsageError(f"--json and --format {format} are both given", do="Choose one of them.")
    if verifier and not builtin:
        raise UsageError("--verifier is for the built-in verifiers", do="Add --builtin.")
    if dry_run and not fix:
        raise UsageError("--dry-run is about what --fix would write", do="Add --fix.")
    if fix and base is not None:
        raise UsageError("--fix and --base cannot be used together", why="--fix is about your files as they are now.")
    make_undumpable()
    environ = os.environ
    wishes = Overrides(check=tuple(check) if check else None, sandbox=sandbox)
    with open_shelf(directory, environ) as shelf:
        verifiers = tuple(dict.fromkeys(verifier or ())) if builtin else None
        fixing = Fixing(dry_run=dry_run) if fix else None
        answer = _asked(shelf, wishes, environ, base=base, fresh=fresh, verifiers=verifiers, fixing=fixing)
        tell_answer(answer, shelf, "json" if json else format or Format.TERMINAL)
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


def exit_code_of_new(report: Report, comparison: Comparison) -> int:
    """The same, when only what is new counts."""
    if report.void:
        return COULD_NOT_RUN
    if comparison.new or comparison.vanished:
        return FAILING
    return COULD_NOT_RUN if comparison.inconclusive else PASSED


# --- asking ------------------------------------------------------------------------------------------------------


def _asked(
    shelf: Shelf,
    wishes: Overrides,
    environ: Mapping[str, str],
    *,
    base: str | None,
    fresh: bool,
    verifiers: tuple[str, ...] | None,
    fixing: Fixing | None = None,
) -> Answer:
    """`verifiers`: the built-in ones are asked, () = all of them; None = the checks of the project."""
    from trueup.config import build_task, load_config
    from trueup.perform.checklist import with_checks, with_verifiers

    if base is not None:
        from trueup.cli.check_base import answer_against

        return answer_against(shelf, base, wishes, environ, fresh=fresh, verifiers=verifiers)
    config = load_config(shelf.project.root)
    task = build_task(config.values, wishes, environ)
    if verifiers is None:
        task, _ = with_checks(shelf.project, task, environ, configured="")
    else:
        task = with_verifiers(task, verifiers, given=bool(wishes.check))
    if fixing is not None:
        from trueup.cli.check_fix import fixed_answer

        own = task.remedies
        return fixed_answer(shelf, task, environ, remedies=own, dry_run=fixing.dry_run, again=fresh)
    answer = find_answer(shelf, task, environ, fresh=fresh)
    return replace(answer, home=config.source.name) if config.source else answer


def find_answer(shelf: Shelf, task: Task, environ: Mapping[str, str], *, fresh: bool) -> Answer:
    """What the checks say about the checkout now; remembered by its files, the checks and their environment."""
    from trueup.perform.setting import Setting

    setting = Setting(project=shelf.project, environ=environ)
    with ExitStack() as stack:
        stack.push(setting.processes)  # closed in any case, started only if a check runs
        return _answer(shelf, setting, task, fresh=fresh)


def _answer(shelf: Shelf, setting: Setting, task: Task, *, fresh: bool) -> Answer:
    from trueup.act.dependencies import dependency_folders
    from trueup.act.files import FileRules
    from trueup.act.looks import Looks
    from trueup.perform.digest import environment_digest
    from trueup.remember import verdicts

    environment = environment_digest(setting, task, dependency_folders(shelf.project.root))
    rules = FileRules.of(shelf.project.root, include=task.include)
    looks = Looks(shelf.state / LOOKS)
    asks = verdicts.cacheable(task.checks) and not fresh

    def remembered(files: str | None) -> Answer | None:
        key = verdicts.cache_key(files, task.checks, environment) if files and asks else ""
        known = verdicts.load(shelf.db, key) if key else None
        logs = shelf.state / LOGS / key[:16]
        return Answer(report=known, logs=logs, task=task, environ=setting.environ, remembered=True) if known else None

    answer = remembered(looks.recall(rules.walk(shelf.project.root)) if asks else None)
    if answer is not None:
        return answer
    files = files_now(shelf, rules, looks)
    answer = remembered(files)
    if answer is not None:
        return answer
    key = verdicts.cache_key(files, task.checks, environment)
    logs = shelf.state / LOGS / key[:16]
    report = _measure(shelf, setting, task, files, logs)
    remember_wavering(shelf, key, report)
    if worth_keeping(report):
        verdicts.save(shelf.db, key, report)
    return Answer(report=report, logs=logs, task=task, environ=setting.environ)


def remember_wavering(shelf: Shelf, key: str, now: Report) -> None:
    """Where the same question had an answer before, what comes out differently is flaky."""
    import time

    from trueup.decide.comparison import wavering
    from trueup.remember import flips, verdicts
    from trueup.report.text import name_list

    earlier = verdicts.load(shelf.db, key)
    flaky = sorted(wavering(earlier, now)) if earlier else []
    if flaky:
        flips.add(shelf.db, flaky, tree=now.tree, time=time.time())
        said = f"flaky: {name_list(flaky)} came out differently before, on the same files (trueup flaky)"
        print(shelf.redact(said), file=sys.stderr)


def worth_keeping(report: Report) -> bool:
    """Everything that could say something did. Built-in verifiers know why they are left out."""
    from trueup.evidence.report import CheckStatus

    left_out = [r for r in report.results if r.status is CheckStatus.SKIPPED and r.builtin]
    return all(result.ran or result in left_out for result in report.results)


def files_now(shelf: Shelf, rules: FileRules, looks: Looks) -> str:
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
    from trueup.act.command_line import which
    from trueup.act.dependencies import detect_setup
    from trueup.act.removal import remove
    from trueup.perform.lab import Ask
    from trueup.perform.laboratory import laboratory

    path = setting.environ.get("PATH", "")
    own = any(not check.builtin for check in task.checks)
    setup = (task.setup or detect_setup(shelf.project.root, lambda name: which(name, path))) if own else None
    remove(logs)
    make_room(logs.parent)
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    with laboratory(setting, task, files, setup=setup, redactor=shelf.redactor, logs=logs, tell=tell) as lab:
        return lab.measure(Ask(tree=files, checks=task.checks))


def make_room(folder: Path) -> None:
    from trueup.act.removal import remove

    kept = sorted(folder.iterdir(), key=lambda one: one.lstat().st_mtime) if folder.is_dir() else []
    for old in kept[: -LOGS_KEPT + 1]:
        remove(old)


def tell(text: str) -> None:
    """What goes on, for a person who watches."""
    if sys.stderr.isatty():
        print(f"  … {text}", file=sys.stderr)
