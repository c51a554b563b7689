"""Does a file of another language parse? Its own tool says, where it is there, without running anything of the file."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trueup.act.command_line import which
from trueup.act.process import Completed
from trueup.verify.verifiers.base import Bench

Problem = tuple[str, str, int | None]

_AT_ONCE = 200
_SHELL = re.compile(rb"#!\s*(?:/usr)?/bin/(?:env\s+)?(?:bash|sh|dash)\b")
_OTHER_SHELL = re.compile(rb"#!.*\b(?:zsh|fish|ksh|csh|tcsh|nu|pwsh|bats|expect|python\d?|perl|ruby|node)\b")
_TYPED = re.compile(
    r"@flow\b|^\s*(?:import|export) type\b|from ['\"]react['\"]|/\*\* @jsx|React\.createClass", re.MULTILINE
)
_MARKUP = re.compile(r"(?:return|=>|[=(?:&|])\s*\(?\s*<[A-Za-z>]")
_NODE = Path(__file__).with_name("native_syntax.js")
"""Compiles, never runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One language. `read` gets what the tool said, and the paths as it was given them."""

    program: str
    suffixes: tuple[str, ...]
    command: Callable[[Sequence[str]], tuple[str, ...]]
    read: Callable[[Completed, Sequence[str]], dict[str, Problem]]
    stdin: Callable[[Sequence[str]], bytes | None] = lambda _: None
    at_once: int = _AT_ONCE
    wants: Callable[[bytes], bool] = lambda _: True


def tool_for(path: str, content: bytes | None) -> Tool | None:
    """The tool that knows such files; None when there is none, or when it would not understand this one."""
    for tool in TOOLS:
        if path.endswith(tool.suffixes):
            return tool if content is not None and tool.wants(content) else None
    return None


def problems(bench: Bench, tool: Tool, paths: Sequence[str], until: float) -> dict[str, Problem | None] | None:
    """Path -> what is wrong with it. None when the tool is missing, did not work or had no time: then nobody knows."""
    program = which(tool.program, bench.env.get("PATH", ""))
    if program is None:
        return None
    found: dict[str, Problem | None] = dict.fromkeys(paths)
    for batch in _batches(paths, tool.at_once):
        places = {str(bench.files.root / path): path for path in batch}
        left = until - time.monotonic()
        if left <= 0:
            return None
        done = bench.processes.run(
            (program, *tool.command(tuple(places))[1:]),
            cwd=bench.scratch,
            env=bench.env,
            timeout=left,
            stdin=tool.stdin(tuple(places)),
        )
        if done.exit_code is None or done.timed_out or done.cancelled or done.exit_code < 0:
            return None
        found |= {places[place]: problem for place, problem in tool.read(done, tuple(places)).items()}
    return found


def _batches(paths: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (paths[at : at + size] for at in range(0, len(paths), size))


# --- the languages ------------------------------------------------------------------------------------------------


def _plain_javascript(content: bytes) -> bool:
    """Markup and types inside JavaScript are for other compilers."""
    text = content.decode("utf-8", "replace")
    return not (_TYPED.search(text) or _MARKUP.search(text))


def _is_bash(content: bytes) -> bool:
    return bool(_SHELL.match(content)) or not _OTHER_SHELL.match(content.split(b"\n", 1)[0])


def _node(done: Completed, _: Sequence[str]) -> dict[str, Problem]:
    text = done.stdout.text()
    try:
        found = json.loads(text[text.index("{") :])
    except ValueError:
        return {}
    return {path: (kind, f"{kind}: {message}", line or None) for path, (kind, message, line) in found.items()}


def _lines_of(pattern: str) -> Callable[[Completed, Sequence[str]], dict[str, Problem]]:
    form = re.compile(pattern, re.MULTILINE)

    def read(done: Completed, places: Sequence[str]) -> dict[str, Problem]:
        if done.exit_code == 0:
            return {}
        found: dict[str, Problem] = {}
        for match in form.finditer(done.stdout.text()):
            if match["file"] in places:
                problem = ("SyntaxError", f"SyntaxError: {match['said'].strip()}", int(match["line"]))
                found.setdefault(match["file"], problem)
        return found

    return read


TOOLS = (
    Tool(
        program="node",
        suffixes=(".js", ".mjs", ".cjs"),
        command=lambda _: ("node", "--experimental-vm-modules", "--no-warnings", str(_NODE)),
        stdin=lambda places: json.dumps(places).encode(),
        read=_node,
        wants=_plain_javascript,
    ),
    Tool(
        program="bash",
        suffixes=(".sh", ".bash"),
        command=lambda places: ("bash", "--norc", "-O", "extglob", "-n", *places),
        read=_lines_of(r"^(?P<file>.+?): line (?P<line>\d+): (?P<said>(?!warning).+)$"),
        at_once=1,
        wants=_is_bash,
    ),
    Tool(
        program="gofmt",
        suffixes=(".go",),
        command=lambda places: ("gofmt", "-e", "-l", *places),
        read=_lines_of(r"^(?P<file>.+?):(?P<line>\d+):\d+: (?P<said>.+)$"),
    ),
    Tool(
        program="php",
        suffixes=(".php",),
        command=lambda places: ("php", "-n", "-d", "display_errors=1", "-l", *places),
        read=_lines_of(r"^(?:PHP )?Parse error: +(?P<said>.+) in (?P<file>.+?) on line (?P<line>\d+)$"),
        at_once=1,
    ),
    Tool(
        program="ruby",
        suffixes=(".rb",),
        command=lambda places: ("ruby", "--disable=gems,did_you_mean", "-c", *places),
        read=_lines_of(r"^(?:ruby: )?(?P<file>/.+?):(?P<line>\d+): (?P<said>.+)$"),
        at_once=1,
    ),
)
