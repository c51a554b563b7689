"""The store gives back the bytes, modes and links that it was given, whatever git attributes say."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from trueup.act.files import FileRules
from trueup.act.git import git_version
from trueup.act.process import ToolFailed, quick
from trueup.act.store import Entry, Store
from trueup.act.trees import EXECUTABLE, FILE, LINK
from trueup.errors import UnverifiableError

EVERYTHING = FileRules()

CONTENTS = {
    "crlf.txt": b"one\r\ntwo\r\n",
    "mixed.txt": b"one\r\ntwo\nthree\r",
    "bom.txt": b"\xef\xbb\xbfhello\n",
    "utf16.txt": "grüße\r\n".encode("utf-16"),
    "latin1.txt": b"caf\xe9\n",
    "ident.c": b"$Id$ $Id: 0123 $\n",
    "empty": b"",
    "no-newline": b"end",
    "nul.bin": bytes(range(256)) * 3,
    "sub folder/ünï cödé.txt": b"x\n",
    "new\nline.txt": b"y\n",
    "-dash": b"z\n",
    'quo"te\\back\ttab': b"q\n",
    os.fsdecode(b"bad\xff\xfename"): b"bad\n",
    "deep/er/and/deeper/file": b"deep\n",
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state" / "store")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def put(root: Path, path: str, content: bytes = b"x\n") -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def seen(root: Path) -> dict[str, tuple[str, bytes]]:
    """Everything under a folder: kind and executable bit, and content or link target."""
    found: dict[str, tuple[str, bytes]] = {}
    for folder, _, _ in os.walk(root):
        for entry in os.scandir(folder):
            name = os.path.relpath(entry.path, root)
            if entry.is_symlink():
                found[name] = ("link", os.fsencode(os.readlink(entry.path)))
            elif entry.is_file():
                runs = entry.stat().st_mode & stat.S_IXUSR
                found[name] = ("program" if runs else "file", Path(entry.path).read_bytes())
            elif entry.is_dir():
                found[name] = ("folder", b"")
    return found


def take(store: Store, work: Path, rules: FileRules = EVERYTHING) -> str:
    return store.snapshot(work, rules, index=store.path.parent / "work.index").tree


def fill(work: Path) -> None:
    for path, content in CONTENTS.items():
        put(work, path, content)
    put(work, "tool.sh", b"#!/bin/sh\r\n").chmod(0o755)
    (work / "dangling").symlink_to("nowhere/at all")
    (work / "outside").symlink_to("/etc/passwd")
    (work / "to_folder").symlink_to("deep")
    (work / "linked-bytes").symlink_to(os.fsdecode(b"bad\xff"))


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        "* text=auto eol=lf\n",
        "* text eol=crlf ident working-tree-encoding=UTF-16\n",
        "* filter=evil diff=evil merge=evil -diff\n[attr]text filter=evil\n",
        "* crlf=input\n*.txt -text binary\n",
    ],
)
def test_bytes_out_are_bytes_in_whatever_the_attributes_say(
    store: Store, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attributes: str
) -> None:
    marker = tmp_path / "filter-ran"
    home = tmp_path / "home"
    put(home, ".gitattributes", attributes.encode())
    evil = f"touch {marker}; cat"
    put(
        home,
        ".gitconfig",
        f"[core]\n\tautocrlf = true\n\tattributesFile = {home}/.gitattributes\n"
        f'[filter "evil"]\n\tclean = "{evil}"\n\tsmudge = "{evil}"\n\trequired = true\n'.encode(),
    )
    monkeypatch.setenv("HOME", str(home))
    fill(work)
    if attributes:
        put(work, ".gitattributes", attributes.encode())
        put(work, "deep/.gitattributes", attributes.replace("[attr]text filter=evil\n", "").encode())
    tree = take(store, work)
    store.write(tree, tmp_path / "out", index=tmp_path / "out.index")
    assert seen(tmp_path / "out") == seen(work)
    assert not marker.exists()


def test_a_second_write_of_another_tree_leaves_nothing_of_the_first(store: Store, work: Path, tmp_path: Path) -> None:
    fill(work)
    first = take(store, work)
    expected = seen(work)
    for path in ("crlf.txt", "tool.sh", "to_folder"):
        (work / path).unlink()
    put(work, "crlf.txt/now/a/folder")
    put(work, "fresh")
    (work / "deep/er/and/deeper/file").unlink()
    for folder in ("deep/er/and/deeper", "deep/er/and", "deep/er", "deep"):
        (work / folder).rmdir()
    put(work, "deep", b"now a file\n")
    (work / "no-newline").chmod(0o755)
    second = take(store, work)
    out, index = tmp_path / "out", tmp_path / "out.index"
    store.write(first, out, index=index)
    store.write(second, out, index=index)
    assert seen(out) == seen(work)
    store.write(first, out, index=index)
    assert seen(out) == expected


def test_the_same_files_are_the_same_tree_and_any_difference_is_another(store: Store, work: Path) -> None:
    put(work, "a", b"1\n")
    first = take(store, work)
    (work / "a").chmod(0o755)
    executable = take(store, work)
    (work / "a").chmod(0o644)
    assert take(store, work) == first
    (work / "a").unlink()
    (work / "a").symlink_to("1\n")
    link = take(store, work)
    assert len({first, executable, link}) == 3
    assert store.entries(link)["a"].mode == LINK
    assert store.entries(executable)["a"].mode == EXECUTABLE


@pytest.mark.parametrize("way", ["write", "replace", "rename over"])
def test_a_change_is_seen_although_size_and_time_were_put_back(store: Store, work: Path, way: str) -> None:
    target = put(work, "a.py", b"assert 1 == 1\n")
    os.utime(target, (1_000_000_000, 1_000_000_000))
    before = take(store, work)
    if way == "write":
        target.write_bytes(b"assert 1 == 2\n")
    else:
        fresh = put(work, "fresh", b"assert 1 == 2\n")
        os.utime(fresh, (1_000_000_000, 1_000_000_000))
        if way == "replace":
            target.unlink()
        fresh.rename(target)
    os.utime(target, (1_000_000_000, 1_000_000_000))
    after = take(store, work)
    assert store.read(after, "a.py") == b"assert 1 == 2\n"
    assert before != after


def test_files_of_a_nested_repository_are_plain_files(store: Store, work: Path) -> None:
    put(work, "a")
    take(store, work)
    inner = work / "inner"
    inner.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(work)}
    quick(["git", "init", "-q"], cwd=inner, env=env)
    put(inner, "evil.py")
    identity = ("-c", "user.name=U", "-c", "user.email=u@example.org")
    quick(["git", *identity, "commit", "-q", "--allow-empty", "-m", "x"], cwd=inner, env=env)
    assert set(store.entries(take(store, work))) == {"a", "inner/evil.py"}


def test_what_cannot_be_stored_is_named_and_the_rest_is_stored(store: Store, work: Path) -> None:
    put(work, "a")
    put(work, "sub/.Git")
    os.mkfifo(work / "pipe")
    taken = store.snapshot(work, EVERYTHING, index=store.path.parent / "i")
    assert [odd.path for odd in taken.odd] == ["pipe", "sub/.Git"]
    assert set(store.entries(taken.tree)) == {"a"}


def test_a_file_that_becomes_odd_leaves_the_tree(store: Store, work: Path) -> None:
    put(work, "a")
    put(work, "b")
    take(store, work)
    (work / "b").unlink()
    os.mkfifo(work / "b")
    assert set(store.entries(take(store, work))) == {"a"}


def test_a_file_that_vanishes_after_the_listing_is_just_gone(store: Store, work: Path) -> None:
    put(work, "a")
    put(work, "b")
    index = store.path.parent / "work.index"
    tree = store._update(store.empty_tree(), work, index, ["a", "b", "vanished"], [])
    assert set(store.entries(tree)) == {"a", "b"}


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"DIRC\0\0\0\2"])
def test_a_damaged_time_cache_is_made_anew(store: Store, work: Path, damage: bytes) -> None:
    put(work, "a")
    first = take(store, work)
    (store.path.parent / "work.index").write_bytes(damage)
    assert take(store, work) == first


def test_an_ignored_file_is_not_stored_and_its_rules_are_the_given_ones(store: Store, work: Path) -> None:
    put(work, ".gitignore", b"*\n")
    put(work, "a.py")
    put(work, "x.log")
    assert set(store.entries(take(store, work, FileRules(base=(("*.log",),))))) == {".gitignore", "a.py"}


def test_write_keeps_what_it_is_told_to_keep_and_the_git_folder_at_the_top(
    store: Store, work: Path, tmp_path: Path
) -> None:
    put(work, "src/a.py")
    tree = take(store, work)
    out = tmp_path / "out"
    for path in (".git/HEAD", "src/.git/HEAD", ".venv/x", "src/cache/y", "src/junk/z", "junk/cache/y", "junk/z"):
        put(out, path)
    store.write(tree, out, index=tmp_path / "i", keep=lambda path: path == ".venv" or path.endswith("cache"))
    files = {name for name, (kind, _) in seen(out).items() if kind != "folder"}
    assert files == {".git/HEAD", ".venv/x", "src/a.py", "src/cache/y", "junk/cache/y"}
    assert not (out / "src/junk").exists()


def test_write_never_goes_through_a_planted_link(store: Store, work: Path, tmp_path: Path) -> None:
    put(work, "src/a.py", b"ours\n")
    put(work, "top", b"ours\n")
    tree = take(store, work)
    victim = tmp_path / "victim"
    put(victim, "a.py", b"theirs\n")
    put(victim, "precious", b"theirs\n")
    out = tmp_path / "out"
    out.mkdir()
    (out / "src").symlink_to(victim)
    (out / "junk").symlink_to(victim)
    (out / "top").symlink_to(victim / "a.py")
    store.write(tree, out, index=tmp_path / "i")
    assert seen(out) == seen(work)
    assert seen(victim) == {"a.py": ("file", b"theirs\n"), "precious": ("file", b"theirs\n")}


def test_write_into_a_link_to_a_folder_replaces_the_link(store: Store, work: Path, tmp_path: Path) -> None:
    put(work, "a.py")
    tree = take(store, work)
    put(tmp_path, "victim/precious")
    (tmp_path / "out").symlink_to(tmp_path / "victim")
    store.write(tree, tmp_path / "out", index=tmp_path / "i")
    assert (tmp_path / "victim/precious").exists()
    assert not (tmp_path / "out").is_symlink()
    assert seen(tmp_path / "out") == seen(work)


def test_write_does_not_change_a_file_outside_that_shares_its_inode(store: Store, work: Path, tmp_path: Path) -> None:
    put(work, "a.py", b"ours\n")
    tree = take(store, work)
    outside = put(tmp_path, "outside", b"theirs\n")
    out = tmp_path / "out"
    out.mkdir()
    os.link(outside, out / "a.py")
    store.write(tree, out, index=tmp_path / "i")
    assert outside.read_bytes() == b"theirs\n"
    assert (out / "a.py").read_bytes() == b"ours\n"


def test_write_gets_past_locked_and_absurdly_deep_folders(store: Store, work: Path, tmp_path: Path) -> None:
    put(work, "a/b")
    tree = take(store, work)
    out = tmp_path / "out"
    put(out, "a/locked/x")
    (out / "a/locked").chmod(0)
    (out / "a").chmod(0o500)
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(out)
        for _ in range(300):
            os.mkdir("twenty-letters-deep-")
            os.chdir("twenty-letters-deep-")
    finally:
        os.fchdir(before)
        os.close(before)
    store.write(tree, out, index=tmp_path / "i", keep=lambda path: path == "kept")
    assert seen(out) == seen(work)


def test_write_paths_puts_single_files_back(store: Store, work: Path, tmp_path: Path) -> None:
    put(work, "a/b", b"1\n")
    put(work, "c", b"2\n")
    tree = take(store, work)
    out, index = tmp_path / "out", tmp_path / "i"
    store.write(tree, out, index=index)
    put(tmp_path, "victim/b", b"theirs\n")
    (out / "a/b").unlink()
    (out / "a").rmdir()
    (out / "a").symlink_to(tmp_path / "victim")
    (out / "c").unlink()
    put(out, "c/folder")
    store.write_paths(["a/b", "c"], out, index=index)
    assert seen(out) == seen(work)
    assert (tmp_path / "victim/b").read_bytes() == b"theirs\n"


def test_read_entries_and_blobs_agree(store: Store, work: Path) -> None:
    fill(work)
    tree = take(store, work)
    entries = store.entries(tree)
    blobs = store.blobs(entry.oid for entry in entries.values())
    for path, content in CONTENTS.items():
        assert store.read(tree, path) == content
        assert blobs[entries[path].oid] == content
    assert store.read(tree, "tool.sh") == b"#!/bin/sh\r\n"
    assert store.read(tree, "dangling") == b"nowhere/at all"
    assert store.read(tree, "not there") is None
    assert store.blobs([]) == {}


def test_put_and_put_many_store_bytes_as_they_are(store: Store) -> None:
    contents = list(CONTENTS.values())
    assert store.put_many(contents) == [store.put(content) for content in contents]
    assert store.put_many([]) == []


def test_edit_replaces_adds_and_removes(store: Store, work: Path) -> None:
    put(work, "keep", b"1\n")
    put(work, "drop/file")
    put(work, "mode")
    tree = take(store, work)
    new = Entry(mode=FILE, oid=store.put(b"new\r\n"))
    mode = Entry(mode=EXECUTABLE, oid=store.entries(tree)["mode"].oid)
    odd_name = os.fsdecode(b"o\xffd\nname")
    edited = store.edit(tree, {"drop": new, "drop/file": None, "mode": mode, odd_name: new, "not there": None})
    assert store.entries(edited) == {"keep": store.entries(tree)["keep"], "drop": new, "mode": mode, odd_name: new}
    assert store.edit(edited, {}) == edited
    assert store.edit(tree, dict.fromkeys(store.entries(tree))) == store.empty_tree()
    assert set(store.entries(store.edit(tree, {"keep/below": new}))) == {"keep/below", "drop/file", "mode"}
    assert set(store.entries(store.edit(tree, {"drop": new}))) == {"keep", "drop", "mode"}


def test_diff_names_every_change_with_its_lines(store: Store, work: Path) -> None:
    for path in ("same", "gone", "moved", "mode", "text", "bin", "kind"):
        put(work, path, b"1\n2\n")
    before = take(store, work)
    (work / "gone").unlink()
    (work / "moved").rename(work / "moved to\nhere")
    (work / "mode").chmod(0o755)
    (work / "kind").unlink()
    (work / "kind").symlink_to("same")
    put(work, "text", b"1\n3\n4\n")
    put(work, "bin", b"\0\1")
    after = take(store, work)
    changes = {c.path: (c.kind, c.added, c.removed) for c in store.diff(before, after)}
    assert changes == {
        "gone": ("deleted", 0, 2),
        "moved": ("deleted", 0, 2),
        "moved to\nhere": ("added", 2, 0),
        "mode": ("modified", 0, 0),
        "text": ("modified", 2, 1),
        "bin": ("modified", None, None),
        "kind": ("modified", changes["kind"][1], changes["kind"][2]),
    }
    by_path = {c.path: c for c in store.diff(before, after)}
    assert by_path["mode"].old == store.entries(before)["mode"]
    assert by_path["mode"].new == store.entries(after)["mode"]
    assert by_path["gone"].new is None
    assert store.diff(after, after) == ()


def test_a_patch_leads_from_one_tree_to_the_other(store: Store, work: Path, tmp_path: Path) -> None:
    fill(work)
    before = take(store, work)
    put(work, "crlf.txt", b"one\r\n2\r\n")
    put(work, "nul.bin", b"\0\2")
    put(work, "a *b")
    after = take(store, work)
    out = tmp_path / "out"
    store.write(before, out, index=tmp_path / "i")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    quick(["git", "apply"], cwd=out, env=env, input=store.patch(before, after))
    assert seen(out) == seen(work)
    assert b"crlf.txt" not in store.patch(before, after, ["a *b"])
    assert b"a *b" not in store.patch(before, after, ["a*"])


def test_kept_trees_survive_a_prune_and_forgotten_ones_do_not(store: Store, work: Path) -> None:
    put(work, "a", b"first\n")
    first = take(store, work)
    put(work, "a", b"second\n")
    second = take(store, work)
    store.keep("run-1/start", first)
    store.keep("run-2/start", second)
    store.keep("run-2/attempt/1", second)
    assert store.kept("run-2") == {"run-2/start": second, "run-2/attempt/1": second}
    assert store.kept("run") == {}
    assert len(store.kept()) == 3
    store.forget("run-2")
    store.forget("run-2")
    store.prune(older_than="now")
    assert store.kept() == {"run-1/start": first}
    again = Store(store.path)
    assert again.read(first, "a") == b"first\n"
    with pytest.raises(ToolFailed):
        again.entries(second)


def test_after_a_prune_the_next_snapshot_is_whole_again(store: Store, work: Path) -> None:
    put(work, "a", b"first\n")
    tree = take(store, work)
    store.prune(older_than="now")
    assert take(store, work) == tree
    assert Store(store.path).read(tree, "a") == b"first\n"


def test_the_store_is_the_users_alone_and_can_be_opened_again(store: Store, work: Path) -> None:
    put(work, "a")
    tree = take(store, work)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o700
    assert Store(store.path).read(tree, "a") == b"x\n"


def test_a_store_that_cannot_be_written_says_so_before_anything_is_done(tmp_path: Path) -> None:
    put(tmp_path, "in-the-way")
    with pytest.raises(UnverifiableError, match="cannot be written") as caught:
        Store(tmp_path / "in-the-way" / "store")
    assert "XDG_STATE_HOME" in caught.value.do


def test_an_inherited_git_environment_changes_nothing(
    store: Store, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(work, "a")
    expected = take(store, work)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.autocrlf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    assert take(store, work) == expected
    assert not (tmp_path / "elsewhere").exists()


def many(work: Path, count: int = 250) -> None:
    """More than are stored as a file each, with all that attributes could spoil."""
    for number in range(count):
        put(work, f"many/{number:03d}.txt", b"line %d\r\n$Id$\n" % number)
    for path, content in CONTENTS.items():
        put(work, path, content)
    put(work, ".gitattributes", b"* text=auto eol=lf ident filter=nonsense\n")
    (work / "many/link").symlink_to("000.txt")


def packs(store: Store) -> list[Path]:
    return sorted((store.path / "objects/pack").glob("*.pack"))


def test_many_new_files_come_back_byte_for_byte_and_lie_in_one_pack(store: Store, work: Path, tmp_path: Path) -> None:
    many(work)
    tree = take(store, work)
    assert len(packs(store)) == (1 if git_version() >= (2, 37) else 0)
    store.write(tree, tmp_path / "out", index=tmp_path / "out.index")
    assert seen(tmp_path / "out") == seen(work)


def test_a_few_new_files_make_no_pack_of_their_own(store: Store, work: Path) -> None:
    put(work, "a")
    take(store, work)
    assert packs(store) == []


def test_a_prune_frees_what_lies_in_packs_and_keeps_what_is_kept(store: Store, work: Path) -> None:
    many(work)
    forgotten = take(store, work)
    for number in range(250):
        put(work, f"many/{number:03d}.txt", b"other %d\n" % number)
    kept = take(store, work)
    store.keep("run/start", kept)
    store.prune(older_than="now")
    again = Store(store.path)
    assert again.read(kept, "many/007.txt") == b"other 7\n"
    with pytest.raises(ToolFailed):
        again.entries(forgotten)
    with pytest.raises(UnverifiableError, match="is not a file"):
        again.blobs([store.entries(forgotten)["many/007.txt"].oid])


def test_what_is_known_of_a_changed_tree_is_what_git_lists(store: Store, work: Path) -> None:
    for path in ("a", "b/c", "b/d", "z", "é"):
        put(work, path)
    first = take(store, work)
    (work / "b/c").unlink()
    (work / "z").unlink()
    for path in ("b.c", "b0", "z/now-a-folder", os.fsdecode(b"bad\xff"), "\U0001f600"):
        put(work, path)
    (work / "a").chmod(0o755)
    second = take(store, work)
    third = store.edit(second, {"b/d": None, "b/e": store.entries(first)["z"]})
    for tree in (second, third):
        assert list(store.entries(tree).items()) == list(Store(store.path).entries(tree).items())


def test_a_file_that_vanishes_before_it_was_old_enough_to_trust_is_missed(store: Store, work: Path) -> None:
    put(work, "old")
    time.sleep(0.05)
    put(work, "young")
    both = take(store, work)
    (work / "young").unlink()
    alone = take(store, work)
    assert "young" in store.entries(both)
    assert list(store.entries(alone)) == ["old"]
