"""Which agents are there, and how is one made from its configuration?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from trueup.act.agents.base import Agent, AgentFactory, AgentFunction
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError
from trueup.plugins import load_one

GROUP = "trueup.agents"

BUILTIN = {
    "command": "trueup.act.agents.command:make",
    "python": "trueup.act.agents.python:make",
}
"""Kind of agent, and its factory: `factory(spec, callables) -> Agent`."""


def make_agent(spec: AgentSpec, callables: Mapping[str, AgentFunction] | None = None) -> Agent:
    """The agent, ready to run. A configuration that cannot work is a `UsageError` here, before anything is paid."""
    factory = load_one(GROUP, spec.kind, BUILTIN)
    if not callable(factory):
        raise UsageError(f"the plug-in {spec.kind!r} ({GROUP}) is not a function that makes an agent")
    return cast("AgentFactory", factory)(spec, callables or {})
