"""A nested `git init` makes a border: git sees nothing of what lies behind it."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step, commit_all, write_files

INIT = "cd {} && git init --quiet && git add -A && git -c user.name=a -c user.email=a@b commit --quiet -m inner"


def test_a_repository_inside_hides_no_change(
    attack: Callable[..., Driven],
    quick: tuple[str, ...],
    gone_back: Callable[[Driven], set[str]],
    project: Path,
) -> None:
    write_files(project, {"pkg/a.py": "a = 1\n"})
    commit_all(project, "a package")
    hide = Step(
        writes={"pkg/a.py": "a = 2\n", "new/b.py": "b = 1\n", "tests/test_calc.py": "def test_add(): pass\n"},
        shell=[INIT.format("pkg"), INIT.format("new"), INIT.format("tests")],
    )
    result = attack(hide, check=quick, attempts=1, command=True)
    assert set(result.attempts[0].record.changed) == {"pkg/a.py", "new/b.py"}
    assert gone_back(result) == {"tests/test_calc.py"}
