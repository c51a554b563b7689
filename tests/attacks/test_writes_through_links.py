"""Links in the workspace lead into the user's checkout: files, folders, the repository, the workspace itself."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import Driven, commit_all, write_files


def link_a_file(workspace: Path, project: Path) -> None:
    (workspace / "calc.py").unlink()
    (workspace / "calc.py").symlink_to(project / "calc.py")


def link_a_folder(workspace: Path, project: Path) -> None:
    shutil.rmtree(workspace / "sub")
    (workspace / "sub").symlink_to(project / "sub")


def link_the_repository(workspace: Path, project: Path) -> None:
    shutil.rmtree(workspace / ".git")
    (workspace / ".git").symlink_to(project / ".git")


def point_the_repository(workspace: Path, project: Path) -> None:
    shutil.rmtree(workspace / ".git")
    (workspace / ".git").write_text(f"gitdir: {project}/.git\n")


def link_the_objects(workspace: Path, project: Path) -> None:
    shutil.rmtree(workspace / ".git/objects")
    (workspace / ".git/objects").symlink_to(project / ".git/objects")


def link_the_workspace(workspace: Path, project: Path) -> None:
    workspace.rename(workspace.with_name("moved"))
    workspace.symlink_to(project)


def link_its_folder(workspace: Path, project: Path) -> None:
    workspace.parent.rename(workspace.parent.with_name("moved"))
    workspace.parent.symlink_to(project.parent)


def link_its_temporary_folder(workspace: Path, project: Path) -> None:
    temporary = workspace.parents[1] / "tmp"
    shutil.rmtree(temporary)
    temporary.symlink_to(project / "sub")


def link_the_benches(workspace: Path, project: Path) -> None:
    for bench in list((workspace.parents[1] / "benches").iterdir()):
        shutil.rmtree(bench)
        bench.symlink_to(project)


def link_the_next_prompt(workspace: Path, project: Path) -> None:
    (workspace.parents[1] / "scratch/attempt-2").symlink_to(project / "sub")


def link_the_index(workspace: Path, project: Path) -> None:
    index = workspace.with_name(f"{workspace.name}.index")
    index.unlink(missing_ok=True)
    index.symlink_to(project / "README.md")


@pytest.mark.parametrize(
    "plant",
    [
        link_a_file,
        link_a_folder,
        link_the_repository,
        point_the_repository,
        link_the_objects,
        link_the_workspace,
        link_its_folder,
        link_its_temporary_folder,
        link_the_benches,
        link_the_next_prompt,
        link_the_index,
    ],
)
def test_nothing_is_written_swept_or_restored_through_a_planted_link(
    plant: Callable[[Path, Path], None], attack: Callable[..., Driven], quick: tuple[str, ...], project: Path
) -> None:
    write_files(project, {"sub/kept.txt": "kept\n"})
    commit_all(project, "a folder")
    write_files(project, {"sub/own.secret": "mine\n", "sub/new.txt": "mine\n"})
    attack(
        lambda workspace, _: plant(workspace, project),
        {"README.md": "2\n"},
        {"calc.py": "3\n"},
        check=quick,
        attempts=3,
    )
