"""How do the results reach the user's repository, without touching anything that is theirs?

One commit on a branch of ours. Its author and committer is `trueup <trueup@localhost>`: the user did not
write it, and a branch whose tip somebody else committed, amended or rebased is recognised as no longer ours.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.git import git
from trueup.act.merge import clashing, merge_entries, parents
from trueup.act.process import ToolFailed
from trueup.act.project import Project, revision_tree
from trueup.act.store import Change, Entry, Store
from trueup.act.trees import LINK, parse_tree

NAME, EMAIL = "trueup", "trueup@localhost"
RUN, ITEM, TREE = "Trueup-Run", "Trueup-Item", "Trueup-Tree"
"""Trailers of our commits."""

_HEADS = "refs/heads/"
_GITLINK = "160000"
_NAMES_TRIED = 99
_OWN_WAYS = (
    # A split index would leave files in the user's repository, a sparse one would leave files out.
    *("-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.sparseCheckout=false"),
    # Mixed line endings are the check's and the user's business, no reason to lose the result.
    *("-c", "core.safecrlf=false"),
    *("-c", f"user.name={NAME}", "-c", f"user.email={EMAIL}"),
)
_BY_HAND = "`trueup apply` brings the result into your checkout."


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedBack:
    branch: str = ""
    """Without `refs/heads/`; "" when there is none."""
    commit: str = ""
    note: str = ""
    """Why there is no branch, or what is special about it; for people."""
    exact: bool = False
    """The commit holds byte for byte the files that were proven (or, unproven, verified)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Built:
    """The tree for the branch, or why there is none."""

    tree: str = ""
    refused: str = ""
    left_out: tuple[str, ...] = ()
    """Changed files of submodules: another repository's commits."""
    exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    tree: str
    committer: str
    message: str

    def trailer(self, name: str) -> str:
        lines = self.message.rstrip("\n").rpartition("\n\n")[2].split("\n")
        return next((line.partition(": ")[2] for line in lines if line.startswith(f"{name}: ")), "")


def hand_back(
    project: Project,
    store: Store,
    *,
    start: str,
    best: str,
    item: str,
    proven: bool,
    message: str,
    run: str = "",
    unapproved: bool = False,
) -> HandedBack:
    """One commit on `trueup/<item>`: the commit `project.head` with start → best, never the user's uncommitted files.

    Contract: HEAD, index, working tree, stash and all other refs stay as they are, no hook runs. When there can be no
    branch the result says why and nothing is raised: the result is safe in the store. Asked again with the same
    arguments, it answers with the commit that is there.
    """
    if start == best:
        return HandedBack(note="No branch: nothing changed.")
    if not project.is_repository or project.head is None:
        what = "a repository with a commit" if project.is_repository else "a git repository"
        return HandedBack(note=f"No branch: this is not {what}. {_BY_HAND}")
    if not is_item_name(item):
        return HandedBack(note=f"No branch: {item!r} cannot be part of a branch name. {_BY_HAND}")
    try:
        built = _build(project, store, start=start, best=best, head=project.head)
        if built.refused:
            return HandedBack(note=f"No branch: {built.refused}. {_BY_HAND}")
        short = "" if proven else UNAPPROVED if unapproved else UNPROVEN
        remarks = _remarks(project, built, short)
        text = _text(message, remarks, {RUN: run or best, ITEM: item, TREE: best}, short)
        return _commit(project.root, project.head, built, item, text, " ".join(remarks))
    except ToolFailed as error:
        return HandedBack(note=f"No branch: git refused ({error.why or error.what}). {_BY_HAND}")


def is_item_name(item: str) -> bool:
    """Whether `trueup/<item>` can be a branch."""
    if not item or "\0" in item:
        return False
    try:
        git("check-ref-format", f"{_HEADS}trueup/{item}")
    except ToolFailed as error:
        if error.returncode == 1:
            return False
        raise
    return True


# --- the tree ---------------------------------------------------------------------------------------------------


def _build(project: Project, store: Store, *, start: str, best: str, head: str) -> _Built:
    root = project.root
    ours = dict(parse_tree(git("ls-tree", "-r", "-z", "--full-tree", head, cwd=root)))
    links = {path for path, entry in ours.items() if entry.mode == _GITLINK} | set(project.submodules)
    changes = store.diff(start, best)
    left_out = tuple(c.path for c in changes if any(above in links for above in parents(c.path)))
    merged, conflicts = _merge(root, store, ours, [c for c in changes if c.path not in left_out])
    if conflicts:
        return _Built(refused=f"your uncommitted changes and the result meet in {', '.join(conflicts)}")
    if not merged:
        where = "every change lies inside a submodule" if left_out else "the commit holds the result already"
        return _Built(refused=where)
    tree = _write_tree(root, store, head, merged)
    exact = tree == best
    if not exact and not left_out and (links or len(head) != len(best)):
        exact = _is_same_by_content(project, store, start, head, merged, changes)
    return _Built(tree=tree, left_out=left_out, exact=exact)


