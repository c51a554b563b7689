"""`trueup check --base REV`: what is new in the checkout, when REV decides about checks, tests and settings?"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from trueup.act.command_line import which
from trueup.act.commands import follow
from trueup.act.dependencies import dependency_folders, detect_setup, link_for_bench
from trueup.act.files import FileRules
from trueup.act.git import git_line
from trueup.act.project import Project, commit_of, revision_tree
from trueup.act.protection import is_test_path
from trueup.act.removal import remove
from trueup.act.sanitise import Sanitised, sanitise
from trueup.act.store import Store
from trueup.act.trees import LINK
from trueup.cli.check import LOGS, Answer, make_room, remember_wavering, tell, worth_keeping
from trueup.cli.shelf import Shelf, show
from trueup.config import Overrides, build_task, load_config, suggest
from trueup.decide.comparison import compare, wavering
from trueup.decide.task import Task
from trueup.errors import UnverifiableError, UsageError
from trueup.evidence.failure import Key
from trueup.evidence.report import Report
from trueup.perform.checklist import with_checks, with_verifiers
from trueup.perform.checks import learnt_protection
from trueup.perform.digest import environment_digest
from trueup.perform.lab import Ask, Lab
from trueup.perform.laboratory import laboratory
from trueup.perform.setting import Setting
from trueup.remember import flips, verdicts
from trueup.report.text import plain

_MORE_LOOKS = 10
"""A test that fails one time in three stays unseen in ten looks at the base less than twice in a hundred."""
_LARGEST = 2_000_000
"""Longer files at the top of a project are no configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The earlier state, and what it says about how to check."""

    rev: str
    tree: str
    task: Task
    setup: str | tuple[str, ...] | None
    include: tuple[str, ...]
    """Patterns of ignored files that the checks need."""
    home: str
    """The file that configures the checks; "" without one."""


def answer_against(
    shelf: Shelf,
    rev: str,
    wishes: Overrides,
    environ: Mapping[str, str],
    *,
    fresh: bool,
    verifiers: tuple[str, ...] | None = None,
) -> Answer:
    """The checkout as it is now, with the base's settings, tests and control files: what of it is new?"""
    setting = Setting(project=shelf.project, environ=environ)
    store = shelf.store()
    base = read_base(shelf.project, store, rev, wishes, environ, verifiers)
    with tempfile.TemporaryDirectory(dir=shelf.state, prefix="look-") as scratch:
        base, raw = _with_files_now(shelf.project, store, base, Path(scratch) / "index")
    with ExitStack() as stack:
        stack.push(setting.processes)  # closed in any case, started only if a check runs
        return _Asking(shelf=shelf, setting=setting, store=store, base=base, fresh=fresh).answer(raw)


# --- what the base says --------------------------------------------------------------------------------------------


def read_base(
    project: Project,
    store: Store,
    rev: str,
    wishes: Overrides,
    environ: Mapping[str, str],
    verifiers: tuple[str, ...] | None = None,
) -> Base:
    tree = revision_tree(project, store, _commit(project, rev))
    if tree == store.empty_tree():
        raise UnverifiableError(f"there is nothing to compare with: {rev} holds no file")
    path = environ.get("PATH", "")
    with _laid_out(project, store, tree) as folder:
        config = load_config(folder)
        task = build_task(config.values, wishes, environ)
        if verifiers is None:
            task, _ = with_checks(project, task, environ, configured="", files=folder)
        else:
            task = with_verifiers(task, verifiers, given=bool(wishes.check))
        own = any(not check.builtin for check in task.checks)
        setup = task.setup or detect_setup(folder, lambda name: which(name, path)) if own else None
        # Where an agent may write is no question here: every change counts that the base does not decide about.
        return Base(
            rev=rev,
            tree=tree,
            task=replace(task, only=(), max_changed_files=None),
            setup=setup,
            include=FileRules.of(folder, include=task.include).include,
            home=config.source.name if config.source else "",
        )


