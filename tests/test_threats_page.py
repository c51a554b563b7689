"""The page about threats and the attacks belong together: neither knows one that the other does not."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
ATTACKS = sorted((ROOT / "tests/attacks").glob("test_*.py"))
ROW = re.compile(r"^\| (?P<trick>.+?) \| (?P<file>test_\w+\.py) \| (?P<answer>.+) \|$", re.MULTILINE)


def rows() -> dict[str, re.Match[str]]:
    """Rows that name a file by its path are about tests of another kind."""
    return {row["file"]: row for row in ROW.finditer((ROOT / "docs/threats.md").read_text())}


def test_every_attack_is_on_the_page_and_every_row_has_an_attack() -> None:
    assert set(rows()) == {path.name for path in ATTACKS}


def test_there_are_at_least_sixty_attackers_and_each_names_its_trick() -> None:
    unnamed = [path.name for path in ATTACKS if not ast.get_docstring(ast.parse(path.read_text()))]
    assert (len(ATTACKS) >= 60, unnamed) == (True, [])


def test_an_attack_that_is_expected_to_succeed_is_marked_on_the_page() -> None:
    open_ones = {path.name for path in ATTACKS if re.search(r"^@pytest\.mark\.xfail\(", path.read_text(), re.MULTILINE)}
    assert open_ones == {name for name, row in rows().items() if "expected to fail" in row["answer"]}
