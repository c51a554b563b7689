"""Results into the checkout and out again, all or nothing."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from trueup.act.apply import Applied, Plan, apply_plan, plan_apply, show_diff, undo
from trueup.act.files import FileRules
from trueup.act.store import Entry, Store
from trueup.act.trees import EXECUTABLE, FILE, LINK
from trueup.errors import BlockedError, ConflictError

TEXT = b"".join(b"line %d\n" % number for number in range(1, 10))

State = dict[str, tuple[int, bytes]]


def state(root: Path) -> State:
    """Every file, link and folder with its mode and content."""
    found: State = {}
    for path in root.rglob("*"):
        if ".git" not in path.relative_to(root).parts:
            content = (
                os.fsencode(os.readlink(path)) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
            )
            found[str(path.relative_to(root))] = (path.lstat().st_mode, content)
    return found


@dataclass
class Checkout:
    root: Path
    store: Store
    scratch: Path
    rules: FileRules = field(default_factory=FileRules)
    start: str = ""
    best: str = ""

    def write(self, path: str, content: bytes = TEXT) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return place

    def begin(self) -> None:
        self.start = self.best = self.store.snapshot(self.root, self.rules, index=self.scratch / "index").tree

    def agent(self, path: str, content: bytes | None, mode: str = FILE) -> None:
        entry = None if content is None else Entry(mode=mode, oid=self.store.put(content))
        self.best = self.store.edit(self.best, {path: entry})

    def plan(self) -> Plan:
        index = self.scratch / "index"
        return plan_apply(self.root, self.store, self.rules, start=self.start, best=self.best, index=index)

    def apply(self) -> Applied:
        return apply_plan(self.root, self.store, self.plan(), run="run1")

    def undo(self, applied: Applied) -> None:
        undo(self.root, self.store, applied)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    (tmp_path / "proj ect").mkdir()
    made = Checkout(root=tmp_path / "proj ect", store=Store(tmp_path / "store.git"), scratch=tmp_path)
    made.write("a.py")
    made.write("sub/b.py")
    made.begin()
    return made


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """A real error of the disk: longer files cannot be written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_changes_additions_removals_modes_and_links_arrive(checkout: Checkout) -> None:
    checkout.agent("a.py", b"new\n", EXECUTABLE)
    checkout.agent("sub/b.py", None)
    checkout.agent("new/deep/ünï code.txt", b"\xff\r\n")
    checkout.agent("link", b"a.py", LINK)

    plan = checkout.plan()
    applied = apply_plan(checkout.root, checkout.store, plan, run="run1")

    assert not plan.moved_on
    assert set(applied.paths) == {"a.py", "sub/b.py", "new/deep/ünï code.txt", "link"}
    assert (checkout.root / "a.py").read_bytes() == b"new\n"
    assert os.access(checkout.root / "a.py", os.X_OK)
    assert not (checkout.root / "sub").exists()
    assert (checkout.root / "new/deep/ünï code.txt").read_bytes() == b"\xff\r\n"
    assert os.readlink(checkout.root / "link") == "a.py"
    assert applied.after_tree == checkout.best


def test_undo_brings_back_content_modes_links_and_absence(checkout: Checkout) -> None:
    checkout.write("run.sh").chmod(0o755)
    (checkout.root / "old-link").symlink_to("nowhere")
    checkout.begin()
    before = state(checkout.root)
    checkout.agent("a.py", b"new\n", EXECUTABLE)
    checkout.agent("run.sh", b"new\n", FILE)
    checkout.agent("sub/b.py", None)
    checkout.agent("old-link", b"now a file\n")
    checkout.agent("new/file", b"x")

    applied = checkout.apply()
    assert state(checkout.root) != before
    checkout.undo(applied)

    assert state(checkout.root) == before


def test_undo_asked_twice_changes_nothing_more(checkout: Checkout) -> None:
    checkout.agent("a.py", b"new\n")
    applied = checkout.apply()

    checkout.undo(applied)
    before = state(checkout.root)
    checkout.undo(applied)

    assert state(checkout.root) == before


def test_undo_is_refused_after_later_edits_and_changes_nothing(checkout: Checkout) -> None:
    checkout.agent("a.py", b"new\n")
    checkout.agent("sub/b.py", b"new\n")
    applied = checkout.apply()
    checkout.write("sub/b.py", b"edited since\n")
    before = state(checkout.root)

    with pytest.raises(ConflictError, match=r"sub/b\.py") as refused:
        checkout.undo(applied)

    assert "a.py" not in str(refused.value)
    assert state(checkout.root) == before


