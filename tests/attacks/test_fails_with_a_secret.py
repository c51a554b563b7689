"""The tested code puts a secret into what the failing test says: message, source line, exception note, its own name."""

from collections.abc import Callable
from typing import Any

from trueup.testing import Driven

LEAKS = """\
def add(a, b):
    token = {token!r}
    error = type({token!r}, (Exception,), {{}})(f"the sum for {{token}} is {{a - b}}\\n" + {token!r})
    error.add_note(f"the key is {key}")
    raise error  # {token}


def double(a):
    print("{token}", "{key}")
    return a * 2
"""


def test_a_secret_in_a_failure_reaches_neither_prompt_nor_report(
    attack: Callable[..., Driven], quick: tuple[str, ...], secret: Any
) -> None:
    text = LEAKS.format(token=secret.token, key=secret.key)
    result = attack({"calc.py": text}, lambda _w, _p: None, attempts=2)
    assert "[redacted]" in result.prompt(2)
    attack({"calc.py": text}, {"README.md": "2\n"}, check=quick, item="other")
