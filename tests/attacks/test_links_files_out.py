"""Links in the workspace lead into the user's checkout: instead of a file, and instead of a folder."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import Driven


def link_a_file(workspace: Path, project: Path) -> None:
    (workspace / "calc.py").unlink()
    (workspace / "calc.py").symlink_to(project / "calc.py")


def link_a_folder(workspace: Path, project: Path) -> None:
    shutil.rmtree(workspace / "sub")
    (workspace / "sub").symlink_to(project / "sub")


@pytest.mark.parametrize("plant", [link_a_file, link_a_folder])
def test_nothing_is_written_swept_or_restored_through_a_link_in_the_tree(
    plant: Callable[[Path, Path], None], attack: Callable[..., Driven], quick: tuple[str, ...], with_folder: Path
) -> None:
    steps = (lambda workspace, _: plant(workspace, with_folder), {"README.md": "2\n"}, {"calc.py": "3\n"})
    attack(*steps, check=quick, attempts=3)
