"""Which project is measured on? Any number of small Python files under git, with a check that looks at each."""

from __future__ import annotations

import sys
from pathlib import Path

from trueup.act.process import quick

FILES_IN_A_FOLDER = 50
_SOURCE = '''\
"""Module {number}."""

LIMIT = {number}


def price(amount: int, discount: int = 0) -> int:
    """What {number} costs."""
    if discount > LIMIT:
        raise ValueError(discount)
    return amount * LIMIT - discount
'''
_CHECK = """\
import pathlib, sys
for number, path in enumerate(sorted(pathlib.Path("src").rglob("*.py"))):
    text = path.read_bytes()
    if number % 10 == 0:
        compile(text, str(path), "exec")
"""
CHECK = (sys.executable, "-S", "check.py")
"""Reads each file, compiles every tenth: about what a quick linter does."""


def make_project(root: Path, files: int) -> Path:
    """Written by git itself from one stream: a file for each object would take minutes."""
    root.mkdir(parents=True)
    quick(["git", "init", "-q"], cwd=root)
    quick(["git", "fast-import", "--quiet"], cwd=root, input=_stream(root, files))
    quick(["git", "reset", "-q", "--hard", "refs/heads/start"], cwd=root)
    return root


def _stream(root: Path, files: int) -> bytes:
    texts = {source(root, number).relative_to(root): _SOURCE.format(number=number) for number in range(files)}
    texts[Path("tests/test_price.py")] = "def test_price():\n    assert True\n"
    texts[Path("check.py")] = _CHECK
    texts[Path(".gitignore")] = "*.log\n/build/\n.venv/\n"
    commit = "commit refs/heads/start\ncommitter bench <bench@example.invalid> 1700000000 +0000\ndata 5\nstart\n"
    parts = (f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n" for path, text in texts.items())
    return (commit + "".join(parts)).encode()


def source(root: Path, number: int) -> Path:
    return root / "src" / f"part{number // FILES_IN_A_FOLDER:04d}" / f"module{number % FILES_IN_A_FOLDER:02d}.py"
