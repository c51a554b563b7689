"""Where does an agent work? In a repository of its own that shares nothing writable with the user's."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from trueup.act.bounds import Bounds
from trueup.act.files import UNREADABLE, FileRules, Odd
from trueup.act.git import git, git_line, z_input, z_list
from trueup.act.project import Project
from trueup.act.removal import real_folder, remove
from trueup.act.store import RAW_BYTES, Store, Taken
from trueup.errors import UnverifiableError

_CONFIG = """\
[user]
\tname = trueup agent
\temail = agent@trueup.invalid
[commit]
\tgpgsign = false
[tag]
\tgpgsign = false
[gc]
\tauto = 0
[url "no-push://disabled/"]
\tpushInsteadOf = ""
"""
"""The empty `pushInsteadOf` matches every address, so that no push leaves the workspace."""

_SHARED_SETTINGS = r"^(core\.(autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|precomposeunicode)|filter\..*)$"
"""What git needs in order to see the files as the user's own repository sees them."""

BOUNDS = Bounds()
"""What one attempt may leave."""

_LOCKED_LEVELS = 10
"""How many locked folders inside each other are opened; deeper ones are reported as unreadable."""


class AgentWorkspace:
    """The agent's own copy of the project. `create` makes it; the constructor opens one that exists.

    No git command of ours ever runs with the workspace's `.git`, except while it is being built: an agent may
    have put anything there.
    """

    def __init__(self, folder: Path, *, project: Project, store: Store, start: str, rules: FileRules) -> None:
        self._folder = folder
        self._parent = os.path.realpath(folder.parent)
        self._index = folder.with_name(f"{folder.name}.index")
        self._project = project
        self._store = store
        self._start = start
        self._rules = rules

    @classmethod
    def create(cls, folder: Path, *, project: Project, store: Store, start: str, rules: FileRules) -> AgentWorkspace:
        """A workspace that holds the start: HEAD is the user's, uncommitted work lies uncommitted on top."""
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        workspace = cls(folder, project=project, store=store, start=start, rules=rules)
        workspace.restore(start)
        return workspace

    @property
    def path(self) -> Path:
        return self._folder

    def snapshot(self) -> Taken:
        """Store what the agent left, files it made unreadable included."""
        self._check_place()
        taken = self._store.snapshot(self._folder, self._rules, index=self._index, bounds=BOUNDS)
        for _ in range(_LOCKED_LEVELS):
            locked = [odd for odd in taken.odd if odd.why == UNREADABLE]
            if not locked:
                break
            for odd in locked:
                _unlock(self._folder, odd)
            taken = self._store.snapshot(self._folder, self._rules, index=self._index, bounds=BOUNDS)
        return taken

    def restore(self, tree: str) -> None:
        """Bring the files to `tree` and build the repository anew. Ignored files, such as environments, stay."""
        self._check_place()
        remove(self._folder / ".git")
        if self._project.head is None:
            self._write(self._start)
            _build_fresh(self._folder, self._project, self._rules, list(self._store.entries(self._start)))
        else:
            _build_clone(self._folder, self._project, self._project.head, self._rules)
        self._write(tree)

    def _write(self, tree: str) -> None:
        ignored = self._rules.ignored_in(self._folder)

        def keep(path: str) -> bool:
            parts = path.split("/")
            return ".git" not in parts and parts[0] != ".trueup" and ignored(path)

        self._store.write(tree, self._folder, index=self._index, keep=keep)

    def _check_place(self) -> None:
        if os.path.realpath(self._folder.parent) != self._parent:
            raise UnverifiableError(
                f"the workspace {self._folder} was moved away",
                why=f"{self._folder.parent} is no longer {self._parent}",
                do="Look at what the agent did before you start again.",
            )
        real_folder(self._folder)


def _unlock(folder: Path, odd: Odd) -> None:
    path = folder / odd.path
    if not path.is_symlink():
        path.chmod(stat.S_IMODE(path.lstat().st_mode) | stat.S_IRUSR | (stat.S_IXUSR if path.is_dir() else 0))


# --- building the repository ------------------------------------------------------------------------------------


def _build_clone(folder: Path, project: Project, head: str, rules: FileRules) -> None:
    """What `git clone --shared` makes, without a transport, a hook or a remote: objects are read from the user's."""
    root = project.root
    theirs = git_line("rev-parse", "--git-path", "objects", cwd=root) or ".git/objects"
    object_format = git_line("rev-parse", "--show-object-format", cwd=root) or "sha1"
    ours = _init(folder, rules, object_format)
    _write_bytes(ours / "objects/info/alternates", _quoted(os.fsencode((root / theirs).resolve())))
    _write_bytes(ours / "packed-refs", _refs(root))
    _copy_settings(root, ours)
    _copy_if_there(project, "info/attributes", ours)
    _copy_if_there(project, "shallow", ours)
    _point_head(ours, head, project.branch)
    git("read-tree", head, git_dir=ours)


def _build_fresh(folder: Path, project: Project, rules: FileRules, names: list[str]) -> None:
    """A repository whose only commit is the start, stored byte for byte."""
    ours = _init(folder, rules, "sha1")
    _write_bytes(ours / "info/attributes", RAW_BYTES.encode())
    git("update-index", "-z", "--add", "--stdin", git_dir=ours, work_tree=folder, cwd=folder, input=z_input(names))
    tree = git("write-tree", git_dir=ours).decode().strip()
    commit = git("commit-tree", "-m", "The project as it is", tree, git_dir=ours).decode().strip()
    branch = project.branch or "main"
    git("update-ref", "--end-of-options", f"refs/heads/{branch}", commit, git_dir=ours)
    _point_head(ours, commit, branch)


def _init(folder: Path, rules: FileRules, object_format: str) -> Path:
    ours = folder / ".git"
    git("init", "--quiet", "--template=", f"--object-format={object_format}", os.fspath(folder), cwd=folder)
    with (ours / "config").open("a") as config:
        config.write(_CONFIG)
    lines = [line for lines in rules.base for line in lines]
    _write_bytes(ours / "info/exclude", b"".join(os.fsencode(line) + b"\n" for line in (*lines, "/.trueup/")))
    return ours


def _point_head(ours: Path, commit: str, branch: str | None) -> None:
    _write_bytes(ours / "HEAD", os.fsencode(f"ref: refs/heads/{branch}" if branch else commit) + b"\n")


def _refs(root: Path) -> bytes:
    """Branches, remote branches and tags, in the format of `packed-refs`. A stash stays the user's own."""
    where = ("refs/heads", "refs/remotes", "refs/tags")
    return git("for-each-ref", "--format=%(objectname) %(refname)", *where, cwd=root)


def _copy_settings(root: Path, ours: Path) -> None:
    found = git("config", "--local", "--includes", "-z", "--get-regexp", _SHARED_SETTINGS, cwd=root, check=False)
    for pair in z_list(found):
        name, _, value = pair.partition("\n")
        git("config", "--file", os.fspath(ours / "config"), "--add", name, value, cwd=ours)


def _copy_if_there(project: Project, name: str, ours: Path) -> None:
    theirs = git_line("rev-parse", "--git-path", name, cwd=project.root)
    if theirs and (project.root / theirs).is_file():
        shutil.copyfile(project.root / theirs, ours / name)


def _quoted(path: bytes) -> bytes:
    """An absolute path in `alternates`, as git's C-style quoting writes it if there is a line end in it.

    Otherwise as it is: GitPython, which agents use, does not take the quotes off.
    """
    if b"\n" not in path:
        return path + b"\n"
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"\n'


def _write_bytes(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
