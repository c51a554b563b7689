"""Files are dated in the past and in the far future, and edits keep size and time, so that they look untouched."""

import os
from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven

FUTURE = 4102444800


def test_an_edit_that_keeps_size_and_time_is_seen(
    attack: Callable[..., Driven], quick: tuple[str, ...], attack_and_repair: Callable[..., Driven]
) -> None:
    def date(workspace: Path, _prompt: str) -> None:
        for number, file in enumerate(sorted(workspace.rglob("*.py"))):
            os.utime(file, (FUTURE, FUTURE) if number % 2 else (0, 0))

    def edit(workspace: Path, _prompt: str) -> None:
        file = workspace / "calc.py"
        before = file.stat()
        file.write_text(file.read_text().replace("a * 2", "a * 3"))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    result = attack(date, edit, check=quick)
    assert result.attempts[0].record.changed == ()
    assert result.attempts[1].record.changed == ("calc.py",)
