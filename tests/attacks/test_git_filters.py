"""A clean and a smudge filter would repair the file on its way into git and back out of it."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.state import Class
from trueup.testing import Driven, Step


def test_no_filter_of_the_clone_runs_in_our_git_calls(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    ran = tmp_path / "code-was-run"
    evil = f"touch {ran}; sed s/a.-.b/a+b/"
    config = f'[filter "evil"]\nclean = {evil}\nsmudge = {evil}\nprocess = {evil}\nrequired = true\n'
    plant = Step(
        writes={".gitattributes": "* filter=evil\n", "README.md": "first\n"},
        shell=[f"cat >> .git/config <<'END'\n{config}END"],
    )
    result = attack(plant, {"README.md": "second\n"}, check=quick, command=True)
    assert not ran.exists()
    assert result.classes == [Class.STUCK, Class.STUCK]
    assert result.store.read(result.attempts[0].record.raw, "calc.py") == result.store.read(
        result.outcome.start, "calc.py"
    )
