"""How are checks run when there is no run? In a laboratory of their own, removed afterwards."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from trueup.act.dependencies import dependency_folders
from trueup.act.facts import Facts
from trueup.act.project import project_state
from trueup.act.removal import remove
from trueup.decide.task import Task
from trueup.evidence.redact import Redactor
from trueup.perform.confinement import sandbox_for
from trueup.perform.lab import Lab
from trueup.perform.setting import Setting, open_store
from trueup.report.artifacts import file_name

FACTS = "files.facts"
"""In the state folder: what is known about the contents of files."""
VERIFIERS = "verifiers"
"""Beside the projects' own folders: what built-in verifiers make and keep."""
FOLDER = "laboratories"
"""In the state folder; what lies there for long was left by a process that was killed."""


@contextmanager
def laboratory(
    setting: Setting,
    task: Task,
    start: str,
    *,
    setup: str | tuple[str, ...] | None,
    redactor: Redactor,
    logs: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Lab]:
    """A `Lab` whose start is this tree of the project's store. Nothing is written down, nothing is rescued.

    `setup` is the task's own or a detected one. With `logs`, the outputs of the checks are kept in that folder.
    """
    state = project_state(setting.project, setting.environ)
    folder = state / FOLDER / f"{os.getpid()}-{secrets.token_hex(4)}"
    sandbox = sandbox_for(replace(task, agents=()), setting.project, setting.environ, state.parent)
    folder.mkdir(mode=0o700, parents=True)
    store = open_store(state)

    def say(text: str) -> None:
        tell(redactor.redact(text))

    def keep(check: str, _label: str, text: str) -> str:
        return _kept(logs, check, redactor.redact(text)) if logs else ""

    try:
        with ExitStack() as afterwards, setting.processes as processes:
            lab = Lab(
                store=store,
                processes=processes,
                folder=folder / "copies",
                checkout=setting.project.root,
                start=start,
                host_env=setting.environ,
                allow_env=task.env,
                setup=setup,
                setup_given=task.setup is not None,
                dependencies=dependency_folders(setting.project.root),
                logs=folder / "logs",
                on_output=say,
                on_notice=say,
                keep_log=keep,
                redact=redactor.redact,
                sandbox=sandbox,
                edit_tests=task.edit_tests,
                facts=Facts(state / FACTS),
                cache=state.parent / VERIFIERS,
            )
            afterwards.callback(lab.close)
            yield lab
            lab.facts.keep()
    finally:
        remove(folder)


def _kept(logs: Path, check: str, text: str) -> str:
    """The output of one check; when it ran twice, the later one."""
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = f"{file_name(check)}.txt"
    (logs / name).write_text(text, encoding="utf-8", errors="replace", newline="")
    return name
