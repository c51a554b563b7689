# ruff: noqa: T201
"""Do the remedies leave popular packages alone, as they were published?

`python scripts/no_harm.py FOLDER [NAME…]` runs `trueup check --builtin --fix` on a copy of every source distribution
that `scripts/sdists.py FOLDER` unpacked, and prints a table: what failed, what was written; each difference on stderr.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import subprocess  # noqa: TID251 - a script, not the program
import sys
import tempfile
from pathlib import Path
from typing import Any

SECONDS = 1200


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("names", nargs="*")
    asked.add_argument("--verifier", action="append", default=[], help="only these; all of them without it")
    given = asked.parse_args()
    print("| package | exit | failures before | fixed | files written |\n|---|---|---|---|---|", flush=True)
    for place in sorted(given.folder.glob("*/*/")):
        if not given.names or place.parent.name in given.names:
            print(row(place, given.verifier), flush=True)


def row(place: Path, verifiers: list[str]) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / place.name
        shutil.copytree(place, copy, symlinks=True)
        code, told = fixed(copy, Path(scratch) / "state", verifiers)
        changed = sorted(differing(place, copy))
        for path in changed:
            print(difference(place / path, copy / path), file=sys.stderr)
    if told is None:
        return f"| {place.name} | {code} | could not be told | | |"
    fixes = told["fixes"]
    before = len(told["failures"]) + sum(len(one["removed"]) for one in fixes["kept"])
    kept = "; ".join(one["why"] for one in fixes["kept"]) or "—"
    return f"| {place.name} | {code} | {before} | {kept} | {', '.join(changed) or '—'} |"


def fixed(copy: Path, state: Path, verifiers: list[str]) -> tuple[int, dict[str, Any] | None]:
    command = [sys.executable, "-m", "trueup", "check", "--builtin", "--fix", "--json", "-C", str(copy)]
    command += [word for name in verifiers for word in ("--verifier", name)]
    env = {**os.environ, "NO_COLOR": "1", "XDG_STATE_HOME": str(state)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=SECONDS)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        print(done.stderr, file=sys.stderr)
        return done.returncode, None


def differing(before: Path, after: Path) -> set[str]:
    """Every file that is not the same, byte for byte, or is not there on one side."""
    return {path for path in files(before) | files(after) if content(before / path) != content(after / path)}


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_symlink() or path.is_file()}


def content(path: Path) -> bytes | None:
    if path.is_symlink():
        return str(path.readlink()).encode()
    return path.read_bytes() if path.is_file() else None


def difference(before: Path, after: Path) -> str:
    old, new = ((content(path) or b"").decode("utf-8", "replace").splitlines() for path in (before, after))
    return "\n".join(difflib.unified_diff(old, new, str(before), str(after), lineterm=""))


if __name__ == "__main__":
    main()
