"""How does the state of a session outlive the process of one hook? Plain JSON; what cannot be read counts as none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from trueup.decide.commands import Declared
from trueup.decide.live import Live, LiveFailure
from trueup.decide.novelty import Memory, Seen

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One guarded session, as the last hook left it."""

    agent: str
    session: str
    folder: str = ""
    """Where it began: the project."""
    checks: tuple[Declared, ...] = ()
    """As they were at the beginning: what the agent writes into the configuration later does not count."""
    live: Live = field(default_factory=Live)
    tree: str = ""
    """A digest of the files when a check last had a result, or when the session began."""
    released: str = ""
    """What was said when it was let go; "" while it was not."""


def encode(session: Session) -> str:
    content = {
        "version": VERSION,
        "agent": session.agent,
        "session": session.session,
        "folder": session.folder,
        "checks": [[check.name, check.command] for check in session.checks],
        "tree": session.tree,
        "released": session.released,
        "live": _plain(session.live),
    }
    return json.dumps(content, separators=(",", ":"))


def decode(text: str) -> Session | None:
    """None for anything that this version did not write."""
    try:
        content = json.loads(text)
        if content["version"] != VERSION:
            return None
        return Session(
            agent=content["agent"],
            session=content["session"],
            folder=content["folder"],
            checks=tuple(Declared(name=name, command=command) for name, command in content["checks"]),
            live=_live(content["live"]),
            tree=content["tree"],
            released=content["released"],
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _plain(live: Live) -> dict[str, object]:
    """Without what is only of the moment."""
    values = {one.name: getattr(live, one.name) for one in fields(Live) if one.name not in {"memory", "nudge"}}
    values["failures"] = [
        {one.name: getattr(failure, one.name) for one in fields(failure)} for failure in live.failures
    ]
    values["memory"] = [[sorted(layer) for layer in seen.layers] for seen in (live.memory.lines, live.memory.calls)]
    return values


def _live(values: Mapping[str, Any]) -> Live:
    lines, calls = (Seen(tuple(frozenset(layer) for layer in layers)) for layers in values["memory"])
    given = {name: _tuples(value) for name, value in values.items() if name not in {"memory", "failures"}}
    failures = tuple(LiveFailure(**{name: _tuples(value) for name, value in one.items()}) for one in values["failures"])
    return Live(**given, failures=failures, memory=Memory(lines=lines, calls=calls))


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value
