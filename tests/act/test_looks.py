"""A folder is recognised only if nothing in it was written, added or removed since its files were read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.act.files import FileRules
from trueup.act.looks import Looks
from trueup.act.store import Store

EVERYTHING = FileRules()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    for name in ("src/a.py", "src/b.py", "README"):
        (folder / name).write_text(f"{name}\n")
    (folder / "link").symlink_to("README")
    time.sleep(0.05)
    return folder


@pytest.fixture
def looks(tmp_path: Path, work: Path) -> Looks:
    looks = Looks(tmp_path / "looks")
    looks.remember(Store(tmp_path / "store").snapshot(work, EVERYTHING, index=tmp_path / "index"))
    return looks


def test_an_unchanged_folder_is_recognised_by_another_process_too(tmp_path: Path, work: Path, looks: Looks) -> None:
    tree = Store(tmp_path / "other").snapshot(work, EVERYTHING, index=tmp_path / "other.index").tree
    assert Looks(looks.file).recall(EVERYTHING.walk(work)) == tree


def _write_with_the_old_times(work: Path) -> None:
    path = work / "src/a.py"
    was = path.stat()
    path.write_text("src/A.py\n")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


def _link_instead(work: Path) -> None:
    (work / "src/b.py").unlink()
    (work / "src/b.py").symlink_to("a.py")


CHANGES: dict[str, Callable[[Path], object]] = {
    "written": lambda work: (work / "src/a.py").write_text("other\n"),
    "written, with size and mtime put back": _write_with_the_old_times,
    "added": lambda work: (work / "src/c.py").write_text(""),
    "removed": lambda work: os.unlink(work / "src/b.py"),
    "made executable": lambda work: os.chmod(work / "README", 0o755),
    "moved": lambda work: (work / "src/a.py").rename(work / "src/z.py"),
    "replaced by a link": _link_instead,
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_is_seen(change: str, work: Path, looks: Looks) -> None:
    assert looks.recall(EVERYTHING.walk(work)) is not None
    CHANGES[change](work)
    assert looks.recall(EVERYTHING.walk(work)) is None


def test_files_that_are_too_young_to_be_recognised_are_not_remembered(tmp_path: Path, work: Path) -> None:
    store, looks = Store(tmp_path / "store"), Looks(tmp_path / "looks")
    looks.remember(store.snapshot(work, EVERYTHING, index=tmp_path / "index"))
    assert looks.file.exists()
    while True:  # a slow machine may let it grow old between the two lines
        (work / "young").write_text("")
        taken = store.snapshot(work, EVERYTHING, index=tmp_path / "index")
        if taken.stamps is None:
            break
    looks.remember(taken)
    assert not looks.file.exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"tree": 1}', "null", '{"stamps": "x", "tree": "y"}'])
def test_a_damaged_memory_is_no_memory(content: str, work: Path, looks: Looks) -> None:
    looks.file.write_text(content)
    assert looks.recall(EVERYTHING.walk(work)) is None
