"""sitecustomize.py and usercustomize.py run before anything else does."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven

PATCH = "import os\n\nos._exit(0)\n"


def test_modules_that_the_interpreter_runs_by_itself_are_dropped(
    attack: Callable[..., Driven], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        "sitecustomize.py": PATCH,
        "usercustomize.py": PATCH,
        "src/sitecustomize.py": PATCH,
        "sitecustomize/__init__.py": PATCH,
    }
    result = attack(planted, attempts=1)
    assert gone_back(result) == planted.keys()
    assert result.classes == [Class.NO_OP]