def test_undo_leaves_files_alone_that_were_not_applied(checkout: Checkout) -> None:
    checkout.agent("a.py", b"new\n")
    applied = checkout.apply()
    checkout.write("sub/b.py", b"edited since\n")
    checkout.write("mine.txt", b"mine\n")

    checkout.undo(applied)

    assert (checkout.root / "a.py").read_bytes() == TEXT
    assert (checkout.root / "sub/b.py").read_bytes() == b"edited since\n"
    assert (checkout.root / "mine.txt").read_bytes() == b"mine\n"


def test_an_undo_that_would_overwrite_a_new_file_is_refused(checkout: Checkout) -> None:
    checkout.agent("a.py", None)
    applied = checkout.apply()
    checkout.write("a.py", b"written since\n")

    with pytest.raises(ConflictError, match=r"a\.py"):
        checkout.undo(applied)

    assert (checkout.root / "a.py").read_bytes() == b"written since\n"


def test_a_checkout_that_moved_on_is_merged_and_said_to_be_so(checkout: Checkout) -> None:
    checkout.agent("a.py", TEXT.replace(b"line 9", b"agent"))
    checkout.write("a.py", TEXT.replace(b"line 1\n", b"user\n"))
    checkout.write("untracked.txt", b"mine\n")

    plan = checkout.plan()
    apply_plan(checkout.root, checkout.store, plan, run="run1")

    assert plan.moved_on
    merged = TEXT.replace(b"line 9", b"agent").replace(b"line 1\n", b"user\n")
    assert (checkout.root / "a.py").read_bytes() == merged
    assert (checkout.root / "untracked.txt").read_bytes() == b"mine\n"


def test_undo_after_a_merge_brings_the_users_version_back(checkout: Checkout) -> None:
    mine = TEXT.replace(b"line 1\n", b"user\n")
    checkout.agent("a.py", TEXT.replace(b"line 9", b"agent"))
    checkout.write("a.py", mine)

    checkout.undo(checkout.apply())

    assert (checkout.root / "a.py").read_bytes() == mine


def test_a_conflict_writes_nothing_and_names_the_files(checkout: Checkout) -> None:
    checkout.agent("a.py", TEXT.replace(b"line 5", b"agent"))
    checkout.agent("sub/b.py", b"fine\n")
    checkout.write("a.py", TEXT.replace(b"line 5", b"user"))
    before = state(checkout.root)

    plan = checkout.plan()
    with pytest.raises(ConflictError, match=r"a\.py") as refused:
        apply_plan(checkout.root, checkout.store, plan, run="run1")

    assert plan.conflicts == ("a.py",)
    assert "sub/b.py" not in str(refused.value)
    assert state(checkout.root) == before


def test_a_file_the_user_removed_and_the_agent_changed_is_a_conflict(checkout: Checkout) -> None:
    checkout.agent("a.py", b"agent\n")
    (checkout.root / "a.py").unlink()

    assert checkout.plan().conflicts == ("a.py",)


def test_what_the_checkout_holds_already_is_not_written_again(checkout: Checkout) -> None:
    checkout.agent("a.py", b"new\n")
    checkout.agent("sub/b.py", None)
    checkout.apply()

    plan = checkout.plan()

    assert plan.writes == ()
    assert set(plan.already) == {"a.py", "sub/b.py"}
    assert apply_plan(checkout.root, checkout.store, plan, run="run1").paths == ()


def test_an_edit_between_plan_and_apply_is_not_overwritten(checkout: Checkout) -> None:
    checkout.agent("a.py", b"agent\n")
    checkout.agent("sub/b.py", b"agent\n")
    plan = checkout.plan()
    checkout.write("sub/b.py", b"just now\n")
    before = state(checkout.root)

    with pytest.raises(ConflictError, match=r"sub/b\.py"):
        apply_plan(checkout.root, checkout.store, plan, run="run1")

    assert state(checkout.root) == before


def test_an_ignored_file_in_the_way_is_not_overwritten(checkout: Checkout) -> None:
    checkout.rules = FileRules(base=(("*.log",),))
    checkout.agent("secret.log", b"agent\n")
    checkout.write("secret.log", b"mine\n")

    assert checkout.plan().conflicts == ("secret.log",)