def _commit(project: Project, rev: str) -> str:
    if not project.is_repository:
        raise UsageError(f"there is no revision {rev!r} to compare with", why=f"{project.root} is not a git repository")
    try:
        return commit_of(project, rev)
    except UsageError as error:
        nearest = suggest(rev, _names(project))
        raise UsageError(
            f"there is no commit {rev!r} to compare with",
            why=f"git does not know it in {project.root}",
            do=f"Did you mean {nearest!r}?" if nearest else "Fetch it first; `git log --oneline --all` lists commits.",
        ) from error


def _names(project: Project) -> list[str]:
    names = git_line("for-each-ref", "--format=%(refname:short)", cwd=project.root) or ""
    return names.splitlines()


@contextmanager
def _laid_out(project: Project, store: Store, tree: str) -> Iterator[Path]:
    """A folder that shows how the base's project is set up: the files at its top, and where its tests are."""
    entries = store.entries(tree)
    with tempfile.TemporaryDirectory(prefix="trueup-base-") as made:
        folder = Path(made)
        for path, content in _top(store, tree):
            (folder / path).write_bytes(content if len(content) <= _LARGEST else b"")
        for path in entries:
            if "/" in path and is_test_path(path) and path.endswith(".py"):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).touch()
        link_for_bench(project.root, folder, dependency_folders(project.root))
        yield folder


def _top(store: Store, tree: str) -> Iterator[tuple[str, bytes]]:
    """The files at the top of a tree, and what links there lead to inside it."""
    entries = store.entries(tree)
    links = {path: os.fsdecode(store.read(tree, path) or b"") for path, e in entries.items() if e.mode == LINK}
    for path in entries:
        end = follow(path, links)[0] if "/" not in path else None
        content = store.read(tree, end) if end in entries else None
        if content is not None:
            yield path, content


def _with_files_now(project: Project, store: Store, base: Base, index: Path) -> tuple[Base, str]:
    """The checkout's files; the ignored ones among them that checks need are the same for both states."""
    rules = replace(FileRules.of(project.root, include=base.task.include), include=base.include)
    raw = store.snapshot(project.root, rules, index=index).tree
    if not rules.include:
        return base, raw
    entries, known = store.entries(raw), store.entries(base.tree)
    own = entries.keys() - replace(rules, include=()).walk(project.root).paths - known.keys()
    return replace(base, tree=store.edit(base.tree, {path: entries[path] for path in own})), raw


