"""Which files of a folder belong to a tree."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trueup.act.files import NOT_A_FILE, NOT_FOR_GIT, UNREADABLE, FileRules, Odd
from trueup.act.process import quick
from trueup.act.removal import remove


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


def git(*args: str, cwd: Path) -> bytes:
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    return quick(["git", "-c", "user.name=U", "-c", "user.email=u@example.org", *args], cwd=cwd, env=env)


def fill(root: Path, *paths: str) -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(os.fsencode(path))


def repository(root: Path, ignore: str = "") -> Path:
    root.mkdir(exist_ok=True)
    git("init", "-q", cwd=root)
    if ignore:
        (root / ".gitignore").write_text(ignore)
    return root


def test_ignored_files_are_left_out_and_all_others_are_listed_sorted(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", "*.log\nbuild/\n/top.txt\n!keep.log\n")
    fill(root, "b.py", "a.py", "x.log", "keep.log", "build/out.o", "top.txt", "sub/top.txt", "sub/deep/y.log")
    assert FileRules.of(root).walk(root).paths == (".gitignore", "a.py", "b.py", "keep.log", "sub/top.txt")


def test_every_source_of_ignore_rules_counts(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "p")
    fill(root, "mine.tmp", "secret.key", "sub/local.cfg", "a.py")
    (root / "sub/.gitignore").write_text("local.cfg\r\n")
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("*.key\n")
    (home / "ignore-me").write_text("*.tmp\n")
    git("config", "--global", "core.excludesFile", "~/ignore-me", cwd=root)
    assert FileRules.of(root).walk(root).paths == ("a.py", "sub/.gitignore")


def test_the_default_place_of_the_users_ignore_file_counts(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "p")
    fill(root, "mine.tmp", "a.py")
    fill(home, ".config/git/ignore")
    (home / ".config/git/ignore").write_text("*.tmp\n")
    assert FileRules.of(root).walk(root).paths == ("a.py",)


def test_rules_come_from_the_start_and_not_from_what_an_agent_writes_later(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", "*.log\n")
    fill(root, "a.py")
    rules = FileRules.of(root)
    fill(root, "hidden/evil.py", "evil.py", "new.log")
    (root / ".gitignore").write_text("evil.py\nhidden/\n")
    (root / "hidden/.gitignore").write_text("*\n")
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("*\n")
    assert rules.walk(root).paths == (".gitignore", "a.py", "evil.py", "hidden/.gitignore", "hidden/evil.py")


def test_a_tracked_file_counts_although_a_rule_ignores_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", "gen/\n*.lock\n")
    fill(root, "gen/deep/tracked.c", "gen/deep/other.c", "gen/else/x.c", "app.lock", "b.lock")
    git("add", "-f", "gen/deep/tracked.c", "app.lock", cwd=root)
    rules = FileRules.of(root)
    assert rules.walk(root).paths == (".gitignore", "app.lock", "gen/deep/tracked.c")
    assert rules.tracked == {"gen/deep/tracked.c", "app.lock"}


def test_includes_bring_ignored_files_in(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", ".env*\nbuild/\ngen/\n_version.py\n")
    fill(root, ".env.test", ".env", "build/a/keep.h", "build/a/x.o", "gen/z/y.py", "src/_version.py", "src/a.py")
    (root / ".worktreeinclude").write_text(".env.test\nbuild/**/keep.h\n")
    paths = FileRules.of(root, include=("gen/", "_version.py")).walk(root).paths
    assert paths == (
        ".env.test",
        ".gitignore",
        ".worktreeinclude",
        "build/a/keep.h",
        "gen/z/y.py",
        "src/_version.py",
        "src/a.py",
    )


def test_an_unanchored_include_does_not_search_ignored_folders(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", "node_modules/\n*.local\n")
    fill(root, "node_modules/x/settings.local", "settings.local")
    assert "settings.local" in FileRules.of(root, include=("*.local",)).walk(root).paths
    assert "node_modules/x/settings.local" not in FileRules.of(root, include=("*.local",)).walk(root).paths


def test_a_plain_folder_leaves_environments_and_caches_out(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", ".venv/x.py", "node_modules/x/i.js", "pkg/__pycache__/a.pyc", ".trueup/runs/1", "b.log")
    fill(tmp_path, "rust/Cargo.toml", "rust/target/debug/x", "target/is_a_package.py")
    (tmp_path / ".gitignore").write_text("*.log\n")
    paths = FileRules.of(tmp_path).walk(tmp_path).paths
    assert paths == (".gitignore", "a.py", "rust/Cargo.toml", "target/is_a_package.py")


def test_bytecode_that_nobody_ignored_is_no_work_in_a_repository(tmp_path: Path) -> None:
    root = repository(tmp_path / "p")
    fill(root, "a.py", "__pycache__/a.cpython-311.pyc", ".pytest_cache/v/x", "src/.trueup/evil.py")
    assert FileRules.of(root).walk(root).paths == ("a.py", "src/.trueup/evil.py")


def test_a_nested_repository_is_no_border_and_its_git_folder_is_never_listed(tmp_path: Path) -> None:
    root = repository(tmp_path / "p")
    fill(root, "a.py")
    rules = FileRules.of(root)
    repository(root / "inner")
    fill(root, "inner/evil.py", "worktree/x.py")
    (root / "worktree/.git").write_text("gitdir: /elsewhere\n")
    assert rules.walk(root).paths == ("a.py", "inner/evil.py", "worktree/x.py")


def test_links_are_listed_and_never_followed(tmp_path: Path) -> None:
    fill(tmp_path, "outside/secret", "p/a.py")
    root = tmp_path / "p"
    (root / "to_folder").symlink_to(tmp_path / "outside")
    (root / "dangling").symlink_to("nowhere")
    (root / "loop").symlink_to(".")
    assert FileRules.of(root).walk(root).paths == ("a.py", "dangling", "loop", "to_folder")


def test_what_no_tree_can_hold_is_named_and_never_read(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", "sub/.GIT")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / ".gitmodules").symlink_to("a.py")
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind(str(tmp_path / "plug"))
        walk = FileRules.of(tmp_path).walk(tmp_path)
    assert walk.paths == ("a.py",)
    assert walk.odd == (
        Odd(path=".gitmodules", why=NOT_FOR_GIT),
        Odd(path="pipe", why=NOT_A_FILE),
        Odd(path="plug", why=NOT_A_FILE),
        Odd(path="sub/.GIT", why=NOT_FOR_GIT),
    )


def test_unreadable_files_and_folders_are_odd(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", "locked/x")
    (tmp_path / "a.py").chmod(0)
    (tmp_path / "locked").chmod(0)
    if os.access(tmp_path / "a.py", os.R_OK):
        pytest.skip("this user reads everything")
    odd = FileRules.of(tmp_path).walk(tmp_path).odd
    (tmp_path / "locked").chmod(0o700)
    assert odd == (Odd(path="a.py", why=UNREADABLE), Odd(path="locked", why=UNREADABLE))


def test_a_path_that_is_too_long_is_odd_and_not_a_crash(tmp_path: Path) -> None:
    rules = FileRules.of(tmp_path)
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(tmp_path)
        for _ in range(30):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
    finally:
        os.fchdir(before)
        os.close(before)
    odd = rules.walk(tmp_path).odd
    remove(tmp_path / ("d" * 200))
    assert [one.why for one in odd] == [UNREADABLE]


def test_strange_names_are_listed_as_they_are(tmp_path: Path) -> None:
    names = ["with space", "new\nline", "ünïcode", "-dash", 'quo"te', "back\\slash", os.fsdecode(b"bad\xff")]
    fill(tmp_path, *names)
    assert FileRules.of(tmp_path).walk(tmp_path).paths == tuple(sorted(names))


def test_a_pattern_does_not_reach_a_name_with_a_line_end_after_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", "secret*.py[x]\n?.txt\n")
    rules = FileRules.of(root)
    fill(root, "a.txt\n", "a.txt", "dir\nname/b.txt")
    assert rules.walk(root).paths == (".gitignore", "a.txt\n")


def test_rules_survive_json(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", "*.log\n")
    (root / "süb").mkdir()
    (root / "süb/.gitignore").write_bytes(b"caf\xe9\n")
    fill(root, "x.log")
    git("add", "-f", "x.log", cwd=root)
    rules = FileRules.of(root, include=("ä/*",))
    again = FileRules.from_dict(json.loads(json.dumps(rules.as_dict(), ensure_ascii=False).encode()))
    assert again == rules
    assert again.folders["süb"] == (os.fsdecode(b"caf\xe9"),)


def test_ignored_in_tells_what_a_walk_leaves_out(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", "build/\n*.log\n")
    fill(root, "build/a/b", "x.log", "src/a.py", "gen.log/real.py")
    ignored = FileRules.of(root).ignored_in(root)
    assert [path for path in ("build", "build/a", "build/a/b", "x.log", "gen.log") if not ignored(path)] == []
    assert not ignored("src")
    assert not ignored("src/a.py")


NAMES = st.sampled_from(["a", "b", "foo", "a.c", "b.log", ".env", "build", "x y", "é", "b]", "-", "7"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(
    [
        "a",
        "b",
        "foo",
        "*",
        "**",
        "***",
        "*.c",
        "?",
        "??",
        "[ab]",
        "[!a]",
        "[^b-z]",
        "[]b]*",
        "b[]-a]",
        "[[:digit:]-]",
        "[a",
        "b.log",
        "build",
        "x\\ y",
        "x y ",
        "fo*",
        "f**o",
        "é",
        "*.*",
        "\\a",
        "[z-a]",
        "a\\",
        "[\\a-c]*",
        "[a-]",
    ]
)
PATTERNS = st.builds(
    lambda bang, lead, pieces, tail: bang + lead + "/".join(pieces) + tail,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(PIECES, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    paths=st.lists(PATHS, min_size=1, max_size=8),
    top=st.lists(PATTERNS, max_size=4),
    sub=st.lists(PATTERNS, max_size=3),
    exclude=st.lists(PATTERNS, max_size=2),
)
def test_the_listing_is_the_one_git_makes(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str], top: list[str], sub: list[str], exclude: list[str]
) -> None:
    root = repository(tmp_path_factory.mktemp("p"))
    for path in paths:
        target = root / path
        if not any(parent.is_file() for parent in target.parents) and not target.exists():
            fill(root, path)
    (root / ".gitignore").write_text("\n".join(top))
    if (root / "a").is_dir():
        (root / "a/.gitignore").write_text("\n".join(sub))
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("\n".join(exclude))
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root)
    expected = sorted(os.fsdecode(name) for name in listed.split(b"\0") if name)
    assert list(FileRules.of(root).walk(root).paths) == expected
