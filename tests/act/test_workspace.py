"""The agent's workspace: the user's history, the user's files, and nothing of the user's to break."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from trueup.act.files import FileRules
from trueup.act.process import ToolFailed, quick
from trueup.act.project import Project, find_project, rescue
from trueup.act.store import Store
from trueup.act.workspace import AgentWorkspace
from trueup.errors import UnverifiableError


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


def git(*args: str, cwd: Path, identity: bool = False) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    who = ("-c", "user.name=U", "-c", "user.email=u@example.org") if identity else ()
    local = ("-c", "protocol.file.allow=always")
    return quick(["git", *who, *local, *args], cwd=cwd, env=env).decode().rstrip("\n")


def put(root: Path, path: str, content: bytes = b"x\n") -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def files(root: Path) -> dict[str, tuple[int, bytes]]:
    found: dict[str, tuple[int, bytes]] = {}
    for folder, folders, names in os.walk(root):
        for name in [*names, *(one for one in folders if Path(folder, one).is_symlink())]:
            path = Path(folder, name)
            content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
            found[str(path.relative_to(root))] = (path.lstat().st_mode, content)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    root: Path
    project: Project
    store: Store
    start: str
    rules: FileRules
    workspace: AgentWorkspace

    def paths(self) -> set[str]:
        return set(self.store.entries(self.workspace.snapshot().tree))

    def changed(self) -> dict[str, str]:
        return {c.path: c.kind for c in self.store.diff(self.start, self.workspace.snapshot().tree)}


def set_up(root: Path, state: Path) -> Site:
    project = find_project(root)
    store = Store(state / "store")
    rules = FileRules.of(root)
    start = rescue(store, project, rules, "run", index=state / "start.index").tree
    folder = state / "work space/agent"
    workspace = AgentWorkspace.create(folder, project=project, store=store, start=start, rules=rules)
    return Site(root=root, project=project, store=store, start=start, rules=rules, workspace=workspace)


def make_repository(root: Path) -> Path:
    root.mkdir(parents=True)
    git("init", "-q", "-b", "main", cwd=root)
    put(root, ".gitignore", b"*.log\n.venv/\n")
    put(root, "src/a.py", b"one\r\n")
    put(root, "src/b.py", b"two\n")
    put(root, "old.log", b"tracked although ignored\n")
    git("add", "-A", cwd=root)
    git("add", "-f", "old.log", cwd=root)
    git("commit", "-q", "-m", "first", cwd=root, identity=True)
    return root


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A dirty checkout: staged, unstaged and untracked work, a stash, a tag, a second branch, a remote branch."""
    root = make_repository(tmp_path / "my prøject")
    git("branch", "other", cwd=root)
    git("tag", "v1", cwd=root)
    git("update-ref", "refs/remotes/origin/main", "HEAD", cwd=root)
    put(root, "src/b.py", b"stashed\n")
    git("stash", "-q", cwd=root, identity=True)
    put(root, "src/a.py", b"staged\n")
    git("add", "src/a.py", cwd=root)
    put(root, "src/a.py", b"not staged\r\n")
    put(root, "untracked/new.py", b"new\n")
    put(root, ".venv/lib.py", b"environment\n")
    return set_up(root, tmp_path / "state")


def test_the_workspace_shows_the_users_history_and_uncommitted_work(site: Site) -> None:
    work = site.workspace.path
    assert git("rev-parse", "HEAD", cwd=work) == site.project.head
    assert git("symbolic-ref", "HEAD", cwd=work) == "refs/heads/main"
    assert git("log", "--format=%s", cwd=work) == "first"
    status = git("status", "--porcelain", "-z", "--untracked-files=all", cwd=work).split("\0")
    assert [line for line in status if line] == [" M src/a.py", "?? untracked/new.py"]
    assert git("diff", "--cached", "--name-only", cwd=work) == ""
    for name in ("other", "v1", "origin/main"):
        assert git("rev-parse", name, cwd=work) == site.project.head
    git("fsck", "--strict", cwd=work)


def test_the_files_are_the_start_byte_for_byte(site: Site) -> None:
    assert site.workspace.snapshot().tree == site.start
    theirs = {path: seen for path, seen in files(site.workspace.path).items() if not path.startswith(".git/")}
    mine = {path: seen for path, seen in files(site.root).items() if not path.startswith((".git/", ".venv/"))}
    assert theirs == mine


def test_an_agent_can_commit_and_cannot_push(site: Site) -> None:
    work = site.workspace.path
    git("commit", "-qam", "by the agent", cwd=work)
    git("remote", "add", "user", str(site.root), cwd=work)
    for target in ((), ("origin",), ("user", "HEAD:refs/heads/evil"), (str(site.root), "HEAD:refs/heads/evil")):
        with pytest.raises(ToolFailed):
            git("push", *target, cwd=work)
    with pytest.raises(ToolFailed):
        git("rev-parse", "--verify", "evil", cwd=site.root)