# --- asking both ------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Asking:
    """The same checks on two states, in one laboratory that is opened only if something has to run."""

    shelf: Shelf
    setting: Setting
    store: Store
    base: Base
    fresh: bool

    def answer(self, raw: str) -> Answer:
        environment = environment_digest(self.setting, self.base.task, dependency_folders(self.setting.project.root))
        checks = self.base.task.checks
        base_key = verdicts.cache_key(self.base.tree, checks, environment)
        before = self._remembered(base_key)
        clean = self._sanitised(raw, before) if before else None
        now_key = verdicts.cache_key(clean.tree, checks, self._against(environment)) if clean else ""
        now = self._remembered(now_key) if now_key else None
        logs = self.shelf.state / LOGS / verdicts.cache_key(raw, checks, self._against(environment))[:16]
        if before is None or clean is None or now is None:
            with self._laboratory(logs) as lab:
                before = before or self._measured_base(lab, base_key)
                clean = clean or self._sanitised(raw, before)
                now_key = verdicts.cache_key(clean.tree, checks, self._against(environment))
                now, flaky = self._measured(lab, before, clean.tree, now_key)
            return replace(self._answer(before, now, clean, logs, flaky), remembered=False)
        return self._answer(before, now, clean, logs, frozenset())

    def _answer(self, before: Report, now: Report, clean: Sanitised, logs: Path, flaky: frozenset[Key]) -> Answer:
        comparison = compare(before, now)
        steady = tuple(found for found in comparison.found if found.failure.key not in flaky)
        fixed = tuple(key for key in comparison.fixed if key not in flaky)
        return Answer(
            report=now,
            logs=logs,
            task=self.base.task,
            environ=self.setting.environ,
            remembered=True,
            comparison=replace(comparison, found=steady, fixed=fixed),
            flaky=tuple(sorted(flaky)),
            base=self.base.rev,
            put_back=clean.put_back,
            home=self.base.home,
        )

    def _against(self, environment: str) -> str:
        """Part of the question: the base decides which test files are new, and how those are run."""
        return f"{environment} against {self.base.tree} {self.base.task.edit_tests}"

    def _remembered(self, key: str) -> Report | None:
        asks = verdicts.cacheable(self.base.task.checks) and not self.fresh
        return verdicts.load(self.shelf.db, key) if asks else None

    def _sanitised(self, raw: str, before: Report) -> Sanitised:
        base = self.base
        rules = learnt_protection(self.store, base.tree, base.task, before, setup=base.setup)
        return sanitise(self.store, start=base.tree, origin=base.tree, raw=raw, protection=rules)

    @contextmanager
    def _laboratory(self, logs: Path) -> Iterator[Lab]:
        remove(logs)
        make_room(logs.parent)
        base = self.base
        with laboratory(
            self.setting,
            base.task,
            base.tree,
            setup=base.setup,
            redactor=self.shelf.redactor,
            logs=logs,
            tell=tell,
        ) as lab:
            yield lab

    def _measured_base(self, lab: Lab, key: str) -> Report:
        show([f"checking {plain(self.base.rev)} first"], self.shelf.redact, as_json=True)
        keep, lab.keep_log = lab.keep_log, lambda _check, _label, _text: ""
        report = lab.measure(self._ask(self.base.tree))
        lab.keep_log = keep
        remember_wavering(self.shelf, key, report)
        self._save(key, report)
        return report

    def _measured(self, lab: Lab, before: Report, tree: str, key: str) -> tuple[Report, frozenset[Key]]:
        """What was found, and which failures do not last. Where there are such, the answer is not remembered."""
        lab.learn(before)
        report = lab.check(self._ask(tree))
        unchanged = tree == before.tree
        flaky = wavering(before, report) if unchanged else self._flaky(lab, before, report, tree)
        if flaky:
            flips.add(self.shelf.db, flaky, tree=before.tree, time=time.time())
        else:
            self._save(key, report)
        return report, flaky

    def _flaky(self, lab: Lab, before: Report, now: Report, tree: str) -> frozenset[Key]:
        """New failures that are none of the change's: gone when everything is run again, and unsteady on the base.

        A test that passes alone may still be broken by the change, through what others leave behind; and one that
        became unsteady by the change is the change's own failure.
        """
        keys = frozenset(f.failure.key for f in compare(before, now).new if f.failure.test and not f.from_new_test)
        keys = frozenset() if now.void else keys
        if keys:
            keys &= _seen_passing(self._look(lab, tree, keys))
        if keys:
            keys &= _seen_passing(lab.check(self._ask(tree)))
        return self._unsteady_at_base(lab, before.tree, keys)

    def _unsteady_at_base(self, lab: Lab, tree: str, keys: frozenset[Key]) -> frozenset[Key]:
        """They passed there when the base was measured; they count as unsteady once they are seen failing."""
        found: frozenset[Key] = frozenset()
        for _ in range(_MORE_LOOKS):
            if waiting := keys - found:
                again = self._look(lab, tree, waiting)
                found |= waiting & {f.key for f in again.failures if not again.void}
        return found

    def _look(self, lab: Lab, tree: str, keys: frozenset[Key]) -> Report:
        return lab.look(tree, tuple(sorted(keys)), self.base.task.checks, keys)

    def _ask(self, tree: str) -> Ask:
        """Every stage: an old failure in an early one must not hide a new one in a later."""
        return Ask(tree=tree, checks=self.base.task.checks, every_stage=True)

    def _save(self, key: str, report: Report) -> None:
        if worth_keeping(report):
            verdicts.save(self.shelf.db, key, report)


def _seen_passing(report: Report) -> frozenset[Key]:
    failing = {f.key for f in report.failures}
    passed = frozenset(key for result in report.results for key in result.keys(result.passed))
    return frozenset() if report.void else passed - failing
