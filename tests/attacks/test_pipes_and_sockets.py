"""Instead of files there are named pipes, sockets and devices: whoever opens one waits for ever."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven


def test_what_is_no_file_is_neither_opened_nor_kept(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    def leave(workspace: Path, _prompt: str) -> None:
        for name in ("calc.py", ".gitignore", "pyproject.toml", "tests/conftest.py", "new"):
            (workspace / name).unlink(missing_ok=True)
            os.mkfifo(workspace / name)
        os.mknod(workspace / "socket", stat.S_IFSOCK | 0o600)
        (workspace / "zero").symlink_to("/dev/zero")

    result = attack(leave, {"README.md": "2\n"}, check=quick)
    record = result.attempts[0].record
    assert record.changed == (".gitignore", "calc.py")
    left = result.store.entries(record.raw)
    assert "zero" in left
    assert not left.keys() & {"new", "socket", "calc.py", "pyproject.toml"}
