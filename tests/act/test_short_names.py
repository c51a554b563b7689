"""A temporary folder has a path that is short enough for sockets, and nothing is left of it."""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path

import pytest

from trueup.act.short_names import forget, short_name


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "h"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def deep(tmp_path: Path) -> Path:
    folder = tmp_path / ("d" * 100)
    folder.mkdir(exist_ok=True)
    return folder


def test_a_socket_can_be_made_in_a_folder_that_lies_deep(tmp_path: Path) -> None:
    folder = deep(tmp_path)
    name = short_name(folder)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(name / "s"))
    assert [entry.name for entry in folder.iterdir()] == ["s"]
    forget(name)
    assert not name.parent.exists()
    assert folder.exists()


def test_a_folder_whose_path_is_short_keeps_it(home: Path) -> None:
    folder = Path("/tmp")
    assert short_name(folder) == folder
    assert list(home.iterdir()) == []
    forget(folder)
    assert folder.exists()


def test_what_a_killed_process_left_is_swept_and_what_is_in_use_is_not(home: Path, tmp_path: Path) -> None:
    folder = deep(tmp_path)
    used, left = short_name(folder), short_name(folder)
    left.unlink()
    left.symlink_to(tmp_path / "gone")
    foreign = home / "tu-others"
    foreign.mkdir()
    (foreign / "t").write_text("a file of somebody else's\n")
    again = short_name(folder)
    assert {entry.name for entry in home.iterdir()} == {used.parent.name, again.parent.name, "tu-others"}


def test_where_nothing_can_be_written_the_long_path_has_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    folder = deep(tmp_path)
    assert short_name(folder) == folder


def test_nothing_is_written_into_the_folder_that_we_were_started_in(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    folder = deep(tmp_path)
    assert short_name(folder) == folder
    assert list(home.iterdir()) == []
