"""What exactly is asked for? File, variables and flags, made into one `Task`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from trueup.config import values
from trueup.config.names import agent_name, check_name, did_you_mean, is_item_name, item_name
from trueup.config.prices import Price, known_price, write_price
from trueup.config.settings import Overrides, Wishes, option, parse_until, refuse
from trueup.decide.task import (
    PERSON,
    AgentSpec,
    CheckSpec,
    Goal,
    GoalKind,
    Limits,
    ReviewerSpec,
    Task,
    paid_agents,
    stages,
)
from trueup.errors import UsageError

NO_AGENTS: Mapping[str, AgentSpec] = MappingProxyType({})
RESULT_FILE = "{result_file}"
"""A command that names this place reports what it cost."""
NO_PROGRAMS = frozenset({"command", "python", "search"})
"""Kinds of agents without a program of their own."""
OWN_KINDS = ("command", "python")


def build_task(
    config: Mapping[str, Any],
    overrides: Overrides,
    environ: Mapping[str, str],
    *,
    known_agents: Mapping[str, AgentSpec] = NO_AGENTS,
    now: float | None = None,
) -> Task:
    """`config` is what `load_config` validated; `known_agents` are the built-in ones by name.

    Contract: `agents` is empty when none was named or configured, `checks` likewise; nothing is guessed here.
    """
    wishes = Wishes(flags=overrides, environ=environ, config=config)
    agents = _agents(wishes, known_agents)
    reviewer = _reviewer(wishes, known_agents)
    text = _text(overrides.task)
    default = Task()
    checks = _checks(wishes)
    return Task(
        text=text,
        item=_item(overrides.item, text),
        checks=checks,
        builtin=config.get("builtin", default.builtin),
        fix_first=wishes.get("fix_first", True),
        remedies=config.get("remedies", ()),
        agents=agents,
        goal=_goal(wishes),
        limits=_limits(wishes, paid_agents(Task(agents=agents, reviewer=reviewer))),
        setup=wishes.get("setup", None),
        only=_patterns("only", overrides.only, () if overrides.only else config.get("only", ())),
        protect=_protected(_patterns("protect", overrides.protect, config.get("protect", ())), checks),
        include=_patterns("include", overrides.include, config.get("include", ())),
        env=_added("env", values.env_names, overrides.env, config.get("env", ())),
        edit_tests=wishes.get("edit_tests", default.edit_tests),
        on_green=wishes.get("on_green", default.on_green),
        patience=wishes.get("patience", default.patience),
        max_changed_files=wishes.get("max_changed_files", default.max_changed_files),
        min_strength=wishes.get("min_strength", default.min_strength),
        agent_timeout=wishes.get("agent_timeout", default.agent_timeout),
        focus_above=wishes.get("focus_above", default.focus_above),
        max_verify_attempts=wishes.get("max_verify_attempts", default.max_verify_attempts),
        until=_until(overrides.until, time.time() if now is None else now),
        from_rev=_revision(overrides.from_rev),
        sandbox=wishes.get("sandbox", default.sandbox),
        sandbox_read=config.get("sandbox_read", ()),
        sandbox_share=config.get("sandbox_share", ()),
        reviewer=reviewer,
        review_rounds=wishes.get("review_rounds", default.review_rounds),
        search_first=wishes.get("search_first", default.search_first),
        search_cpu=wishes.get("search_cpu", default.search_cpu),
        search_unsandboxed=wishes.get("search_unsandboxed", default.search_unsandboxed),
    )


def _text(given: str | None) -> str:
    if given is None:
        return Task().text
    if not given.strip():
        raise UsageError("the task is empty", do="Say what is to be done, or leave it out: “make the checks pass”.")
    return given.strip()


def _item(given: str | None, text: str) -> str:
    if given is None:
        return item_name(text)
    if not is_item_name(given):
        raise UsageError(
            f"--item {given} cannot be used",
            why="It becomes a part of the branch name: letters, digits and . _ - up to 64, as git allows them.",
            do=f"For example: --item {item_name(given)}",
        )
    return given


def _goal(wishes: Wishes) -> Goal:
    flags = wishes.flags
    if flags.target and flags.goal is not None:
        raise UsageError("--goal and --target are both given", do="Targets are a goal of their own: leave --goal out.")
    if flags.goal is not None and flags.goal not in values.GOALS:
        hint = did_you_mean(flags.goal, values.GOALS) or f"For a test: --target {flags.goal}"
        raise UsageError(
            f"--goal {flags.goal} cannot be used", why=f"It has to be {' or '.join(values.GOALS)}.", do=hint
        )
    wanted = values.goal(flags.target) if flags.target else wishes.get("goal", GoalKind.GREEN.value)
    if isinstance(wanted, str):
        return Goal(kind=GoalKind(wanted))
    return Goal(kind=GoalKind.TARGETS, targets=tuple(dict.fromkeys(wanted)))


# --- checks --------------------------------------------------------------------------------------------------


def _checks(wishes: Wishes) -> tuple[CheckSpec, ...]:
    commands = wishes.flags.check or tuple(filter(None, [wishes.variable("TRUEUP_CHECK")]))
    tables = [{"run": _command("--check", one)} for one in commands] or wishes.config.get("check", [])
    checks = _named(tables)
    _refuse_unknown_stages(checks)
    stages(checks)
    return checks


def _named(tables: Iterable[Mapping[str, Any]]) -> tuple[CheckSpec, ...]:
    """Checks without a name get one that no other has."""
    taken = {table["name"] for table in tables if "name" in table}
    checks = []
    for table in tables:
        name = table.get("name") or check_name(table["run"], taken)
        taken.add(name)
        checks.append(CheckSpec(**{**table, "name": name}))
    return tuple(checks)


def _refuse_unknown_stages(checks: tuple[CheckSpec, ...]) -> None:
    names = [check.name for check in checks]
    for check in checks:
        unknown = next((name for name in check.after if name not in names), None)
        if unknown is not None:
            raise UsageError(
                f"check {check.name!r} comes after {unknown!r}, which does not exist",
                why=f"There are: {', '.join(names)}.",
                do=did_you_mean(unknown, names),
            )


# --- agents --------------------------------------------------------------------------------------------------


def _agents(wishes: Wishes, known: Mapping[str, AgentSpec]) -> tuple[AgentSpec, ...]:
    configured = {table["name"]: _configured(table, known) for table in wishes.config.get("agent", [])}
    names, command = wishes.flags.agent or (), wishes.flags.agent_cmd
    if not names and command is None:
        names, command = _listed(wishes.variable("TRUEUP_AGENT")), wishes.variable("TRUEUP_AGENT_CMD")
    chosen = [_with_model(name, {**known, **configured}) for name in dict.fromkeys(names)]
    if command is not None:
        chosen.append(_command_agent(_command("--agent-cmd", command)))
    price = wishes.get("usd_per_attempt", None)
    return tuple(_priced(agent, price) for agent in chosen or _workers(wishes, configured))


def _workers(wishes: Wishes, configured: Mapping[str, AgentSpec]) -> list[AgentSpec]:
    """Who is configured as the reviewer does not work on the task as well, unless nobody else would."""
    judge = wishes.find("reviewer")
    others = [agent for agent in configured.values() if judge is None or agent.name != judge.value]
    return others or [*configured.values()]


def _reviewer(wishes: Wishes, known: Mapping[str, AgentSpec]) -> ReviewerSpec | None:
    """A name, `person`, or any command. A flag counts, then a variable, then the file; there is one reviewer."""
    name, command = wishes.find("reviewer"), wishes.find("reviewer_cmd")
    if name and command and name.origin.startswith("--") == command.origin.startswith("--"):
        raise UsageError(f"{name.origin} and {command.origin} are both given", do="There is one reviewer: keep one.")
    if command and not (name and name.origin.startswith("--")):
        return ReviewerSpec(agent=_priced(_command_agent(command.value), wishes.get("usd_per_attempt", None)))
    if name is None:
        return None
    if name.value == PERSON:
        return ReviewerSpec()
    configured = {table["name"]: _configured(table, known) for table in wishes.config.get("agent", [])}
    agent = _with_model(name.value, {**known, **configured})
    if agent.kind == "search":
        raise UsageError("the agent 'search' cannot review", why="It repairs code; it has no opinion of a change.")
    return ReviewerSpec(agent=_priced(agent, wishes.get("usd_per_attempt", None)))


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _with_model(name: str, known: Mapping[str, AgentSpec]) -> AgentSpec:
    """`claude`, or `claude:MODEL`."""
    plain, colon, model = name.partition(":")
    if not colon or name in known:
        return _by_name(name, known)
    base = _by_name(plain, known)
    return replace(base, name=name, options=base.options | _program_options({"name": name, "model": model}, base.kind))


def _by_name(name: str, known: Mapping[str, AgentSpec]) -> AgentSpec:
    if name in known:
        return known[name]
    raise UsageError(
        f"agent {name!r} is not known",
        why=f"Known are: {', '.join(sorted(known)) or 'none'}. {did_you_mean(name, known)}".strip(),
        do="For any other program: --agent-cmd 'CMD', or an [[agent]] with a command in trueup.toml.",
    )


def _command_agent(command: str) -> AgentSpec:
    return AgentSpec(name=agent_name(command), command=command, reports_cost=_names_result_file(command))


def _configured(table: Mapping[str, Any], known: Mapping[str, AgentSpec]) -> AgentSpec:
    """A known agent with changes, or one that the file describes itself."""
    name, command = table["name"], table.get("command")
    base = _by_name(table.get("kind", name), known) if command is None else known.get(name, AgentSpec(name=name))
    kind = _kind(table.get("kind", base.kind), name, known)
    own = command is not None and kind in OWN_KINDS
    return replace(
        base,
        name=name,
        kind=kind,
        command=base.command if command is None else command,
        reports_cost=_names_result_file(command) if own else base.reports_cost,
        usd_per_attempt=table.get("usd_per_attempt", base.usd_per_attempt),
        options=base.options | _shell(table) | _program_options(table, kind),
    )


def _program_options(table: Mapping[str, Any], kind: str) -> dict[str, str]:
    """What is passed on to a program that trueup knows how to drive."""
    given = [key for key in ("model", "args", "price") if table.get(key)]
    if given and kind in NO_PROGRAMS:
        raise UsageError(
            f"agent {table['name']!r}: {given[0]} is not for an agent of this kind",
            why=f"It is for programs that trueup knows by name, and {kind!r} is not one of them.",
            do="Write it into the agent's command.",
        )
    price: Price | None = table.get("price") or known_price(table.get("model", ""))
    options = {"model": table.get("model", "")}
    options["args"] = json.dumps(table["args"]) if table.get("args") else ""
    options["price"] = write_price(price) if price is not None else ""
    return {key: value for key, value in options.items() if value}


def _kind(kind: str, agent: str, known: Mapping[str, AgentSpec]) -> str:
    kinds = sorted({*OWN_KINDS, *(spec.kind for spec in known.values())})
    if kind not in kinds:
        raise UsageError(f"agent {agent!r}: kind {kind!r} is not known", why=f"It has to be one of {', '.join(kinds)}.")
    return kind


def _shell(table: Mapping[str, Any]) -> dict[str, str]:
    if not table.get("shell"):
        return {}
    if not isinstance(table.get("command"), str):
        raise UsageError(
            f"agent {table['name']!r}: shell = true needs a command line",
            why="A list of arguments, or a known agent, never goes through a shell.",
            do="Write the command as one text, or remove `shell`.",
        )
    return {"shell": "true"}


def _names_result_file(command: str | tuple[str, ...] | None) -> bool:
    words = (command,) if isinstance(command, str) else command or ()
    return any(RESULT_FILE in word for word in words)


def _priced(agent: AgentSpec, price: float | None) -> AgentSpec:
    if agent.counts_tokens and agent.options.get("price"):
        return replace(agent, reports_cost=True)
    if agent.reports_cost or agent.usd_per_attempt is not None:
        return agent
    return replace(agent, usd_per_attempt=price)


# --- limits and the rest -------------------------------------------------------------------------------------


def _limits(wishes: Wishes, agents: tuple[AgentSpec, ...]) -> Limits:
    default = Limits()
    return Limits(
        usd=_usd(wishes, agents, default.usd),
        time=wishes.get("limits.time", default.time),
        attempts=wishes.get("limits.attempts", default.attempts),
        max_usd_per_attempt=wishes.get("limits.max_usd_per_attempt", default.max_usd_per_attempt),
    )


def new_totals(old: Limits, wishes: Overrides) -> Limits:
    """The limits of a run that goes on: what was said anew, else as before."""
    asked = build_task({}, wishes, {}).limits
    return replace(
        old,
        usd=old.usd if wishes.max_usd is None else asked.usd,
        time=old.time if wishes.max_time is None else asked.time,
        attempts=old.attempts if wishes.max_attempts is None else asked.attempts,
    )


def _usd(wishes: Wishes, agents: tuple[AgentSpec, ...], default: float | None) -> float | None:
    """A cap that nobody could keep is refused if the user set it, and not applied if it is ours."""
    found = wishes.find("limits.usd")
    if found is None:
        return None if _blind(agents) else default
    if found.value is None:
        return None
    refuse_uncounted(found.origin, float(found.value), agents)
    return float(found.value)


def refuse_uncounted(origin: str, usd: float, agents: tuple[AgentSpec, ...]) -> None:
    """A limit in dollars that the user set needs agents whose cost is known."""
    blind = _blind(agents)
    if blind is not None:
        priced = "Name its model, or set the price of that model's tokens, under [[agent]] in trueup.toml; or say"
        raise UsageError(
            f"{origin} {usd:g} cannot be kept: agent {blind.name!r} does not report what it costs",
            why="A limit in dollars that nobody can count would be a promise without cover.",
            do=f"{priced if blind.counts_tokens else 'Say'} what one attempt costs"
            " (usd_per_attempt = 0.50 in trueup.toml, or TRUEUP_USD_PER_ATTEMPT);"
            f" or let the command write its cost to {RESULT_FILE}; or set no limit in dollars"
            f" (--max-usd {values.NO_LIMIT}) and rely on time and attempts.",
        )


def _blind(agents: tuple[AgentSpec, ...]) -> AgentSpec | None:
    return next((a for a in agents if not a.reports_cost and a.usd_per_attempt is None), None)


def _patterns(flag: str, given: tuple[str, ...] | None, more: tuple[str, ...]) -> tuple[str, ...]:
    return _added(flag, values.patterns, given, more)


def _protected(patterns: tuple[str, ...], checks: tuple[CheckSpec, ...]) -> tuple[str, ...]:
    """What a check decides is not the agent's to write."""
    return tuple(dict.fromkeys((*patterns, *(f"/{c.decision_file}" for c in checks if c.decision_file))))


def _added(flag: str, convert: values.Convert, given: tuple[str, ...] | None, more: tuple[str, ...]) -> tuple[str, ...]:
    try:
        own = convert(list(given or ()))
    except ValueError as error:
        raise refuse(option(flag), " ".join(given or ()), error) from error
    return tuple(dict.fromkeys((*more, *own)))


def _command(flag: str, value: str) -> str:
    try:
        values.command(value)
    except ValueError as error:
        raise refuse(flag, repr(value), error) from error
    return value


def _until(given: float | str | None, now: float) -> float | None:
    return parse_until(given, now) if isinstance(given, str) else given


def _revision(given: str | None) -> str | None:
    """Git would take a leading dash for an option."""
    if given is not None and (not given.strip() or given.startswith("-") or "\0" in given):
        raise refuse("--from", repr(given), "a commit, a branch or a tag")
    return given
