# ruff: noqa: T201
"""Does the gate name what is wrong with broken workspaces, and do the rules repair those that a rule can repair?

`python scripts/workspaces.py FOLDER [NAME…]` reads `FOLDER/<id>/{broken,fixed,label.json}`. A label has `expect`, a
pattern that good evidence matches, `deterministic`, whether a rule can repair it, and `verify`, a test of its own that
has nothing to do with trueup: `pip`, `venv:STATEMENT`, `py:STATEMENT`, `compile`, `json:FILE`, `utf8:FILE`,
`entry:FILE`, `grep:FILE:PATTERN`. It prints a table and ends with 1 if anything is not as it has to be.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess  # noqa: TID251 - a script, not the program
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from no_harm import differing  # type: ignore[import-not-found]  # beside this script

SECONDS = 900
UV = [sys.executable, "-m", "uv"]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("names", nargs="*")
    given = asked.parse_args()
    if importlib.util.find_spec("uv") is None:
        asked.error("the tests of the labels need uv: pip install uv")
    print("| workspace | broken | its cause is named | fixed | fixed, changed by --fix | repaired | its own test |")
    print("|---|---|---|---|---|---|---|", flush=True)
    good = True
    for place in sorted(given.folder.glob("*/label.json")):
        if not given.names or place.parent.name in given.names:
            good = row(place.parent) and good
    raise SystemExit(0 if good else 1)


def row(place: Path) -> bool:
    label = json.loads((place / "label.json").read_text())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        copies = {name: Path(scratch) / name for name in ("broken", "fixed")}
        for name, copy in copies.items():
            shutil.copytree(place / name, copy, symlinks=True)
        state = Path(scratch) / "state"
        code, told = check(copies["broken"], state)
        named = bool(re.search(label["expect"], " ".join(said(told))))
        right = check(copies["fixed"], state)[0]
        check(copies["fixed"], state, "--fix")
        touched = sorted(differing(place / "fixed", copies["fixed"]))
        after, _ = check(copies["broken"], state, "--fix")
        own = tested(label["verify"], copies["broken"], Path(scratch))
        changed = sorted(differing(place / "broken", copies["broken"]))
    rule = label["deterministic"]
    good = code == 1 and named and right == 0 and not touched and (not rule or (after == 0 and not own))
    repaired = f"exit {after}: {', '.join(changed) or 'nothing written'}" + ("" if rule else " (no rule is asked for)")
    cells = [label["id"], f"exit {code}", "yes" if named else "NO", f"exit {right}", ", ".join(touched) or "no"]
    print(f"| {' | '.join([*cells, repaired, 'passes' if not own else 'fails'])} |", flush=True)
    if not good:
        print("\n".join([*said(told), own]), file=sys.stderr)
    return good


def check(folder: Path, state: Path, *more: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "trueup", "check", "--builtin", "--json", *more, "-C", str(folder)]
    env = {**os.environ, "NO_COLOR": "1", "XDG_STATE_HOME": str(state)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=SECONDS)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        print(done.stderr, file=sys.stderr)
        return done.returncode, {"failures": []}


def said(told: dict[str, Any]) -> list[str]:
    """Every failure that counts, as it is told."""
    return [" ".join(str(one.get(k, "")) for k in ("check", "file", "kind", "message")) for one in told["failures"]]


# --- the tests of the labels -----------------------------------------------------------------------------------------


def tested(verify: str, folder: Path, scratch: Path) -> str:
    """What is still wrong; "" when the test passes."""
    how, _, what = verify.partition(":")
    try:
        return TESTS[how](folder, what, scratch)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong there, the test did not pass
        return f"{type(error).__name__}: {error}"


def run(*command: str, cwd: Path) -> str:
    env = {k: v for k, v in os.environ.items() if k != "VIRTUAL_ENV"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=env, timeout=SECONDS)
    return f"{command[-1]}: {done.stdout}{done.stderr}" if done.returncode else ""


def _resolves(folder: Path, _: str, scratch: Path) -> str:
    out = str(scratch / "pins.txt")
    return run(*UV, "pip", "compile", "-q", "--no-config", "-o", out, manifest(folder), cwd=folder)


def manifest(folder: Path) -> str:
    return next(name for name in ("requirements.txt", "pyproject.toml") if (folder / name).is_file())


def _imports(folder: Path, statement: str, scratch: Path) -> str:
    python = scratch / "venv" / "bin" / "python"
    return (
        run(*UV, "venv", "-q", "--no-config", str(scratch / "venv"), cwd=scratch)
        or run(*UV, "pip", "install", "-q", "--python", str(python), "-r", manifest(folder), cwd=folder)
        or run(str(python), "-B", "-c", statement, cwd=folder)
    )


def _runs(folder: Path, statement: str, _: Path) -> str:
    return run(sys.executable, "-B", "-c", statement, cwd=folder)


def _compiles(folder: Path, _: str, __: Path) -> str:
    for path in folder.rglob("*.py"):
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    return ""


def _is_json(folder: Path, name: str, _: Path) -> str:
    json.loads((folder / name).read_text("utf-8"))
    return ""


def _is_utf8(folder: Path, name: str, _: Path) -> str:
    text = (folder / name).read_bytes().decode("utf-8")
    return "there is a byte order mark or a NUL" if "\ufeff" in text or "\0" in text else ""


def _holds(folder: Path, what: str, _: Path) -> str:
    name, pattern = what.split(":", 1)
    return "" if re.search(pattern, (folder / name).read_text()) else f"{name} does not hold {pattern}"


def _enters(folder: Path, name: str, scratch: Path) -> str:
    """The module that is served can be imported, where the image or the platform has it."""
    text = (folder / name).read_text()
    target = re.search(r"\b([\w.]+):(\w+)\b(?=[\"' \n])", text.partition("CMD")[2] or text.partition("web:")[2])
    if target is None:
        return f"{name} names no application"
    image = scratch / "image"
    if name.endswith("Dockerfile"):
        for source, where in re.findall(r"^COPY (\S+) (\S+)$", text, re.MULTILINE):
            laid_out(folder / source, image / where)
    else:
        shutil.copytree(folder, image)
    shutil.copy(folder / manifest(folder), image)
    return _imports(image, f"import {target[1]} as m; m.{target[2]}", scratch)


def laid_out(source: Path, where: Path) -> None:
    """As `COPY` does it: the content of a folder, not the folder."""
    if source.is_dir():
        shutil.copytree(source, where, dirs_exist_ok=True)
    else:
        where.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, where)


TESTS: dict[str, Callable[[Path, str, Path], str]] = {
    "pip": _resolves,
    "venv": _imports,
    "py": _runs,
    "compile": _compiles,
    "json": _is_json,
    "utf8": _is_utf8,
    "entry": _enters,
    "grep": _holds,
}

if __name__ == "__main__":
    main()
