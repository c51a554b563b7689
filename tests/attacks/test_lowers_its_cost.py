"""The total of a session falls from one attempt to the next, so that earlier costs would be given back."""

from collections.abc import Callable

from trueup.decide.task import Limits
from trueup.testing import Driven, Step

RESULT = "$(ls -d ../../scratch/attempt-*| tail -1)/result.json"


def test_what_was_charged_is_never_given_back(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    def claims(total: float, text: str) -> Step:
        said = f'{{"total_usd": {total}, "session": "s"}}'
        return Step(shell=[f"printf '%s' '{said}' > {RESULT}"], writes={"README.md": text})

    limits = Limits(usd=9.0, time=3600.0, attempts=2)
    result = attack(claims(2.0, "1\n"), claims(0.5, "2\n"), check=quick, command=True, limits=limits, usd=None)
    first, second = (view.charged_usd for view in result.attempts)
    assert first == 2.0
    assert second is not None
    assert second >= 2.0
    assert result.outcome.usd == first + second
