"""Files and folders that their owner may not read, enter or change: modes, and the flag that even root obeys."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.testing import Driven


def test_what_was_locked_is_stored_and_put_back(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    def lock(workspace: Path, _prompt: str) -> None:
        (workspace / "deep/er").mkdir(parents=True)
        (workspace / "deep/er/file").write_text("x\n")
        for name in ("deep/er/file", "deep/er", "deep", "calc.py", "tests", ".git"):
            (workspace / name).chmod(0)

    result = attack(lock, {"README.md": "2\n"}, check=quick)
    assert len(result.attempts) == 2
    assert "deep/er/file" in result.store.entries(result.attempts[0].record.raw)


def test_a_file_that_cannot_be_removed_ends_the_run_with_a_word_about_it(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    probe = tmp_path / "probe"
    probe.touch()
    if not shutil.which("chattr") or subprocess.run(["chattr", "+i", probe], capture_output=True).returncode:
        pytest.skip("no file can be made immutable here")
    subprocess.run(["chattr", "-i", probe], check=True)
    fixed: list[Path] = []

    def fix(workspace: Path, _prompt: str) -> None:
        fixed.append(workspace / "fixed.txt")
        fixed[0].write_text("x\n")
        subprocess.run(["chattr", "+i", fixed[0]], check=True)

    try:
        result = attack(fix, {"README.md": "2\n"}, check=quick)
    finally:
        subprocess.run(["chattr", "-i", *fixed], check=True)
    assert "fixed.txt" in result.screen
