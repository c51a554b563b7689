"""Not the code is repaired but the world around it: what failed at the start now passes there as well."""

from collections.abc import Callable
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all, write_files

READS = """\
from pathlib import Path

RATE = Path.home() / ".rate"


def add(a, b):
    return a + b if RATE.exists() else a - b


def double(a):
    return a * 2
"""


def test_a_changed_world_proves_nothing_about_the_code(
    attack: Callable[..., Driven], quick: tuple[str, ...], project: Path, tmp_path: Path
) -> None:
    write_files(project, {"calc.py": READS})
    commit_all(project, "reads a file")

    def change(workspace: Path, _prompt: str) -> None:
        (tmp_path / "state/home/.rate").write_text("1")
        (workspace / "calc.py").write_text(f"{READS}# better now\n")

    result = attack(change, check=quick, attempts=1)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "start" in result.outcome.detail
