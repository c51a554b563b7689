"""What do compilers and linters complain about? Asked in their own machine formats, beside what the user sees.

Three ways, none of which changes the command, what it prints or its exit code (docs/decisions/0014): clang writes a log
when a variable tells it to, eslint gets a formatter that returns its usual text, and the others are asked a second time
after they have failed. A complaint only explains why a check failed: with exit code 0 nothing is read.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from trueup.act.process import Completed
from trueup.evidence.failure import Failure, known_by_name
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.normalize import neutralise
from trueup.evidence.report import SeenBy
from trueup.evidence.text import GUESSED, failures_from_text
from trueup.verify.runners.additions import clang_variables, programs_home
from trueup.verify.runners.base import Evidence, RunContext
from trueup.verify.runners.diagnostics_answers import (
    SEVERITIES,
    Seen,
    answers_folder,
    complaints_seen,
    failure_of,
)
from trueup.verify.runners.diagnostics_tools import TOOLS, Tool
from trueup.verify.runners.stand_ins import interpreter, program_behind, write_stand_in

_MODULE = re.compile(r"(?:^|[\s;&|('\"])(python[\d.]*)\s+-m\s+(?:ruff|mypy|pyright)(?:\s|$)")
_KEEPS_PATHS = re.compile(r"(?:^|[\s;&|('\"/])(?:cmake|ccmake|configure|meson|waf|scons|bazel|node-gyp|go|pip)(?:\s|$)")
"""They write down where a compiler was found, for the next time; ours is gone by then."""
_WITHOUT = ("CC_LOG_DIAGNOSTICS", "CC_LOG_DIAGNOSTICS_FILE", "RUFF_OUTPUT_FILE", "RUFF_OUTPUT_FORMAT")
"""Would turn the second answer into something else, or put it where the user's own output is."""


class DiagnosticsRunner:
    name = "diagnostics"

    def recognises(self, argv: tuple[str, ...]) -> bool:  # noqa: ARG002 - among complaints nothing can be chosen
        return False

    def prepare(self, run: RunContext) -> Mapping[str, str]:
        """Stand-ins only for what the command is seen to run: what stands on a PATH may be written down by somebody."""
        added = clang_variables(run)
        path = run.env.get("PATH", "")
        real = {name: found for name in _wanted(run) if (found := program_behind(run, name))}
        if not real:
            return added
        home = programs_home(run)
        home.mkdir(exist_ok=True)
        answers_folder(run).mkdir(parents=True)
        programs = {name: {"tool": _tool_of(name), "real": _beneath(run, home, name, real[name])} for name in real}
        (home / "diagnostics.json").write_text(json.dumps(_told(run, programs)), encoding="utf-8")
        again = home / "diagnostics_again.py"
        again.write_text(Path(__file__).with_name(again.name).read_text(encoding="utf-8"), encoding="utf-8")
        for name, program in programs.items():
            _write_stand_in(home / name, str(program["real"]), again)
        return {**added, "PATH": os.pathsep.join(part for part in (str(home), path) if part)}

    def hindered(self, run: RunContext, completed: Completed) -> bool:  # noqa: ARG002 - the command itself is not altered
        return False

    def read(self, run: RunContext, completed: Completed) -> Evidence | None:
        if not run.nonce or completed.not_started or not completed.exit_code or completed.timed_out:
            return None
        seen = _worst(complaints_seen(run))
        if not seen:
            return None
        text = run.redact(neutralise(completed.stdout.text()))
        others = _from_text(run, text, completed.exit_code)
        shown = tuple(seen) if completed.stdout.omitted else _shown(seen, text)
        chosen = shown or (() if others else tuple(seen))
        told = tuple(failure_of(run, one) for one in chosen)
        if not told or (_only_warnings(chosen) and not _same(others, told)):
            return None  # the text tells what is worse
        names = dict.fromkeys(one.tool.name for one in chosen)
        failures = (*told, *_besides(run, others, told))
        return Evidence(failures=failures, seen_by=SeenBy.STRUCTURE, tool=", ".join(names))

    def select(self, argv: tuple[str, ...], ids: tuple[str, ...]) -> None:  # noqa: ARG002 - it cannot choose
        return None


# --- before --------------------------------------------------------------------------------------------------


def _wanted(run: RunContext) -> Iterator[str]:
    """Programs that the command, or one behind it, can be seen to run."""
    for tool in TOOLS.values():
        if tool.name == "gcc" and run.shows(_KEEPS_PATHS):
            continue
        # Cargo builds everything anew when its `rustc` is another file.
        if tool.name == "rustc" and run.shows(_program("cargo")):
            continue
        yield from (name for name in tool.programs if run.shows(_program(name)))
    if tool_named := next((m for text in _texts(run) if (m := _MODULE.search(text))), None):
        yield tool_named[1]


