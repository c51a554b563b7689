"""A `.pth` file is read at the start of the interpreter, and lines in it that begin with `import` are run."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven

LINE = "import os; os._exit(0)\n"


def test_path_files_are_dropped(
    attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        "calc.pth": LINE,
        "__editable__.calc.pth": LINE,
        "vendor/site-packages/a.pth": LINE,
        "calc.egg-link": "/nowhere\n",
        "pyvenv.cfg": "include-system-site-packages = true\n",
    }
    result = attack(planted, check=quick, attempts=1)
    assert gone_back(result) == planted.keys()
    assert result.classes == [Class.NO_OP]
