"""References and logs of the clone vanish (`update-ref -d`), and `gc` takes the objects with them."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven, Step


def test_a_clone_without_a_past_changes_nothing(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    prune = Step(
        writes={"README.md": "first\n"},
        shell=[
            "git update-ref -d refs/heads/main; git update-ref -d HEAD; git stash clear",
            "git for-each-ref --format='delete %(refname)' | git update-ref --stdin; rm -rf .git/logs .git/packed-refs",
            "git reflog expire --expire=now --all; git gc --quiet --prune=now; rm -f .git/HEAD",
        ],
    )
    result = attack(prune, {"README.md": "second\n"}, check=quick, command=True)
    assert result.classes == [Class.STUCK, Class.STUCK]
    assert result.attempts[1].record.changed == ("README.md",)
