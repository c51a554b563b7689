"""Run by an interpreter of its own: compile the installed modules that some imports lead to. Executes none of them.

Reads one JSON object from standard input: `site`, where modules are installed, `store`, where compiled ones are kept
by the digest of their source with a note on what they import, and `roots`, the names that are imported. What is
compiled is never checked against its source again: whoever uses the environment has to know that nobody changed it.
"""

# ruff: noqa: PTH103, PTH105, PTH113, PTH118, PTH120, PTH123
# Importing pathlib would take longer than much of the work.
from __future__ import annotations

import dis
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from importlib._bootstrap_external import _code_to_hash_pyc  # type: ignore[attr-defined]
from types import CodeType

MOST = 3_000
LARGEST = 2_000_000
TAG = sys.implementation.cache_tag


Imports = list[tuple[int, str, list[str]]]
"""Dots, module and names of each."""


def imports(code: CodeType) -> Imports:
    """What is imported when the module is: not what is inside of functions."""
    found: Imports = []
    before: list[object] = [0, None]
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            level, names = before
            listed = [str(name) for name in names] if isinstance(names, tuple) else []
            found.append((level if isinstance(level, int) else 0, str(step.argval or ""), listed))
        before = [before[1], step.argval]
    return found


def named(found: Imports, package: str) -> Iterator[str]:
    for level, name, names in found:
        base = absolute(name, level, package)
        yield base
        yield from (f"{base}.{one}" for one in names)


def absolute(name: str, level: int, package: str) -> str:
    if not level:
        return name
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])


def find(site: str, name: str) -> tuple[str, str] | None:
    place = os.path.join(site, *name.split("."))
    for file, package in ((os.path.join(place, "__init__.py"), name), (place + ".py", name.rpartition(".")[0])):
        if os.path.isfile(file):
            return file, package
    return None


class Budget:
    """How many modules may be compiled."""

    def __init__(self, most: int) -> None:
        self.left = most

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0


def kept_imports(file: str, store: str, budget: Budget) -> Imports | None:
    """What it imports, after its code lies beside it; None when that is not known, or cannot be made."""
    with open(file, "rb") as opened:
        source = opened.read(LARGEST + 1)
    if len(source) > LARGEST:
        return []
    kept = os.path.join(store, hashlib.sha256(source).hexdigest())
    try:
        with open(f"{kept}.json", "rb") as opened:
            found: Imports = json.loads(opened.read())
    except FileNotFoundError:
        if not budget.take():
            return None
        try:
            code = compile(source, file, "exec", dont_inherit=True, optimize=0)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        found = imports(code)
        write(f"{kept}.pyc", _code_to_hash_pyc(code, importlib.util.source_hash(source), False))
        write(f"{kept}.json", json.dumps(found).encode())
    return found if put(f"{kept}.pyc", file) else None


def write(path: str, content: bytes) -> None:
    fresh = f"{path}.{os.getpid()}"
    with open(fresh, "wb") as opened:
        opened.write(content)
    os.replace(fresh, path)


def put(kept: str, file: str, tag: str = "") -> bool:
    folder, name = os.path.split(file)
    target = os.path.join(folder, "__pycache__", f"{name[:-3]}.{tag or TAG}.pyc")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        os.link(kept, target)
    except FileExistsError:
        pass
    except OSError:
        return copied(kept, target)
    return True


def copied(kept: str, target: str) -> bool:
    try:
        with open(kept, "rb") as opened:
            write(target, opened.read())
    except FileNotFoundError:
        return False
    return True


def follow(site: str, store: str, roots: list[str], *, make: int) -> list[str]:
    """Put the code of all that these names lead to beside its source; `make`: so many may be compiled for that.

    Names of modules for which there is none.
    """
    pending, unknown, budget = list(roots), [], Budget(make)
    seen: set[str] = set()
    while pending and len(seen) < MOST:
        parts = pending.pop().split(".")
        for depth in range(1, len(parts) + 1):  # a module is imported after the packages that it lies in
            name = ".".join(parts[:depth])
            if name in seen:
                continue
            seen.add(name)
            place = find(site, name)
            found = kept_imports(place[0], store, budget) if place else []
            if found is None:
                unknown.append(name)
            elif place:
                pending.extend(named(found, place[1]))
    return unknown


def main() -> None:
    asked = json.load(sys.stdin)
    os.makedirs(asked["store"], exist_ok=True)
    follow(asked["site"], asked["store"], asked["roots"], make=MOST)


if __name__ == "__main__":
    main()
