"""A secret is printed exactly where a text is cut: the half that stays is not recognised as one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.testing import Driven, Step

HALF = 20
"""So many characters of a secret are a leak by themselves."""
PRINT = 'import os, sys\ntoken = os.environ["DEPLOY_TOKEN"]\n'
PLACES = {
    "the first line": "print('.' * 90, token, '.' * 100, flush=True)",
    "the last line": "print('.' * 470, token, '.' * 100)",
    "the end of the last words": "print('.' * 20, token, '.' * (8000 - 32))",
    "the middle of a long output": "sys.stdout.write((token + ' ') * 150_000)",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_no_half_of_a_secret_is_left_over(
    place: str, attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path, project: Path, secret: Any
) -> None:
    (tmp_path / "print.py").write_text(PRINT + place)
    step = Step(shell=[f"{quick[0]} -S {tmp_path}/print.py"], writes={"README.md": "2\n"}, exit_code=1)
    result = attack(step, check=quick, attempts=1, command=True)
    token = secret.token
    halves = [token[:HALF], token[-HALF:]]
    told = [result.screen, repr(result.events), repr(result.attempts)]
    told += [file.read_text() for file in (project / ".trueup").rglob("*") if file.is_file()]
    assert not [text for text in told if any(half in text for half in halves)]
