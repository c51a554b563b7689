"""How does the agent's copy come about, with an environment of its own?"""

from __future__ import annotations

import shutil

from trueup.act.command_line import parse_command, show_command
from trueup.act.dependencies import copy_for_agent
from trueup.act.process import Cancelled
from trueup.errors import UnverifiableError
from trueup.perform.confinement import setup_processes
from trueup.perform.context import Context
from trueup.perform.lab import UNSEEN
from trueup.report.events import Activity


def fill_workspace(context: Context) -> None:
    """The agent's copy, with an environment of its own."""
    ready = context.folder / "workspace.ready"
    if ready.exists():
        return
    shutil.rmtree(context.workspace.path.parent, ignore_errors=True)
    context.stream.emit(Activity(text="preparing the agent's copy"))
    context.workspace.path.parent.mkdir(parents=True, exist_ok=True)
    context.workspace.restore(context.start)
    if context.lab.setup is None or not _set_up_copy(context):
        copy_for_agent(context.project.root, context.workspace.path, context.lab.dependencies)
    ready.touch()


def _set_up_copy(context: Context) -> bool:
    assert context.lab.setup is not None
    argv = parse_command(context.lab.setup)
    processes = setup_processes(context)
    done = processes.run(argv, cwd=context.workspace.path, env=dict(context.agent_env), timeout=1800.0)
    if done.cancelled:
        raise Cancelled
    if done.exit_code == 0:
        return True
    if context.lab.setup_given:
        raise UnverifiableError(
            f"the set-up command failed: {show_command(argv)}",
            why=done.not_started or done.stdout.text()[-800:].strip(),
            do="Run it in a fresh copy of the project, or set another one with --setup."
            + (f" {UNSEEN}" if context.lab.sandbox else ""),
        )
    context.lab.setup = None
    context.lab.on_notice(f"{show_command(argv)} failed; installed packages are copied instead")
    return False
