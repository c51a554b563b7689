"""What do the commands of a tox environment get to see? tox drops the environment that it was started with.

This file is not imported by trueup. Its text lies beside the probe's `sitecustomize.py` and is run when a program
imports `tox.plugin.manager`. The probe's variables are added to what tox made for its commands, just before they run:
nothing else of the environment gets through, and neither installing nor building sees them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

_DIVIDED_BY = {"PYTHONPATH": os.pathsep}
"""All other variables hold words."""


def _with_ours(name: str, ours: str, theirs: str) -> str:
    """Paths of ours come first, options of ours last."""
    if name in _DIVIDED_BY:
        return ours + (_DIVIDED_BY[name] + theirs if theirs else "")
    return (theirs + " " + ours).strip()


def watched_spec(home: str, finders: Iterable[Any], name: str, path: Any, target: Any) -> Any:
    """The module as Python finds it; when it is loaded, tox gets one plug-in more."""
    spec = next((found for found in (f.find_spec(name, path, target) for f in finders) if found is not None), None)
    if spec is not None and spec.loader is not None:
        original = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            original(module)
            with suppress(Exception):  # nothing of ours may reach the program
                _settle(module, home)

        spec.loader.exec_module = exec_module
    return spec


def _settle(module: Any, home: str) -> None:
    """tox' own way for plug-ins: one that is told before the commands of an environment run."""
    from tox.plugin import impl  # type: ignore[import-not-found]

    with open(home + "/tox_probe.json", encoding="utf-8") as file:  # noqa: PTH123 - plain functions, as in the others
        added: dict[str, str] = json.load(file)

    class Probe:
        @impl  # type: ignore[untyped-decorator]
        def tox_before_run_commands(self, tox_env: Any) -> None:
            with suppress(Exception):  # as above
                seen = tox_env.environment_variables
                mixed = {name: _with_ours(name, ours, seen.get(name, "")) for name, ours in added.items()}
                tox_env.conf["set_env"].update(mixed)

    original = module.Plugin._register_plugins  # noqa: SLF001 - where tox takes in its own

    def register(self: Any, *args: Any, **more: Any) -> Any:
        done = original(self, *args, **more)
        self.manager.register(Probe())
        return done

    module.Plugin._register_plugins = register  # noqa: SLF001 - as above
