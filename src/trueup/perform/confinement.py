"""In which sandbox does a sitting take place, and what does the agent reach in it?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from trueup.act.agents.base import AgentCall
from trueup.act.command_line import which
from trueup.act.dependencies import dependency_folders
from trueup.act.process import Processes
from trueup.act.project import Project
from trueup.act.sandbox import Reach, Sandbox, find_bubblewrap, make_sandbox
from trueup.decide.task import Task, paid_agents
from trueup.errors import UsageError
from trueup.evidence.report import Report
from trueup.perform.context import Context

OPEN = "not sandboxed: it can do what you can do"
_UNREACHABLE = re.compile(
    r"Connection ?Refused|ECONNREFUSED|Network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|name resolution"
    r"|Name or service not known|could ?n[o']t resolve host|no such host",
    re.IGNORECASE,
)
CLOSED = "sandboxed: it does not reach your checkout or see your home folder; the checks have no network"


def sandbox_for(task: Task, project: Project, environ: Mapping[str, str], state: Path) -> Sandbox | None:
    """None when none is asked for; a `UsageError` when one is and cannot be had. `state`: where everything is kept."""
    if not task.sandbox:
        return None
    inside = next((spec.name for spec in paid_agents(task) if spec.kind == "python"), None)
    if inside is not None:
        raise UsageError(
            f"the agent {inside} cannot be sandboxed",
            why="it is a Python function and runs inside this process",
            do="Run it as a command, or without a sandbox.",
        )
    return make_sandbox(
        project,
        environ,
        state=state,
        dependencies=dependency_folders(project.root),
        files=_named_files(task),
        read=task.sandbox_read,
        share=task.sandbox_share,
    )


def _named_files(task: Task) -> Iterator[str]:
    """Absolute paths in the user's own commands: they have to be seen where the commands run."""
    commands = (*(c.run for c in task.checks), *(a.command for a in paid_agents(task)), task.setup)
    return (word for command in commands for word in _words(command) if os.path.isfile(word))  # noqa: PTH113 - text


def _words(command: str | tuple[str, ...] | None) -> Iterable[str]:
    words = re.split(r"[\s'\"=;|&<>()]+", command) if isinstance(command, str) else command or ()
    return (word for word in words if word.startswith("/"))


def missing_network(report: Report) -> str:
    """What to tell when failures look as if a check needs the network that a sandbox does not have; "" otherwise."""
    found = next((f for f in report.failures if _UNREACHABLE.search(f"{f.kind} {f.message} {f.excerpt}")), None)
    return (
        f"{found.check} seems to need a network or a server of this machine: the sandbox has neither" if found else ""
    )


def header_line(sandbox: Sandbox | None, path: str) -> str:
    """For the first screen: what holds against the agent; and that more could, where there is no sandbox."""
    if sandbox is not None:
        return "\n".join((CLOSED, *(f"shared with it: {place}" for place in sandbox.shared)))
    return f"{OPEN}\n(--sandbox: bubblewrap found)" if which("bwrap", path) else OPEN


def search_line(task: Task, sandbox: Sandbox | None, environ: Mapping[str, str]) -> str:
    """The same for what a search tries: it needs a sandbox, or the user's consent to do without."""
    try:
        if sandbox is None:
            find_bubblewrap(environ)
    except UsageError as error:
        reason = f"bubblewrap does not work here ({error.why})"
        if task.search_unsandboxed:
            return f"its trials are not sandboxed, as search_unsandboxed allows: {reason}"
        do = "install or repair it, or let them run with your rights: search_unsandboxed = true in trueup.toml"
        return f"its trials need a sandbox, and {reason}\n{do}"
    return "its trials run in a sandbox: on a copy, without network, without your home folder"


def agent_processes(context: Context, call: AgentCall) -> Processes:
    """One that is to judge the files reaches nothing that others write to, and writes to nothing but its own folder."""
    if call.read_only:
        reach = Reach(writable=(call.scratch,), readable=(call.workspace,), network=True, agent=True)
        return _confined(context, reach)
    return _confined(context, _reach(context, call.workspace, call.scratch, agent=True))


def sealed_processes(context: Context, writable: tuple[Path, ...], readable: tuple[Path, ...]) -> Processes:
    """For altered versions of the program: in a sandbox without network, whether or not the run asks for one."""
    sandbox = context.lab.sandbox or make_sandbox(
        context.project,
        context.lab.host_env,
        state=context.folder.parent.parent.parent,
        dependencies=dependency_folders(context.project.root),
        files=_named_files(context.task),
        read=context.task.sandbox_read,
    )
    return context.processes.confined(sandbox.around(Reach(writable=writable, readable=readable)))


def setup_processes(context: Context) -> Processes:
    """For the set-up of the agent's copy: it installs what the project names, and sees nothing of the agent's."""
    return _confined(context, _reach(context, context.workspace.path, agent=False))


def _reach(context: Context, *writable: Path, agent: bool) -> Reach:
    return Reach(writable=(*writable, context.folder / "tmp"), network=True, agent=agent)


def _confined(context: Context, reach: Reach) -> Processes:
    sandbox = context.lab.sandbox
    return context.processes if sandbox is None else context.processes.confined(sandbox.around(reach))
