"""The agent leaves a file of two gigabytes (a sparse one: it costs nothing to make, and a lot to read)."""

import os
from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven

HUGE = 2 * 2**30


def test_a_huge_file_ends_the_run_with_a_word_about_it_and_stays(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    left: list[Path] = []

    def leave(workspace: Path, _prompt: str) -> None:
        left.append(workspace / "core.bin")
        left[0].touch()
        os.truncate(left[0], HUGE)

    result = attack(leave, check=quick)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "2,048 MB" in result.screen
    assert "core.bin" in result.screen
    assert left[0].stat().st_size == HUGE
