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
    most: int = 3
    """How often its end is refused without progress."""
    live: Live = field(default_factory=Live)
    tree: str = ""
    """A digest of the files when a check last had a result, or when the session began."""
    prompt: str = ""
    """The person's latest prompt, where the program tells: with a new one, refusals are counted anew."""
    broken: str = ""
    """Why the checks of the project are not known."""
    released: str = ""
    """What was said when it was let go; "" while it was not."""


def encode(session: Session) -> str:
    content = {
        "version": VERSION,
        "agent": session.agent,
        "session": session.session,
        "folder": session.folder,
        "checks": [[check.name, check.command] for check in session.checks],
        "most": session.most,
        "tree": session.tree,
        "prompt": session.prompt,
        "broken": session.broken,
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
            most=int(content["most"]),
            tree=content["tree"],
            prompt=str(content["prompt"]),
            broken=str(content["broken"]),
            released=str(content["released"]),
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
    live = Live(**given, failures=failures, memory=Memory(lines=lines, calls=calls))
    if not _is_sound(live):
        raise ValueError("not a state")
    return live


def _is_sound(live: Live) -> bool:
    """Whoever can write the file can write nonsense: then the session begins anew."""
    numbers = (live.turns, live.level, live.settled, live.answered)
    places = (live.wrote_at, live.checked_at, live.passed_at)
    return (
        all(isinstance(number, int) for number in numbers)
        and all(place is None or isinstance(place, int) for place in places)
        and all(one.counts and len(one.counts) == len(one.fingerprints) for one in live.failures)
        and all(isinstance(text, str) for text in (*live.tried, *live.reasons, *live.missing, live.stop))
        and all(isinstance(text, str) for one in live.failures for text in (one.check, one.subject, one.excerpt))
    )


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value
