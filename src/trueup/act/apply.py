"""How do the results get into the user's checkout, all or nothing, and out of it again?"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from trueup.act import checkout
from trueup.act.files import FileRules
from trueup.act.merge import merge_entries, parents
from trueup.act.protection import is_control_link
from trueup.act.store import Store
from trueup.act.trees import FILE, LINK, Entry
from trueup.errors import BlockedError, ConflictError

_RUNS_BY_ITSELF = re.compile(
    r"""(^|/)(
        \.git[^/]* | \.husky(/.*)? | \.githooks(/.*)? | \.pre-commit-config\.yaml | \.?lefthook\.ya?ml
      | \.vscode(/.*)? | \.idea(/.*)? | \.devcontainer(/.*)? | \.devcontainer\.json | [^/]+\.code-workspace
      | \.exrc | \.nvim\.lua | \.envrc | \.?mise\.toml | \.npmrc | \.yarnrc(\.yml)? | \.pnpmfile\.cjs
      | package\.json | (gnu)?makefile | [^/]+\.mk | \.?justfile | taskfile\.ya?ml | rakefile | jenkinsfile
      | build\.rs | setup\.py | conftest\.py | sitecustomize\.py | usercustomize\.py | noxfile\.py | [^/]+\.pth
      | \.claude(/.*)? | \.codex(/.*)? | \.gemini(/.*)? | \.cursor(/.*)? | \.mcp\.json
    )$
    | ^\.github/(workflows|actions)(/|$) | ^\.circleci(/|$) | ^\.buildkite(/|$) | ^\.travis\.yml$ | ^azure-pipelines
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""What an editor, a shell, a package manager, a test runner or a CI service runs without being asked again."""

_PERMISSIONS = "permissions.json"
_UNKNOWN: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One file of the checkout; None = the file is not there."""

    path: str
    before: Entry | None
    after: Entry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What `apply_plan` would do. With a conflict it does nothing at all."""

    tree: str
    """The checkout as it was found."""
    writes: tuple[Write, ...] = ()
    conflicts: tuple[str, ...] = ()
    already: tuple[str, ...] = ()
    """Files that hold the result already."""
    moved_on: bool = False
    """The checkout is not the start any more: what it becomes was not proven."""
    risky: tuple[str, ...] = ()
    """Files among the writes that run when a project is opened, built or pushed, and links that lead out of it
    or stand for such a folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What was written; enough to take it back."""

    paths: tuple[str, ...]
    before_tree: str
    after_tree: str


def plan_apply(root: Path, store: Store, rules: FileRules, *, start: str, best: str, index: Path) -> Plan:
    """Merge start → best with the checkout as it is now. Reads only."""
    tree = store.snapshot(root, rules, index=index).tree
    ours = store.entries(tree)
    writes: list[Write] = []
    conflicts: set[str] = set()
    already: list[str] = []
    for change in store.diff(start, best):
        mine = ours.get(change.path)
        merged = merge_entries(change.old, mine, change.new, read=lambda oid: _blob(store, oid), put=store.put)
        if merged is None:
            conflicts.add(change.path)
        elif merged.entry == mine:
            already.append(change.path)
        else:
            writes.append(Write(path=change.path, before=mine, after=merged.entry))
    conflicts.update(_blocked(root, writes))
    return Plan(
        tree=tree,
        writes=tuple(writes),
        conflicts=tuple(sorted(conflicts)),
        already=tuple(already),
        moved_on=tree != start,
        risky=tuple(write.path for write in writes if _is_risky(store, write)),
    )


def apply_plan(root: Path, store: Store, plan: Plan, *, run: str) -> Applied:
    """Carry the plan out. Whatever goes wrong, each file is then as it was before; git's index is never touched.

    Raises `ConflictError` when the plan has conflicts or a file changed since the plan was made, `BlockedError`
    when the disk refuses.
    """
    if plan.conflicts:
        raise _conflict("the result does not fit your checkout", plan.conflicts)
    after = store.edit(plan.tree, {write.path: write.after for write in plan.writes})
    if plan.writes:
        blobs = _blobs(store, plan.writes)
        changed = [w.path for w in plan.writes if not _holds(root, w.path, w.before, blobs)]
        if changed or _blocked(root, plan.writes):
            raise _conflict("your checkout changed in the meantime", [*changed, *_blocked(root, plan.writes)])
        _rescue(store, run, before=plan.tree, after=after)
        _keep_permissions(root, store, plan.writes, f"{run}/{permissions_of(plan.tree, after)}")
        _carry_out(root, plan.writes, blobs)
    return Applied(paths=tuple(write.path for write in plan.writes), before_tree=plan.tree, after_tree=after)


def undo(root: Path, store: Store, applied: Applied) -> None:
    """Bring back content, permissions and absence of each file that was written; all others stay as they are.

    Raises `ConflictError`, and writes nothing, if a file holds neither what was written nor what was there before
    (the latter is how a crash in the middle leaves some of them). Asked again, it changes nothing.
    """
    before, after = store.entries(applied.before_tree), store.entries(applied.after_tree)
    writes = [Write(path=path, before=after.get(path), after=before.get(path)) for path in applied.paths]
    blobs = _blobs(store, writes)
    todo = [write for write in writes if not _holds(root, write.path, write.after, blobs)]
    changed = [write.path for write in todo if not _holds(root, write.path, write.before, blobs)]
    if changed or _blocked(root, todo):
        raise _conflict("files were changed after they were applied", [*changed, *_blocked(root, todo)])
    _carry_out(root, todo, blobs, _kept_permissions(store, permissions_of(applied.before_tree, applied.after_tree)))


def show_diff(store: Store, a: str, b: str, paths: Sequence[str] = ()) -> str:
    """The difference as text to read; bytes that are not UTF-8 are shown as �."""
    return store.patch(a, b, tuple(paths)).decode("utf-8", "replace")


# --- what may be written ----------------------------------------------------------------------------------------


def _blocked(root: Path, writes: Sequence[Write]) -> list[str]:
    """Writes that would leave the project, or meet something on the disk that no tree knows of."""
    gone = {write.path for write in writes if write.after is None}
    return [w.path for w in writes if not _is_inside(w.path) or (w.after and _is_occupied(root, w, gone))]


def _is_inside(path: str) -> bool:
    return not any(part in {"", ".", ".."} or part.lower() == ".git" for part in path.split("/"))


def _is_occupied(root: Path, write: Write, gone: Collection[str]) -> bool:
    for folder in reversed(list(parents(write.path))):
        place = root / folder
        if folder in gone or not os.path.lexists(place):
            return False
        if place.is_symlink() or not place.is_dir():
            return True
    place = root / write.path
    if place.is_dir() and not place.is_symlink():
        return not all(inner in gone for inner in _files_below(root, write.path))
    return write.before is None and os.path.lexists(place)


def _files_below(root: Path, folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(root / folder):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        yield from (os.path.relpath(Path(parent, name), root) for name in (*files, *links))


def _is_risky(store: Store, write: Write) -> bool:
    if write.after is None:
        return False
    if _RUNS_BY_ITSELF.search(write.path):
        return True
    if write.after.mode != LINK:
        return False
    return is_control_link(write.path) or _leads_out(write.path, os.fsdecode(_blob(store, write.after.oid)))


def _leads_out(path: str, target: str) -> bool:
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return reached.startswith("/") or reached.split("/")[0] == ".."


def _conflict(what: str, paths: Collection[str]) -> ConflictError:
    return ConflictError(
        f"nothing was written: {what}",
        why="\n".join(f"  {path}" for path in sorted(set(paths))),
        do="Commit, move or undo your own changes in these files and try again; `trueup diff` shows the result.",
    )


# --- all or nothing ---------------------------------------------------------------------------------------------


def _carry_out(
    root: Path, writes: Sequence[Write], blobs: Mapping[str, bytes], permissions: Mapping[str, int] = _UNKNOWN
) -> None:
    """All of the writes, or none: after an error each file that was reached is put back.

    `permissions` are for files that are not there; a file that is there keeps its own.
    """
    missing = {above for write in writes for above in parents(write.path) if not _is_folder(root / above)}
    reached: list[tuple[Write, int]] = []
    try:
        # Removals first: a file may become a folder, and a folder a file.
        for write in sorted(writes, key=lambda write: write.after is not None):
            found = checkout.look(root, write.path)
            reached.append((write, found.permissions if found else 0))
            kept = reached[-1][1] or permissions.get(write.path, 0)
            _set(root, write.path, write.after, blobs, permissions=kept)
            if write.after is None:
                checkout.prune(root, write.path)
    except BaseException as error:
        _put_back(root, reached, blobs, missing)
        if isinstance(error, OSError):
            raise BlockedError(
                f"{reached[-1][0].path} could not be written; every file is as it was before",
                why=str(error),
                do="Make room or change the permissions, then try again.",
            ) from error
        raise


def _put_back(
    root: Path, reached: Sequence[tuple[Write, int]], blobs: Mapping[str, bytes], missing: Collection[str]
) -> None:
    lost: list[str] = []
    for write, permissions in reversed(reached):
        try:
            if not _holds(root, write.path, write.before, blobs):
                _set(root, write.path, write.before, blobs, permissions=permissions)
        except OSError as error:
            lost.append(f"  {write.path}: {error}")
        if write.before is None:
            checkout.prune(root, write.path, only=missing)
    if lost:
        raise BlockedError(
            "some files could neither be written nor be put back",
            why="\n".join(lost),
            do="Remove the cause, then use `trueup apply --undo`: a copy of each file is kept.",
        )


def _set(root: Path, path: str, entry: Entry | None, blobs: Mapping[str, bytes], *, permissions: int) -> None:
    if entry is None:
        checkout.remove(root, path)
    else:
        checkout.put(root, path, entry.mode, blobs[entry.oid], permissions=permissions)


def _holds(root: Path, path: str, entry: Entry | None, blobs: Mapping[str, bytes]) -> bool:
    found = checkout.look(root, path)
    if found is None or entry is None:
        return found is None and entry is None
    return found.mode == entry.mode and found.content == blobs[entry.oid]


def _is_folder(place: Path) -> bool:
    return place.is_dir() and not place.is_symlink()


# --- in the store -----------------------------------------------------------------------------------------------


def _rescue(store: Store, run: str, *, before: str, after: str) -> None:
    """Keep both trees before the first write: an undo needs them, however much later it comes."""
    number = 1 + max((_number(name) for name in store.kept(run)), default=0)
    store.keep(f"{run}/before-apply-{number}", before)
    store.keep(f"{run}/after-apply-{number}", after)


def _number(name: str) -> int:
    """Of a copy; earlier ones may be gone."""
    found = re.search(r"/before-apply-(\d+)$", name)
    return int(found[1]) if found else 0


def permissions_of(before: str, after: str) -> str:
    """The name under which it is kept who may read the files that were written."""
    return f"permissions-{before}-{after}"


def _keep_permissions(root: Path, store: Store, writes: Sequence[Write], name: str) -> None:
    """A tree knows who may execute a file, not who may read it."""
    found = {write.path: checkout.look(root, write.path) for write in writes if write.before}
    permissions = {path: file.permissions for path, file in found.items() if file and file.permissions}
    entry = Entry(mode=FILE, oid=store.put(json.dumps(permissions).encode()))
    store.keep(name, store.edit(store.empty_tree(), {_PERMISSIONS: entry}))


def _kept_permissions(store: Store, name: str) -> dict[str, int]:
    tree = next((tree for known, tree in store.kept().items() if known.endswith(f"/{name}")), None)
    content = store.read(tree, _PERMISSIONS) if tree else None
    return dict(json.loads(content)) if content else {}


def _blobs(store: Store, writes: Sequence[Write]) -> dict[str, bytes]:
    return store.blobs(entry.oid for write in writes for entry in (write.before, write.after) if entry)


def _blob(store: Store, oid: str) -> bytes:
    return store.blobs([oid])[oid]
