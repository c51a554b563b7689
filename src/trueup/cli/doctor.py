"""`trueup doctor`: what works here? Everything it says was just tried."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Directory, Json

if TYPE_CHECKING:
    from trueup.act.agents.program import ProgramAgent
    from trueup.act.process import Completed, Processes
    from trueup.decide.task import Task

OLDEST_GIT = (2, 31)
OLDEST_PYTHON = (3, 11)
PATIENCE = 10.0
"""Seconds for each program that is asked for its version."""
_NUMBERED = re.compile(r"\d\.\d")
CHILD = "sleep 600 & echo $!"
"""A shell that leaves a process behind, as agents and test suites do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    what: str
    text: str
    works: bool | None = True
    """None: not there, and not needed, or not tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    directory: Path
    environ: Mapping[str, str]
    processes: Processes

    def which(self, name: str) -> str | None:
        from trueup.act.command_line import which

        return which(name, self.environ.get("PATH", ""))

    def ask(self, *argv: str) -> Completed:
        """Run a program shortly, in an empty folder, with the user's own environment."""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="trueup-doctor-") as nowhere:
            return self.processes.run(argv, cwd=Path(nowhere), env=self.environ, timeout=PATIENCE)


Look = Callable[[Place], Iterator[Finding]]

FIND_MODULE = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1].partition('.')[0]) is None)"
MODULE = 2
"""Where the module stands in `python -m module`."""


def command(
    directory: Directory = HERE,
    hooks: Annotated[bool, typer.Option("--hooks", help="Also prove that the guard's hooks hold agents back.")] = False,
    json: Json = False,
) -> None:
    """Try everything that trueup needs, and say what works. Nothing is paid: agents are only asked for their version.

    With --hooks each of claude, codex, gemini and qwen that is here is also started, in an empty home folder and with a
    model on this machine that only says that it is done while a check fails: does the guard's hook keep it from ending?
    That takes up to half a minute for each of them. Your settings are read, never written, and no key of yours is used.

    Exit code: 0, or 1 if something is broken that runs need, or a guard is installed that does not hold its agent back.

    \b
      trueup doctor
      trueup doctor --hooks
      trueup doctor -C ~/shop --json
    """
    from trueup.act.process import Processes
    from trueup.cli.shelf import show, show_json
    from trueup.report.text import unchanged

    with Processes() as processes:
        place = Place(directory=directory, environ=os.environ, processes=processes)
        looks = (*LOOKS, ("guard", _rehearsals if hooks else _guards))
        found = [finding for name, look in looks for finding in _looked(name, look, place)]
    healthy = all(finding.works is not False for finding in found)
    if json:
        show_json({"healthy": healthy, "findings": found}, unchanged)
    else:
        show(_lines(found), unchanged)
    raise typer.Exit(0 if healthy else 1)


def _looked(name: str, look: Look, place: Place) -> Iterator[Finding]:
    """What a look found; an error that it met is a finding, and the other looks go on."""
    from trueup.errors import TrueupError

    try:
        yield from look(place)
    except TrueupError as error:
        yield Finding(what=name, text="; ".join(str(error).splitlines()), works=False)


def _lines(found: list[Finding]) -> Iterator[str]:
    from trueup.report.text import one_line, pad

    words = {True: "ok", False: "broken", None: "-"}
    for finding in found:
        yield f"  {pad(words[finding.works], 8)}{pad(finding.what, 14)}{one_line(finding.text)}"
    broken = sum(finding.works is False for finding in found)
    yield f"{broken} broken" if broken else "everything that runs need works"


# --- the machine -------------------------------------------------------------------------------------------------


def _python(_: Place) -> Iterator[Finding]:
    import platform

    version = platform.python_version()
    yield Finding(what="python", text=f"{version} at {sys.executable}", works=sys.version_info >= OLDEST_PYTHON)


def _platform(_: Place) -> Iterator[Finding]:
    import platform

    known = sys.platform == "linux"
    limits = "" if known else "; less is guaranteed than on Linux: what escapes its parent may not be found"
    yield Finding(what="platform", text=platform.platform() + limits)


def _git(_: Place) -> Iterator[Finding]:
    import re

    from trueup.act.git import git, git_program

    said = git("--version").decode(errors="replace").strip()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    new = numbers is not None and (int(numbers[1]), int(numbers[2])) >= OLDEST_GIT
    old = "" if new else f"; trueup needs {OLDEST_GIT[0]}.{OLDEST_GIT[1]} or newer"
    yield Finding(what="git", text=f"{said} at {git_program()}{old}", works=new)


def _state(place: Place) -> Iterator[Finding]:
    """Written to, read from, and removed again."""
    from trueup.act.project import find_project, project_state
    from trueup.errors import UnverifiableError
    from trueup.remember.database import Database

    folder = project_state(find_project(place.directory), place.environ)
    probe, mark = folder / f"doctor-{secrets.token_hex(4)}", secrets.token_hex(16)
    try:
        probe.write_text(mark)
        same = probe.read_text() == mark
        probe.unlink()
    except OSError as error:
        raise UnverifiableError(f"{folder} cannot be written", why=str(error)) from error
    with Database(folder) as db:
        db.verify()
    yield Finding(what="state folder", text=f"{folder}, written and read back", works=same)


