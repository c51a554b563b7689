"""Files of the workspace are hard links to the user's own: what is written to the one is written to the other."""

import os
from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step


def test_the_workspace_is_put_back_without_writing_into_a_linked_file(
    attack: Callable[..., Driven], quick: tuple[str, ...], project: Path
) -> None:
    names = ("calc.py", "notes.txt", "my.secret", ".git/config", ".git/HEAD")

    def link(workspace: Path, _prompt: str) -> None:
        for name in names:
            (workspace / name).unlink(missing_ok=True)
            (workspace / name).hardlink_to(project / name)
        (workspace / "stolen.txt").hardlink_to(project / ".git/HEAD")

    attack(link, {"README.md": "2\n"}, check=quick)
    assert all(os.stat(project / name).st_nlink <= 3 for name in names)


def test_a_linked_file_that_is_a_result_file_is_no_way_out(
    attack: Callable[..., Driven], quick: tuple[str, ...], project: Path
) -> None:
    place = "../../scratch/attempt-2"
    shell = [
        f"mkdir -p {place}; ln -f {project}/notes.txt {place}/prompt.md; ln -f {project}/notes.txt {place}/result.json"
    ]
    attack(Step(shell=shell), {"README.md": "2\n"}, check=quick, command=True)
