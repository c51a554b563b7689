"""Can these requirements be resolved, and to what? The real resolver answers; its explanation is the evidence.

No code of a package runs unless the caller allows builds, and then only behind walls.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from packaging.requirements import InvalidRequirement, Requirement

from trueup.act.command_line import which
from trueup.act.indexes import Index
from trueup.act.interpreter_choice import Interpreter
from trueup.act.isolation import Isolation
from trueup.act.process import Completed, Processes
from trueup.act.refusals import Refused, Why, explanation, refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be installed together. The texts were parsed: they hold no option, address or path."""

    requirements: tuple[str, ...]
    constraints: tuple[str, ...] = ()
    prereleases: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where and with what an installer works."""

    processes: Processes
    interpreter: Interpreter
    index: Index
    cache: Path
    scratch: Path
    until: float
    """On the monotonic clock."""
    isolation: Isolation
    home: str = ""
    """The user's: credentials for an index may lie there. Builds do not see it."""

    @property
    def seconds(self) -> float:
        return max(0.5, self.until - time.monotonic())


class Installer(Protocol):
    """Contract: nothing is raised for what an index says; `resolve` installs nothing."""

    @property
    def name(self) -> str: ...

    def resolve(self, order: Order, place: Place, *, builds: bool, python: str = "") -> tuple[str, ...] | Refused:
        """The pins. `python`: for another version than the interpreter's, where the installer can do that."""

    def install(self, pins: Sequence[str], site: Path, place: Place, *, builds: bool) -> Refused | None:
        """Put them into a folder of modules."""


def installer(env: Mapping[str, str], settings: Mapping[str, object]) -> Installer:
    """uv when it is there, else pip."""
    if settings.get("installer") != "pip":
        beside = Path(sys.executable).parent / "uv"
        program = which("uv", env.get("PATH", "")) or (str(beside) if os.access(beside, os.X_OK) else None)
        if program:
            return Uv(program)
    return Pip()


