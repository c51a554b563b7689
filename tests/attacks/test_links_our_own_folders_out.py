"""What trueup writes for itself leads into the user's checkout: temporary files, benches, prompts, indexes, logs."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import Driven


def link(place: Path, target: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.symlink_to(target)


def temporary_files(workspace: Path, project: Path) -> None:
    link(workspace.parents[1] / "tmp", project / "sub")


def benches(workspace: Path, project: Path) -> None:
    for bench in list((workspace.parents[1] / "benches").iterdir()):
        link(bench, project)


def all_benches(workspace: Path, project: Path) -> None:
    link(workspace.parents[1] / "benches", project / "sub")


def next_prompt(workspace: Path, project: Path) -> None:
    link(workspace.parents[1] / "scratch/attempt-2", project / "sub")


def all_prompts(workspace: Path, project: Path) -> None:
    link(workspace.parents[1] / "scratch", project / "sub")


def logs(workspace: Path, project: Path) -> None:
    link(workspace.parents[1] / "logs", project / "sub")


def index(workspace: Path, project: Path) -> None:
    link(workspace.with_name(f"{workspace.name}.index"), project / "README.md")


def lock(workspace: Path, project: Path) -> None:
    link(workspace.with_name(f"{workspace.name}.index.lock"), project / "README.md")


@pytest.mark.parametrize("plant", [temporary_files, benches, all_benches, next_prompt, all_prompts, logs, index, lock])
def test_our_own_files_are_not_written_through_a_planted_link(
    plant: Callable[[Path, Path], None], attack: Callable[..., Driven], quick: tuple[str, ...], with_folder: Path
) -> None:
    attack(lambda workspace, _: plant(workspace, with_folder), {"README.md": "2\n"}, check=quick)
