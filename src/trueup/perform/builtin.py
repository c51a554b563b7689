"""Which built-in verifiers are asked, and as what: checks that count, or advisers?"""

from __future__ import annotations

import json
from collections.abc import Iterable

from trueup.decide.task import BuiltinWishes, CheckSpec
from trueup.verify.verifiers.running import in_order, known, needs

ON_REQUEST = frozenset({"browser"})
"""Run only when they are named, or when the configuration speaks of them."""
ADVISERS = ("syntax", "encoding", "imports")
"""In a run, unless they are off or count as checks."""


def all_that_apply(wishes: BuiltinWishes) -> tuple[str, ...]:
    """Those that `trueup check --builtin` runs."""
    named = {*wishes.required, *wishes.settings}
    return tuple(n for n in known() if n not in wishes.off and (n not in ON_REQUEST or n in named))


def advisers(wishes: BuiltinWishes) -> tuple[CheckSpec, ...]:
    """They look at the files alone, and what they find never counts."""
    quiet = {*wishes.required, *wishes.off}
    return builtin_checks((name for name in ADVISERS if name not in quiet), wishes)


def builtin_checks(names: Iterable[str], wishes: BuiltinWishes, *, taken: Iterable[str] = ()) -> tuple[CheckSpec, ...]:
    """As checks, with those that they need, each after these. `taken`: names of checks that there are already."""
    ordered = in_order(names)
    called = {name: _called(name, frozenset(taken)) for name in ordered}
    return tuple(_spec(name, called, wishes) for name in ordered)


def _spec(name: str, called: dict[str, str], wishes: BuiltinWishes) -> CheckSpec:
    settings = json.loads(wishes.settings.get(name, "{}"))
    off = [one.removeprefix(f"{name}.") for one in wishes.off if one.startswith(f"{name}.")]
    settings |= {"off": off} if off else {}
    timeout = settings.pop("timeout", None)
    return CheckSpec(
        name=called[name],
        run=("trueup", "check", "--builtin", "--verifier", name),
        after=tuple(called[one] for one in needs(name)),
        timeout=timeout,
        builtin=name,
        settings=json.dumps(settings, sort_keys=True) if settings else "",
    )


def _called(name: str, taken: frozenset[str]) -> str:
    """A check of the project may have the same name."""
    return f"builtin-{name}" if name in taken else name
