"""Run by an interpreter of its own: compile the installed modules that some imports lead to. Executes none of them.

Reads one JSON object from standard input: `site`, where modules are installed, `store`, where compiled ones are kept
by the digest of their source, and `roots`, the names that are imported. What is compiled is never checked against its
source again: whoever uses the environment has to know that nobody changed it.
"""

# ruff: noqa: PTH103, PTH105, PTH113, PTH118, PTH120, PTH123
# Importing pathlib would take longer than much of the work.
from __future__ import annotations

import contextlib
import dis
import hashlib
import importlib.util
import json
import marshal
import os
import sys
from collections.abc import Iterator
from importlib._bootstrap_external import _code_to_hash_pyc  # type: ignore[attr-defined]
from types import CodeType

MOST = 3_000
LARGEST = 2_000_000
HEADER = 16
"""Bytes before the code in a compiled file."""


def imports(code: CodeType, package: str) -> Iterator[str]:
    """Names that are imported when the module is: not those inside of functions."""
    before: list[object] = [0, None]
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            level, names = before
            base = absolute(str(step.argval or ""), level if isinstance(level, int) else 0, package)
            yield base
            yield from (f"{base}.{name}" for name in (names if isinstance(names, tuple) else ()))
        before = [before[1], step.argval]


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


def compiled(file: str, store: str) -> CodeType | None:
    """Its code, after that lies beside it; None when it cannot be compiled."""
    with open(file, "rb") as opened:
        source = opened.read(LARGEST + 1)
    if len(source) > LARGEST:
        return None
    kept = os.path.join(store, hashlib.sha256(source).hexdigest() + ".pyc")
    try:
        with open(kept, "rb") as opened:
            code = marshal.loads(opened.read()[HEADER:])  # noqa: S302 - nobody but us writes there
    except FileNotFoundError:
        try:
            code = compile(source, file, "exec", dont_inherit=True, optimize=0)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        write(kept, _code_to_hash_pyc(code, importlib.util.source_hash(source), False))
    put(kept, importlib.util.cache_from_source(file))
    return code if isinstance(code, CodeType) else None


def write(path: str, content: bytes) -> None:
    fresh = f"{path}.{os.getpid()}"
    with open(fresh, "wb") as opened:
        opened.write(content)
    os.replace(fresh, path)


def put(kept: str, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with contextlib.suppress(FileExistsError):
        try:
            os.link(kept, target)
        except PermissionError:
            with open(kept, "rb") as opened:
                write(target, opened.read())


def main() -> None:
    asked = json.load(sys.stdin)
    os.makedirs(asked["store"], exist_ok=True)
    pending: list[str] = list(asked["roots"])
    seen: set[str] = set()
    while pending and len(seen) < MOST:
        parts = pending.pop().split(".")
        for depth in range(1, len(parts) + 1):  # a module is imported after the packages that it lies in
            name = ".".join(parts[:depth])
            if name in seen:
                continue
            seen.add(name)
            found = find(asked["site"], name)
            code = compiled(found[0], asked["store"]) if found else None
            if found and code is not None:
                pending.extend(imports(code, found[1]))


if __name__ == "__main__":
    main()
