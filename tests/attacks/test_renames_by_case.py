"""Names that differ only in their case: a rename, two files beside each other, a folder against a file."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven


def test_names_that_differ_in_case_are_different_files(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    def rename(workspace: Path, _prompt: str) -> None:
        (workspace / "calc.py").rename(workspace / "Calc.py")
        (workspace / "readme.md").write_text("another\n")
        (workspace / "TESTS").mkdir()
        (workspace / "TESTS/Test_Calc.py").write_text("def test_add():\n    pass\n")
        (workspace / "CHECK.py").write_text("")

    result = attack(rename, {"README.md": "2\n"}, check=quick)
    left = result.store.entries(result.attempts[0].record.raw)
    assert {"Calc.py", "readme.md", "README.md", "TESTS/Test_Calc.py", "CHECK.py", "check.py"} <= left.keys()
    assert "calc.py" not in left