def test_an_error_in_the_middle_puts_everything_back(checkout: Checkout) -> None:
    checkout.write("run.sh").chmod(0o700)
    checkout.begin()
    before = state(checkout.root)
    checkout.agent("a.py", b"new\n")
    checkout.agent("fresh/deep/file", b"new\n")
    checkout.agent("run.sh", None)
    checkout.agent("sub/b.py", None)
    checkout.agent("z/too-big", b"x" * 1_000_000)
    plan = checkout.plan()

    with largest_file(100_000), pytest.raises(BlockedError, match="z/too-big"):
        apply_plan(checkout.root, checkout.store, plan, run="run1")

    assert state(checkout.root) == before


def test_an_interrupt_in_the_middle_puts_everything_back(checkout: Checkout) -> None:
    before = state(checkout.root)
    checkout.agent("a.py", b"new\n")
    checkout.agent("z/last", b"x")
    plan = checkout.plan()
    last = next(write.after.oid for write in plan.writes if write.path == "z/last" and write.after)

    class Interrupted(Store):
        def blobs(self, oids: object) -> dict[str, bytes]:
            class Contents(dict[str, bytes]):
                def __getitem__(self, oid: str) -> bytes:
                    if oid == last:
                        raise KeyboardInterrupt
                    return super().__getitem__(oid)

            return Contents(super().blobs(oids))  # type: ignore[arg-type]

    with pytest.raises(KeyboardInterrupt):
        apply_plan(checkout.root, Interrupted(checkout.store.path), plan, run="run1")

    assert state(checkout.root) == before


def test_an_apply_that_was_killed_half_way_can_be_undone(checkout: Checkout) -> None:
    before = state(checkout.root)
    checkout.agent("a.py", b"new\n")
    checkout.agent("sub/b.py", b"new\n")
    applied = checkout.apply()
    checkout.write("sub/b.py")  # as if the second write had never come

    checkout.undo(applied)

    assert state(checkout.root) == before


def test_the_trees_that_an_undo_needs_outlive_pruning(checkout: Checkout) -> None:
    checkout.agent("a.py", b"one\n")
    checkout.undo(checkout.apply())
    checkout.agent("a.py", b"two\n")
    second = checkout.apply()

    checkout.store.prune(older_than="now")
    Store(checkout.store.path).read(second.after_tree, "a.py")
    checkout.undo(second)

    assert (checkout.root / "a.py").read_bytes() == TEXT
    assert set(checkout.store.kept("run1")) >= {"run1/before-apply-1", "run1/before-apply-2"}


def test_the_rescue_copy_holds_the_users_own_changes(checkout: Checkout) -> None:
    checkout.agent("a.py", TEXT.replace(b"line 9", b"agent"))
    checkout.write("sub/b.py", b"uncommitted\n")

    checkout.apply()

    rescued = checkout.store.kept("run1")["run1/before-apply-1"]
    assert checkout.store.read(rescued, "sub/b.py") == b"uncommitted\n"
    assert checkout.store.read(rescued, "a.py") == TEXT


