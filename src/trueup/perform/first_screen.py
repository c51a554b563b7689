"""What does the user see before anything is paid?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from trueup.act.agents.base import Agent
from trueup.act.command_line import parse_command, show_command
from trueup.act.environment import check_environment
from trueup.decide.task import GoalKind, Limits, Task, paid_agents
from trueup.perform.confinement import header_line, search_line
from trueup.perform.context import Context
from trueup.perform.setting import Setting
from trueup.report.events import AgentLine, CheckLine, Header
from trueup.version import __version__


def header(context: Context, setting: Setting, limits: Limits) -> Header:
    task, project = context.task, context.project
    withheld = check_environment(setting.environ, allow=task.env, tmp=Path(os.devnull), cache=Path(os.devnull)).withheld
    setup = context.lab.setup
    paid = paid_agents(task)
    return Header(
        run=context.run,
        version=__version__,
        project=shown_path(project.root, setting.environ),
        branch=project.branch or ("" if not project.is_repository else "detached"),
        head=(project.head or "")[:7],
        dirty=project.dirty,
        agents=tuple(_agent_line(agent) for agent in context.agents),
        sandbox="\n".join(_sandbox(context, setting)),
        checks=tuple(_check_line(c.name, c.run, setting.origins) for c in task.checks),
        setup=show_command(parse_command(setup)) if setup else "",
        files=task.include,
        withheld=withheld,
        usd=limits.usd,
        seconds=limits.time,
        attempts=limits.attempts,
        cost_known=all(a.reports_cost or a.usd_per_attempt is not None for a in paid),
        free=bool(task.agents) and all(a.usd_per_attempt == 0 for a in paid),
        goal=_goal(task),
        reviewer=task.reviewer.name if task.reviewer else "",
        reviews=_reviews(context),
        notes=tuple(_notes(task)),
    )


def _sandbox(context: Context, setting: Setting) -> Iterator[str]:
    """What holds against the agents; a search is told apart, because its trials never need `--sandbox`."""
    task, sandbox = context.task, context.lab.sandbox
    searches = [agent.kind == "search" for agent in task.agents]
    if not searches or not all(searches):
        yield header_line(sandbox, setting.environ.get("PATH", ""))
    if any(searches) or task.search_first:
        said = search_line(task, sandbox, setting.environ)
        yield said if all(searches) else f"search: {said}" if any(searches) else f"search before it: {said}"


def _notes(task: Task) -> Iterator[str]:
    """What the user set that decides which changes stay."""
    if task.only:
        yield f"only changes in {', '.join(task.only)} stay"
    if task.protect:
        yield f"also protected: {', '.join(task.protect)}"
    if task.edit_tests:
        yield "tests may be changed"


def _goal(task: Task) -> str:
    """In the user's words; nothing when it is the usual one."""
    if task.goal.targets:
        return ", ".join(task.goal.targets)
    return "" if task.goal.kind is GoalKind.GREEN else str(task.goal.kind)


def _agent_line(agent: Agent) -> AgentLine:
    about = agent.describe()
    return AgentLine(name=agent.name, version=about.version, permissions=about.permissions)


def _reviews(context: Context) -> str:
    """What holds against a reviewer that is a program; the copy is compared in any case."""
    if context.reviewer is None:
        return ""
    told = "the sandbox lets it only read" if context.lab.sandbox else context.reviewer.describe().read_only
    if told:
        return f"it cannot change anything: {told}"
    return "it cannot be told to change nothing: it gets a copy, and is not heard if it changes that"


def _check_line(name: str, run: str | tuple[str, ...], origins: Mapping[str, str]) -> CheckLine:
    return CheckLine(name=name, command=show_command(parse_command(run)), origin=origins.get(name, ""))


def shown_path(path: Path, environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "")
    text = os.fspath(path)
    return "~" + text[len(home) :] if home and text.startswith(home + "/") else text
