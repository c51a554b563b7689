"""Which versions of a distribution are there? pip is asked, as the user configured it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from trueup.act.indexes import index_of
from trueup.act.interpreter_choice import choose
from trueup.act.process import Processes
from trueup.act.remedies.requirement_text import is_name

_SECONDS = 60.0
_LISTED = re.compile(r"Available versions:\s*([^\r\n]+)")
_NONE = re.compile(r"No matching distribution found|not found", re.IGNORECASE)


class PipIndex:
    """Contract: as `Index`. Each name is asked once."""

    def __init__(self, processes: Processes, env: Mapping[str, str], *, scratch: Path, cache: Path) -> None:
        self._processes = processes
        self._env = env
        self._scratch = scratch
        self._cache = cache
        self._known: dict[str, tuple[str, ...] | None] = {}

    def versions(self, distribution: str) -> tuple[str, ...] | None:
        if distribution not in self._known:
            self._known[distribution] = self._asked(distribution) if is_name(distribution) else None
        return self._known[distribution]

    def _asked(self, distribution: str) -> tuple[str, ...] | None:
        found = choose(self._env, "", self._cache, root=self._scratch)
        if found is None:
            return None
        home = self._scratch / "index-home"
        home.mkdir(parents=True, exist_ok=True)
        env = {"PATH": os.defpath, "HOME": self._env.get("HOME", str(home)), "LANG": "C.UTF-8"}
        done = self._processes.run(
            [found.program, "-I", "-m", "pip", "index", "versions", distribution],
            cwd=home,
            env=env | index_of(self._env).pip_variables() | {"PIP_NO_COLOR": "1"},
            timeout=_SECONDS,
        )
        said = done.stdout.text()
        if done.exit_code == 0 and (listed := _LISTED.search(said)):
            return tuple(one.strip() for one in listed[1].split(",") if one.strip())
        return () if _NONE.search(said) else None
