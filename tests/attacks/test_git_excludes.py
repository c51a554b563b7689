"""`.git/info/exclude` and `core.excludesFile` of the clone hide the files that were changed and added."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step


def test_what_the_clone_excludes_is_seen_all_the_same(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    hide = Step(
        writes={"hidden.txt": "hidden\n", "pkg/deep.py": "deep = 1\n", "README.md": "first\n"},
        shell=[
            f"mkdir -p .git/info; echo '*' >> .git/info/exclude; echo '*' > {tmp_path}/excludes",
            f"git config core.excludesFile {tmp_path}/excludes; git config core.sparseCheckout true",
        ],
    )
    result = attack(hide, check=quick, attempts=1, command=True)
    assert result.attempts[0].record.changed == ("README.md", "hidden.txt", "pkg/deep.py")
