"""What does the loop add to an attempt, and how does that grow with the project?"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Cpu, Row, cheapest, cpu_now, ran
from benchmarks.project import CHECK, make_project, source
from trueup.act.files import FileRules
from trueup.act.process import Processes
from trueup.act.project import Project, find_project
from trueup.act.protection import protection
from trueup.act.sanitise import sanitise
from trueup.act.store import Store
from trueup.act.workspace import AgentWorkspace
from trueup.decide.task import CheckSpec
from trueup.perform.lab import Ask, Lab
from trueup.remember import verdicts
from trueup.remember.database import Database

SMALL, LARGE = 5_000, 50_000
BAR, GROWTH, AGAIN = 0.5, 12.0, 0.05
ROUNDS = 3
EDITS = 5
NOTHING_TO_CHECK = CheckSpec(name="check", run=("/bin/true",))
"""Its own cost is next to nothing, so that what is measured is all ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    attempt: Cpu
    again: Cpu
    restore: Cpu
    first: Cpu
    bare: float


def rows(scratch: Path, env: Mapping[str, str]) -> Iterator[Row]:
    small, large = (measured(scratch / str(files), files, env) for files in (SMALL, LARGE))
    for files, costs, limit in ((SMALL, small, BAR), (LARGE, large, None)):
        note = f"{costs.attempt.own:.2f} s of it in our process, the rest in git"
        what = f"per attempt, {files:,} files: store, put back, copy, seal"
        yield Row(what=what, value=costs.attempt.total, limit=limit, bare=costs.bare, note=note)
    growth = large.attempt.total / small.attempt.total
    yield Row(what=f"growth from {SMALL:,} to {LARGE:,} files", unit="×", value=growth, limit=GROWTH)
    yield Row(what="back to the best state, 5,000 files", value=small.restore.total, bare=small.bare)
    yield Row(what="first copies of a run, 5,000 files", value=small.first.total, bare=small.bare, note="once per run")
    note = "in our process: look at each file, ask the cache"
    yield Row(what="unchanged files asked again, 5,000", value=small.again.own, limit=AGAIN, bare=small.bare, note=note)


def measured(folder: Path, files: int, env: Mapping[str, str]) -> Costs:
    root = make_project(folder / "project", files)
    here = Path.cwd()
    os.chdir(root)
    bare = min(ran(CHECK, env).cpu for _ in range(3))
    os.chdir(here)
    with _rig(folder, find_project(root), env) as rig:
        first = rig.begin()
        attempts, restores = zip(*(rig.attempt(number) for number in range(ROUNDS)), strict=True)
        again = cheapest([rig.again() for _ in range(ROUNDS)])
    return Costs(attempt=cheapest(attempts), again=again, restore=cheapest(restores), first=first, bare=bare)


@contextmanager
def _rig(folder: Path, project: Project, env: Mapping[str, str]) -> Iterator[Rig]:
    gc.collect()
    with Processes() as processes, Database(folder / "state") as db:
        rig = Rig(folder, project, processes, db, env)
        yield rig
        rig.lab.close()


class Rig:
    """The parts of a run that touch every file, without an agent."""

    def __init__(
        self, folder: Path, project: Project, processes: Processes, db: Database, env: Mapping[str, str]
    ) -> None:
        self.folder, self.project, self.db = folder, project, db
        self.store = Store(folder / "store.git")
        before = cpu_now()
        self.rules = FileRules.of(project.root)
        self.start = self.store.snapshot(project.root, self.rules, index=folder / "checkout.index").tree
        self.opening = cpu_now() - before
        self.protection = protection(self.store.entries(self.start))
        self.lab = Lab(
            store=self.store,
            processes=processes,
            folder=folder / "copies",
            checkout=project.root,
            start=self.start,
            host_env=env,
            allow_env=(),
            setup=None,
            setup_given=False,
            dependencies=(),
            logs=folder / "logs",
            on_output=_hear_nothing,
            on_notice=_hear_nothing,
        )

    def begin(self) -> Cpu:
        """Read the checkout, write the agent's copy, run the checks on another one."""
        before = cpu_now()
        self.workspace = AgentWorkspace.create(
            self.folder / "workspace" / "project",
            project=self.project,
            store=self.store,
            start=self.start,
            rules=self.rules,
        )
        report = self.lab.check(Ask(tree=self.start, checks=(NOTHING_TO_CHECK,)))
        verdicts.save(self.db, self._key(self.start), report)
        return self.opening + (cpu_now() - before)

    def attempt(self, number: int) -> tuple[Cpu, Cpu]:
        """One attempt that touches some files and a test; then back to the start."""
        self._edit(number)
        before = cpu_now()
        raw = self.workspace.snapshot().tree
        self.store.keep(f"attempt-{number}/raw", raw)
        clean = sanitise(self.store, start=self.start, origin=self.start, raw=raw, protection=self.protection)
        self.store.keep(f"attempt-{number}/candidate", clean.tree)
        self.store.patch(clean.tree, raw, [note.path for note in clean.put_back])
        changed = self.store.diff(self.start, clean.tree)
        report = self.lab.check(Ask(tree=clean.tree, checks=(NOTHING_TO_CHECK,)))
        after = cpu_now()
        if len(changed) != EDITS or len(clean.put_back) != 1 or not report.all_passed:
            raise RuntimeError(f"the attempt did not go as it should: {changed}, {clean.put_back}, {report}")
        self.workspace.restore(self.start)
        return after - before, cpu_now() - after

    def again(self) -> Cpu:
        """The checkout has not changed: is its verdict known?"""
        before = cpu_now()
        tree = self.store.snapshot(self.project.root, self.rules, index=self.folder / "checkout.index").tree
        known = verdicts.load(self.db, self._key(tree))
        cost = cpu_now() - before
        if known is None:
            raise RuntimeError("an unchanged checkout was not recognised")
        return cost

    def _edit(self, number: int) -> None:
        for edit in range(EDITS):
            source(self.workspace.path, edit * 997 + number).write_text(f"PRICE = {number}\n")
        (self.workspace.path / "tests" / "test_price.py").write_text(f"# made easy in attempt {number}\n")
        time.sleep(0.05)

    def _key(self, tree: str) -> str:
        return verdicts.cache_key(tree, (NOTHING_TO_CHECK,), "bench")


def _hear_nothing(_text: str) -> None:
    pass