def _merge(
    root: Path, store: Store, ours: Mapping[str, Entry], changes: Collection[Change]
) -> tuple[dict[str, Entry | None], list[str]]:
    """What differs from `ours` with the changes, and the files where the two conflict."""
    merged: dict[str, Entry | None] = {}
    conflicts: list[str] = []
    for change in changes:
        mine = ours.get(change.path)
        old, new = _as_committed(root, store, change, mine)
        answer = merge_entries(
            old,
            mine,
            new,
            read=lambda oid: git("cat-file", "blob", oid, cwd=root),
            put=lambda content: _hash(root, content),
        )
        if answer is None:
            conflicts.append(change.path)
        elif answer.entry != mine:
            merged[change.path] = answer.entry
    added = [path for path, entry in merged.items() if entry]
    stay = [path for path in ours if path not in merged]
    return merged, sorted({*conflicts, *clashing(added, [*stay, *added])})


def _as_committed(root: Path, store: Store, change: Change, mine: Entry | None) -> tuple[Entry | None, Entry | None]:
    """Both versions as `git add` would store them: with the user's line-ending rules and filters (LFS …)."""
    blobs = store.blobs(entry.oid for entry in (change.old, change.new) if entry)

    def stored(entry: Entry | None, path: str) -> Entry | None:
        if entry is None:
            return None
        oid = _hash(root, blobs[entry.oid], path="" if entry.mode == LINK else path)
        return Entry(mode=entry.mode, oid=oid)

    old = stored(change.old, change.path)
    if mine and old and old.oid != mine.oid:
        # Committed before the rules came, as with CRLF files under autocrlf: git leaves such files alone, and so do we.
        unfiltered = stored(change.old, "")
        if unfiltered and unfiltered.oid == mine.oid:
            return unfiltered, stored(change.new, "")
    return old, stored(change.new, change.path)


def _hash(root: Path, content: bytes, *, path: str = "") -> str:
    """The id of the content in the user's repository, written there; with a path through the filters for it."""
    how = f"--path={path}" if path else "--no-filters"
    args = ("hash-object", "-w", how, "--stdin")
    return git(*_OWN_WAYS, *args, cwd=root, input=content, user_config=True).decode().strip()


def _write_tree(root: Path, store: Store, head: str, changes: Mapping[str, Entry | None]) -> str:
    gone = [(path, f"0 {'0' * len(head)}") for path, entry in changes.items() if entry is None]
    kept = [(path, f"{entry.mode} {entry.oid}") for path, entry in changes.items() if entry]
    feed = b"".join(f"{what}\t".encode() + os.fsencode(path) + b"\0" for path, what in (*gone, *kept))
    with tempfile.TemporaryDirectory(dir=store.path, prefix="handback-") as scratch:
        index = Path(scratch) / "index"
        git(*_OWN_WAYS, "read-tree", head, cwd=root, index=index)
        git(*_OWN_WAYS, "update-index", "-z", "--index-info", cwd=root, index=index, input=feed)
        # In a partial clone most files are not here, and we did not change those.
        return git(*_OWN_WAYS, "write-tree", "--missing-ok", cwd=root, index=index).decode().strip()


def _is_same_by_content(
    project: Project,
    store: Store,
    start: str,
    head: str,
    merged: Mapping[str, Entry | None],
    changes: Collection[Change],
) -> bool:
    """The same question where ids cannot answer it: submodules are links there and files here, or the hash differs."""
    for change in changes:
        entry = merged.get(change.path)
        if entry is None or change.new is None:
            if entry is not change.new:
                return False
        elif entry.mode != change.new.mode or entry.oid != _hash(
            project.root, store.blobs([change.new.oid])[change.new.oid]
        ):
            return False
    return revision_tree(project, store, head) == start


# --- what is said about it --------------------------------------------------------------------------------------


UNPROVEN, UNAPPROVED = "unproven", "not approved"
_SHORT_OF = {
    UNPROVEN: "This result is unproven: better than the start, but the goal is not met.",
    UNAPPROVED: "This result is proven, but no reviewer has approved it.",
}


def _remarks(project: Project, built: _Built, short: str) -> list[str]:
    remarks = [_SHORT_OF[short]] if short else []
    if built.left_out:
        remarks.append(f"Left out, because they lie in submodules: {', '.join(built.left_out)}.")
    if not built.exact:
        reason = "the run started from uncommitted changes" if project.dirty else "git stores these files differently"
        if built.left_out:
            reason = "changes in submodules are left out"
        remarks.append(f"This exact tree was not the one proven ({reason}): run your checks on it.")
    return remarks


