"""Which checks prove the work? Those that were given, else those that the project itself has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from trueup.act.command_line import which
from trueup.act.project import Project
from trueup.decide.task import Task
from trueup.errors import UnverifiableError
from trueup.verify.detect import detect_checks


def with_checks(
    project: Project, task: Task, environ: Mapping[str, str], *, configured: str, files: Path | None = None
) -> tuple[Task, dict[str, str]]:
    """The checks that were given, else those of the project; without any there is nothing to prove.

    `files`: a folder to look into instead of the checkout, with the files of another state.
    """
    if task.checks:
        return task, {c.name: configured for c in task.checks}
    path = environ.get("PATH", "")
    found = detect_checks(files or project.root, lambda name: which(name, path))
    if not found:
        raise UnverifiableError(
            "no check is configured and none was found",
            why=f"trueup looked for pytest, npm, cargo, go and make tests in {project.root}",
            do="Give one with --check, for example --check 'pytest -q'.",
        )
    return replace(task, checks=tuple(d.spec for d in found)), {
        d.spec.name: d.origin.removeprefix("from ") for d in found
    }
