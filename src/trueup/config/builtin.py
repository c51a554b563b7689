"""What does `[builtin]` say: which verifiers count, which are off, and how each is set up?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from trueup.config import values
from trueup.config.durations import parse_duration
from trueup.config.names import did_you_mean
from trueup.decide.task import BuiltinWishes
from trueup.errors import UsageError

GROUP = "trueup.verifiers"
NAMES = ("syntax", "encoding", "imports", "coherence", "dependencies", "smoke", "entrypoint", "browser")


def variables(value: Any) -> dict[str, str]:
    """What code of the project finds in its environment."""
    fits = isinstance(value, dict) and all(isinstance(one, str) and "\0" not in one for one in value.values())
    if not fits or not all(values.ENV_NAME.fullmatch(str(name)) for name in value):
        raise ValueError("a table of variables and their texts")
    return dict(value)


def installer(value: Any) -> str:
    if value not in {"uv", "pip"}:
        raise ValueError('"uv" or "pip"')
    return str(value)


COMMON: Mapping[str, values.Convert] = {"timeout": parse_duration}
_RUNS: Mapping[str, values.Convert] = {"env": variables, "network": values.boolean, "installer": installer}
SETTINGS: Mapping[str, Mapping[str, values.Convert]] = {
    "dependencies": {"installer": installer},
    "smoke": _RUNS,
    "entrypoint": {
        **_RUNS,
        "command": values.command,
        "folder": values.plain_text,
        "path": values.plain_text,
        "seconds": parse_duration,
    },
    "browser": {"path": values.plain_text, "text": values.plain_text, "program": values.plain_text},
}
"""What a built-in verifier can be told; an installed one can be told anything."""


def builtin_table(raw: Any, file: str) -> BuiltinWishes:
    """The validated table. Anything that nobody would read is refused."""
    place = f"{file}, [builtin]"
    if not isinstance(raw, dict):
        raise UsageError(f"{place} is not a table", do="Its keys are: required, off, and one table for each verifier.")
    lists = {key: _names(raw[key], f"{place}: {key}", kinds=key == "off") for key in ("required", "off") if key in raw}
    tables = {key: value for key, value in raw.items() if key not in lists}
    _refuse_unknown(tables, place)
    settings = {name: json.dumps(_settings(name, table, place), sort_keys=True) for name, table in tables.items()}
    both = next((name for name in lists.get("required", ()) if name in lists.get("off", ())), None)
    if both is not None:
        raise UsageError(f"{place}: {both!r} is required and off", do="Choose one of them.")
    return BuiltinWishes(**lists, settings=settings)


def known_verifiers() -> tuple[str, ...]:
    """Our own, and those that are installed: these take a while to find, and are asked for seldom."""
    from trueup.plugins import found

    return (*NAMES, *sorted(found(GROUP).keys() - set(NAMES)))


def refuse_unknown_verifier(name: str, place: str) -> None:
    if name in NAMES:
        return
    known = known_verifiers()
    if name not in known:
        hint = did_you_mean(name, known) or f"There are: {', '.join(known)}."
        raise UsageError(f"{place}: there is no verifier {name!r}", do=hint)


def _names(raw: Any, place: str, *, kinds: bool) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(one, str) for one in raw):
        raise UsageError(f"{place} is not a list of names", do=f"There are: {', '.join(known_verifiers())}.")
    for name in raw:
        refuse_unknown_verifier(name.partition(".")[0] if kinds else name, place)
    return tuple(dict.fromkeys(raw))


def _refuse_unknown(tables: Iterable[str], place: str) -> None:
    known = ("required", "off", *known_verifiers())
    for key in tables:
        if key not in known:
            hint = did_you_mean(key, known) or f"Known here: {', '.join(known)}."
            raise UsageError(f"{place}: unknown key {key!r}", do=hint)


def _settings(name: str, raw: Any, place: str) -> dict[str, Any]:
    here = f"{place[:-1]}.{name}]"
    if not isinstance(raw, dict):
        raise UsageError(f"{here} is not a table")
    allowed = {**COMMON, **SETTINGS.get(name, {})}
    settings = {}
    for key, value in raw.items():
        if key not in allowed and name in NAMES:
            hint = did_you_mean(key, allowed) or f"Known here: {', '.join(sorted(allowed))}."
            raise UsageError(f"{here}: unknown key {key!r}", do=hint)
        try:
            settings[key] = allowed.get(key, lambda given: given)(value)
        except ValueError as error:
            raise UsageError(f"{here}: {key} = {value!r} cannot be used", why=f"It has to be {error}.") from error
    return settings