def _text(message: str, remarks: Collection[str], trailers: Mapping[str, str], short: str) -> str:
    subject = message.replace("\0", "").strip() or "Make the checks pass"
    if short and not subject.lower().startswith(short):
        subject = f"{short}: {subject}"
    last = "\n".join(f"{name}: {value}" for name, value in trailers.items())
    return "\n\n".join((subject, *remarks, last)).encode("utf-8", "replace").decode() + "\n"


# --- the branch -------------------------------------------------------------------------------------------------


def _commit(root: Path, head: str, built: _Built, item: str, text: str, note: str) -> HandedBack:
    place = _free_or_ours(root, item)
    if place is None:
        return HandedBack(note=f"No branch: other branches are in the way of trueup/{item}. {_BY_HAND}")
    branch, tip = place
    commit = tip and _same(root, tip, built.tree, text)
    if not commit:
        commit = _write_commit(root, built.tree, _parents(root, head, tip), text)
        # The old value goes along: if somebody moves the branch at this moment, git refuses.
        feed = f"update {_HEADS}{branch}\0{commit}\0{tip or '0' * len(head)}\0".encode()
        args = ("update-ref", "-m", "trueup: hand back", "--no-deref", "-z", "--stdin")
        git(*_OWN_WAYS, *args, cwd=root, input=feed)
    return HandedBack(branch=branch, commit=commit, note=note, exact=built.exact)


def _free_or_ours(root: Path, item: str) -> tuple[str, str] | None:
    """The branch to use and its tip ("" for a new one); None when no name is left."""
    heads = _heads(root)
    for number in range(1, _NAMES_TRIED + 1):
        name = f"trueup/{item}" if number == 1 else f"trueup/{item}-{number}"
        if name not in heads:
            if not any(other.startswith(f"{name}/") or name.startswith(f"{other}/") for other in heads):
                return name, ""
        elif heads[name] and _is_ours(_read_commit(root, heads[name]), item):
            return name, heads[name]
    return None


def _heads(root: Path) -> dict[str, str]:
    """Branch -> tip, of what may be in our way; "" for one that must not move, being checked out or a mere alias."""
    fixed = "%(if)%(symref)%(worktreepath)%(then)fixed%(else)free%(end)"
    args = ("for-each-ref", f"--format=%(objectname) {fixed} %(refname)", f"{_HEADS}trueup")
    heads: dict[str, str] = {}
    for line in os.fsdecode(git(*args, cwd=root)).splitlines():
        tip, state, ref = line.split(" ", 2)
        heads[ref.removeprefix(_HEADS)] = tip if state == "free" else ""
    return heads


def _is_ours(commit: _Commit, item: str) -> bool:
    mine = commit.committer.startswith(f"{NAME} <{EMAIL}> ")
    return mine and bool(commit.trailer(RUN)) and commit.trailer(ITEM) == item


def _same(root: Path, tip: str, tree: str, text: str) -> str:
    """The tip, if it is this very result: a run that was killed right after its hand-back asks again."""
    there = _read_commit(root, tip)
    return tip if there.tree == tree and there.message == text else ""


def _parents(root: Path, head: str, tip: str) -> tuple[str, ...]:
    """Both, when neither leads to the other: then the branch still merges into the user's as just its own change."""
    if not tip or _leads_to(root, tip, head):
        return (head,)
    return (tip,) if _leads_to(root, head, tip) else (tip, head)


def _leads_to(root: Path, ancestor: str, commit: str) -> bool:
    try:
        git("merge-base", "--is-ancestor", ancestor, commit, cwd=root)
    except ToolFailed as error:
        if error.returncode == 1:
            return False
        raise
    return True


def _read_commit(root: Path, oid: str) -> _Commit:
    header, _, message = git("cat-file", "commit", oid, cwd=root).decode("utf-8", "replace").partition("\n\n")
    fields = dict(line.partition(" ")[::2] for line in reversed(header.split("\n")))
    return _Commit(tree=fields.get("tree", ""), committer=fields.get("committer", ""), message=message)


def _write_commit(root: Path, tree: str, parents_: tuple[str, ...], text: str) -> str:
    # Written as an object: the user's signing, encoding and identity settings have no say in our commit.
    who = f"{NAME} <{EMAIL}> {int(time.time())} +0000"
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents_), f"author {who}", f"committer {who}"]
    content = ("\n".join(lines) + f"\n\n{text}").encode()
    return git("hash-object", "-t", "commit", "-w", "--stdin", cwd=root, input=content).decode().strip()