# --- uv ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Uv:
    program: str
    name: str = "uv"

    def resolve(self, order: Order, place: Place, *, builds: bool, python: str = "") -> tuple[str, ...] | Refused:
        asked, limits = _written(order, place.scratch)
        argv = [self.program, "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-strip-markers"]
        argv += ["--python", place.interpreter.program, *(("--python-version", python) if python else ())]
        argv += ["--constraints", str(limits)] if order.constraints else []
        argv += ["--prerelease", "allow"] if order.prereleases else []
        argv += [] if builds else ["--no-build"]
        done = self._run([*argv, str(asked)], place, builds=builds)
        return _pins(done.stdout.text()) if done.exit_code == 0 else _unnamed(refused(done, builds=builds), place)

    def install(self, pins: Sequence[str], site: Path, place: Place, *, builds: bool) -> Refused | None:
        listed = _listed(pins, place.scratch)
        argv = [self.program, "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
        argv += ["--python", place.interpreter.program, "-r", str(listed)]
        # Files that are linked are shared with the cache: only where nobody can write to them.
        argv += ["--link-mode", "hardlink" if place.isolation and not builds else "copy"]
        argv += [] if builds else ["--no-build"]
        done = self._run(argv, place, builds=builds, writable=(site,))
        return None if done.exit_code == 0 else _unnamed(refused(done, builds=builds), place)

    def _run(self, argv: Sequence[str], place: Place, *, builds: bool, writable: Iterable[Path] = ()) -> Completed:
        # What a build leaves in a cache is for nobody else.
        cache = place.scratch / "uv" if builds else place.cache / "uv"
        variables = place.index.uv_variables() | {
            "UV_CACHE_DIR": str(cache),
            "UV_NO_CONFIG": "1",
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_NO_PROGRESS": "1",
            "UV_PYTHON_PREFERENCE": "only-system",
            "NO_COLOR": "1",
        }
        words = [*argv, *(("--no-index",) if place.index.none else ())]
        done = _run(words, place, variables, builds=builds, writable=writable, readable=(self.program,))
        if done.exit_code and "certificate" in done.stderr.text():  # pip asks the system whom to believe
            variables |= {"UV_NATIVE_TLS": "1", "UV_SYSTEM_CERTS": "1"}
            done = _run(words, place, variables, builds=builds, writable=writable, readable=(self.program,))
        return done


# --- pip -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pip:
    name: str = "pip"

    def resolve(self, order: Order, place: Place, *, builds: bool, python: str = "") -> tuple[str, ...] | Refused:
        if python:
            return Refused(why=Why.OTHER, text=f"pip cannot resolve for Python {python}")
        asked, limits = _written(order, place.scratch)
        report = place.scratch / "report.json"
        argv = [*self._pip(place), "install", "--dry-run", "--ignore-installed", "--report", str(report)]
        argv += ["-c", str(limits)] if order.constraints else []
        argv += ["--pre"] if order.prereleases else []
        argv += [] if builds else ["--only-binary", ":all:"]
        done = self._run([*argv, "-r", str(asked)], place, builds=builds)
        return _reported(report) if done.exit_code == 0 else _unnamed(self._why(done, order, builds=builds), place)

    def install(self, pins: Sequence[str], site: Path, place: Place, *, builds: bool) -> Refused | None:
        listed = _listed(pins, place.scratch)
        argv = [*self._pip(place), "install", "--quiet", "--no-deps", "--ignore-installed", "--no-compile"]
        argv += ["--target", str(site), "-r", str(listed), *(() if builds else ("--only-binary", ":all:"))]
        done = self._run(argv, place, builds=builds, writable=(site,))
        return (
            None
            if done.exit_code == 0
            else _unnamed(self._why(done, Order(requirements=tuple(pins)), builds=builds), place)
        )

    @staticmethod
    def _pip(place: Place) -> list[str]:
        return [place.interpreter.program, "-I", "-m", "pip"]

    @staticmethod
    def _why(done: Completed, order: Order, *, builds: bool) -> Refused:
        said = refused(done, builds=builds)
        if (conflict := _CONFLICT.search(done.stdout.text())) is not None:
            said = replace(said, text=f"{explanation(conflict[0])} {said.text}")
        said = replace(said, text=_LINE.sub(lambda line: _asked(order, int(line[1])), said.text))
        if said.why is Why.NO_SOLUTION and not builds and "conflict" not in said.text:
            return Refused(why=Why.NEEDS_BUILD, text=said.text)  # pip does not say which of the two it is
        return said

    @staticmethod
    def _run(argv: Sequence[str], place: Place, *, builds: bool, writable: Iterable[Path] = ()) -> Completed:
        cache = place.scratch / "pip" if builds else place.cache / "pip"
        variables = place.index.pip_variables() | {"PIP_CACHE_DIR": str(cache), "PIP_NO_COLOR": "1"}
        return _run(argv, place, variables, builds=builds, writable=writable)


_CONFLICT = re.compile(r"The conflict is caused by:(?:\n    .*)+")
_LINE = re.compile(r"-r \S+ \(line (\d+)\)")


def _asked(order: Order, line: int) -> str:
    """pip names a line of our own file."""
    return order.requirements[line - 1] if 0 < line <= len(order.requirements) else "a requirement"


def _reported(report: Path) -> tuple[str, ...]:
    told = json.loads(report.read_bytes())
    every = (one["metadata"] for one in told["install"])
    return _pins("\n".join(f"{one['name']}=={one['version']}" for one in every))


# --- both ----------------------------------------------------------------------------------------------------


def _run(
    argv: Sequence[str],
    place: Place,
    variables: Mapping[str, str],
    *,
    builds: bool,
    writable: Iterable[Path] = (),
    readable: Iterable[str] = (),
) -> Completed:
    """Without builds only the installer itself runs. With them it runs behind walls, in a home of its own."""
    home = place.scratch / "home"
    home.mkdir(parents=True, exist_ok=True)
    tmp = place.scratch / "tmp"
    tmp.mkdir(exist_ok=True)
    env = {"PATH": os.defpath, "HOME": str(home) if builds else place.home or str(home), "LANG": "C.UTF-8"}
    env |= {"TMPDIR": str(tmp)} | dict(variables)
    processes = place.processes
    if builds:
        shown = (place.interpreter.prefix, *readable, *place.index.local_folders())
        processes = place.isolation.confine(
            processes, writable=(place.scratch, *writable), readable=shown, network=True
        )
    return processes.run(argv, cwd=place.scratch, env=env, timeout=place.seconds, merge_stderr=False)


def _unnamed(said: Refused, place: Place) -> Refused:
    return replace(said, text=place.index.unnamed(said.text))


def _written(order: Order, scratch: Path) -> tuple[Path, Path]:
    scratch.mkdir(parents=True, exist_ok=True)
    asked, limits = scratch / "asked.txt", scratch / "limits.txt"
    asked.write_text("".join(f"{line}\n" for line in order.requirements))
    limits.write_text("".join(f"{line}\n" for line in order.constraints))
    return asked, limits


def _listed(pins: Sequence[str], scratch: Path) -> Path:
    listed = scratch / "pins.txt"
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text("".join(f"{pin}\n" for pin in pins))
    return listed


def _pins(text: str) -> tuple[str, ...]:
    return tuple(sorted(filter(None, map(pin, text.splitlines()))))


def pin(line: str) -> str:
    """`name==version`, and "" for anything else."""
    try:
        requirement = Requirement(line.partition(" --")[0].strip())
    except InvalidRequirement:
        return ""
    return f"{requirement.name}{requirement.specifier}" if str(requirement.specifier).startswith("==") else ""
