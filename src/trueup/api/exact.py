"""How do friendly values become exact ones, by the same rules as those of the command line?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.act.agents.base import AgentFunction
from trueup.api import functions as plain
from trueup.config import Overrides, build_task, load_config
from trueup.config.file import AGENT, CHECK, LIMITS, PLAIN
from trueup.config.names import agent_name, numbered
from trueup.config.values import NO_LIMIT, Convert
from trueup.decide.task import PERSON, AgentSpec
from trueup.decide.task import Task as Spec
from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.api.wishes import Agent, Check, Task

LIMIT_KEYS = {
    "max_usd": "usd",
    "max_time": "time",
    "max_attempts": "attempts",
    "max_usd_per_attempt": "max_usd_per_attempt",
}
"""Keyword of `Task` -> key in `[limits]`."""
KEYWORDS: Mapping[str, Convert] = {**PLAIN, **{keyword: LIMITS[key] for keyword, key in LIMIT_KEYS.items()}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A task, and the functions that its agents name."""

    task: Spec
    functions: Mapping[str, AgentFunction]


def asked(wishes: Task, *, checks: Sequence[Check], agents: Sequence[Agent]) -> Asked:
    if not isinstance(wishes.text, str):
        raise refusal("Task", "text", wishes.text, "a text")
    values = converted(wishes, KEYWORDS)
    limits = {LIMIT_KEYS[key]: values.pop(key) for key in LIMIT_KEYS if key in values}
    known = _known(agents, wishes.usd_per_attempt, reviewer=wishes.reviewer)
    if any(spec.kind == "python" and spec.reports_cost for spec in known.values()):
        # Under our own cap, a function that says nothing would be charged for what it may never have cost.
        limits.setdefault("usd", None)
    config = {
        **values,
        "limits": limits,
        "check": [converted(check, CHECK) for check in checks],
        "agent": [converted(agent, AGENT) for agent in agents],
    }
    flags = Overrides(task=wishes.text, item=wishes.item, until=wishes.until, from_rev=wishes.from_rev)
    try:
        spec = build_task(config, flags, {}, known_agents=known)
    except UsageError as error:
        raise _in_python(error) from None
    return Asked(task=spec, functions=functions(agents))


def functions(agents: Sequence[Agent]) -> Mapping[str, AgentFunction]:
    return {agent.name: plain.as_function(agent.function) for agent in agents if agent.function is not None}


def configured(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the file of a project says: by keyword of `Task`, and the tables that are lists."""
    from trueup.act.project import find_project

    values = load_config(find_project(folder).root).values
    limits = values.get("limits", {})
    plainly = {key: value for key, value in values.items() if key in PLAIN}
    capped = {keyword: limits[key] for keyword, key in LIMIT_KEYS.items() if key in limits}
    return plainly | {key: NO_LIMIT if cap is None else cap for key, cap in capped.items()}, values


def _known(agents: Sequence[Agent], price: float | None, *, reviewer: str | None) -> dict[str, AgentSpec]:
    """The agents that need no command. A function without a price counts as one that says what it cost."""
    own = {
        agent.name: AgentSpec(
            name=agent.name, kind="python", reports_cost=agent.usd_per_attempt is None and price is None
        )
        for agent in agents
        if agent.function is not None
    }
    ours = reviewer in {None, PERSON, *(agent.name for agent in agents)}
    if ours and all(agent.function is not None or (agent.command is not None and not agent.kind) for agent in agents):
        return own
    from trueup.act.agents import known_agents

    return {**known_agents(), **own}


def command_name(command: str, taken: set[str]) -> str:
    return numbered(agent_name(command), taken)


def function_name(function: object, taken: set[str]) -> str:
    return numbered(plain.function_name(function), taken)


# --- what cannot be used -----------------------------------------------------------------------------------------


def converted(wishes: object, keys: Mapping[str, Convert]) -> dict[str, Any]:
    """The values in their final form; None counts as not given."""
    said = {key: getattr(wishes, key, None) for key in keys}
    return {key: _one(wishes, key, value, keys[key]) for key, value in said.items() if value is not None}


def _one(wishes: object, key: str, value: Any, convert: Convert) -> Any:
    try:
        return convert(list(value) if isinstance(value, tuple) else value)
    except ValueError as error:
        raise refusal(type(wishes).__name__, key, value, str(error)) from None


def refusal(where: str, key: str, value: object, allowed: str) -> UsageError:
    return UsageError(f"{where}({key}={value!r}) cannot be used", why=f"It has to be {allowed}.")


_FLAG = re.compile(r"--([a-z]+(?:-[a-z]+)*)")
_KEYWORD_OF = {"from": "from_rev", "agent-cmd": "agent"}
_ELSEWHERE = (("limits.usd", "max_usd"), (" in trueup.toml, or TRUEUP_USD_PER_ATTEMPT", ""))


def _in_python(error: UsageError) -> UsageError:
    """The same refusal, with keywords where it speaks of flags."""
    return UsageError(_reworded(error.what), why=_reworded(error.why), do=_reworded(error.do))


def _reworded(text: str) -> str:
    for there, here in _ELSEWHERE:
        text = text.replace(there, here)
    return _FLAG.sub(lambda flag: _KEYWORD_OF.get(flag[1], flag[1].replace("-", "_")), text)
