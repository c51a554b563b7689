"""The repository of the workspace is the user's own: by a link, by a `.git` file, by its objects."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import Driven


def link_the_repository(workspace: Path, project: Path) -> None:
    shutil.rmtree(workspace / ".git")
    (workspace / ".git").symlink_to(project / ".git")


def point_the_repository(workspace: Path, project: Path) -> None:
    shutil.rmtree(workspace / ".git")
    (workspace / ".git").write_text(f"gitdir: {project}/.git\n")


def link_the_objects(workspace: Path, project: Path) -> None:
    shutil.rmtree(workspace / ".git/objects")
    (workspace / ".git/objects").symlink_to(project / ".git/objects")


@pytest.mark.parametrize("plant", [link_the_repository, point_the_repository, link_the_objects])
def test_a_foreign_repository_in_the_workspace_is_not_touched(
    plant: Callable[[Path, Path], None], attack: Callable[..., Driven], quick: tuple[str, ...], with_folder: Path
) -> None:
    steps = (lambda workspace, _: plant(workspace, with_folder), {"README.md": "2\n"}, {"calc.py": "3\n"})
    attack(*steps, check=quick, attempts=3)