def _warden(place: Place) -> Iterator[Finding]:
    """Start a process that leaves another one behind, and see that both are gone."""
    from trueup.remember.leases import start_time

    done = place.ask("/bin/sh", "-c", CHILD)
    said = done.stdout.text().strip()
    gone = said.isdecimal() and start_time(int(said)) is None
    if done.exit_code == 0 and gone and done.leftovers:
        yield Finding(what="processes", text="started one that left another behind; both are gone")
    else:
        why = done.not_started or f"process {said or '?'} is {'gone' if gone else 'still there'}"
        yield Finding(what="processes", text=f"what a command leaves behind is not ended: {why}", works=False)


def _sandbox(place: Place) -> Iterator[Finding]:
    """Built as for a run of this project; then a program inside tries to get out."""
    from trueup.act.project import find_project, state_root
    from trueup.act.sandbox_trial import try_sandbox
    from trueup.errors import UsageError
    from trueup.perform.confinement import sandbox_for

    root, task = _task(place)
    wanted = replace(task, sandbox=True, agents=())
    try:
        sandbox = sandbox_for(wanted, find_project(root), place.environ, state_root(place.environ))
    except UsageError as error:
        text = f"not available: {error.why or error.what}. {error.do}"
        yield Finding(what="sandbox", text=text, works=False if task.sandbox else None)
        return
    assert sandbox is not None
    trials = try_sandbox(sandbox, place.processes, place.environ, root)
    broken = [f"{trial.tried}: {trial.text}" for trial in trials if not trial.holds]
    tried = f"tried and refused: {', '.join(trial.tried for trial in trials)}"
    text = f"it does not hold: {'; '.join(broken)}" if broken else tried
    yield Finding(what="sandbox", text=f"{sandbox.bubblewrap.program}; {text}", works=not broken)


# --- agents and the project --------------------------------------------------------------------------------------


def _programs(place: Place) -> Iterator[Finding]:
    """Those that `--agent NAME` knows: which are there, and how to get the others."""
    from trueup.act.agents import known_agents, make_agent
    from trueup.act.agents.program import ProgramAgent

    agents = [make_agent(spec) for spec in known_agents().values()]
    for agent in agents:
        if isinstance(agent, ProgramAgent):
            yield _program(place, agent)


def _program(place: Place, agent: ProgramAgent) -> Finding:
    dialect = agent.dialect
    path = place.which(dialect.program)
    if path is None:
        return Finding(what=agent.name, text=f"not found; get it with: {dialect.get}", works=None)
    version = _version(place.ask(path, "--version"))
    return Finding(what=agent.name, text=f"{path}: {version} (tried with {dialect.checked}); {dialect.permissions}")


def _version(done: Completed) -> str:
    if done.timed_out:
        return f"did not tell its version within {PATIENCE:g} s"
    lines = [line for line in done.stdout.text().splitlines() if line.strip()]
    # At their first start some programs say other things before it.
    said = next(filter(_NUMBERED.search, lines), lines[0] if lines else "")
    if done.exit_code != 0:
        return f"did not tell its version: {done.not_started or said or f'exit code {done.exit_code}'}"
    return said or "says nothing about its version"


def _task(place: Place) -> tuple[Path, Task]:
    from trueup.act.project import find_project
    from trueup.config import Overrides, build_task, load_config

    root = find_project(place.directory).root
    return root, build_task(load_config(root).values, Overrides(), place.environ)


def _agents(place: Place) -> Iterator[Finding]:
    """Those of the configuration, made as a run would make them."""
    from trueup.act.agents import make_agent

    _, task = _task(place)
    for spec in task.agents:
        missing = make_agent(spec).describe().missing
        text = f"configured, but it cannot run: {missing}" if missing else "configured, and its program is there"
        yield Finding(what=f"agent {spec.name}", text=text, works=not missing)


def _checks(place: Place) -> Iterator[Finding]:
    from trueup.act.command_line import parse_command, show_command
    from trueup.verify.detect import detect_checks

    root, task = _task(place)
    configured = [(spec, "from your configuration") for spec in task.checks]
    for spec, origin in configured or [(d.spec, d.origin) for d in detect_checks(root, place.which)]:
        argv = parse_command(spec.run)
        problem = _check_problem(place, root, argv)
        text = f"{show_command(argv)}   {origin}" + (f"; {problem}" if problem else "")
        yield Finding(what=f"check {spec.name}", text=text, works=not problem)
        configured = configured or [(spec, origin)]
    if not configured:
        yield Finding(what="checks", text="none configured and none found; give one with --check", works=False)


def _check_problem(place: Place, root: Path, argv: tuple[str, ...]) -> str:
    """Why the check cannot run, as far as that shows without running it; "" otherwise."""
    if not place.which(argv[0]) and not (root / argv[0]).is_file():
        return f"{argv[0]} was not found"
    module = argv[2] if len(argv) > MODULE and argv[1] == "-m" else ""
    if module and place.ask(argv[0], "-c", FIND_MODULE, module).exit_code != 0:
        return f"{argv[0]} has no module {module}"
    return ""


def _guards(place: Place) -> Iterator[Finding]:
    from trueup.cli.doctor_hooks import guards

    return guards(place)


def _rehearsals(place: Place) -> Iterator[Finding]:
    from trueup.cli.doctor_hooks import rehearsals

    return rehearsals(place)


LOOKS: tuple[tuple[str, Look], ...] = (
    ("python", _python),
    ("platform", _platform),
    ("git", _git),
    ("state folder", _state),
    ("processes", _warden),
    ("sandbox", _sandbox),
    ("agents", _programs),
    ("configuration", _agents),
    ("checks", _checks),
)
