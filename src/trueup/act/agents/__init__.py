"""Which agents are there, and how is one made from its configuration?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from trueup.act.agents.base import Agent, AgentFactory, AgentFunction
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError
from trueup.plugins import found, load_one, load_point

GROUP = "trueup.agents"

BUILTIN = {
    "command": "trueup.act.agents.command:make",
    "python": "trueup.act.agents.python:make",
    "search": "trueup.act.agents.search:make",
    "claude": "trueup.act.agents.claude:make",
    "codex": "trueup.act.agents.codex:make",
    "gemini": "trueup.act.agents.gemini:make",
    "qwen": "trueup.act.agents.qwen:make",
    "opencode": "trueup.act.agents.opencode:make",
    "aider": "trueup.act.agents.aider:make",
    "mini": "trueup.act.agents.mini:make",
    "copilot": "trueup.act.agents.copilot:make",
}
"""Kind of agent, and its factory: `factory(spec, callables) -> Agent`.

A kind that is a program of its own, with no command to configure, can be named by `--agent KIND`. Its factory says by
an attribute `reports_cost = True` that the program tells what it costs, by `counts_tokens = True` that it tells tokens
and no dollars, or by `usd_per_attempt` what it always costs.
"""
CONFIGURED = frozenset({"command", "python"})
"""Kinds that need a command or a function and therefore cannot be named alone."""


def known_agents() -> dict[str, AgentSpec]:
    """Agents that `--agent NAME` finds without any configuration: built in, or brought by an entry point."""
    points = {name: point for name, point in found(GROUP, BUILTIN).items() if name not in CONFIGURED}
    return {name: _spec(name, load_point(point)) for name, point in points.items()}


def _spec(name: str, factory: object) -> AgentSpec:
    return AgentSpec(
        name=name,
        kind=name,
        reports_cost=getattr(factory, "reports_cost", False),
        usd_per_attempt=getattr(factory, "usd_per_attempt", None),
        counts_tokens=getattr(factory, "counts_tokens", False),
    )


def search_options(*, cpu: float, unsandboxed: bool) -> dict[str, str]:
    """What the user's wishes mean to the agent `search`."""
    return {"cpu": repr(cpu), "unsandboxed": "true" if unsandboxed else "false"}


def search_before(agents: tuple[Agent, ...], options: Mapping[str, str]) -> tuple[Agent, ...]:
    """Each agent with a search before its first attempt; the search itself stays as it is."""
    from trueup.act.agents.search import SearchAgent, SearchFirst, make

    search = make(AgentSpec(name="search", kind="search", options=dict(options)), {})
    return tuple(one if isinstance(one, SearchAgent) else SearchFirst(agent=one, search=search) for one in agents)


def make_agent(spec: AgentSpec, callables: Mapping[str, AgentFunction] | None = None) -> Agent:
    """The agent, ready to run. A configuration that cannot work is a `UsageError` here, before anything is paid."""
    factory = load_one(GROUP, spec.kind, BUILTIN)
    if not callable(factory):
        raise UsageError(f"the plug-in {spec.kind!r} ({GROUP}) is not a function that makes an agent")
    return cast("AgentFactory", factory)(spec, callables or {})
