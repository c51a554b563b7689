"""Where does a run start from, and where is its state kept?"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.files import FileRules
from trueup.act.git import git, git_line, z_list
from trueup.act.process import ToolFailed
from trueup.act.store import Entry, Store, Taken
from trueup.act.trees import parse_blobs, parse_tree
from trueup.errors import UnverifiableError, UsageError

_GITLINK = "160000"
_CHUNK = 64 * 1024 * 1024
"""How many bytes of another repository's files are held in memory at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    root: Path
    """The top of the working tree, or the plain folder. Absolute, without links."""
    is_repository: bool = False
    head: str | None = None
    """The commit; None without one."""
    branch: str | None = None
    """None = detached, or no repository."""
    dirty: int = 0
    """Uncommitted files, untracked ones included."""
    git_dir: Path | None = None
    """The folder that all worktrees of the repository share."""
    index: Path | None = None
    """The index file of this working tree."""
    submodules: tuple[str, ...] = ()


def find_project(directory: Path) -> Project:
    """The project that a directory belongs to. Reads only; no lock, no index refresh, no hook."""
    here = directory.resolve()
    if not here.is_dir():
        raise UsageError(f"{directory} is not a directory", do="Give the directory of a project with -C DIR.")
    root = git_line("rev-parse", "--show-toplevel", cwd=here)
    if root is None:
        if git_line("rev-parse", "--is-inside-git-dir", cwd=here):
            raise UsageError(
                f"{directory} holds no working files",
                why="it is a bare repository, or the inside of a .git folder",
                do="Start in a checkout of the project.",
            )
        if (here / ".git").exists():
            raise UsageError(f"git cannot read the repository {here}", do="`git status` there says why.")
        return Project(root=here)
    return _repository(Path(root))


def _repository(root: Path) -> Project:
    status = git("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", cwd=root, user_config=True)
    staged = z_list(git("ls-files", "-s", "-z", cwd=root))
    return Project(
        root=root,
        is_repository=True,
        head=git_line("rev-parse", "--verify", "--quiet", "HEAD^{commit}", cwd=root),
        branch=_branch(root),
        dirty=sum(not path[3:].startswith(".trueup/") for path in z_list(status)),
        git_dir=_place(root, "--git-common-dir"),
        index=_place(root, "--git-path", "index"),
        submodules=tuple(line.split("\t", 1)[1] for line in staged if line.startswith(_GITLINK)),
    )


def _branch(root: Path) -> str | None:
    name = git_line("symbolic-ref", "--quiet", "HEAD", cwd=root)
    return name.removeprefix("refs/heads/") if name else None


def _place(root: Path, *question: str) -> Path:
    answer = git_line("rev-parse", *question, cwd=root)
    return (root / (answer or ".git")).resolve()


# --- state ----------------------------------------------------------------------------------------------------


def state_root(environ: Mapping[str, str]) -> Path:
    """`$XDG_STATE_HOME/trueup`, by default `~/.local/state/trueup`. A relative value is ignored, as XDG asks."""
    given = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(given):  # noqa: PTH117 - "" is no path
        return Path(given) / "trueup"
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / ".local" / "state" / "trueup"


def project_state(project: Project, environ: Mapping[str, str]) -> Path:
    """The folder that holds all that trueup keeps about a project; created, for the user alone."""
    root = os.path.realpath(project.root)
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", project.root.name)[:40].strip("._") or "project"
    folder = state_root(environ) / f"{name}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:12]}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as problem:
        raise _unwritable(folder, str(problem)) from problem
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _unwritable(folder, "no permission to write")
    return folder


def _unwritable(folder: Path, why: str) -> UnverifiableError:
    return UnverifiableError(
        f"the state folder {folder} cannot be written",
        why=why,
        do="Make it writable, or set XDG_STATE_HOME to a folder that is.",
    )


# --- the start ------------------------------------------------------------------------------------------------


def rescue(store: Store, project: Project, rules: FileRules, run: str, *, index: Path) -> Taken:
    """Keep the checkout as it is, before anything is written: its files, and beside `index` the user's own index."""
    taken = store.snapshot(project.root, rules, index=index)
    store.keep(f"{run}/start", taken.tree)
    if project.index is not None and project.index.is_file():
        shutil.copy2(project.index, index.with_name("user-index"))
    return taken


def revision_tree(project: Project, store: Store, rev: str) -> str:
    """The files of a commit, copied into our store; of submodules what is checked out here and has the commit."""
    commit = commit_of(project, rev)
    changes = dict(_import(project.root, commit, store, ""))
    return store.edit(store.empty_tree(), changes)


def commit_of(project: Project, rev: str) -> str:
    """The commit that a revision names; a `UsageError` when there is none."""
    if not project.is_repository:
        raise UsageError(f"cannot start from {rev!r}", why=f"{project.root} is not a git repository")
    question = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
    commit = git_line(*question, cwd=project.root)
    if commit is None or not commit.isalnum():  # a range answers with several lines
        raise UsageError(f"there is no commit {rev!r} in {project.root}", do="`git log --oneline` lists the commits.")
    return commit


def _import(repository: Path, commit: str, store: Store, prefix: str) -> Iterator[tuple[str, Entry]]:
    entries = dict(parse_tree(git("ls-tree", "-r", "-z", "--full-tree", commit, cwd=repository)))
    files = {path: entry for path, entry in entries.items() if entry.mode != _GITLINK}
    ours = _copy_blobs(repository, {entry.oid for entry in files.values()}, store)
    for path, entry in files.items():
        yield prefix + path, Entry(mode=entry.mode, oid=ours[entry.oid])
    for path, entry in entries.items():
        inner = repository / path
        if entry.mode == _GITLINK and _has_commit(inner, entry.oid):
            yield from _import(inner, entry.oid, store, f"{prefix}{path}/")


def _has_commit(repository: Path, commit: str) -> bool:
    if not (repository / ".git").exists():
        return False
    try:
        git("cat-file", "-e", f"{commit}^{{commit}}", cwd=repository)
    except ToolFailed:
        return False
    return True


def _copy_blobs(repository: Path, oids: set[str], store: Store) -> dict[str, str]:
    """Their object id -> ours. The two may differ: a repository can use another hash."""
    ours: dict[str, str] = {}
    for chunk in _chunks(_sizes(repository, sorted(oids))):
        contents = parse_blobs(git("cat-file", "--batch", cwd=repository, input=_lines(chunk)))
        ours.update(zip(contents, store.put_many(list(contents.values())), strict=True))
    return ours


def _sizes(repository: Path, oids: list[str]) -> Iterator[tuple[str, int]]:
    answer = git("cat-file", "--batch-check=%(objectname) %(objectsize)", cwd=repository, input=_lines(oids))
    for line in answer.decode().splitlines():
        oid, size = line.split(" ")
        if size == "missing":
            raise UnverifiableError(f"the repository {repository} lacks the object {oid}", do="Fetch it first.")
        yield oid, int(size)


def _chunks(sizes: Iterable[tuple[str, int]]) -> Iterator[list[str]]:
    chunk: list[str] = []
    total = 0
    for oid, size in sizes:
        chunk.append(oid)
        total += size
        if total >= _CHUNK:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode()
