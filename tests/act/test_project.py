"""Where a run starts from: every shape of checkout is recognised, and none of it is touched."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from trueup.act.files import FileRules
from trueup.act.process import quick
from trueup.act.project import Project, find_project, project_state, rescue, revision_tree, state_root
from trueup.act.store import Store
from trueup.errors import UnverifiableError, UsageError


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("state") / "store")


def git(*args: str, cwd: Path) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    identity = ("-c", "user.name=U", "-c", "user.email=u@example.org", "-c", "protocol.file.allow=always")
    return quick(["git", *identity, *args], cwd=cwd, env=env).decode().strip()


def put(root: Path, path: str, content: bytes = b"x\n") -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def repository(root: Path) -> Path:
    root.mkdir(parents=True)
    git("init", "-q", "-b", "main", cwd=root)
    put(root, "a.py", b"one\r\n")
    put(root, "sub/b.py")
    git("add", "-A", cwd=root)
    git("commit", "-q", "-m", "first", cwd=root)
    return root


def everything(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Each file below a folder with mode, mtime and bytes."""
    found: dict[str, tuple[int, int, bytes]] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            seen = path.lstat()
            content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
            found[str(path)] = (seen.st_mode, seen.st_mtime_ns, content)
    return found


def test_a_repository_is_found_from_a_folder_inside_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "my prøject")
    project = find_project(root / "sub")
    assert project == Project(
        root=root,
        is_repository=True,
        head=git("rev-parse", "HEAD", cwd=root),
        branch="main",
        dirty=0,
        git_dir=root / ".git",
        index=root / ".git/index",
    )


def test_uncommitted_and_untracked_files_are_counted_and_our_own_are_not(tmp_path: Path) -> None:
    root = repository(tmp_path / "p")
    put(root, "a.py", b"changed\n")
    put(root, "new/one")
    put(root, "new/two")
    put(root, ".trueup/runs/x")
    (root / "sub/b.py").unlink()
    assert find_project(root).dirty == 4


def test_detached_without_commit_and_linked_worktrees(tmp_path: Path) -> None:
    root = repository(tmp_path / "p")
    git("worktree", "add", "-q", "-b", "feature/x", str(tmp_path / "linked tree"), cwd=root)
    linked = find_project(tmp_path / "linked tree")
    assert (linked.root, linked.branch) == (tmp_path / "linked tree", "feature/x")
    assert linked.git_dir == root / ".git"
    assert linked.index == root / ".git/worktrees/linked-tree/index"
    git("checkout", "-q", "--detach", cwd=root)
    assert (find_project(root).branch, find_project(root).head) == (None, linked.head)
    (tmp_path / "young").mkdir()
    git("init", "-q", "-b", "trunk", cwd=tmp_path / "young")
    young = find_project(tmp_path / "young")
    assert (young.is_repository, young.head, young.branch) == (True, None, "trunk")


def test_a_tag_with_the_branchs_name_does_not_confuse_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "p")
    git("tag", "main", cwd=root)
    assert find_project(root).branch == "main"


