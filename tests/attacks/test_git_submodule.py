"""Files inside a submodule are changed: the project's own repository knows only one commit of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.act.process import quick as run
from trueup.testing import Driven, Step, commit_all, python_project, write_files

TESTS = {"tests/test_lib.py": "def test_lib():\n    assert False\n", "lib.py": "x = 1\n"}


def test_edits_and_commits_inside_a_submodule_are_seen(
    attack: Callable[..., Driven],
    quick: tuple[str, ...],
    gone_back: Callable[[Driven], set[str]],
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = python_project(tmp_path / "library", files=TESTS)
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file")
    run(["git", "submodule", "--quiet", "add", str(library), "sub"], cwd=project)
    write_files(project, {"README.md": "with a library\n"})
    commit_all(project, "a submodule")
    edit = Step(
        writes={"sub/lib.py": "x = 2\n", "sub/tests/test_lib.py": "def test_lib(): pass\n"},
        shell=["cd sub && git add -A && git -c user.name=a -c user.email=a@b commit --quiet -m inner"],
    )
    result = attack(edit, check=quick, attempts=1, command=True)
    assert result.attempts[0].record.changed == ("sub/lib.py",)
    assert gone_back(result) == {"sub/tests/test_lib.py"}
