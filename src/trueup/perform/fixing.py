"""What do the rules make of a tree outside of a run, and how does that get into the checkout?"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from trueup.act.apply import Plan, plan_apply
from trueup.act.environment import check_environment
from trueup.act.files import FileRules
from trueup.act.plain_file import NotPlainError, read_plain
from trueup.act.protection import matches
from trueup.act.remedies.base import Around
from trueup.act.remedies.package_index import PipIndex
from trueup.act.remedies.placing import IsProtected
from trueup.act.remedies.registry import LARGEST, Registry, registry
from trueup.act.remedies.tools import OwnTools
from trueup.act.store import Store
from trueup.act.trees import LINK
from trueup.decide.task import CheckSpec, Task
from trueup.errors import ConflictError, UsageError
from trueup.evidence.report import Report
from trueup.perform.applying import carry_out
from trueup.perform.lab import Ask, Lab
from trueup.perform.remedying import Remedied, Remedying
from trueup.perform.sweeping import FIXES
from trueup.remember import remedies
from trueup.remember.database import Database
from trueup.verify.verifiers.known_packages import installed_beside

SECONDS = 1800.0
"""All trials together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """What the rules made of the checkout's files."""

    remedied: Remedied
    off: tuple[str, ...] = ()
    """Rules that were not asked, because their fixes kept being taken back here."""
    written: tuple[str, ...] = ()
    """Files of the checkout that were written."""


def own_registry(root: Path, names: Iterable[str]) -> Registry:
    """With the user's own rows. `root` is the checkout as the user has it, never what an agent left."""
    return registry((name, _found(name, _plain(root, name))) for name in names)


def registry_at(store: Store, tree: str, names: Iterable[str]) -> Registry:
    """The same, as a tree of the store has them: the start's."""
    entries = store.entries(tree)
    linked = [name for name in names if name in entries and entries[name].mode == LINK]
    if linked:
        raise UsageError(f"remedies: {linked[0]} is a link", do="Name a plain file, from the root of the project.")
    return registry((name, _found(name, store.read(tree, name))) for name in names)


def _plain(root: Path, name: str) -> bytes | None:
    try:
        return read_plain(root / name, largest=LARGEST)
    except NotPlainError as error:
        raise UsageError(f"remedies: {name} {error}", do="Name a plain file, from the root of the project.") from error


def _found(name: str, content: bytes | None) -> bytes:
    if content is None:
        raise UsageError(f"remedies: there is no {name}", do="Write it, or take it out of the configuration.")
    return content


def fix_tree(
    lab: Lab,
    db: Database,
    rules: Registry,
    report: Report,
    *,
    checks: tuple[CheckSpec, ...],
    protected: IsProtected,
    again: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Fixed:
    """Try the rules on the tree of the report. `again`: those that are switched off here as well."""
    off = frozenset() if again else switched_off(db, rules)
    lab.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=lab.folder, prefix="remedies-") as place:
        scratch = Path(place)
        engine = Remedying(
            store=lab.store,
            scratch=scratch,
            registry=rules,
            measure=lambda tree: lab.measure(Ask(tree=tree, checks=checks, label="fix")),
            around=around(lab, scratch),
            protected=protected,
            off=off,
            until=time.monotonic() + SECONDS,
            tell=tell,
        )
        remedied = engine.run(report.tree, report)
    remember(db, rules, remedied)
    return Fixed(remedied=remedied, off=tuple(sorted(off)))


def around(lab: Lab, scratch: Path) -> Around:
    env = check_environment(lab.host_env, allow=lab.allow_env, tmp=scratch, cache=scratch).variables
    cache = lab.cache or scratch / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    processes = lab.processes.hurried()
    return Around(
        index=PipIndex(processes, env, scratch=scratch, cache=cache),
        tools=OwnTools(processes, env, scratch=scratch),
        installed=installed_beside(lab.checkout, "").modules,
    )


def is_protected(task: Task) -> IsProtected:
    """What the user says that nobody may write."""
    return lambda path: matches(task.protect, path) or bool(task.only and not matches(task.only, path))


# --- what keeps being taken back --------------------------------------------------------------------------------


def switched_off(db: Database, rules: Registry) -> frozenset[str]:
    tired = remedies.switched_off(db)
    return frozenset(row.name for row in rules.rows if (row.name, row.digest) in tired)


def remember(db: Database, rules: Registry, remedied: Remedied) -> None:
    """Each rule once: kept, if one of its fixes was."""
    digests = {row.name: row.digest for row in rules.rows}
    kept: Mapping[str, bool] = {
        **{one.remedy: False for one in remedied.reverted},
        **{one.remedy: True for one in remedied.kept},
    }
    tried = [remedies.Tried(remedy=name, digest=digests[name], kept=good) for name, good in kept.items()]
    if tried:
        remedies.add(db, tried, time=time.time())


# --- into the checkout ------------------------------------------------------------------------------------------


def write_fixes(db: Database, store: Store, root: Path, rules: FileRules, fixed: Fixed, *, index: Path) -> Fixed:
    """All kept fixes, after a rescue copy; none if one of the files changed while they were tried."""
    start, best = fixed.remedied.start, fixed.remedied.tree
    if start == best:
        return fixed
    plan = plan_apply(root, store, rules, start=start, best=best, index=index)
    moved = _changed_meanwhile(store, plan, start)
    if moved or plan.conflicts:
        raise ConflictError(
            "nothing was written: files changed while the fixes were tried",
            why="\n".join(f"  {path}" for path in sorted({*moved, *plan.conflicts})),
            do="Run it again when nobody else edits them.",
        )
    carry_out(db, store, root, rules, plan, run=FIXES, index=index)
    return replace(fixed, written=tuple(write.path for write in plan.writes))


def _changed_meanwhile(store: Store, plan: Plan, start: str) -> list[str]:
    before = store.entries(start)
    return [write.path for write in plan.writes if write.before != before.get(write.path)]
