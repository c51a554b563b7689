"""A branch is pushed where the user's own push would go, never by force, and only what others have may be its base."""

import os
import subprocess
from pathlib import Path

import pytest

from trueup.act.process import ToolFailed
from trueup.act.publish import Remote, is_known_there, is_published, push, push_remote

IDENTITY = ("-c", "user.name=me", "-c", "user.email=me@example.com")


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, text: str) -> str:
    (folder / "file.txt").write_text(text)
    git(folder, "add", ".")
    git(folder, *IDENTITY, "commit", "-qm", text)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    return tmp_path / "remote.git"


@pytest.fixture
def root(tmp_path: Path, remote: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main", "project")
    project = tmp_path / "project"
    git(project, "remote", "add", "origin", str(remote))
    commit(project, "first")
    git(project, "push", "-q", "origin", "main")
    return project


ORIGIN = Remote(name="origin")


def test_a_folder_of_this_machine_names_no_owner(root: Path) -> None:
    assert push_remote(root, "main") == ORIGIN


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/acme/shop",
        "https://github.com/acme/shop.git",
        "https://me:secret@github.com/acme/shop.git/",
        "git@github.com:acme/shop.git",
        "ssh://git@github.com:22/acme/shop",
    ],
)
def test_the_owner_is_read_from_the_address(root: Path, address: str) -> None:
    git(root, "remote", "set-url", "origin", address)
    assert push_remote(root, "main") == Remote(name="origin", owner="acme", repository="shop")


def test_the_user_s_own_settings_decide_where_to(root: Path) -> None:
    git(root, "remote", "add", "fork", "git@github.com:me/shop.git")
    assert push_remote(root, "main") == ORIGIN
    git(root, "config", "branch.main.remote", "fork")
    assert push_remote(root, "main") == Remote(name="fork", owner="me", repository="shop")
    git(root, "config", "remote.pushDefault", "origin")
    assert push_remote(root, "main") == ORIGIN
    git(root, "config", "branch.main.pushRemote", "fork")
    named = push_remote(root, "main")
    assert named is not None
    assert named.name == "fork"
    assert push_remote(root, None) == ORIGIN


def test_where_nothing_is_clear_nothing_is_pushed(root: Path) -> None:
    git(root, "remote", "rename", "origin", "a")
    assert push_remote(root, "topic") == Remote(name="a")  # the only one
    git(root, "remote", "add", "b", "git@github.com:me/shop.git")
    assert push_remote(root, "topic") is None
    for name in ("a", "b"):
        git(root, "remote", "remove", name)
    assert push_remote(root, "topic") is None


def test_a_commit_is_published_when_a_branch_there_holds_it(root: Path) -> None:
    first = git(root, "rev-parse", "HEAD")
    second = commit(root, "second")
    assert is_published(root, ORIGIN, first)
    assert not is_published(root, ORIGIN, second)
    assert not is_published(root, ORIGIN, "0" * 40)
    assert not is_published(root, Remote(name="other"), first)
    assert is_known_there(root, ORIGIN, "main")
    assert not is_known_there(root, ORIGIN, "topic")


def test_a_push_takes_the_branch_and_nothing_else(root: Path, remote: Path) -> None:
    git(root, *IDENTITY, "tag", "-a", "-m", "x", "v1")
    git(root, "config", "push.followTags", "true")
    git(root, "branch", "trueup/a")
    hook = root / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert push(root, ORIGIN, "trueup/a", ("trueup/a",), os.environ, gh=None) == "trueup/a"
    refs = git(remote, "for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/main", "refs/heads/trueup/a"]
    assert push(root, ORIGIN, "trueup/a", ("trueup/a",), os.environ, gh=None) == "trueup/a"  # once more does no harm


def test_what_is_there_is_never_overwritten(root: Path, remote: Path) -> None:
    git(root, "branch", "trueup/a")
    commit(root, "theirs")
    git(root, "push", "-q", "origin", "main:trueup/a")
    theirs = git(remote, "rev-parse", "trueup/a")
    git(root, "checkout", "-q", "trueup/a")
    mine = commit(root, "mine")
    name = push(root, ORIGIN, "trueup/a", ("trueup/a", "trueup/a-00aa11"), os.environ, gh=None)
    assert name == "trueup/a-00aa11"
    assert git(remote, "rev-parse", "trueup/a") == theirs
    assert git(remote, "rev-parse", "trueup/a-00aa11") == mine
    with pytest.raises(ToolFailed):
        push(root, ORIGIN, "trueup/a", ("trueup/a",), os.environ, gh=None)


def test_a_server_that_refuses_is_not_asked_under_another_name(root: Path, remote: Path) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho asked >> asked\necho protected branch >&2\nexit 1\n")
    hook.chmod(0o755)
    git(root, "branch", "trueup/a")
    with pytest.raises(ToolFailed) as failed:
        push(root, ORIGIN, "trueup/a", ("trueup/a", "trueup/a-2"), os.environ, gh=None)
    assert "protected branch" in failed.value.why
    assert (remote / "asked").read_text() == "asked\n"
