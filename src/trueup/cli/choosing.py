"""Which agent is meant when none was named? A person at a terminal is asked; nobody else is, and none is guessed."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from trueup.act.agents import known_agents, make_agent
from trueup.act.agents.program import ProgramAgent
from trueup.errors import UsageError

_TRIES = 3


def choose_agent(environ: Mapping[str, str], *, as_json: bool) -> str:
    """The name that the person chose. Without a person, a found program, or an answer: the error that says how to."""
    found = _found(environ)
    is_attended = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    name = _asked(found) if found and is_attended else ""
    if not name:
        raise no_agent(tuple(found))
    return name


def no_agent(found: tuple[str, ...]) -> UsageError:
    there = f"found on this machine: {', '.join(found)}" if found else "no known agent program was found on PATH"
    return UsageError(
        "no agent was named",
        why=f"trueup never starts a paid agent by itself; {there}",
        do=f"Give one, for example --agent {found[0] if found else 'claude'}, or put it in trueup.toml. "
        "Any other program: --agent-cmd. Small bugs in Python code: --agent search asks no model.",
    )


def _found(environ: Mapping[str, str]) -> dict[str, str]:
    """Programs that are here, by name, with what they may do."""
    agents = [make_agent(spec) for spec in known_agents().values()]
    programs = [agent for agent in agents if isinstance(agent, ProgramAgent) and agent.found(environ)]
    return {agent.name: agent.dialect.permissions for agent in programs}


def _asked(found: Mapping[str, str]) -> str:
    """ "" for an empty line, the end of the input, or no usable answer."""
    names = list(found)
    print("No agent was named. These were found, and each costs what its provider charges:", file=sys.stderr)
    for number, name in enumerate(names, 1):
        print(f"  {number}  {name}: {found[name]}", file=sys.stderr)
    for _ in range(_TRIES):
        print("Which one? Its number; Enter for none: ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip()
        if not answer:
            return ""
        if answer in found:
            return answer
        if answer.isdecimal() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]
        print(f"{answer!r} is none of them.", file=sys.stderr)
    return ""
