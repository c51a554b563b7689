"""The public types are what they are said to be, seen from outside: as an installed package, under mypy's strict rules."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
GUIDE = ROOT / "docs" / "library.md"


def snippets(guide: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)


def test_snippets_examples_and_the_guide_hold_under_strict_rules(tmp_path: Path) -> None:
    """One run for all of them. What must be refused carries an ignore, and an ignore that is not needed is an error."""
    told = snippets(GUIDE.read_text(encoding="utf-8"))
    assert len(told) > 3
    for number, text in enumerate(told, 1):
        (tmp_path / f"guide_{number}.py").write_text(text, encoding="utf-8")
    files = [HERE / "accepted.py", HERE / "refused.py", *(ROOT / "examples").glob("*.py"), *tmp_path.glob("*.py")]
    cache = ROOT / ".mypy_cache" / "from-outside"
    words = ["--strict", "--config-file=", f"--cache-dir={cache}", f"--python-executable={sys.executable}"]
    environ = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}
    said = subprocess.run(
        [sys.executable, "-m", "mypy", *words, *map(str, files)],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert said.stdout.startswith("Success"), said.stdout + said.stderr


def test_every_refused_line_says_why() -> None:
    lines = [line for line in (HERE / "refused.py").read_text().splitlines() if "type: ignore" in line]
    assert len(lines) > 20
    assert all(re.search(r"type: ignore\[[a-z, -]+\]  # \w.*\w$", line) for line in lines)
