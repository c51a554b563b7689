"""Which compiled modules does a check find, and which may it leave? None of a package or a test, while it proves."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from trueup.act.bench import Bench
from trueup.act.compiling import Fixed, Module, compile_ahead
from trueup.act.interpreters import pythons_behind
from trueup.act.process import Processes
from trueup.act.protection import is_control_path, is_test_path

_COMPILERS = re.compile(r"\b(?:compileall|py_compile)\b")
"""A check whose commands name one of them writes compiled modules of the tree itself."""
_Commands = tuple[tuple[str, ...], ...]


def compiled_for_proof(
    modules: Iterable[Module],
    *,
    bench: Bench,
    behind: _Commands,
    packages: Iterable[Path],
    rewritten: frozenset[str],
    processes: Processes,
    env: Mapping[str, str],
) -> Fixed:
    """Compile what the check will load; from now on nobody has a reason to write there, except for what it may write.

    `behind` are the check's commands, `packages` its environment folders, wherever they lie.
    """
    path = env.get("PATH", "").split(os.pathsep)
    compile_ahead(
        modules,
        bytecode=bench.bytecode,
        bench=bench.folder,
        besides=rewritten,
        pythons=lambda: pythons_behind(behind, path, root=os.fspath(bench.folder)),
        processes=processes,
        env=env,
    )
    for own in (bench.folder, bench.tmp, bench.short_tmp, bench.cache):
        (bench.bytecode / own.relative_to("/")).mkdir(parents=True, exist_ok=True)
    return Fixed.now(bench.bytecode, _free(bench, behind, packages))


def _free(bench: Bench, behind: _Commands, packages: Iterable[Path]) -> Callable[[str], bool]:
    """Sources whose compiled code adds nothing to what the check may write anyway: not packages, nor tests."""
    root, own = f"{bench.folder}/", (f"{bench.tmp}/", f"{bench.short_tmp}/", f"{bench.cache}/")
    installed = tuple(f"{folder}/" for folder in packages)
    compiles = any(_COMPILERS.search(word) for argv in behind for word in argv)

    def is_free(source: str) -> bool:
        if source.startswith(installed) or not source.startswith((*own, root)):
            return False
        path = source.removeprefix(root)
        return compiles or not (bench.holds(path) and (is_test_path(path) or is_control_path(path)))

    return is_free
