"""What does the configuration file say? Unknown keys and wrong values are refused, at every level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from trueup.config import values
from trueup.config.builtin import builtin_table
from trueup.config.durations import parse_duration
from trueup.config.names import did_you_mean
from trueup.config.tracker import TrackerKind
from trueup.decide.task import OnGreen
from trueup.errors import UsageError
from trueup.evidence.report import Strength

FILE = "trueup.toml"
PROJECT_FILE = "pyproject.toml"

CHECK: Mapping[str, values.Convert] = {
    "name": values.name,
    "run": values.command,
    "after": values.check_names,
    "timeout": parse_duration,
    "hermetic": values.boolean,
    "report": values.report,
    "decision_file": values.decision_file,
    "decision_words": values.boolean,
}
AGENT: Mapping[str, values.Convert] = {
    "name": values.name,
    "command": values.command,
    "kind": values.name,
    "usd_per_attempt": values.price,
    "shell": values.boolean,
    "model": values.plain_text,
    "args": values.arguments,
    "price": values.token_price,
}
LIMITS: Mapping[str, values.Convert] = {
    "usd": values.cap,
    "time": values.time_cap,
    "attempts": values.count,
    "max_usd_per_attempt": values.amount,
}
TRACKER: Mapping[str, values.Convert] = {
    "kind": values.one_of(TrackerKind),
    "folder": values.folder,
    "ready": values.label,
    "in_progress": values.label,
    "stalled": values.label,
    "done": values.label,
    "pull_request": values.boolean,
}
PLAIN: Mapping[str, values.Convert] = {
    "goal": values.goal,
    "setup": values.command,
    "only": values.patterns,
    "protect": values.patterns,
    "include": values.patterns,
    "env": values.env_names,
    "patience": values.count,
    "min_strength": values.one_of(Strength),
    "max_changed_files": values.count,
    "edit_tests": values.boolean,
    "on_green": values.one_of(OnGreen),
    "agent_timeout": parse_duration,
    "focus_above": parse_duration,
    "max_verify_attempts": values.count,
    "reviewer": values.agent,
    "reviewer_cmd": values.command,
    "review_rounds": values.count,
    "usd_per_attempt": values.price,
    "sandbox": values.boolean,
    "sandbox_read": values.paths,
    "sandbox_share": values.paths,
    "search_first": values.boolean,
    "search_cpu": parse_duration,
    "search_unsandboxed": values.boolean,
    "fix_first": values.boolean,
    "remedies": values.row_files,
}
LISTS: Mapping[str, Mapping[str, values.Convert]] = {"check": CHECK, "agent": AGENT}
TABLES: Mapping[str, Mapping[str, values.Convert]] = {"limits": LIMITS, "tracker": TRACKER}
BUILTIN = "builtin"
REQUIRED = {"check": "run", "agent": "name"}
HOMES = {"[limits]": LIMITS, "[tracker]": TRACKER, "[[check]]": CHECK, "[[agent]]": AGENT, "the top of the file": PLAIN}


class ConfigFile(NamedTuple):
    """Validated values by key, and the file that they come from (None: there is none)."""

    values: dict[str, Any]
    source: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in which file we are, for messages."""

    file: str
    table: str = ""

    def __str__(self) -> str:
        return f"{self.file}, {self.table}" if self.table else self.file


def load_config(root: Path) -> ConfigFile:
    """`trueup.toml`, else `[tool.trueup]` of `pyproject.toml`, else nothing. Both at once are refused."""
    own, project = root / FILE, root / PROJECT_FILE
    table = _project_table(project)
    if not own.exists():
        return ConfigFile({}, None) if table is None else ConfigFile(validate(table, PROJECT_FILE), project)
    if table is not None:
        raise UsageError(
            f"{FILE} and [tool.trueup] in {PROJECT_FILE} are both there",
            why="It would not be clear which one counts.",
            do="Keep one of them.",
        )
    return ConfigFile(parse_config(_read(own), FILE), own)


