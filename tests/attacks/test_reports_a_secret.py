"""The result file holds a secret wherever a text can be: as the note, the session, the cost, broken JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from trueup.testing import Driven, Step

RESULT = "$(ls -d ../../scratch/attempt-*| tail -1)/result.json"
CLAIMS = {
    "note": {"usd": 0.1, "note": "I used {token} and {key}"},
    "session": {"usd": 0.1, "session": "{key}"},
    "cost": {"usd": "{token}", "tokens": "{key}"},
    "name": {"{token}": 1},
}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_what_a_result_says_is_kept_without_secrets(
    claim: dict[str, object], attack: Callable[..., Driven], quick: tuple[str, ...], secret: Any
) -> None:
    said = json.dumps(claim).replace("{token}", secret.token).replace("{key}", secret.key)
    forge = Step(shell=[f"printf '%s' '{said}' > {RESULT}"], writes={"README.md": "x\n"})
    attack(forge, {"README.md": "y\n"}, check=quick, command=True, usd=None)
