"""Folders inside each other until no path can name the innermost one."""

import os
from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven


def test_a_path_that_is_too_long_ends_the_run_with_a_word_about_it_and_stays(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    def dig(workspace: Path, _prompt: str) -> None:
        here = os.open(workspace, os.O_RDONLY)
        for _ in range(40):
            os.mkdir("d" * 200, dir_fd=here)
            below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        os.close(here)

    result = attack(dig, {"README.md": "2\n"}, check=quick)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "too long" in result.screen
    assert list(result.folder.glob(f"workspace/*/{'d' * 200}/{'d' * 200}"))
