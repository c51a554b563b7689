"""The cost is reported as NaN, as a negative number, as a text, twice in one file, or not at all."""

from collections.abc import Callable

import pytest

from trueup.decide.task import Limits
from trueup.testing import Driven, Step

RESULT = "$(ls -d ../../scratch/attempt-*| tail -1)/result.json"


@pytest.mark.parametrize("claim", ['{"usd": NaN}', '{"usd": -99}', '{"usd": "0"}', '{"usd": 0, "usd": 0}', "[]", ""])
def test_a_cost_that_cannot_be_believed_is_charged_as_reserved(
    claim: str, attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    forge = Step(shell=[f"printf '%s' '{claim}' > {RESULT}"], writes={"README.md": "x\n"})
    limits = Limits(usd=3.0, time=3600.0, attempts=1)
    result = attack(forge, check=quick, command=True, limits=limits, usd=None)
    assert result.outcome.usd == 1.0
    assert result.attempts[0].record.claim_problem
