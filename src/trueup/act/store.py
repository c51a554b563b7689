"""Where are trees kept, byte for byte? In a bare git directory of our own that no agent works in."""

from __future__ import annotations

import functools
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from trueup.act.bounds import Bounds
from trueup.act.files import FileRules, Odd
from trueup.act.git import git, git_version, z_input
from trueup.act.process import ToolFailed
from trueup.act.removal import clear_way, never, real_folder, sweep
from trueup.act.stamps import CLOCK_STEP, Stamp, settled, stamps_of
from trueup.act.trees import Change, Entry, changed, index_line, parse_blobs, parse_changes, parse_diff, parse_tree
from trueup.errors import UnverifiableError

RAW_BYTES = "* -text -filter -ident !eol !crlf !working-tree-encoding !diff !merge\n"
"""`info/attributes` wins over every `.gitattributes`: what is stored is what lies on the disk."""

_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = true
\tautocrlf = false
\tfilemode = true
\tsymlinks = true
\tignorecase = false
\tprecomposeunicode = false
\tprotectNTFS = false
\tprotectHFS = false
\tlogAllRefUpdates = false
\tlooseCompression = 1
\tfsyncMethod = batch
[gc]
\tauto = 0
"""

_PACKED = ("-c", "core.bigFileThreshold=1", "-c", "pack.compression=1")
"""Makes git write new files into one pack instead of a file for each: a third of the CPU, and of the disk."""
_MANY = 200
"""Fewer do not earn a pack of their own: many packs are slow to search."""
_PACKS_WELL = (2, 37)
"""Older ones would make a pack for each file."""

_SMALL = 100_000
_MOST_CONTENTS = 200
"""So many small files are held in memory: the sources of failures are read again and again."""

_RETRIES = 2
"""How often a listing is taken again when files vanish or change kind under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    tree: str
    odd: tuple[Odd, ...] = ()
    """What could not be stored, and why."""
    stamps: Mapping[str, Stamp] | None = field(default=None, repr=False, compare=False)
    """How all files looked before they were read; None when one was too young to be recognised later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Memory:
    """What a folder held when we last looked. In memory only: nobody else can write it."""

    tree: str
    stamps: Mapping[str, Stamp] = field(default_factory=dict)
    """Of the files that cannot change unseen."""
    whole: bool = False
    """Those are all files of the tree."""


__all__ = ["Change", "Entry", "Store", "Taken", "never"]


class Store:
    """Trees in, the same trees out. Contract: every tree id given must come from this store."""

    def __init__(self, path: Path) -> None:
        """Open the store; create it when it is missing."""
        self.path = path
        self._entries: dict[str, dict[str, Entry]] = {}
        self._empty = ""
        # Objects never change, so that what was asked once need not be asked again.
        self._contents: dict[str, bytes] = {}
        self._diffs = functools.lru_cache(maxsize=16)(self._diff)
        self._memory: dict[Path, _Memory] = {}
        try:
            _lay_out(path)
        except OSError as problem:
            raise UnverifiableError(
                f"the store {path} cannot be written",
                why=str(problem),
                do="Make the folder writable, or set XDG_STATE_HOME to one that is.",
            ) from problem

    # --- folders ------------------------------------------------------------------------------------------

    def snapshot(self, folder: Path, rules: FileRules, *, index: Path, bounds: Bounds | None = None) -> Taken:
        """Store what lies in the folder. `index` names the folder's cache: a scratch file of git, never trusted.

        `bounds` limits what may have changed since this store last wrote or saw the folder.
        """
        _unlinked(index)
        for _ in range(_RETRIES):
            try:
                return self._snapshot(folder, rules, index, bounds)
            except ToolFailed:
                self._memory.pop(index, None)  # a file changed kind meanwhile, or a remembered object is gone
        return self._snapshot(folder, rules, index, bounds)

    def _snapshot(self, folder: Path, rules: FileRules, index: Path, bounds: Bounds | None) -> Taken:
        now = time.time_ns()
        walk = rules.walk(folder)
        known = self._memory.get(index) or _Memory(tree=self.empty_tree())
        if known.whole and known.stamps == walk.stamps:
            return Taken(tree=known.tree, odd=walk.odd, stamps=walk.stamps)
        fresh = [path for path in walk.paths if known.stamps.get(path) != walk.stamps[path]]
        if bounds and index in self._memory:
            bounds.check(folder, fresh, walk.stamps)
        gone = self.entries(known.tree).keys() - walk.stamps.keys()
        tree = self._update(known.tree, folder, index, fresh, gone) if fresh or gone else known.tree
        stamps = settled(walk.stamps, now)
        whole = len(stamps) == len(walk.stamps)
        self._memory[index] = _Memory(tree=tree, stamps=stamps, whole=whole)
        return Taken(tree=tree, odd=walk.odd, stamps=walk.stamps if whole else None)

    def _update(self, tree: str, folder: Path, index: Path, fresh: Sequence[str], gone: Iterable[str]) -> str:
        """The tree with some files read again. They leave the index first, so that git has no time to trust."""
        self._git("read-tree", tree, index=index)
        stale = [*self.entries(tree).keys() & set(fresh), *gone]
        self._on(folder, index, "update-index", "-z", "--force-remove", "--stdin", names=stale)
        packed = _PACKED if len(fresh) >= _MANY and git_version() >= _PACKS_WELL else ()
        self._on(folder, index, *packed, "update-index", "-z", "--add", "--remove", "--stdin", names=fresh)
        return self._derived(tree, self._git("write-tree", index=index).decode().strip())

    def write(self, tree: str, folder: Path, *, index: Path, keep: Callable[[str], bool] = never) -> None:
        """Make the folder hold exactly this tree, and besides it only what `keep` names and a `.git` at the top."""
        _unlinked(index)
        real_folder(folder)
        wanted = self.entries(tree)
        sweep(folder, wanted, keep)
        known = self._memory.pop(index, None) or _Memory(tree=self.empty_tree())
        before, stamps = self.entries(known.tree), stamps_of(folder, wanted)
        kept = {
            path: stamp
            for path, stamp in stamps.items()
            if known.stamps.get(path) == stamp and before.get(path) == wanted[path]
        }
        fresh = self._check_out(tree, [path for path in wanted if path not in kept], folder, index)
        stamps = {**kept, **fresh}
        self._memory[index] = _Memory(tree=tree, stamps=stamps, whole=len(stamps) == len(wanted))

    def write_paths(self, paths: Iterable[str], folder: Path, *, index: Path) -> None:
        """Write single files again, as the tree of the last `write` or `snapshot` with this index has them."""
        known = self._memory[index]
        fresh = self._check_out(known.tree, sorted(paths), folder, index)
        self._memory[index] = replace(known, stamps={**known.stamps, **fresh})

    def _check_out(self, tree: str, paths: Sequence[str], folder: Path, index: Path) -> dict[str, Stamp]:
        if not paths:
            return {}
        for path in paths:
            clear_way(folder, path)
        self._git("read-tree", tree, index=index)
        self._on(folder, index, "checkout-index", "-f", "-q", "-z", "--stdin", names=paths)
        time.sleep(CLOCK_STEP / 1e9)
        return stamps_of(folder, paths)

    def _on(self, folder: Path, index: Path, *args: str, names: Sequence[str]) -> None:
        if names:
            self._git(*args, work_tree=folder, index=index, cwd=folder, feed=z_input(list(names)))

    # --- trees and blobs ----------------------------------------------------------------------------------

    def entries(self, tree: str) -> dict[str, Entry]:
        """Path -> entry of every file and link. A copy: callers may change it."""
        if tree not in self._entries:
            self._know(tree, dict(parse_tree(self._git("ls-tree", "-r", "-z", "--full-tree", tree))))
        return dict(self._entries[tree])

    def _know(self, tree: str, entries: dict[str, Entry]) -> None:
        if len(self._entries) >= 8:  # noqa: PLR2004 - start, best, tip, candidate and a few more
            self._entries.clear()
        self._entries[tree] = entries

    def _derived(self, old: str, new: str) -> str:
        """The new tree, known as the old one with a few changes: that is quicker than to list it anew."""
        before = self._entries.get(old)
        if before and new not in self._entries:
            output = self._git("diff-tree", "-r", "-z", "--raw", "--no-renames", old, new)
            self._know(new, changed(before, parse_changes(output.split(b"\0"))))
        return new

    def read(self, tree: str, path: str) -> bytes | None:
        """The bytes of a file, or the target of a link; None when the tree has no such path."""
        entry = self.entries(tree).get(path)
        return None if entry is None else self._content(entry.oid)

    def _content(self, oid: str) -> bytes:
        known = self._contents.get(oid)
        if known is not None:
            return known
        content = self._git("cat-file", "blob", oid)
        if len(content) <= _SMALL:
            if len(self._contents) >= _MOST_CONTENTS:
                self._contents.clear()
            self._contents[oid] = content
        return content

    def blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """Object id -> content, read in one go."""
        asked = sorted(set(oids))
        if not asked:
            return {}
        return parse_blobs(self._git("cat-file", "--batch", feed="".join(f"{oid}\n" for oid in asked).encode()))

    def put(self, content: bytes) -> str:
        return self._git("hash-object", "-w", "--no-filters", "--stdin", feed=content).decode().strip()

    def put_many(self, contents: Sequence[bytes]) -> list[str]:
        """Object ids in the same order."""
        feed = b"".join(
            b"blob\nmark :%d\ndata %d\n%s\nget-mark :%d\n" % (number, len(content), content, number)
            for number, content in enumerate(contents, 1)
        )
        return self._git("fast-import", "--quiet", "--cat-blob-fd=1", feed=feed).decode().split()

    def edit(self, tree: str, changes: Mapping[str, Entry | None]) -> str:
        """The tree with some paths replaced, added, or (None) removed; they win over what stands in their way."""
        if not changes:
            return tree
        lines = [index_line(path, entry) for path, entry in changes.items() if entry is None]
        lines += [index_line(path, entry) for path, entry in changes.items() if entry is not None]
        with tempfile.TemporaryDirectory(dir=self.path, prefix="edit-") as scratch:
            index = Path(scratch) / "index"
            self._git("read-tree", tree, index=index)
            self._git("update-index", "-z", "--index-info", index=index, feed=b"".join(lines))
            return self._derived(tree, self._git("write-tree", index=index).decode().strip())

    def empty_tree(self) -> str:
        if not self._empty:
            self._empty = self._git("mktree").decode().strip()
            self._know(self._empty, {})
        return self._empty

    # --- differences --------------------------------------------------------------------------------------

    def diff(self, a: str, b: str) -> tuple[Change, ...]:
        """What leads from `a` to `b`, by path. A moved file is one deleted and one added."""
        return self._diffs(a, b)

    def _diff(self, a: str, b: str) -> tuple[Change, ...]:
        options = ("-r", "-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv")
        return tuple(parse_diff(self._git("diff-tree", *options, a, b)))

    def patch(self, a: str, b: str, paths: Sequence[str] = ()) -> bytes:
        """A patch that `git apply` understands; of everything, or of some paths."""
        options = ("-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
        return self._git("diff-tree", *options, a, b, "--", *paths)

    # --- keeping ------------------------------------------------------------------------------------------

    def keep(self, name: str, tree: str) -> None:
        """Hold on to a tree under `name` until it is forgotten."""
        self._git("update-ref", "--end-of-options", f"refs/trueup/{name}", tree)

    def kept(self, prefix: str = "") -> dict[str, str]:
        """Name -> tree of all that is kept under the prefix (whole path components)."""
        where = f"refs/trueup/{prefix}".rstrip("/")
        lines = self._git("for-each-ref", "--format=%(objectname) %(refname)", where).decode().splitlines()
        pairs = (line.split(" ", 1) for line in lines)
        return {name.removeprefix("refs/trueup/"): tree for tree, name in pairs}

    def forget(self, prefix: str) -> None:
        """Let go of all that is kept under the prefix; `prune` frees the space."""
        feed = "".join(f"delete refs/trueup/{name}\0\0" for name in self.kept(prefix))
        self._git("update-ref", "-z", "--stdin", feed=feed.encode())

    def prune(self, *, older_than: str = "1.day.ago") -> None:
        """Free what nothing keeps. Young objects stay: another run may be about to keep them."""
        if any((self.path / "objects" / "pack").glob("*.pack")):
            unpack = f"--unpack-unreachable={older_than}"
            self._git("-c", "pack.window=0", "repack", "-A", "-d", "--quiet", unpack)  # no window: nothing is compared
        self._git("prune", f"--expire={older_than}")
        self._git("prune-packed", "--quiet")

    def _git(
        self,
        *args: str,
        work_tree: Path | None = None,
        index: Path | None = None,
        cwd: Path | None = None,
        feed: bytes = b"",
    ) -> bytes:
        return git(*args, git_dir=self.path, work_tree=work_tree, index=index, cwd=cwd, input=feed)


# --- layout of the store ----------------------------------------------------------------------------------------


def _unlinked(index: Path) -> None:
    """A link in the place of our scratch file would make git write to what it points to."""
    if index.is_symlink():
        index.unlink()


def _lay_out(path: Path) -> None:
    """Write the few files that make a bare repository; no template and no hook comes along."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)
    for folder in ("objects/info", "objects/pack", "refs/trueup", "info"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    for name, text in (("config", _CONFIG), ("info/attributes", RAW_BYTES), ("HEAD", "ref: refs/heads/none\n")):
        _write_whole(path / name, text)


def _write_whole(path: Path, text: str) -> None:
    if path.exists() and path.read_text() == text:
        return
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.write_text(text)
    fresh.replace(path)
