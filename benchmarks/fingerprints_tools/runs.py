"""What does a tool print about a broken program, here and elsewhere?"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fingerprints_tools.program import FAULT, SHIFT, Program, Tool
from benchmarks.fingerprints_tools.wrapped import WRAPPINGS
from trueup.act.process import quick

Record = dict[str, object]

_SHOWN = {"here": "/home/ci/work/shop", "there": "/builds/team-7/deploy/checkout"}
_SHIFTED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    output: str
    exit_code: int
    command: str


def missing(tool: Tool) -> list[str]:
    """Commands, or files of installed packages."""
    return [name for name in (tool.argv[0], *tool.needs) if not (shutil.which(name) or Path(name).exists())]


def records(tool: Tool, scratch: Path) -> Iterator[Record]:
    for name, program in tool.programs.items():
        for fault in program.faults:
            yield from _of_one_failure(tool, name, fault, scratch)


def _of_one_failure(tool: Tool, name: str, fault: str, scratch: Path) -> Iterator[Record]:
    program = tool.programs[name]
    group = f"{tool.name}:{name}:{fault}"

    def record(perturbation: str, seen: Seen) -> Record:
        return {
            "id": f"{group}/{perturbation}",
            "tool": tool.name,
            "command": seen.command,
            "exit_code": seen.exit_code,
            "output": seen.output,
            "junit_xml": None,
            "label_group": group,
            "coarse_key": group,
            "perturbation": perturbation,
            "failure_ids": [name],
            "origin": "benchmark",
            "messages": [],
        }

    def run(**how: object) -> Seen:
        return ran(tool, program, fault, scratch, **how)  # type: ignore[arg-type] # keywords of `ran`

    base = run()
    if base.exit_code == 0:
        sys.stderr.write(f"{group} does not fail with this version, left out\n")
        return
    yield record("base", base)
    yield record("rerun", run())
    yield record("path_host", run(there=True))
    yield record("lineshift", run(shifted=True))
    if len(program.targets or program.files) > 1:
        yield record("order", run(backwards=True))
    if tool.colour:
        yield record("colour", run(more=tool.colour))
    for form, more in tool.forms.items():
        yield record(form, run(more=more))
    for wrapping, wrap in WRAPPINGS.items():
        yield record(wrapping, Seen(output=wrap(base.output), exit_code=base.exit_code, command=base.command))


def ran(
    tool: Tool,
    program: Program,
    fault: str,
    scratch: Path,
    *,
    there: bool = False,
    shifted: bool = False,
    backwards: bool = False,
    more: tuple[str, ...] = (),
) -> Seen:
    folder = scratch / ("there/deeper/checkout" if there else "here")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path, text in program.files.items():
        _write(folder / path, _text(tool, program, text, fault, shifted=shifted))
    targets = list(program.targets or program.files)[:: -1 if backwards else 1]
    argv = [word for given in (*tool.argv, *more) for word in _words(given, folder, targets)]
    script = '"$@" 2>&1; printf "\\n%d" $?'
    raw = quick(("sh", "-c", script, "sh", *argv), cwd=folder, env=_environment(tool), check=False)
    output, _, code = raw.decode("utf-8", "replace").rpartition("\n")
    shown = _SHOWN["there" if there else "here"]
    return Seen(
        output=output.replace(str(folder), shown),
        exit_code=int(code),
        command=" ".join(argv).replace(str(folder), shown),
    )


def _words(given: str, folder: Path, targets: list[str]) -> list[str]:
    if given == "{files}":
        return targets
    return [given.replace("{dir}", str(folder)).replace("{modules}", str(modules()))]


def modules() -> Path:
    """Where npm put the packages: beside the folder of their commands."""
    found = shutil.which("eslint") or shutil.which("tsc") or "/"
    return Path(found).parent.parent


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if text.startswith("#!"):
        path.chmod(0o755)


def _text(tool: Tool, program: Program, text: str, fault: str, *, shifted: bool) -> str:
    comment = f"{tool.comment} moved down"
    filled = "\n".join([comment] * (_SHIFTED if shifted else 1)) if tool.comment else ""
    text = re.sub(re.escape(SHIFT), lambda _: filled, text)
    for old, new in program.moved.items() if shifted else ():
        text = text.replace(old, new)
    return text.replace(FAULT, program.faults[fault])


def _environment(tool: Tool) -> Mapping[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in {"PATH", "HOME", "GOCACHE", "CARGO_HOME", "RUSTUP_HOME"}}
    return {**kept, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOSTNAME": socket.gethostname(), **tool.env}
