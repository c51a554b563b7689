"""The agent leaves hundreds of thousands of files.

Making 200,000 files takes longer than all that is tested here, so the limit is lowered instead: 300 files with a limit
of 100 go the same way as 200,000 with the real one of 100,000. What is done for each is one look at its name and size.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.act import workspace as place
from trueup.act.bounds import Bounds
from trueup.decide.outcome import Status
from trueup.testing import Driven


def test_a_flood_of_files_ends_the_run_with_a_word_about_it_and_stays(
    attack: Callable[..., Driven], quick: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "BOUNDS", Bounds(files=100))
    left: list[Path] = []

    def leave(workspace: Path, _prompt: str) -> None:
        (workspace / "many").mkdir()
        left.extend(workspace / f"many/{number}" for number in range(300))
        for file in left:
            file.touch()

    result = attack(leave, check=quick)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "300 new or changed files" in result.screen
    assert all(file.exists() for file in left)
