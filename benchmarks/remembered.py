"""What does `trueup check` cost when nothing changed since the last time?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.measure import Row, ran, side_by_side
from benchmarks.project import CHECK, make_project

FILES = 5_000
ROUNDS = 7


def rows(scratch: Path, env: Mapping[str, str]) -> Iterator[Row]:
    root = make_project(scratch / "remembered", FILES)
    trueup = str(Path(sys.executable).with_name("trueup"))
    ask = (trueup, "check", "-C", str(root), "--check", " ".join(CHECK))
    here = Path.cwd()
    os.chdir(root)
    for _ in range(2):  # the first runs the check, the second sees files that are old enough to be trusted
        if code := ran(ask, env).code:
            reports = [path.read_text() for path in (scratch / "state" / "trueup").glob("*crash*")]
            raise RuntimeError(f"exit code {code} of {' '.join(ask)}", *reports)
    bare, check, asked = side_by_side(((sys.executable, "-c", "pass"), CHECK, ask), env, times=ROUNDS)
    os.chdir(here)
    note = f"the whole command with its git processes; bare Python {bare:.3f} s, the check itself {check:.2f} s"
    yield Row(what=f"trueup check, remembered, {FILES:,} files", value=asked, bare=check, note=note)