def test_nothing_is_written_through_a_linked_folder(checkout: Checkout, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (checkout.root / "door").symlink_to(outside)
    checkout.agent("door/file", b"agent\n")

    with pytest.raises(ConflictError, match="door/file"):
        checkout.apply()

    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("content", [b"agent\n", None])
def test_a_folder_that_became_a_link_after_the_plan_is_not_followed(
    checkout: Checkout, tmp_path: Path, content: bytes | None
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.py").write_bytes(TEXT)
    checkout.agent("sub/b.py", content)
    plan = checkout.plan()
    (checkout.root / "sub/b.py").unlink()
    (checkout.root / "sub").rmdir()
    (checkout.root / "sub").symlink_to(outside)

    with pytest.raises(ConflictError, match=r"sub/b\.py"):
        apply_plan(checkout.root, checkout.store, plan, run="run1")

    assert (outside / "b.py").read_bytes() == TEXT


def test_a_link_is_replaced_and_its_target_stays(checkout: Checkout, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    (checkout.root / "link").symlink_to(target)
    checkout.begin()
    checkout.agent("link", b"now a file\n")

    checkout.apply()

    assert (checkout.root / "link").read_bytes() == b"now a file\n"
    assert not (checkout.root / "link").is_symlink()
    assert target.read_bytes() == b"precious"


def test_files_become_folders_and_folders_files_and_back(checkout: Checkout) -> None:
    before = state(checkout.root)
    checkout.agent("a.py", None)
    checkout.agent("a.py/inner", b"x")
    checkout.agent("sub/b.py", None)
    checkout.agent("sub", b"y")

    applied = checkout.apply()

    assert (checkout.root / "a.py/inner").read_bytes() == b"x"
    assert (checkout.root / "sub").read_bytes() == b"y"
    checkout.undo(applied)
    assert state(checkout.root) == before


def test_a_folder_with_ignored_files_does_not_give_way_to_a_file(checkout: Checkout) -> None:
    checkout.rules = FileRules(base=(("*.log",),))
    checkout.write("sub/mine.log", b"mine\n")
    checkout.agent("sub/b.py", None)
    checkout.agent("sub", b"y")

    with pytest.raises(ConflictError, match="sub"):
        checkout.apply()

    assert (checkout.root / "sub/mine.log").read_bytes() == b"mine\n"


def test_a_new_folder_does_not_push_away_a_new_file_of_the_user(checkout: Checkout) -> None:
    checkout.agent("pkg/new.py", b"x")
    checkout.write("pkg", b"a file of mine\n")

    assert checkout.plan().conflicts == ("pkg/new.py",)


@pytest.mark.parametrize(
    ("before", "mode", "after"),
    [(0o600, FILE, 0o600), (0o600, EXECUTABLE, 0o700), (0o744, EXECUTABLE, 0o744), (0o750, FILE, 0o640)],
)
def test_only_execution_follows_the_result_other_permissions_stay(
    checkout: Checkout, before: int, mode: str, after: int
) -> None:
    (checkout.root / "a.py").chmod(before)
    checkout.begin()
    checkout.agent("a.py", b"new\n", mode)

    checkout.apply()

    assert (checkout.root / "a.py").stat().st_mode & 0o777 == after


@pytest.mark.parametrize("result", [None, b"target"], ids=["removed", "became-a-link"])
def test_undo_brings_back_who_may_read_a_file_that_was_gone(checkout: Checkout, result: bytes | None) -> None:
    (checkout.root / "a.py").chmod(0o600)
    checkout.begin()
    checkout.agent("a.py", result, LINK)
    before = state(checkout.root)
    applied = checkout.apply()

    checkout.undo(applied)

    assert state(checkout.root) == before


def test_no_temporary_file_is_left(checkout: Checkout) -> None:
    checkout.agent("a.py", b"new\n")

    checkout.apply()

    assert {path.name for path in checkout.root.rglob("*")} == {"a.py", "sub", "b.py"}


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml", ".vscode/tasks.json", "web/package.json", "Makefile", ".envrc", "lib/x.pth",
        "tests/conftest.py", ".husky/pre-push", ".gitattributes", ".gitmodules", ".pre-commit-config.yaml", "setup.py",
    ],
)  # fmt: skip
def test_files_that_run_by_themselves_are_listed(checkout: Checkout, path: str) -> None:
    checkout.agent(path, b"x")
    checkout.agent("src/ordinary.py", b"x")

    assert checkout.plan().risky == (path,)


def test_links_that_lead_out_of_the_project_are_listed(checkout: Checkout) -> None:
    checkout.agent("abs", b"/etc/passwd", LINK)
    checkout.agent("sub/up", b"../../x", LINK)
    checkout.agent("sub/inside", b"../a.py", LINK)

    assert checkout.plan().risky == ("abs", "sub/up")


@pytest.mark.parametrize(
    "name", [".claude", ".github", ".github/workflows", ".vscode", "web/node_modules", ".venv", "venv", ".opencode"]
)
def test_links_named_like_a_folder_that_runs_by_itself_are_listed(checkout: Checkout, name: str) -> None:
    checkout.agent(name, b"sub", LINK)
    checkout.agent("docs/latest", b"../sub", LINK)
    checkout.agent("src/venv/create.py", b"x")

    assert checkout.plan().risky == (name,)


def test_gits_index_is_not_touched(checkout: Checkout) -> None:
    (checkout.root / ".git").mkdir()
    (checkout.root / ".git/index").write_bytes(b"the user's")
    before = (checkout.root / ".git/index").stat()
    checkout.agent("a.py", b"new\n")

    checkout.apply()

    assert (checkout.root / ".git/index").stat() == before
    assert os.listdir(checkout.root / ".git") == ["index"]


def test_the_diff_is_text_of_all_or_some_files(checkout: Checkout) -> None:
    checkout.agent("a.py", TEXT.replace(b"line 5", b"caf\xe9 \xe2\x86\x92"))
    checkout.agent("sub/b.py", None)

    everything = show_diff(checkout.store, checkout.start, checkout.best)
    some = show_diff(checkout.store, checkout.start, checkout.best, ["a.py"])

    assert "-line 5\n+caf� →\n" in everything
    assert "deleted file" in everything
    assert "a.py" in some
    assert "b.py" not in some
