"""Which checks prove the work? Those that were given, else those that the project itself has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from trueup.act.command_line import which
from trueup.act.project import Project
from trueup.config.builtin import refuse_unknown_verifier
from trueup.decide.task import Task
from trueup.errors import UnverifiableError
from trueup.perform.builtin import all_that_apply, builtin_checks
from trueup.verify.detect import detect_checks

BUILT_IN = "[builtin]"


def with_checks(
    project: Project, task: Task, environ: Mapping[str, str], *, configured: str, files: Path | None = None
) -> tuple[Task, dict[str, str]]:
    """The checks that were given, else those of the project, and the verifiers that are required; without any there
    is nothing to prove. Beside each, where it comes from.

    `files`: a folder to look into instead of the checkout, with the files of another state.
    """
    if any(not check.builtin for check in task.checks):
        return _with_required(task, dict.fromkeys((c.name for c in task.checks), configured))
    path = environ.get("PATH", "")
    found = detect_checks(files or project.root, lambda name: which(name, path))
    if not found and not task.builtin.required:
        raise UnverifiableError(
            "no check is configured and none was found",
            why=f"trueup looked for pytest, npm, cargo, go and make tests in {project.root}",
            do="Give one with --check, for example --check 'pytest -q'.",
        )
    origins = {d.spec.name: d.origin.removeprefix("from ") for d in found}
    return _with_required(replace(task, checks=tuple(d.spec for d in found)), origins)


def _with_required(task: Task, origins: dict[str, str]) -> tuple[Task, dict[str, str]]:
    plain = tuple(check for check in task.checks if not check.builtin)
    required = builtin_checks(task.builtin.required, task.builtin, taken=[check.name for check in plain])
    return replace(task, checks=(*plain, *required)), origins | dict.fromkeys((c.name for c in required), BUILT_IN)


def with_verifiers(task: Task, names: tuple[str, ...], *, given: bool) -> Task:
    """The built-in verifiers: these, or all that may apply. `given`: the task's own checks were asked for as well."""
    for name in names:
        refuse_unknown_verifier(name, "--verifier")
    checks = task.checks if given else ()
    chosen = names or all_that_apply(task.builtin)
    return replace(task, checks=(*checks, *builtin_checks(chosen, task.builtin, taken=[c.name for c in checks])))