@pytest.mark.parametrize("name", ["plain", 'with "quotes" and \\ and # and ü', "two\nlines"])
def test_the_users_objects_are_found_whatever_their_path(tmp_path: Path, name: str) -> None:
    site = set_up(make_repository(tmp_path / name), tmp_path / "state")
    assert git("log", "--format=%s", cwd=site.workspace.path) == "first"


def test_the_way_to_the_users_objects_is_readable_for_programs_that_know_no_quoting(site: Site) -> None:
    """GitPython, with which aider looks at the repository, is one of them."""
    alternates = (site.workspace.path / ".git/objects/info/alternates").read_text()
    assert alternates == f"{site.root / '.git/objects'}\n"


def test_a_detached_head_stays_detached(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "p")
    git("checkout", "-q", "--detach", cwd=root)
    site = set_up(root, tmp_path / "state")
    assert git("rev-parse", "HEAD", cwd=site.workspace.path) == site.project.head
    with pytest.raises(ToolFailed):
        git("symbolic-ref", "HEAD", cwd=site.workspace.path)


def test_a_linked_worktree_a_shallow_clone_and_another_hash_work(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "p")
    git("commit", "-q", "--allow-empty", "-m", "second", cwd=root, identity=True)
    git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"), cwd=root)
    git("clone", "-q", "--depth=1", f"file://{root}", str(tmp_path / "shallow"), cwd=tmp_path)
    (tmp_path / "sha256").mkdir()
    git("init", "-q", "--object-format=sha256", cwd=tmp_path / "sha256")
    put(tmp_path, "sha256/src/a.py", b"one\r\n")
    git("add", "-A", cwd=tmp_path / "sha256")
    git("commit", "-q", "-m", "second", cwd=tmp_path / "sha256", identity=True)
    for name in ("linked", "shallow", "sha256"):
        site = set_up(tmp_path / name, tmp_path / f"state-{name}")
        assert git("log", "-1", "--format=%s", cwd=site.workspace.path) == "second"
        assert git("status", "--porcelain", cwd=site.workspace.path) == ""
        assert (site.workspace.path / "src/a.py").read_bytes() == b"one\r\n"


@pytest.mark.parametrize("kind", ["plain folder", "repository without a commit"])
def test_without_a_commit_the_start_is_the_only_commit(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "p"
    put(root, "a.py", b"one\r\n")
    put(root, ".gitattributes", b"* text=auto eol=lf working-tree-encoding=UTF-16 filter=x\n")
    put(root, ".venv/lib.py")
    if kind != "plain folder":
        git("init", "-q", "-b", "trunk", cwd=root)
    site = set_up(root, tmp_path / "state")
    work = site.workspace.path
    assert git("rev-list", "--count", "HEAD", cwd=work) == "1"
    assert git("status", "--porcelain", cwd=work) == ""
    assert git("rev-parse", "HEAD^{tree}", cwd=work) == site.start == site.workspace.snapshot().tree
    assert git("symbolic-ref", "HEAD", cwd=work) == f"refs/heads/{'main' if kind == 'plain folder' else 'trunk'}"
    put(work, "a.py", b"changed\n")
    changed = site.workspace.snapshot().tree
    site.workspace.restore(changed)
    assert git("status", "--porcelain", cwd=work) == " M a.py"
    assert not (root / ".trueup").exists()


def test_the_users_filters_and_line_ends_hold_in_the_clone(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "p")
    git("config", "filter.up.clean", "tr a-z A-Z", cwd=root)
    git("config", "core.autocrlf", "input", cwd=root)
    put(root, ".gitattributes", b"up.txt filter=up\nsrc/a.py -text\n")
    put(root, "up.txt", b"small\n")
    git("add", "-A", cwd=root)
    git("commit", "-q", "-m", "second", cwd=root, identity=True)
    site = set_up(root, tmp_path / "state")
    assert (site.workspace.path / "up.txt").read_bytes() == b"small\n"
    assert git("status", "--porcelain", cwd=site.workspace.path) == ""


def commit(work: Path) -> None:
    put(work, "src/a.py", b"committed\n")
    git("commit", "-qam", "hidden", cwd=work)


def move(work: Path) -> None:
    git("mv", "src/b.py", "src/c.py", cwd=work)


def mode(work: Path) -> None:
    (work / "src/b.py").chmod(0o755)


def nested(work: Path) -> None:
    put(work, "nested/x.py")
    git("init", "-q", cwd=work / "nested")
    git("add", "-A", cwd=work / "nested")
    git("commit", "-q", "-m", "n", cwd=work / "nested", identity=True)


def link(work: Path) -> None:
    (work / "src/b.py").unlink()
    (work / "src/b.py").symlink_to("/etc/hostname")


def exclude(work: Path) -> None:
    put(work, ".git/info/exclude", b"*\n")
    put(work, "sneaky.py")


def ignore(work: Path) -> None:
    put(work, ".gitignore", b"*\n")
    put(work, "sneaky.py")


def flags(work: Path) -> None:
    git("update-index", "--assume-unchanged", "src/b.py", cwd=work)
    git("update-index", "--skip-worktree", "src/b.py", cwd=work)
    put(work, "src/b.py", b"changed\n")


def ignored_but_tracked(work: Path) -> None:
    put(work, "old.log", b"changed\n")


def no_git(work: Path) -> None:
    quick(["rm", "-rf", ".git"], cwd=work)
    put(work, "src/b.py", b"changed\n")


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (commit, {"src/a.py": "modified"}),
        (move, {"src/b.py": "deleted", "src/c.py": "added"}),
        (mode, {"src/b.py": "modified"}),
        (nested, {"nested/x.py": "added"}),
        (link, {"src/b.py": "modified"}),
        (exclude, {"sneaky.py": "added"}),
        (ignore, {"sneaky.py": "added", ".gitignore": "modified"}),
        (flags, {"src/b.py": "modified"}),
        (ignored_but_tracked, {"old.log": "modified"}),
        (no_git, {"src/b.py": "modified"}),
    ],
)
def test_a_change_is_seen_however_it_was_made(
    site: Site, act: Callable[[Path], None], expected: dict[str, str]
) -> None:
    act(site.workspace.path)
    assert site.changed() == expected