def parse_config(content: bytes, name: str) -> dict[str, Any]:
    """The validated values of a `trueup.toml` with this content."""
    return validate(_toml(content, name), name)


def validate(raw: Mapping[str, Any], file: str) -> dict[str, Any]:
    top = Place(file=file)
    _refuse_unknown(raw, {*PLAIN, *LISTS, *TABLES, BUILTIN}, top)
    checked = _converted({key: value for key, value in raw.items() if key in PLAIN}, PLAIN, top)
    for key, keys in LISTS.items():
        if key in raw:
            checked[key] = _tables(raw[key], key, keys, top)
    for key, keys in TABLES.items():
        if key in raw:
            checked[key] = _table(raw[key], keys, replace(top, table=f"[{key}]"))
    if BUILTIN in raw:
        checked[BUILTIN] = builtin_table(raw[BUILTIN], file)
    return checked


def _tables(raw: Any, key: str, keys: Mapping[str, values.Convert], top: Place) -> list[dict[str, Any]]:
    if not isinstance(raw, list):
        raise UsageError(f"{top}: {key!r} is not a list of tables", do=f"Write [[{key}]] with double brackets.")
    tables = [_table(one, keys, _numbered(top, key, one, n)) for n, one in enumerate(raw, 1)]
    for number, table in enumerate(tables, 1):
        if REQUIRED[key] not in table:
            raise UsageError(f"{_numbered(top, key, table, number)} has no {REQUIRED[key]!r}", do="Add it.")
    _refuse_doubles([table["name"] for table in tables if "name" in table], key, top)
    return tables


def _table(raw: Any, keys: Mapping[str, values.Convert], place: Place) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise UsageError(f"{place} is not a table", do=f"Its keys are: {', '.join(keys)}.")
    _refuse_unknown(raw, set(keys), place)
    return _converted(raw, keys, place)


def _converted(raw: Mapping[str, Any], keys: Mapping[str, values.Convert], place: Place) -> dict[str, Any]:
    checked = {}
    for key, value in raw.items():
        try:
            checked[key] = keys[key](value)
        except ValueError as error:
            raise UsageError(
                f"{place}: {key} = {_shown(value)} cannot be used", why=f"It has to be {error}."
            ) from error
    return checked


def _refuse_unknown(raw: Mapping[str, Any], known: set[str], place: Place) -> None:
    for key in raw:
        if key in known:
            continue
        home = next((label for label, keys in HOMES.items() if key in keys), "")
        hint = f"It belongs in {home}." if home else did_you_mean(key, known)
        raise UsageError(
            f"{place}: unknown key {key!r}", why=hint, do="" if hint else f"Known here: {', '.join(sorted(known))}."
        )


def _refuse_doubles(names: list[str], key: str, top: Place) -> None:
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise UsageError(f"{top}: two [[{key}]] are named {double!r}", do="Give each its own name.")


def _numbered(top: Place, key: str, table: Any, number: int) -> Place:
    name = table.get("name") if isinstance(table, dict) else None
    return replace(top, table=f"[[{key}]] {name!r}" if isinstance(name, str) else f"[[{key}]] number {number}")


def _project_table(path: Path) -> Mapping[str, Any] | None:
    if not path.exists():
        return None
    content = _read(path)
    try:
        tool = _toml(content, PROJECT_FILE).get("tool")
    except UsageError:
        # A broken pyproject.toml may be the very thing to repair; it concerns us only if we are configured there.
        if b"tool.trueup" in content:
            raise
        return None
    table = tool.get("trueup") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{PROJECT_FILE}: tool.trueup is not a table", do="Write [tool.trueup].")
    return table


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise UsageError(f"{path} is not a file", do="Remove it, or put a file there.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read", why=str(error)) from error


def _toml(content: bytes, name: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{name} is not valid TOML", why=str(error), do="Correct it, then try again.") from error


def _shown(value: Any) -> str:
    shown = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"  # noqa: PLR2004 - a line's worth