def test_submodules_are_named(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner")
    root = repository(tmp_path / "p")
    git("submodule", "--quiet", "add", str(inner), "lib/in ner", cwd=root)
    assert find_project(root).submodules == ("lib/in ner",)


def test_a_plain_folder_is_its_own_root(tmp_path: Path) -> None:
    assert find_project(tmp_path) == Project(root=tmp_path)


def test_places_without_working_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    git("init", "-q", "--bare", cwd=tmp_path / "bare")
    put(tmp_path, "file")
    put(tmp_path, "broken/.git", b"gitdir: /nowhere\n")
    for place in ("bare", "file", "missing", "broken"):
        with pytest.raises(UsageError):
            find_project(tmp_path / place)


def test_looking_at_a_project_writes_nothing_and_runs_no_hook_or_monitor(tmp_path: Path) -> None:
    root = repository(tmp_path / "p")
    marker = tmp_path / "ran"
    script = put(tmp_path, "evil.sh", f"#!/bin/sh\ntouch '{marker}'\n".encode())
    script.chmod(0o755)
    git("config", "core.fsmonitor", str(script), cwd=root)
    put(root, ".git/hooks/post-index-change", script.read_bytes()).chmod(0o755)
    os.utime(root / "a.py", (1_500_000_000, 1_500_000_000))
    before = everything(root)
    find_project(root)
    FileRules.of(root)
    assert everything(root) == before
    assert not marker.exists()


def test_the_state_folder_is_private_and_its_name_tells_projects_apart(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
    for name in ("one/same name", "two/same name"):
        (tmp_path / name).mkdir(parents=True)
    one = project_state(find_project(tmp_path / "one/same name"), environ)
    two = project_state(find_project(tmp_path / "two/same name"), environ)
    assert one != two
    assert one.name.startswith("same_name-")
    assert one.parent == tmp_path / "state/trueup"
    assert stat.S_IMODE(one.stat().st_mode) == 0o700
    assert project_state(find_project(tmp_path / "one/same name"), environ) == one


def test_the_state_root_follows_the_environment() -> None:
    assert state_root({"XDG_STATE_HOME": "/x", "HOME": "/h"}) == Path("/x/trueup")
    assert state_root({"XDG_STATE_HOME": "relative", "HOME": "/h"}) == Path("/h/.local/state/trueup")
    assert state_root({"HOME": "/h"}) == Path("/h/.local/state/trueup")


def test_an_unwritable_state_folder_is_a_clear_error(tmp_path: Path) -> None:
    put(tmp_path, "blocked")
    with pytest.raises(UnverifiableError, match="cannot be written") as caught:
        project_state(Project(root=tmp_path), {"XDG_STATE_HOME": str(tmp_path / "blocked")})
    assert "XDG_STATE_HOME" in caught.value.do


def test_the_rescue_copy_holds_uncommitted_work_and_the_index(tmp_path: Path, store: Store) -> None:
    root = repository(tmp_path / "p")
    put(root, "a.py", b"staged\n")
    git("add", "a.py", cwd=root)
    put(root, "a.py", b"not staged\r\n")
    put(root, "untracked", b"precious\n")
    before = everything(root)
    project = find_project(root)
    index = tmp_path / "run/index"
    index.parent.mkdir()
    taken = rescue(store, project, FileRules.of(root), "run-1", index=index)
    assert store.kept("run-1") == {"run-1/start": taken.tree}
    assert store.read(taken.tree, "untracked") == b"precious\n"
    assert store.read(taken.tree, "a.py") == b"not staged\r\n"
    assert (tmp_path / "run/user-index").read_bytes() == (root / ".git/index").read_bytes()
    assert everything(root) == before


def test_another_revision_is_imported_as_it_was_committed(tmp_path: Path, store: Store) -> None:
    root = repository(tmp_path / "p")
    put(root, ".gitattributes", b"* text eol=crlf export-ignore ident\n")
    put(root, "run.sh", b"#!/bin/sh\n").chmod(0o755)
    (root / "link").symlink_to("a.py")
    put(root, "new\nline")
    put(root, "id", b"$Id$\n")
    git("add", "-A", cwd=root)
    git("commit", "-q", "-m", "second", cwd=root)
    git("tag", "v1", cwd=root)
    put(root, "a.py", b"later\n")
    project = find_project(root)
    tree = revision_tree(project, store, "v1")
    assert tree == git("rev-parse", "v1^{tree}", cwd=root)
    assert set(store.entries(revision_tree(project, store, "v1~1"))) == {"a.py", "sub/b.py"}


def test_the_submodules_of_a_revision_are_flattened(tmp_path: Path, store: Store) -> None:
    inner = repository(tmp_path / "inner")
    root = repository(tmp_path / "p")
    git("submodule", "--quiet", "add", str(inner), "lib", cwd=root)
    git("commit", "-q", "-m", "with lib", cwd=root)
    put(root, "lib/a.py", b"edited\n")
    tree = revision_tree(find_project(root), store, "HEAD")
    assert set(store.entries(tree)) == {".gitmodules", "a.py", "sub/b.py", "lib/a.py", "lib/sub/b.py"}
    assert store.read(tree, "lib/a.py") == b"one\r\n"
    assert store.read(tree, "a.py") == b"one\r\n"


def test_a_repository_with_another_hash_is_imported_too(tmp_path: Path, store: Store) -> None:
    root = tmp_path / "p"
    root.mkdir()
    git("init", "-q", "--object-format=sha256", cwd=root)
    put(root, "a.py")
    git("add", "-A", cwd=root)
    git("commit", "-q", "-m", "first", cwd=root)
    assert store.read(revision_tree(find_project(root), store, "HEAD"), "a.py") == b"x\n"


@pytest.mark.parametrize("rev", ["nothing", "--help", "-n1", "HEAD:a.py", "", "HEAD..HEAD", "@{-1}"])
def test_an_unknown_revision_is_a_usage_error(tmp_path: Path, store: Store, rev: str) -> None:
    project = find_project(repository(tmp_path / "p"))
    with pytest.raises(UsageError):
        revision_tree(project, store, rev)


def test_a_plain_folder_has_no_revisions(tmp_path: Path, store: Store) -> None:
    with pytest.raises(UsageError):
        revision_tree(Project(root=tmp_path), store, "HEAD")