def _program(name: str) -> re.Pattern[str]:
    variable = {"cc": r"|\$[({]CC[)}]", "c++": r"|\$[({]CXX[)}]", "g++": r"|\$[({]CXX[)}]"}.get(name, "")
    return re.compile(rf"(?:^|[\s;&|('\"`])(?:{re.escape(name)}{variable})(?:[\s;&|)'\"`]|$)")


def _texts(run: RunContext) -> Iterator[str]:
    return (text for argv in (run.argv, *run.behind) for text in (*argv, " ".join(argv)))


def _tool_of(program: str) -> str | None:
    """None for an interpreter."""
    return next((tool.name for tool in TOOLS.values() if program in tool.programs), None)


def _beneath(run: RunContext, home: Path, name: str, real: str) -> str:
    """What our stand-in runs: the tool, or the stand-in that another runner has made for it."""
    if not (home / name).exists():
        return real
    below = run.scratch / "programs-beneath"
    below.mkdir(exist_ok=True)
    return str((home / name).rename(below / name))


def _told(run: RunContext, programs: Mapping[str, Mapping[str, str | None]]) -> dict[str, object]:
    return {
        "answers": str(answers_folder(run)),
        "programs": programs,
        "modules": {tool.module: tool.name for tool in TOOLS.values() if tool.module},
        "tools": {tool.name: _asked(tool) for tool in TOOLS.values()},
        "without": _WITHOUT,
    }


def _asked(tool: Tool) -> dict[str, object]:
    return {
        "added": tool.added,
        "commands": None if tool.commands is None else dict(tool.commands),
        "leave": tool.leave or "$^",
        "drop": tool.drop or "$^",
        "drop_two": tool.drop_two or "$^",
        "codes": tool.codes,
        "stream": tool.stream,
    }


def _write_stand_in(file: Path, real: str, again: Path) -> None:
    tool = TOOLS.get(_tool_of(file.name) or "")
    modules = None if tool else tuple(tool.module for tool in TOOLS.values() if tool.module)
    codes = tool.codes if tool else (1,)
    ask = (interpreter(), "-I", "-S", str(again), file.name)
    write_stand_in(file, real, modules=modules, ask=ask, codes=codes)


# --- after ---------------------------------------------------------------------------------------------------


def _worst(seen: Iterator[Seen]) -> list[Seen]:
    """Warnings only when there is nothing worse, as for text."""
    every = list(seen)
    return [one for one in every if one.complaint.severity != "warning"] or every


def _shown(seen: list[Seen], text: str) -> tuple[Seen, ...]:
    """What the output speaks of. A script may try a compiler and not mind when it fails."""
    return tuple(one for one in seen if one.path.rpartition("/")[2] in text)


def _from_text(run: RunContext, text: str, exit_code: int) -> tuple[Failure, ...]:
    """What only the text tells: a linker's words, another tool's."""
    found = failures_from_text(run.check, text, exit_code=exit_code, sources=run.sources)
    return known_by_name((f for f in found if f.kind not in GUESSED), frozenset())


def _only_warnings(chosen: tuple[Seen, ...]) -> bool:
    return all(one.complaint.severity == "warning" for one in chosen)


def _same(said: tuple[Failure, ...], told: tuple[Failure, ...]) -> bool:
    """Whether the text tells nothing else."""
    return {fingerprint(one) for one in said} <= {fingerprint(one) for one in told}


def _besides(run: RunContext, said: tuple[Failure, ...], told: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """What the text adds to what was told."""
    same = Counter(fingerprint(one) for one in told)
    by_line: dict[int | None, list[Failure]] = {}
    for one in told:
        by_line.setdefault(one.line, []).append(one)
    added = []
    for failure in said:
        mark = fingerprint(failure)
        if same[mark]:
            same[mark] -= 1
        elif not any(_means(run, failure, one) for one in by_line.get(failure.line, ())):
            added.append(failure)
    return tuple(added)


def _means(run: RunContext, said: Failure, told: Failure) -> bool:
    """Whether both are one complaint, told of the same line. Text names a file from where its tool was."""
    file = os.path.normpath(said.file or "")
    known = run.sources(file) is not None
    here = file == told.file if known else f"/{told.file}".endswith(f"/{file}")
    coded = said.kind == told.kind and said.kind not in SEVERITIES
    return here and (coded or said.message.partition("\n")[0] == told.message.partition("\n")[0])
