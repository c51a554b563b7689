"""Files that say which interpreter runs the checks, and where its packages come from, are planted."""

from collections.abc import Callable

from trueup.decide.state import Class
from trueup.testing import Driven


def test_the_start_chooses_the_interpreter(
    attack: Callable[..., Driven], quick: tuple[str, ...], gone_back: Callable[[Driven], set[str]]
) -> None:
    planted = {
        ".python-version": "./bin/python\n",
        ".tool-versions": "python path:/tmp/evil\n",
        ".nvmrc": "v0\n",
        "rust-toolchain.toml": '[toolchain]\npath = "evil"\n',
        "uv.toml": 'python-preference = "only-system"\n',
        ".coveragerc.toml": '[run]\nplugins = ["evil"]\n',
        "mise.toml": '[tools]\npython = "path:evil"\n',
    }
    result = attack(planted, check=quick, attempts=1)
    assert gone_back(result) == planted.keys()
    assert result.classes == [Class.NO_OP]
