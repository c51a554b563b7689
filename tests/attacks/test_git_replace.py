"""`git replace` puts the repaired file in the place of the broken one, for whoever asks the clone's git."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven, Step

RIGHT = "$(sed s/a.-.b/a+b/ calc.py | git hash-object -w --stdin)"


def test_a_replaced_object_replaces_nothing_for_the_checks(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    replace = Step(
        shell=[
            f"git replace $(git rev-parse HEAD:calc.py) {RIGHT}",
            "git cat-file -p HEAD:calc.py | grep -q a+b && echo replaced > README.md",
        ]
    )
    result = attack(replace, {"README.md": "second\n"}, check=quick, command=True)
    assert result.attempts[0].record.changed == ("README.md",)
    assert result.classes == [Class.STUCK, Class.STUCK]
    assert "a - b" in (result.read("calc.py") or "")
