"""How is a result brought into the checkout so that even what a crash leaves half done can be taken back?"""

from __future__ import annotations

import time
from pathlib import Path

from trueup.act.apply import Plan, apply_plan
from trueup.act.files import FileRules
from trueup.act.store import Store
from trueup.errors import ConflictError, TrueupError
from trueup.perform.setting import run_folder
from trueup.remember import applied
from trueup.remember.database import Database


def apply_index(state: Path, run: str) -> Path:
    """The scratch file for looking at the checkout."""
    folder = run_folder(state, run)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / "apply.index"


def carry_out(db: Database, store: Store, root: Path, rules: FileRules, plan: Plan, *, run: str, index: Path) -> None:
    """Written down first, then done; the note is dropped when nothing was written."""
    if plan.conflicts or not plan.writes:
        apply_plan(root, store, plan, run=run)
        return
    note = applied.add(
        db,
        run=run,
        time=time.time(),
        before_tree=plan.tree,
        after_tree=store.edit(plan.tree, {write.path: write.after for write in plan.writes}),
        paths=tuple(write.path for write in plan.writes),
    )
    try:
        apply_plan(root, store, plan, run=run)
    except TrueupError as error:
        if isinstance(error, ConflictError) or store.snapshot(root, rules, index=index).tree == plan.tree:
            applied.mark_undone(db, note.id)
        raise
