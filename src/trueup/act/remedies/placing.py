"""What does a tree become by a proposal? Nothing outside of it, nothing through a link, nothing that is protected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from trueup.act.remedies.base import Edit
from trueup.act.source_files import SourceFiles
from trueup.act.store import Store
from trueup.act.trees import EXECUTABLE, FILE, LINK, Entry

_UNFIT = re.compile(r"[\x00-\x1f\x7f\\]")
_NEVER = re.compile(r"(^|/)(\.git|\.trueup|\.hg|\.svn)(/|$)|^trueup\.toml$", re.IGNORECASE)

IsProtected = Callable[[str], bool]


def nothing_is(_path: str) -> bool:
    return False


def placed(store: Store, tree: str, edits: tuple[Edit, ...], *, protected: IsProtected = nothing_is) -> str | None:
    """The tree with all of the edits; None when one of them may not be made. The same tree when they change nothing."""
    entries = store.entries(tree)
    if not edits or any(_may_not(edit, entries) or protected(edit.path) for edit in edits):
        return None
    contents = [edit.content for edit in edits if edit.content is not None]
    oids = iter(store.put_many(contents) if contents else [])
    changes: dict[str, Entry | None] = {}
    for edit in edits:
        old = entries.get(edit.path)
        changes[edit.path] = None if edit.content is None else Entry(mode=_mode(edit, old), oid=next(oids))
    return store.edit(tree, changes)


def _mode(edit: Edit, old: Entry | None) -> str:
    if edit.executable is not None:
        return EXECUTABLE if edit.executable else FILE
    return old.mode if old else FILE


def _may_not(edit: Edit, entries: Mapping[str, Entry]) -> bool:
    """A path out of the tree, a link, a file in the place of a folder, a folder in the place of the file."""
    parts = edit.path.split("/")
    if any(part in {"", ".", ".."} for part in parts) or _UNFIT.search(edit.path) or _NEVER.search(edit.path):
        return True
    above = ("/".join(parts[:size]) for size in range(1, len(parts)))
    old = entries.get(edit.path)
    if any(folder in entries for folder in above) or (old is not None and old.mode == LINK):
        return True
    return old is None and (edit.content is None or any(path.startswith(f"{edit.path}/") for path in entries))


@contextmanager
def files_of(store: Store, tree: str, scratch: Path) -> Iterator[SourceFiles]:
    """The tree's files, to be read by fixers; links are left out. `scratch` is used again for the next tree."""
    folder = scratch / "tree"
    folder.mkdir(parents=True, exist_ok=True)
    store.write(tree, folder, index=scratch / "index")
    entries = store.entries(tree)
    plain = {path: entry.oid for path, entry in entries.items() if entry.mode != LINK}
    yield SourceFiles(folder, tuple(sorted(plain)), ids=plain)
