"""The cost is reported as NaN, endless, negative, astronomically high, as a text, or not at all."""

from collections.abc import Callable

import pytest

from trueup.decide.task import Limits
from trueup.testing import Driven, Step

RESULT = "$(ls -d ../../scratch/attempt-*| tail -1)/result.json"
CLAIMS = (
    '{"usd": NaN}',
    '{"usd": Infinity}',
    '{"usd": -99}',
    '{"usd": 1e400}',
    '{"usd": "0"}',
    '{"usd": true}',
    "[]",
    "",
)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_cost_that_is_no_amount_is_charged_as_reserved(
    claim: str, attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    forge = Step(shell=[f"printf '%s' '{claim}' > {RESULT}"], writes={"README.md": "x\n"})
    limits = Limits(usd=3.0, time=3600.0, attempts=1)
    result = attack(forge, check=quick, command=True, limits=limits, usd=None)
    assert result.outcome.usd == 1.0
    assert result.attempts[0].record.claim_problem
