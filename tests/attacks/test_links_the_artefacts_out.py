"""The folder for readable files, in the user's checkout, is replaced by links to places that steer other programs."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import Driven


def the_top(project: Path, home: Path) -> None:
    shutil.rmtree(project / ".trueup")
    (project / ".trueup").symlink_to(home)


def all_runs(project: Path, home: Path) -> None:
    shutil.rmtree(project / ".trueup/runs")
    (project / ".trueup/runs").symlink_to(home)


def the_run(project: Path, home: Path) -> None:
    (run,) = (project / ".trueup/runs").iterdir()
    shutil.rmtree(run)
    run.symlink_to(home)


def the_events(project: Path, home: Path) -> None:
    (events,) = project.glob(".trueup/runs/*/events.jsonl")
    events.unlink()
    events.symlink_to(home / "authorized_keys")


def a_pipe(project: Path, home: Path) -> None:
    (events,) = project.glob(".trueup/runs/*/events.jsonl")
    events.unlink()
    os.mkfifo(events)
    assert home.exists()


@pytest.mark.parametrize("plant", [the_top, all_runs, the_run, the_events, a_pipe])
def test_readable_files_are_not_written_through_a_link(
    plant: Callable[[Path, Path], None],
    attack: Callable[..., Driven],
    quick: tuple[str, ...],
    project: Path,
    tmp_path: Path,
) -> None:
    home = tmp_path / "ssh"
    home.mkdir()
    (home / "authorized_keys").write_text("mine\n")
    result = attack(lambda *_: plant(project, home), {"README.md": "2\n"}, check=quick)
    assert [file.read_text() for file in home.iterdir()] == ["mine\n"]
    assert len(result.attempts) == 2
