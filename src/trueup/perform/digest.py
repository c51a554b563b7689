"""What do the checks run in? One value for it, so that an answer is remembered only for the same surroundings."""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path

from trueup.act.command_line import parse_command, which
from trueup.act.dependencies import packages_stamp
from trueup.act.environment import check_environment
from trueup.decide.task import CheckSpec, Task
from trueup.perform.setting import Setting
from trueup.plugins import found
from trueup.verify.verifiers import BUILTIN, GROUP
from trueup.version import __version__

VOLATILE = frozenset({"SHLVL", "_", "WINDOWID", "COLUMNS", "LINES", "TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME"})
VOLATILE_PREFIXES = ("SSH_", "TMUX", "TERM", "XDG_SESSION", "DBUS_", "VSCODE_", "PYTHONPYCACHE", "GITHUB_", "CI_")
"""Variables that differ from one terminal or CI job to the next and that no check should depend on."""


def environment_digest(setting: Setting, task: Task, dependencies: tuple[str, ...]) -> str:
    """What the checks run in: their variables, their programs, the installed packages of the checkout."""
    nowhere = Path(os.devnull)
    variables = check_environment(setting.environ, allow=task.env, tmp=nowhere, cache=nowhere).variables
    steady = {k: v for k, v in variables.items() if k not in VOLATILE and not k.startswith(VOLATILE_PREFIXES)}
    parts = [__version__, *(f"{k}={v}" for k, v in sorted(steady.items()))]
    parts += [_stamp(which(parse_command(c.run)[0], variables.get("PATH", ""))) for c in task.checks]
    parts += [packages_stamp(setting.project.root, dependencies), repr(task.setup)]
    parts += [f"sandbox {task.sandbox}", *(task.sandbox_read if task.sandbox else ())]
    parts += [brought_by_plugin(c.builtin) for c in task.checks if c.builtin and c.builtin not in BUILTIN]
    parts += [_stamp(place) for c in task.checks for place in _site_packages(c, variables.get("PATH", ""))]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def brought_by_plugin(name: str) -> str:
    """Which release of which distribution answers as this verifier, and how its file looks: another may differ."""
    point = found(GROUP).get(name)
    if point is None:
        return f"{name} missing"
    release = f"{point.dist.name} {point.dist.version}" if point.dist else ""
    top, _, rest = point.module.partition(".")
    spec = find_spec(top)  # of a top-level module: nothing is imported
    places = spec.submodule_search_locations if spec and spec.submodule_search_locations else None
    inner = Path(next(iter(places)), *rest.split(".")) if places and rest else None
    file = inner.with_suffix(".py") if inner else Path(spec.origin) if spec and spec.origin else None
    return f"{name} {point.value} {release} {_stamp(os.fspath(file) if file else None)}"


def _site_packages(check: CheckSpec, path: str) -> list[str]:
    """Where the packages of the check's program lie, if it is a Python one outside the checkout."""
    program = which(parse_command(check.run)[0], path)
    prefixes = {Path(program).parent.parent, Path(program).resolve().parent.parent} if program else set()
    return sorted(os.fspath(p) for prefix in prefixes for p in prefix.glob("lib/python3*/site-packages"))


def _stamp(path: str | None) -> str:
    try:
        found = os.stat(path) if path else None  # noqa: PTH116 - a name, or None
    except OSError:
        found = None
    return f"{path} {found.st_mtime_ns} {found.st_size}" if found else f"{path} missing"
