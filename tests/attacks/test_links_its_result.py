"""The result file is a link to somebody else's, a named pipe, a folder, or larger than anybody reads."""

from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.decide.task import Limits
from trueup.testing import Driven, Step

RESULT = "$(ls -d ../../scratch/attempt-*| tail -1)/result.json"
WAYS = {
    "a link": "ln -sf {tmp}/cheap.json {result}",
    "a pipe": "mkfifo {result}",
    "a folder": "mkdir {result}",
    "too large": "head -c 3000000 /dev/zero | tr '\\0' ' ' > {result}; echo '{{\"usd\": 0}}' >> {result}",
    "deep": "printf '[%.0s' $(seq 100000) > {result}",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_result_that_is_no_small_file_is_charged_as_reserved(
    way: str, attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "cheap.json").write_text('{"usd": 0}')
    forge = Step(shell=[way.format(tmp=tmp_path, result=RESULT)], writes={"README.md": "x\n"})
    limits = Limits(usd=3.0, time=3600.0, attempts=1)
    result = attack(forge, check=quick, command=True, limits=limits, usd=None)
    assert result.outcome.usd == 1.0
    assert result.attempts[0].record.claim_problem
