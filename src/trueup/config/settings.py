"""Which value counts for a setting? The flag's, else the variable's, else the file's, else the default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trueup.config import values
from trueup.config.durations import parse_duration
from trueup.config.names import suggest
from trueup.decide.task import OnGreen
from trueup.errors import UsageError
from trueup.evidence.report import Strength

PREFIX = "TRUEUP_"
NOT_SETTINGS = frozenset({"TRUEUP_RUN", "TRUEUP_DECISION_FILE", "TRUEUP_DECISION_NONCE", "TRUEUP_CHECK_ID"})
"""Set by trueup itself, to recognise a run inside a run, and for a check that decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """The flags of `trueup run`; None = not given.

    An empty list counts as not given. `check`, `only` and the agents replace what the file says; `protect`,
    `include` and `env` add to it.
    """

    task: str | None = None
    agent: tuple[str, ...] | None = None
    agent_cmd: str | None = None
    check: tuple[str, ...] | None = None
    setup: str | None = None
    goal: str | None = None
    target: tuple[str, ...] | None = None
    only: tuple[str, ...] | None = None
    protect: tuple[str, ...] | None = None
    edit_tests: bool | None = None
    include: tuple[str, ...] | None = None
    env: tuple[str, ...] | None = None
    max_usd: float | str | None = None
    max_time: float | str | None = None
    max_attempts: int | str | None = None
    agent_timeout: float | str | None = None
    from_rev: str | None = None
    item: str | None = None
    issue: str | None = None
    no_pr: bool | None = None
    in_place: bool | None = None
    apply: bool | None = None
    sandbox: bool | None = None
    on_green: str | None = None
    until: float | str | None = None
    reviewer: str | None = None
    reviewer_cmd: str | None = None
    search_cpu: float | str | None = None
    plan: bool | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    key: str
    """In the file; dotted inside a table."""
    convert: values.Convert
    reads: Callable[[str], Any] = str
    """How a flag's or variable's text becomes what the file would hold."""
    flag: str | None = None

    @property
    def variable(self) -> str:
        return PREFIX + (self.flag or self.key.rpartition(".")[2]).upper()

    @property
    def option(self) -> str:
        return option(self.flag or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A value that the user set, and where."""

    value: Any
    origin: str


def number(text: str) -> Any:
    """The number that is written here; the text itself if there is none, so that it is refused by name."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()


def yes_or_no(text: str) -> Any:
    return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}.get(text.lower(), text)


SETTINGS = {
    setting.key: setting
    for setting in (
        Setting("goal", values.goal, flag="goal"),
        Setting("setup", values.command, flag="setup"),
        Setting("patience", values.count, number),
        Setting("min_strength", values.one_of(Strength)),
        Setting("max_changed_files", values.count, number),
        Setting("edit_tests", values.boolean, yes_or_no, flag="edit_tests"),
        Setting("on_green", values.one_of(OnGreen), flag="on_green"),
        Setting("agent_timeout", parse_duration, flag="agent_timeout"),
        Setting("focus_above", parse_duration),
        Setting("max_verify_attempts", values.count, number),
        Setting("reviewer", values.agent, flag="reviewer"),
        Setting("reviewer_cmd", values.command, flag="reviewer_cmd"),
        Setting("review_rounds", values.count, number),
        Setting("usd_per_attempt", values.price, number),
        Setting("sandbox", values.boolean, yes_or_no, flag="sandbox"),
        Setting("search_first", values.boolean, yes_or_no),
        Setting("fix_first", values.boolean, yes_or_no),
        Setting("search_cpu", parse_duration, number, flag="search_cpu"),
        Setting("search_unsandboxed", values.boolean, yes_or_no),
        Setting("limits.usd", values.cap, number, flag="max_usd"),
        Setting("limits.time", values.time_cap, flag="max_time"),
        Setting("limits.attempts", values.count, number, flag="max_attempts"),
        Setting("limits.max_usd_per_attempt", values.amount, number),
    )
}
OTHER_VARIABLES = ("TRUEUP_AGENT", "TRUEUP_AGENT_CMD", "TRUEUP_CHECK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """Everything that the user said, in the three places where it can be said."""

    flags: Overrides
    environ: Mapping[str, str]
    config: Mapping[str, Any]

    def find(self, key: str) -> Found | None:
        """The value that counts, or None when nobody said anything."""
        setting = SETTINGS[key]
        flag = getattr(self.flags, setting.flag) if setting.flag else None
        if flag is not None:
            return _converted(setting, flag, setting.option)
        variable = self.environ.get(setting.variable, "")
        if variable.strip():
            return _converted(setting, variable, setting.variable)
        return _in_file(self.config, key)

    def get(self, key: str, default: Any) -> Any:
        found = self.find(key)
        return default if found is None else found.value

    def variable(self, name: str) -> str | None:
        return self.environ.get(name, "").strip() or None


def option(flag: str) -> str:
    return "--" + flag.removesuffix("_rev").replace("_", "-")


def refuse(origin: str, value: object, allowed: object) -> UsageError:
    return UsageError(f"{origin} {value} cannot be used", why=f"It has to be {allowed}.")


def environment_warnings(environ: Mapping[str, str]) -> tuple[str, ...]:
    """One line for each TRUEUP_* variable that nobody reads: probably a typing error."""
    known = {*OTHER_VARIABLES, *(setting.variable for setting in SETTINGS.values())}
    unknown = sorted(n for n in environ if n.startswith(PREFIX) and n not in known | NOT_SETTINGS)
    return tuple(f"{name} is not known and was ignored. {_meant(name, known)}".strip() for name in unknown)


def _meant(name: str, known: set[str]) -> str:
    """The prefix is left out of the comparison: it makes everything look alike."""
    nearest = suggest(name.removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in known])
    return f"Did you mean {PREFIX}{nearest}?" if nearest else ""


def parse_until(text: str, now: float) -> float:
    """`07:30` (the next one) or `2030-05-01T07:30` as Unix seconds, in local time unless it says otherwise."""
    import datetime as dt

    here = dt.datetime.fromtimestamp(now).astimezone()
    try:
        moment = dt.datetime.fromisoformat(text if "-" in text else f"{here:%Y-%m-%d}T{text}").astimezone()
    except (ValueError, OverflowError):
        raise refuse("--until", text, 'a time such as "07:30" or "2030-05-01T07:30"') from None
    if "-" not in text and moment <= here:
        moment += dt.timedelta(days=1)
    if moment <= here:
        raise refuse("--until", text, "in the future")
    return moment.timestamp()


def _converted(setting: Setting, value: Any, origin: str) -> Found:
    try:
        return Found(value=setting.convert(setting.reads(value) if isinstance(value, str) else value), origin=origin)
    except ValueError as error:
        raise refuse(origin, value, error) from error


def _in_file(config: Mapping[str, Any], key: str) -> Found | None:
    table, _, name = key.rpartition(".")
    place = config.get(table, {}) if table else config
    return Found(value=place[name], origin=key) if name in place else None
