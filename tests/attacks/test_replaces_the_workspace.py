"""The workspace itself, or the folder above it, becomes a link to the user's checkout."""

from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import Driven


def link_the_workspace(workspace: Path, project: Path) -> None:
    workspace.rename(workspace.with_name("moved"))
    workspace.symlink_to(project)


def link_its_folder(workspace: Path, project: Path) -> None:
    workspace.parent.rename(workspace.parent.with_name("moved"))
    workspace.parent.symlink_to(project.parent)


def make_it_a_file(workspace: Path, project: Path) -> None:
    workspace.rename(workspace.with_name("moved"))
    workspace.hardlink_to(project / "calc.py")


@pytest.mark.parametrize("plant", [link_the_workspace, link_its_folder, make_it_a_file])
def test_a_workspace_that_leads_elsewhere_is_never_swept(
    plant: Callable[[Path, Path], None], attack: Callable[..., Driven], quick: tuple[str, ...], with_folder: Path
) -> None:
    attack(lambda workspace, _: plant(workspace, with_folder), {"README.md": "2\n"}, check=quick)