def test_a_change_inside_a_submodule_is_seen(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    root = make_repository(tmp_path / "p")
    git("submodule", "--quiet", "add", str(inner), "lib", cwd=root)
    git("commit", "-q", "-m", "lib", cwd=root, identity=True)
    site = set_up(root, tmp_path / "state")
    assert (site.workspace.path / "lib/src/a.py").read_bytes() == b"one\r\n"
    put(site.workspace.path, "lib/src/a.py", b"changed\n")
    assert site.changed() == {"lib/src/a.py": "modified"}
    assert git("status", "--porcelain", cwd=root) == ""


def test_restore_brings_files_and_repository_back_and_leaves_environments_alone(site: Site) -> None:
    work = site.workspace.path
    put(work, ".venv/installed.py", b"by the agent\n")
    put(work, "note.log", b"ignored\n")
    (work / ".venv/.git").mkdir()
    nested(work)
    commit(work)
    (work / "src/b.py").unlink()
    (work / "src/b.py").symlink_to(site.root)
    put(work, ".trueup/evil")
    site.workspace.restore(site.start)
    assert site.workspace.snapshot().tree == site.start
    assert (work / ".venv/installed.py").read_bytes() == b"by the agent\n"
    assert (work / "note.log").exists()
    assert not (work / "nested").exists()
    assert not (work / ".trueup").exists()
    assert git("rev-parse", "HEAD", cwd=work) == site.project.head
    assert git("status", "--porcelain", cwd=work) == " M src/a.py\n?? untracked/"


@pytest.mark.parametrize("damage", ["deleted", "file", "link", "corrupt", "locked"])
def test_restore_makes_a_broken_repository_whole(site: Site, tmp_path: Path, damage: str) -> None:
    work = site.workspace.path
    victim = put(tmp_path, "victim/precious").parent
    if damage in {"deleted", "file", "link"}:
        quick(["rm", "-rf", ".git"], cwd=work)
    if damage == "file":
        put(work, ".git", b"gitdir: /nowhere\n")
    if damage == "link":
        (work / ".git").symlink_to(victim)
    if damage == "corrupt":
        put(work, ".git/HEAD", b"\0")
        put(work, ".git/config", b"[core\n")
    if damage == "locked":
        put(work, ".git/index.lock")
        (work / ".git").chmod(0o500)
    site.workspace.restore(site.start)
    assert git("rev-parse", "HEAD", cwd=work) == site.project.head
    git("add", "-A", cwd=work)
    assert (victim / "precious").exists()


def test_restore_never_sweeps_what_the_agent_put_in_its_place(site: Site, tmp_path: Path) -> None:
    before = files(site.root)
    work = site.workspace.path
    work.rename(tmp_path / "moved")
    work.symlink_to(site.root)
    assert site.paths() == set()
    site.workspace.restore(site.start)
    assert files(site.root) == before
    assert site.workspace.snapshot().tree == site.start
    work.parent.rename(tmp_path / "parent moved")
    work.parent.symlink_to(tmp_path)
    with pytest.raises(UnverifiableError, match="moved away"):
        site.workspace.restore(site.start)


def test_files_that_the_agent_made_unreadable_are_stored_all_the_same(site: Site) -> None:
    (site.workspace.path / "src/b.py").chmod(0)
    (site.workspace.path / "untracked/new.py").chmod(0)
    (site.workspace.path / "untracked").chmod(0)
    if os.access(site.workspace.path / "src/b.py", os.R_OK):
        pytest.skip("this user reads everything")
    taken = site.workspace.snapshot()
    assert taken.odd == ()
    assert taken.tree == site.start


def test_git_tricks_in_the_workspace_run_no_code_of_theirs_and_change_nothing_of_ours(
    site: Site, tmp_path: Path
) -> None:
    """Replace refs, filters, attributes, monitors, hooks, overwritten objects, deleted refs and a gc."""
    before = files(site.root)
    work = site.workspace.path
    marker = tmp_path / "code-ran"
    script = put(tmp_path, "evil.sh", f"#!/bin/sh\ntouch '{marker}'\ncat\n".encode())
    script.chmod(0o755)
    put(work, "src/a.py", b"real change\n")
    git("commit", "-qam", "mine", cwd=work)
    git("replace", "HEAD~1", "HEAD", cwd=work)
    blob = git("rev-parse", "HEAD:src/a.py", cwd=work)
    overwritten = work / ".git/objects" / blob[:2] / blob[2:]
    overwritten.chmod(0o644)
    overwritten.write_bytes(b"garbage")
    for name in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction", "post-update"):
        put(work, f".git/hooks/{name}", script.read_bytes()).chmod(0o755)
    put(work, ".git/info/attributes", b"* filter=evil text eol=crlf diff=evil\n")
    put(work, ".gitattributes", b"* filter=evil text eol=crlf ident\n")
    for key, value in {
        "core.fsmonitor": str(script),
        "core.hooksPath": str(work / ".git/hooks"),
        "filter.evil.clean": str(script),
        "filter.evil.smudge": str(script),
        "filter.evil.process": str(script),
        "diff.evil.textconv": str(script),
        "diff.external": str(script),
        "core.alternateRefsCommand": str(script),
        "uploadpack.packObjectsHook": str(script),
        "core.worktree": str(site.root),
        "core.autocrlf": "true",
    }.items():
        quick(["git", "config", "--file", str(work / ".git/config"), key, value], cwd=work)
    quick(["rm", "-rf", ".git/refs", ".git/packed-refs", ".git/logs"], cwd=work)
    put(work, "crlf.txt", b"a\r\nb\n$Id$\n")
    raw = site.workspace.snapshot().tree
    assert site.store.read(raw, "src/a.py") == b"real change\n"
    assert site.store.read(raw, "crlf.txt") == b"a\r\nb\n$Id$\n"
    site.workspace.restore(site.start)
    site.workspace.restore(raw)
    assert (work / "crlf.txt").read_bytes() == b"a\r\nb\n$Id$\n"
    assert site.workspace.snapshot().tree == raw
    assert git("rev-parse", "HEAD", cwd=work) == site.project.head
    assert not marker.exists()
    assert files(site.root) == before


def test_the_users_repository_is_the_same_after_everything_an_agent_did_in_its_own(site: Site) -> None:
    """Content, modes, index bytes, refs, stash and configuration."""
    before = files(site.root)
    work = site.workspace.path
    git("checkout", "-q", "-b", "agents-own", cwd=work)
    git("add", "-A", cwd=work)
    git("commit", "-q", "-m", "x", cwd=work)
    git("branch", "-D", "other", cwd=work)
    git("tag", "-d", "v1", cwd=work)
    git("update-ref", "-d", "refs/heads/main", cwd=work)
    git("update-ref", "-d", "refs/remotes/origin/main", cwd=work)
    git("stash", "clear", cwd=work)
    git("config", "core.bare", "false", cwd=work)
    git("reflog", "expire", "--expire=now", "--all", cwd=work)
    git("gc", "-q", "--prune=now", cwd=work)
    git("repack", "-adq", cwd=work)
    git("reset", "-q", "--hard", "HEAD", cwd=work)
    git("clean", "-fdxq", cwd=work)
    site.workspace.snapshot()
    site.workspace.restore(site.start)
    assert files(site.root) == before
    assert git("stash", "list", cwd=site.root) != ""
    git("fsck", "--strict", cwd=site.root)


def test_a_workspace_can_be_opened_again_and_sees_what_lies_there(site: Site) -> None:
    put(site.workspace.path, "src/b.py", b"half done\n")
    again = AgentWorkspace(
        site.workspace.path,
        project=site.project,
        store=Store(site.store.path),
        start=site.start,
        rules=FileRules.from_dict(site.rules.as_dict()),
    )
    taken = again.snapshot()
    assert [change.path for change in site.store.diff(site.start, taken.tree)] == ["src/b.py"]
    again.restore(site.start)
    assert again.snapshot().tree == site.start
