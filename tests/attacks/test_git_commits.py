"""The change is committed, amended, rebased and carried to another branch, so that nothing looks changed."""

from collections.abc import Callable

from trueup.testing import Driven, Step

TESTS = "tests/test_calc.py"
AS = "git -c user.name=a -c user.email=a@b"
COMMITS = (
    f"{AS} commit --quiet -am one",
    f"{AS} commit --quiet --amend -m 'all good'",
    "git switch --quiet -c elsewhere; git branch -f main HEAD",
    f"{AS} rebase --quiet --root; {AS} rebase --quiet -f HEAD~0",
    "git tag -f v9; git stash list; git remote set-url --push origin /nowhere",
)


def test_what_was_committed_is_seen_and_judged_like_any_change(
    attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]]
) -> None:
    commit = Step(writes={TESTS: "def test_add(): pass\n", "README.md": "committed\n"}, shell=COMMITS)
    result = attack(commit, {"README.md": "second\n"}, check=quick, command=True)
    assert gone_back(result) == {TESTS}
    assert [view.record.changed for view in result.attempts] == [("README.md",), ("README.md",)]


def test_a_committed_repair_passes_without_the_committed_test(
    attack_and_repair: Callable[..., Driven],
    quick: tuple[str, ...],
    gone_back: Callable[[Driven], set[str]],
    fix: str,
) -> None:
    commit = Step(writes={TESTS: "def test_add(): pass\n", "calc.py": fix}, shell=COMMITS)
    result = attack_and_repair(commit, check=quick, attempts=1, command=True)
    assert gone_back(result) == {TESTS}
    assert "assert add(2, 3) == 5" in (result.read(TESTS) or "")
    assert TESTS in result.screen
