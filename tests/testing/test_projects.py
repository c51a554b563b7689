"""The projects that trueup is tried on are real, and the same everywhere."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from trueup.act.process import quick
from trueup.testing import SHOP_FAILING, SHOP_FIX, SHOP_HALF_FIX, commit_all, python_project, shop, write_files


def git(folder: Path, *args: str) -> str:
    return quick(["git", *args], cwd=folder).decode().strip()


def failing(folder: Path) -> list[str]:
    argv = [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
    env = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    output = quick(argv, cwd=folder, env=env, check=False).decode()
    assert re.search(r"\d passed", output), output
    return sorted(re.findall(r"^FAILED (\S+)", output, re.MULTILINE))


def test_a_project_is_a_clean_repository_with_its_files(tmp_path: Path) -> None:
    path = python_project(tmp_path / "p", files={"a/b.txt": "x\r\n"})
    assert (path / "a/b.txt").read_bytes() == b"x\r\n"
    assert git(path, "status", "--porcelain") == ""
    assert git(path, "branch", "--show-current") == "main"


def test_the_same_files_make_the_same_commit(tmp_path: Path) -> None:
    ids = {git(python_project(tmp_path / name, files={"a": "1"}), "rev-parse", "HEAD") for name in "ab"}
    assert len(ids) == 1


def test_a_project_can_stay_uncommitted(tmp_path: Path) -> None:
    path = python_project(tmp_path / "p", files={"a": "1"}, commit=False)
    assert git(path, "status", "--porcelain") == "?? a"


def test_a_later_state_can_be_committed(tmp_path: Path) -> None:
    path = python_project(tmp_path / "p", files={"a": "1"})
    write_files(path, {"a": "2"})
    assert commit_all(path, "second") == git(path, "rev-parse", "HEAD")
    assert git(path, "log", "--format=%s") == "second\nstart"


def test_an_inherited_git_folder_does_not_lead_astray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    path = python_project(tmp_path / "p", files={"a": "1"})
    assert (path / ".git").is_dir()
    assert not (tmp_path / "elsewhere").exists()


def test_the_shop_has_two_failing_tests_and_a_fix(tmp_path: Path) -> None:
    path = shop(tmp_path / "shop")
    assert failing(path) == list(SHOP_FAILING)
    write_files(path, SHOP_HALF_FIX)
    assert failing(path) == [SHOP_FAILING[1]]
    write_files(path, SHOP_FIX)
    assert failing(path) == []
