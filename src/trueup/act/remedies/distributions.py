"""Which distribution brings a module? From metadata and our own table; never from what a message says."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import yaml

from trueup.act.remedies.requirement_text import is_name
from trueup.act.requirement_lines import canonical

PROVES_NOTHING = frozenset({"google", "azure", "zope", "backports", "google.cloud", "ruamel", "paste", "jaraco"})
"""Names that many distributions share: importing them alone says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    modules: Mapping[str, tuple[str, ...]]
    renamed: Mapping[str, str]
    never: frozenset[str]
    systems: Mapping[str, str]


@functools.cache
def table() -> Table:
    content = resources.files("trueup.act.remedies").joinpath("data", "distributions.yaml").read_bytes()
    raw: dict[str, Any] = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    same = {name: (name.replace("_", "-"),) for name in raw["same"].split()}
    return Table(
        modules={**same, **{module: tuple(names) for module, names in raw["modules"].items()}},
        renamed=raw["renamed"],
        never=frozenset(raw["never"].split()),
        systems=raw["systems"],
    )


def distributions_of(module: str, installed: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Those that bring it, the one to add first; () when nobody we trust knows. Longer names are asked first."""
    parts = module.split(".")
    for size in range(len(parts), 0, -1):
        name = ".".join(parts[:size])
        known = (*table().modules.get(name, ()), *installed.get(name, ()))
        if known and not (name in PROVES_NOTHING and size < len(parts)):
            return tuple(dict.fromkeys(one for one in known if is_name(one)))
    return ()


def is_standard(name: str) -> bool:
    """A module of Python itself, under the name of a distribution."""
    return name.replace("-", "_") in sys.stdlib_module_names


def better_name(name: str) -> str | None:
    """What people mean by this name of a distribution."""
    return table().renamed.get(canonical(name))
