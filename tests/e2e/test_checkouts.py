"""The user's checkout stays as it is, whatever it looks like and however a run ends."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven, Say, ScriptedAgent, commit_all, python_project, task_for, write_files

Go = Callable[..., Driven]
Portrait = Callable[[Path], dict[str, object]]

CHECK = (
    "import sys\n"
    "sys.path.insert(0, '.')\n"
    "from calc import add\n"
    "if add(2, 3) != 5:\n"
    "    print('calc.py:2: error: add(2, 3) is wrong [wrong-sum]')\n"
    "    sys.exit(1)\n"
)
BROKEN, FIXED = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
FILES = {"calc.py": BROKEN, "check.py": CHECK}
TASK = task_for((sys.executable, "-S", "check.py"))
FIX = ScriptedAgent({"calc.py": FIXED})


def git(root: Path, *args: str) -> str:
    isolated = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "file"}
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    done = subprocess.run(
        ["git", *identity, *args], cwd=root, env={**os.environ, **isolated}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    """Staged, unstaged, untracked, ignored, executable, symlinked, CRLF and non-ASCII files, and a stash."""
    root = python_project(
        tmp_path / "messy", files={**FILES, ".gitignore": "*.log\nbuild/\n", "a.txt": "one\n", "b.txt": "one\n"}
    )
    write_files(root, {"a.txt": "stashed\n"})
    git(root, "stash")
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    write_files(
        root,
        {
            "a.txt": "staged and changed\n",
            "b.txt": "unstaged\n",
            "untracked.txt": "new\n",
            "noise.log": "ignored\n",
            "build/out.bin": "ignored too\n",
            "crlf.txt": "one\r\ntwo\r\n",
            "naïve café.txt": "ünïcödé\n",
            "tool.sh": "#!/bin/sh\n",
        },
    )
    (root / "tool.sh").chmod(0o755)
    (root / "secret.txt").write_text("mine")
    (root / "secret.txt").chmod(0o600)
    (root / "link").symlink_to("a.txt")
    (root / "dangling").symlink_to("nowhere")
    return root


def ends() -> Iterator[tuple[str, ScriptedAgent, Status]]:
    yield "passed", ScriptedAgent({"calc.py": FIXED}), Status.PASSED
    yield "stuck", ScriptedAgent(Say("done")), Status.STUCK
    vandal: dict[str, str | None] = {"a.txt": None, "b.txt": "gone\n", "untracked.txt": None, ".gitignore": "*\n"}
    yield "vandal", ScriptedAgent(vandal, then="repeat"), Status.STUCK


@pytest.mark.parametrize(("agent", "status"), [e[1:] for e in ends()], ids=[e[0] for e in ends()])
def test_a_messy_checkout_is_byte_identical_after_any_end(
    messy: Path, go: Go, portrait: Portrait, agent: ScriptedAgent, status: Status
) -> None:
    before, stash = portrait(messy), git(messy, "stash", "list")
    result = go(messy, agent, TASK)
    assert result.outcome.status is status
    assert portrait(messy) == before
    assert git(messy, "stash", "list") == stash
    assert "untracked.txt" in git(messy, "status", "--porcelain")
    assert ".trueup" not in git(messy, "status", "--porcelain", "--untracked-files=all")


def test_uncommitted_work_is_in_the_start_and_never_on_the_branch(messy: Path, go: Go) -> None:
    result = go(messy, ScriptedAgent({"calc.py": FIXED}), TASK)
    assert result.read("untracked.txt") == "new\n"
    assert git(messy, "show", "trueup/work:calc.py") == FIXED.strip()
    assert "untracked.txt" not in git(messy, "ls-tree", "-r", "--name-only", "trueup/work")
    assert git(messy, "show", "trueup/work:a.txt") == "one"
    assert "not" in result.record.branch_note


def passes(root: Path, go: Go, portrait: Portrait) -> Driven:
    before = portrait(root)
    result = go(root, ScriptedAgent({"calc.py": FIXED}), TASK)
    assert result.outcome.status is Status.PASSED
    assert result.read("calc.py") == FIXED
    assert portrait(root) == before
    return result


def test_a_repository_with_a_submodule(tmp_path: Path, go: Go, portrait: Portrait) -> None:
    inner = python_project(tmp_path / "inner", files={"lib.txt": "lib\n"})
    root = python_project(tmp_path / "outer", files=FILES)
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner), "vendor/inner")
    commit_all(root, "submodule")
    result = passes(root, go, portrait)
    assert result.read("vendor/inner/lib.txt") == "lib\n"
    assert git(root, "show", "trueup/work:calc.py") == FIXED.strip()
    assert "vendor/inner" in git(root, "ls-tree", "-r", "trueup/work")


def test_a_path_with_spaces_and_other_letters(tmp_path: Path, go: Go, portrait: Portrait) -> None:
    passes(python_project(tmp_path / "my prójëct (2)", files=FILES), go, portrait)


def test_a_repository_without_a_commit(tmp_path: Path, go: Go, portrait: Portrait) -> None:
    result = passes(python_project(tmp_path / "fresh", files=FILES, commit=False), go, portrait)
    assert result.record.branch == ""
    assert result.record.branch_note


def test_a_detached_head(tmp_path: Path, go: Go, portrait: Portrait) -> None:
    root = python_project(tmp_path / "detached", files=FILES)
    git(root, "checkout", "--quiet", "--detach")
    assert passes(root, go, portrait).record.branch == "trueup/work"


def test_a_linked_worktree(tmp_path: Path, go: Go, portrait: Portrait) -> None:
    main = python_project(tmp_path / "main", files=FILES)
    git(main, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    before = portrait(main)
    result = passes(tmp_path / "linked", go, portrait)
    assert result.record.branch == "trueup/work"
    assert portrait(main) == before


def test_a_plain_folder(tmp_path: Path, go: Go, portrait: Portrait) -> None:
    root = tmp_path / "plain"
    write_files(root, {**FILES, "node_modules/big/index.js": "//\n"})
    result = passes(root, go, portrait)
    assert result.record.branch == ""
    assert result.read("node_modules/big/index.js") is None
    assert not (root / ".git").exists()


def test_a_subfolder_of_a_repository_works_on_the_whole(tmp_path: Path, go: Go, portrait: Portrait) -> None:
    root = python_project(tmp_path / "whole", files={**FILES, "docs/index.md": "# docs\n"})
    before = portrait(root)
    assert go(root / "docs", ScriptedAgent({"calc.py": FIXED}), TASK).outcome.status is Status.PASSED
    assert portrait(root) == before


def test_an_editable_install_in_the_virtual_environment_tests_the_candidate_not_the_checkout(
    tmp_path: Path, go: Go, portrait: Portrait
) -> None:
    root = python_project(
        tmp_path / "editable",
        files={
            "src/calc.py": BROKEN,
            "check.py": CHECK.replace("sys.path.insert(0, '.')\n", ""),
            ".gitignore": ".venv/\n",
        },
    )
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=root, check=True)
    site = next((root / ".venv").glob("lib/python*/site-packages"))
    (site / "__editable__.calc.pth").write_text(f"{root}/src\n")
    before = portrait(root)
    result = go(root, ScriptedAgent({"src/calc.py": FIXED}), task_for((".venv/bin/python", "check.py")))
    assert result.outcome.status is Status.PASSED
    assert (root / "src/calc.py").read_text() == BROKEN
    assert portrait(root) == before
