"""A file system monitor tells git that nothing has changed, and is a program that git starts by itself."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step


def test_a_monitor_is_neither_asked_nor_believed(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    ran, monitor = tmp_path / "code-was-run", tmp_path / "monitor"
    plant = Step(
        writes={"README.md": "first\n", "hidden.txt": "hidden\n"},
        shell=[
            f"printf '#!/bin/sh\\ntouch {ran}\\nprintf \"token\\\\0\"\\n' > {monitor}; chmod +x {monitor}",
            "git update-index --assume-unchanged calc.py; git update-index --skip-worktree README.md",
            f"printf '[core]\\nfsmonitor = {monitor}\\nfsmonitorHookVersion = 2\\nuntrackedCache = true\\n' >> .git/config",
        ],
    )
    result = attack(plant, {"README.md": "second\n"}, check=quick, command=True)
    assert not ran.exists()
    assert result.attempts[0].record.changed == ("README.md", "hidden.txt")
