"""One commit on a branch of ours, and nothing else in the user's repository."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from trueup.act.files import FileRules
from trueup.act.handback import HandedBack, hand_back, is_item_name
from trueup.act.process import quick
from trueup.act.project import Project, find_project
from trueup.act.store import Entry, Store
from trueup.act.trees import EXECUTABLE, FILE, LINK

TEXT = b"".join(b"line %d\n" % number for number in range(1, 10))
NOT_PROVEN = "This exact tree was not the one proven"


def changed(line: int, to: bytes, text: bytes = TEXT) -> bytes:
    return text.replace(b"line %d" % line, to)


class Repository:
    """A user's repository, the store, and an agent's result."""

    def __init__(self, root: Path, base: Path) -> None:
        self.root = root
        self.store = Store(base / "store.git")
        self.index = base / "snapshot-index"
        self.home = base / "home"
        self.start = self.best = ""
        self.project = Project(root=root)

    def git(self, *args: str, stdin: bytes = b"", check: bool = True) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        program = shutil.which("git") or "git"
        return os.fsdecode(quick([program, *args], cwd=self.root, env=env, input=stdin, check=check))

    def write(self, path: str, content: bytes = TEXT) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return place

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def begin(self) -> None:
        self.project = find_project(self.root)
        self.start = self.store.snapshot(self.root, FileRules.of(self.root), index=self.index).tree
        self.best = self.start

    def agent(self, path: str, content: bytes | None, mode: str = FILE) -> None:
        entry = None if content is None else Entry(mode=mode, oid=self.store.put(content))
        self.best = self.store.edit(self.best, {path: entry})

    def hand_back(
        self, item: str = "fix", *, proven: bool = True, run: str = "run1", message: str = "Fix"
    ) -> HandedBack:
        with self.untouched():
            return hand_back(
                self.project,
                self.store,
                start=self.start,
                best=self.best,
                item=item,
                proven=proven,
                message=message,
                run=run,
            )

    def show(self, revision: str, path: str) -> bytes:
        return os.fsencode(self.git("cat-file", "blob", f"{revision}:{path}"))

    def files(self, revision: str) -> list[str]:
        return self.git("ls-tree", "-r", "-z", "--name-only", revision).rstrip("\0").split("\0")

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads/trueup").split()

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Everything is byte-identical afterwards, but for new objects and our own branches."""
        before = self._everything()
        yield
        assert self._everything() == before

    def _everything(self) -> dict[str, bytes]:
        common = Path(
            self.git("rev-parse", "--path-format=absolute", "--git-common-dir", check=False).strip() or ".git"
        )
        found: dict[str, bytes] = {}
        for top in {self.root, common}:
            for path in top.rglob("*"):
                name = str(path.relative_to(top.parent))
                if path.is_symlink():
                    found[name] = os.fsencode(os.readlink(path))
                elif path.is_file() and "/objects/" not in name and "refs/heads/trueup" not in name:
                    found[name] = path.read_bytes()
        return found


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path / "my proj", tmp_path)
    made.root.mkdir()
    made.home.mkdir()
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (made.home / ".gitconfig").write_text(
        "[user]\n\tname = User\n\temail = user@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    made.git("init", "-q")
    made.write("a.py")
    made.write("sub/b c.py")
    made.commit()
    made.begin()
    return made


def test_from_a_clean_start_the_branch_is_the_proven_tree(repo: Repository) -> None:
    repo.agent("a.py", changed(1, b"fixed"))

    back = repo.hand_back()

    assert back == HandedBack(branch="trueup/fix", commit=back.commit, note="", exact=True)
    assert repo.git("rev-parse", "trueup/fix").strip() == back.commit
    assert repo.git("rev-parse", "trueup/fix^{tree}").strip() == repo.best
    assert repo.git("rev-parse", "trueup/fix^").strip() == repo.project.head
    repo.git("fsck", "--strict")


def test_the_commit_is_ours_and_carries_the_message_and_where_it_comes_from(repo: Repository) -> None:
    repo.agent("a.py", b"fixed\n")

    repo.hand_back(message="Fix the cart – ü\n\nDetails.")

    assert repo.git("log", "-1", "--format=%an <%ae> %cn <%ce>", "trueup/fix").strip() == " ".join(
        ["trueup <trueup@localhost>"] * 2
    )
    body = repo.git("log", "-1", "--format=%B", "trueup/fix")
    assert body.startswith("Fix the cart – ü\n\nDetails.\n\n")
    trailers = repo.git("log", "-1", "--format=%(trailers:only)", "trueup/fix").split("\n")
    assert f"Trueup-Tree: {repo.best}" in trailers
    assert "Trueup-Run: run1" in trailers


def test_modes_links_removals_and_odd_names_arrive(repo: Repository) -> None:
    repo.agent("a.py", TEXT, EXECUTABLE)
    repo.agent("sub/b c.py", None)
    repo.agent("lïnk to", b"a.py", LINK)
    repo.agent('-rf/--option \n"q"', b"\0\xff")

    back = repo.hand_back()

    assert back.exact
    assert sorted(repo.files("trueup/fix")) == sorted(["a.py", "lïnk to", '-rf/--option \n"q"'])


def test_a_file_may_become_a_folder_and_a_folder_a_file(repo: Repository) -> None:
    repo.agent("a.py", None)
    repo.agent("a.py/inner", b"x")
    repo.agent("sub/b c.py", None)
    repo.agent("sub", b"y")

    assert repo.hand_back().exact
    assert repo.files("trueup/fix") == ["a.py/inner", "sub"]


def test_an_unproven_result_says_so_in_message_and_note(repo: Repository) -> None:
    repo.agent("a.py", b"better\n")

    back = repo.hand_back(proven=False)

    assert "unproven" in back.note
    assert repo.git("log", "-1", "--format=%s", "trueup/fix").strip() == "unproven: Fix"


def test_the_users_uncommitted_files_never_reach_the_branch(repo: Repository) -> None:
    repo.write("staged.py", b"staged\n")
    repo.git("add", "staged.py")
    repo.write("sub/b c.py", b"unstaged\n")
    repo.write("untracked.py", b"untracked\n")
    repo.begin()
    repo.agent("a.py", changed(1, b"fixed"))

    back = repo.hand_back()

    assert not back.exact
    assert NOT_PROVEN in back.note
    assert NOT_PROVEN in repo.git("log", "-1", "--format=%B", "trueup/fix")
    assert repo.git("diff", "--name-only", "main", "trueup/fix").split() == ["a.py"]
    assert repo.show("trueup/fix", "a.py") == changed(1, b"fixed")


def test_a_file_that_user_and_agent_both_changed_gets_only_the_agents_change(repo: Repository) -> None:
    mine = changed(1, b"user")
    repo.write("a.py", mine)
    repo.begin()
    repo.agent("a.py", changed(9, b"agent", mine))

    back = repo.hand_back()

    assert not back.exact
    assert repo.show("trueup/fix", "a.py") == changed(9, b"agent")
    assert (repo.root / "a.py").read_bytes() == mine


def test_changes_that_build_on_uncommitted_ones_make_no_branch(repo: Repository) -> None:
    repo.write("a.py", changed(5, b"user"))
    repo.begin()
    repo.agent("a.py", changed(5, b"agent"))

    back = repo.hand_back()

    assert (back.branch, back.commit) == ("", "")
    assert "a.py" in back.note
    assert "trueup apply" in back.note
    assert repo.branches() == []


def test_a_changed_file_that_the_user_never_committed_makes_no_branch(repo: Repository) -> None:
    repo.write("draft.py")
    repo.begin()
    repo.agent("draft.py", changed(1, b"agent"))

    back = repo.hand_back()

    assert back.branch == ""
    assert "draft.py" in back.note


def test_a_stash_and_other_refs_stay(repo: Repository) -> None:
    repo.write("a.py", b"stashed\n")
    repo.git("stash", "-q")
    repo.git("tag", "v1")
    repo.begin()
    repo.agent("a.py", b"fixed\n")

    assert repo.hand_back().exact
    assert "stash@{0}" in repo.git("stash", "list")


def test_no_hook_runs(repo: Repository) -> None:
    hooks = repo.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{repo.home}/ran-{name}'\n")
        (hooks / name).chmod(0o755)
    repo.agent("a.py", b"fixed\n")

    assert repo.hand_back().branch == "trueup/fix"
    assert [p.name for p in repo.home.iterdir()] == [".gitconfig"]


def test_a_split_index_signing_and_other_settings_of_the_user_do_not_disturb(repo: Repository) -> None:
    for key, value in (
        ("core.splitIndex", "true"),
        ("commit.gpgSign", "true"),
        ("gpg.program", "false"),
        ("i18n.commitEncoding", "latin1"),
        ("user.useConfigOnly", "true"),
    ):
        repo.git("config", key, value)
    repo.git("config", "--global", "--unset", "user.email")
    repo.agent("a.py", b"fixed\n")

    assert repo.hand_back(message="ü").exact
    assert repo.git("log", "-1", "--format=%s", "--encoding=UTF-8", "trueup/fix").strip() == "ü"


def test_a_detached_head_gets_its_branch(repo: Repository) -> None:
    repo.git("checkout", "-q", "--detach")
    repo.begin()
    repo.agent("a.py", b"fixed\n")

    assert repo.hand_back().exact
    assert repo.git("rev-parse", "HEAD").strip() == repo.project.head


def test_a_linked_worktree_gets_its_branch(repo: Repository, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "other", str(linked))
    inner = Repository(linked, tmp_path)
    inner.write("a.py", b"other\n")
    inner.commit()
    inner.begin()
    inner.agent("a.py", b"fixed\n")

    back = inner.hand_back()

    assert back.exact
    assert repo.git("rev-parse", "trueup/fix^").strip() == repo.git("rev-parse", "other").strip()


def test_a_subdirectory_start_still_means_the_whole_repository(repo: Repository) -> None:
    repo.project = find_project(repo.root / "sub")
    repo.agent("sub/b c.py", b"fixed\n")

    assert repo.hand_back().exact


def test_nothing_changed_makes_no_branch(repo: Repository) -> None:
    assert repo.hand_back().branch == ""
    assert repo.branches() == []


def test_a_repository_without_a_commit_has_no_branch(repo: Repository, tmp_path: Path) -> None:
    fresh = Repository(tmp_path / "fresh", tmp_path)
    fresh.root.mkdir()
    fresh.git("init", "-q")
    fresh.write("a.py")
    fresh.begin()
    fresh.agent("a.py", b"fixed\n")

    back = fresh.hand_back()

    assert back.branch == ""
    assert "commit" in back.note


def test_a_plain_folder_has_no_branch(repo: Repository, tmp_path: Path) -> None:
    plain = Repository(tmp_path / "plain", tmp_path)
    plain.root.mkdir()
    plain.write("a.py")
    plain.begin()
    plain.agent("a.py", b"fixed\n")

    back = plain.hand_back()

    assert back.branch == ""
    assert "not a git repository" in back.note


def test_our_own_branch_gets_a_commit_on_top(repo: Repository) -> None:
    repo.agent("a.py", b"first\n")
    first = repo.hand_back(proven=False)
    repo.agent("a.py", b"second\n")

    second = repo.hand_back(run="run2")

    assert second.branch == first.branch
    assert second.exact
    assert repo.git("rev-list", "trueup/fix").split() == [second.commit, first.commit, repo.project.head]


def test_on_top_of_our_own_branch_the_users_newer_commits_are_a_second_parent(repo: Repository) -> None:
    repo.agent("a.py", b"first\n")
    first = repo.hand_back()
    repo.write("newer.py")
    newer = repo.commit()
    repo.begin()
    repo.agent("a.py", b"second\n")

    second = repo.hand_back(run="run2")

    assert second.exact
    assert repo.git("log", "-1", "--format=%P", "trueup/fix").split() == [first.commit, newer]
    assert repo.git("diff", "--name-only", "main...trueup/fix").split() == ["a.py"]


def test_a_branch_that_the_user_merged_goes_on_from_their_commit(repo: Repository) -> None:
    repo.agent("a.py", b"first\n")
    repo.hand_back()
    repo.git("merge", "-q", "--no-ff", "trueup/fix")
    repo.begin()
    repo.agent("a.py", b"second\n")

    repo.hand_back(run="run2")

    assert repo.git("log", "-1", "--format=%P", "trueup/fix").split() == [repo.project.head]


def test_the_same_hand_back_again_is_the_same_commit(repo: Repository) -> None:
    repo.agent("a.py", b"fixed\n")

    assert repo.hand_back() == repo.hand_back()
    assert repo.git("rev-list", "--count", "main..trueup/fix").strip() == "1"


def test_a_branch_that_somebody_else_moved_is_left_alone(repo: Repository) -> None:
    repo.agent("a.py", b"first\n")
    repo.hand_back()
    repo.git("switch", "-q", "trueup/fix")
    repo.write("theirs.py")
    theirs = repo.commit()
    repo.git("switch", "-q", "main")
    repo.agent("a.py", b"second\n")

    second = repo.hand_back(run="run2")
    repo.agent("a.py", b"third\n")
    third = repo.hand_back(run="run3")

    assert second.branch == third.branch == "trueup/fix-2"
    assert repo.git("rev-parse", "trueup/fix").strip() == theirs
    assert repo.git("rev-parse", "trueup/fix-2^").strip() == second.commit


def test_an_amended_commit_of_ours_is_somebody_elses(repo: Repository) -> None:
    repo.agent("a.py", b"first\n")
    repo.hand_back()
    repo.git("switch", "-q", "trueup/fix")
    repo.git("commit", "-q", "--amend", "--no-edit")
    repo.git("switch", "-q", "main")
    repo.agent("a.py", b"second\n")

    assert repo.hand_back(run="run2").branch == "trueup/fix-2"


def test_another_items_branch_is_not_taken_for_ours(repo: Repository) -> None:
    repo.agent("a.py", b"first\n")
    repo.hand_back("fix-2")
    repo.git("branch", "trueup/fix")

    assert repo.hand_back("fix").branch == "trueup/fix-3"


def test_a_branch_that_is_checked_out_is_not_moved_under_the_user(repo: Repository) -> None:
    repo.agent("a.py", b"first\n")
    first = repo.hand_back()
    repo.git("switch", "-q", "trueup/fix")
    repo.begin()
    repo.agent("a.py", b"second\n")

    second = repo.hand_back(run="run2")

    assert second.branch == "trueup/fix-2"
    assert repo.git("rev-parse", "HEAD").strip() == first.commit
    assert repo.git("status", "--porcelain") == ""


def test_a_branch_that_is_an_alias_of_another_is_not_written_through(repo: Repository) -> None:
    repo.agent("a.py", b"first\n")
    first = repo.hand_back()
    repo.git("branch", "-m", "trueup/fix", "trueup/elsewhere")
    repo.git("symbolic-ref", "refs/heads/trueup/fix", "refs/heads/trueup/elsewhere")
    repo.agent("a.py", b"second\n")

    assert repo.hand_back(run="run2").branch == "trueup/fix-2"
    assert repo.git("rev-parse", "trueup/elsewhere").strip() == first.commit
    assert repo.git("symbolic-ref", "refs/heads/trueup/fix").strip() == "refs/heads/trueup/elsewhere"


def test_branches_whose_names_are_in_the_way_are_left_alone(repo: Repository) -> None:
    repo.agent("a.py", b"fixed\n")
    repo.git("branch", "trueup/fix/deeper")
    assert repo.hand_back().branch == "trueup/fix-2"
    repo.git("branch", "-D", "trueup/fix/deeper", "trueup/fix-2")
    repo.git("branch", "trueup")

    back = repo.hand_back()

    assert back.branch == ""
    assert "in the way" in back.note


@pytest.mark.parametrize("item", ["", "a..b", "x y", "a\0b", "a\nb", "-/../x", "end.lock", "a^{commit}", "@{u}"])
def test_a_name_that_cannot_be_a_branch_is_known(item: str) -> None:
    assert not is_item_name(item)


def test_a_name_that_cannot_be_a_branch_makes_none(repo: Repository) -> None:
    repo.agent("a.py", b"fixed\n")

    back = repo.hand_back("a\0b")

    assert back.branch == ""
    assert "branch name" in back.note


def test_a_name_that_looks_like_an_option_is_just_a_name(repo: Repository) -> None:
    repo.agent("a.py", b"fixed\n")

    assert repo.hand_back("--delete").branch == "trueup/--delete"
    assert repo.hand_back("größe/ä").branch == "trueup/größe/ä"


def test_with_autocrlf_the_branch_holds_normal_line_endings(repo: Repository) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.safecrlf", "true")
    crlf = TEXT.replace(b"\n", b"\r\n")
    repo.write("a.py", crlf)
    repo.git("add", "a.py")
    assert repo.git("status", "--porcelain") == ""
    repo.begin()
    repo.agent("a.py", changed(1, b"fixed", crlf))
    repo.agent("new.py", b"mixed\r\nends\n")

    back = repo.hand_back()

    assert repo.show("trueup/fix", "a.py") == changed(1, b"fixed")
    assert repo.show("trueup/fix", "new.py") == b"mixed\nends\n"
    assert not back.exact
    assert "git stores these files differently" in back.note


def test_with_autocrlf_an_uncommitted_change_elsewhere_in_the_file_still_merges(repo: Repository) -> None:
    repo.git("config", "core.autocrlf", "true")
    mine = changed(1, b"user", TEXT.replace(b"\n", b"\r\n"))
    repo.write("a.py", mine)
    repo.begin()
    repo.agent("a.py", changed(9, b"agent", mine))

    repo.hand_back()

    assert repo.show("trueup/fix", "a.py") == changed(9, b"agent")


def test_files_committed_with_carriage_returns_keep_them_under_autocrlf(repo: Repository) -> None:
    crlf = TEXT.replace(b"\n", b"\r\n")
    repo.write("a.py", crlf)
    repo.commit()
    repo.git("config", "core.autocrlf", "true")
    assert repo.git("status", "--porcelain") == ""
    repo.begin()
    repo.agent("a.py", changed(1, b"fixed", crlf))

    assert repo.hand_back().exact
    assert repo.show("trueup/fix", "a.py") == changed(1, b"fixed", crlf)


def test_a_clean_filter_of_the_user_is_applied(repo: Repository) -> None:
    repo.git("config", "--global", "filter.upper.clean", "tr a-z A-Z")
    repo.git("config", "--global", "filter.upper.smudge", "tr A-Z a-z")
    repo.write(".gitattributes", b"*.big filter=upper\n")
    repo.write("x.big", b"small\n")
    repo.commit()
    assert repo.show("HEAD", "x.big") == b"SMALL\n"
    repo.begin()
    repo.agent("x.big", b"changed\n")

    repo.hand_back()

    assert repo.show("trueup/fix", "x.big") == b"CHANGED\n"


def test_a_required_filter_that_fails_makes_no_branch_and_says_why(repo: Repository) -> None:
    repo.git("config", "filter.broken.clean", "false")
    repo.git("config", "filter.broken.required", "true")
    repo.git("config", "filter.broken.smudge", "cat")
    repo.write(".gitattributes", b"*.big filter=broken\n")
    repo.commit()
    repo.begin()
    repo.agent("x.big", b"content\n")

    back = repo.hand_back()

    assert back.branch == ""
    assert "broken" in back.note


def test_the_agents_own_attributes_switch_no_filter_on(repo: Repository) -> None:
    repo.git("config", "filter.spy.clean", f"touch '{repo.home}/ran'; cat")
    repo.agent(".gitattributes", b"* filter=spy\n")
    repo.agent("a.py", b"fixed\n")

    assert repo.hand_back().exact
    assert not (repo.home / "ran").exists()


def with_submodule(repo: Repository, tmp_path: Path) -> None:
    library = Repository(tmp_path / "library", tmp_path)
    library.root.mkdir()
    library.git("init", "-q")
    library.write("lib.py")
    library.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib")
    repo.commit()
    repo.begin()


def test_changes_inside_a_submodule_are_left_out_and_named(repo: Repository, tmp_path: Path) -> None:
    with_submodule(repo, tmp_path)
    repo.agent("a.py", b"fixed\n")
    repo.agent("lib/lib.py", b"fixed\n")

    back = repo.hand_back()

    assert repo.git("diff", "--name-only", "main", "trueup/fix").split() == ["a.py"]
    assert "lib/lib.py" in back.note
    assert NOT_PROVEN in back.note
    assert not back.exact


def test_a_submodule_that_is_not_committed_yet_is_left_out_too(repo: Repository, tmp_path: Path) -> None:
    with_submodule(repo, tmp_path)
    repo.git("reset", "-q", "--soft", "HEAD^")
    repo.begin()
    repo.agent("a.py", b"fixed\n")
    repo.agent("lib/lib.py", b"fixed\n")

    back = repo.hand_back()

    assert back.branch == "trueup/fix"
    assert "lib/lib.py" in back.note
    assert repo.git("diff", "--name-only", "main", "trueup/fix").split() == ["a.py"]


def test_only_changes_inside_a_submodule_make_no_branch(repo: Repository, tmp_path: Path) -> None:
    with_submodule(repo, tmp_path)
    repo.agent("lib/lib.py", b"fixed\n")

    back = repo.hand_back()

    assert back.branch == ""
    assert "submodule" in back.note


def test_a_clean_start_with_an_unchanged_submodule_is_exact(repo: Repository, tmp_path: Path) -> None:
    with_submodule(repo, tmp_path)
    repo.agent("a.py", b"fixed\n")
    repo.agent("sub/b c.py", None)

    assert repo.hand_back().exact


def test_a_dirty_start_with_a_submodule_is_not_exact(repo: Repository, tmp_path: Path) -> None:
    with_submodule(repo, tmp_path)
    repo.write("sub/b c.py", b"dirty\n")
    repo.begin()
    repo.agent("a.py", b"fixed\n")

    back = repo.hand_back()

    assert back.branch == "trueup/fix"
    assert not back.exact


def test_a_repository_with_another_hash_gets_its_branch(repo: Repository, tmp_path: Path) -> None:
    other = Repository(tmp_path / "sha256", tmp_path)
    other.root.mkdir()
    other.git("init", "-q", "--object-format=sha256")
    other.write("a.py")
    other.write("gone.py")
    other.commit()
    other.begin()
    other.agent("a.py", b"fixed\n")
    other.agent("gone.py", None)

    back = other.hand_back()

    assert back.exact
    assert other.show("trueup/fix", "a.py") == b"fixed\n"
    assert other.files("trueup/fix") == ["a.py"]


def test_a_commit_that_holds_the_result_already_needs_no_branch(repo: Repository) -> None:
    repo.agent("a.py", b"fixed\n")
    repo.write("a.py", b"fixed\n")
    head = repo.commit()
    repo.project = dataclasses.replace(repo.project, head=head)

    back = repo.hand_back()

    assert back.branch == ""
    assert "already" in back.note


def test_the_commit_that_the_run_started_from_is_the_parent_though_the_user_went_on(repo: Repository) -> None:
    started = repo.project.head
    repo.agent("a.py", b"fixed\n")
    repo.write("later.py")
    repo.commit()

    back = repo.hand_back()

    assert back.exact
    assert repo.git("rev-parse", "trueup/fix^").strip() == started


def test_replaced_objects_do_not_fool_the_branch(repo: Repository) -> None:
    evil = repo.git("hash-object", "-w", "--stdin", stdin=b"evil\n").strip()
    mine = changed(1, b"user")
    repo.write("a.py", mine)
    repo.begin()
    repo.git("replace", repo.git("rev-parse", "HEAD:a.py").strip(), evil)
    repo.agent("a.py", changed(9, b"agent", mine))

    repo.hand_back()
    repo.git("replace", "-d", repo.git("rev-parse", "HEAD:a.py").strip())

    assert repo.show("trueup/fix", "a.py") == changed(9, b"agent")


def test_a_repository_that_cannot_be_written_costs_the_branch_and_not_the_run(repo: Repository) -> None:
    repo.agent("a.py", b"fixed\n")
    (repo.root / ".git/refs/heads/trueup").write_text("not a folder")

    back = repo.hand_back()

    assert back.branch == ""
    assert "trueup apply" in back.note


def test_files_that_a_partial_clone_does_not_have_are_not_needed(repo: Repository) -> None:
    repo.write("far.py", b"only on the server\n")
    repo.commit()
    repo.begin()
    oid = repo.git("rev-parse", "HEAD:far.py").strip()
    (repo.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    repo.agent("a.py", b"fixed\n")

    assert repo.hand_back().exact
