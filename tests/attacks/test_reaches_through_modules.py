"""What ends the interpreter is reached by a detour: through another module, an alias, a text, a class of its own."""

from collections.abc import Callable

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven

HEAD, TAIL = "\n\n\ndef add(a, b):\n    ", "\n\n\ndef double(a):\n    return a * 2\n"
WAYS = {
    "through a module that uses it": f"import pathlib{HEAD}pathlib.os._exit(0){TAIL}",
    "by an alias": f"import sys\n\nbye = sys.exit{HEAD}bye(0){TAIL}",
    "by asking for help": f"import argparse{HEAD}argparse.ArgumentParser().parse_args(['--help']){TAIL}",
    "as an annotation": f"import typing\n\n\ndef f() -> \"__import__('os')._exit(0)\": ...{HEAD}typing.get_type_hints(f){TAIL}",
    "as a configuration": "import logging.config\n\nHANDLER = {'()': 'posix._exit', 'status': 0}"
    f"{HEAD}logging.config.dictConfig({{'version': 1, 'handlers': {{'h': HANDLER}}}}){TAIL}",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_detour_is_shown_to_a_person(way: str, attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    result = attack({"calc.py": WAYS[way]}, check=quick, attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "suspicious")
