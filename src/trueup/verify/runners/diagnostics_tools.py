"""Which compilers and linters can be asked for structure, how, and what does each one's answer mean?

One row for each tool. `added` makes it answer in its machine format; `leave` are words after which it is not asked: the
user chose a format or an output file, the tool would change files, or it does something else than look for mistakes.
"""

from __future__ import annotations

import json
import plistlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.parsers.expat import ExpatError

from trueup.evidence.failure import Phase
from trueup.evidence.parsers.diagnostics import diagnostics
from trueup.evidence.text import plain_lines

Words = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One thing that a tool objects to; the path is as the tool names it."""

    path: str
    line: int
    column: int = 0
    severity: str = "error"
    code: str = ""
    message: str
    phase: Phase = Phase.RUN
    excerpt: str = ""
    base: str = ""
    """The folder that a relative path belongs to, when it is not the one in which the tool was started."""


Read = Callable[[str], Iterator[Complaint]]
"""What a machine format says. Raises nothing but ValueError, TypeError, KeyError, IndexError, AttributeError."""
Repro = Callable[[str, str, Words], Words]
"""The command that shows the complaints of one code in one file: from the path, the code and the command that ran."""


def _of_file(*program: str, flags: str = "$^") -> Repro:
    """`flags`: options without a value of their own that change what is complained about."""
    return lambda path, _code, ran: (*program, *(word for word in ran if re.fullmatch(flags, word)), path)


_MYPY_FLAGS = (
    r"--(?:no-)?(?:strict|warn|disallow|allow|check|ignore|implicit|extra-checks|local-partial|namespace|explicit)[a-z-]*"
    r"|--(?:config-file|python-version|platform|follow-imports|enable-error-code|disable-error-code)=[\w./,-]+"
)


def _as_it_ran(_path: str, _code: str, ran: Words) -> Words:
    return ran


def _ruff_command(path: str, code: str, _ran: Words) -> Words:
    chosen = ("--select", code) if re.fullmatch(r"[A-Z]{1,8}\d{1,6}", code) else ()
    return ("ruff", "check", *chosen, path)


# --- what they say -------------------------------------------------------------------------------------------


def _ruff(said: str) -> Iterator[Complaint]:
    for one in json.loads(said):
        place = one["location"]
        yield Complaint(
            path=one["filename"],
            line=place["row"],
            column=place["column"],
            code=one["code"] or "",
            message=one["message"].removeprefix("SyntaxError: ") if not one["code"] else one["message"],
        )


def _mypy(said: str) -> Iterator[Complaint]:
    for line in said.splitlines():
        one = json.loads(line) if line.startswith("{") else {}
        if one.get("severity") == "error":
            yield Complaint(
                path=one["file"],
                line=max(one["line"], 0),
                column=max(one["column"], 0) + 1,
                code=one["code"] or "",
                message=one["message"],
            )


def _pyright(said: str) -> Iterator[Complaint]:
    for one in json.loads(said)["generalDiagnostics"]:
        start = one.get("range", {}).get("start", {})
        if one["severity"] in {"error", "warning"}:
            yield Complaint(
                path=one["file"],
                line=start.get("line", -1) + 1,
                column=start.get("character", -1) + 1,
                severity=one["severity"],
                code=one.get("rule", ""),
                message="\n".join(line.strip() for line in one["message"].split("\n")),
            )


_FULL_STOP = re.compile(r"(?<=[^ ])\.$")


def _eslint(said: str) -> Iterator[Complaint]:
    for file in json.loads(said):
        for one in file["messages"]:
            yield Complaint(
                path=file["filePath"],
                line=one.get("line") or 0,
                column=one.get("column") or 0,
                severity="warning" if one.get("severity") == 1 and not one.get("fatal") else "error",
                code=one.get("ruleId") or "",
                message=_FULL_STOP.sub("", one["message"]),  # as its own text shows it
            )


def _gcc(said: str) -> Iterator[Complaint]:
    """One list for each file that it compiled; between them what the linker or the driver says."""
    for line in said.splitlines():
        for one in json.loads(line) if line.startswith("[") else ():
            place = next((at["caret"] for at in one["locations"]), None)
            if place and one["kind"] in {"error", "fatal error", "warning"}:
                yield Complaint(
                    path=place["file"],
                    line=place["line"],
                    column=place.get("column", 0),
                    severity=one["kind"],
                    code=one.get("option", ""),
                    message=one["message"],
                    phase=Phase.BUILD,
                )


def _clang(said: str) -> Iterator[Complaint]:
    """A property list without its frame, one part for each file that was compiled."""
    try:
        units = plistlib.loads(f"<plist><array>{said}</array></plist>".encode(), fmt=plistlib.FMT_XML)
    except (ExpatError, plistlib.InvalidFileException, RecursionError) as error:
        raise ValueError(str(error)) from error
    for one in (one for unit in units for one in unit.get("diagnostics", ())):
        if one["level"] in {"error", "fatal error", "warning"} and "filename" in one:
            option = one.get("WarningOption", "")
            yield Complaint(
                path=one["filename"],
                line=one.get("line", 0),
                column=one.get("column", 0),
                severity=one["level"],
                code=f"-W{option}" if option else "",
                message=one["message"],
                phase=Phase.BUILD,
            )


def _rustc(said: str) -> Iterator[Complaint]:
    for line in said.splitlines():
        one = json.loads(line) if line.startswith("{") else {}
        if one.get("reason", "compiler-message") == "compiler-message":
            yield from _rust_message(one.get("message") if "reason" in one else one, one.get("manifest_path", ""))


def _rust_message(one: Any, manifest: str) -> Iterator[Complaint]:
    """The words are those of its own text, which comes with it: so they are the same whoever reads them."""
    shown = one.get("rendered") or ""
    span = next((s for s in one.get("spans", ()) if s.get("is_primary")), None)
    found = next(diagnostics(plain_lines(shown)), None) if span else None
    if span and found:
        yield Complaint(
            path=span["file_name"],
            line=span["line_start"],
            column=span["column_start"],
            severity=one["level"],
            code=found.name,
            message=found.message,
            phase=found.phase,
            excerpt=shown.strip("\n"),
            base=manifest.rpartition("/")[0],
        )


# --- how they are asked --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    name: str
    programs: tuple[str, ...]
    """Names by which it is found on the PATH; () when it needs no stand-in."""
    module: str = ""
    """Its name in `python -m …`."""
    read: Read
    repro: Repro
    added: tuple[str, ...] = ()
    commands: Mapping[str, tuple[str, ...]] | None = None
    """The sub-commands for which it is asked, and what is added behind each; None = it has none."""
    leave: str = ""
    """Words, as a regular expression, after which it is not asked."""
    drop: str = ""
    """Words that name an output, and are left out when it is asked: nothing may be there that was not before."""
    drop_two: str = ""
    """The same for words whose value is the next one."""
    codes: tuple[int, ...] = (1,)
    """Exit codes that mean: it looked, and found something."""
    stream: int = 1
    """Where the answer comes: standard output or standard error."""


_BUILD = ("--message-format=json",)
TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="ruff",
            programs=("ruff",),
            module="ruff",
            read=_ruff,
            repro=_ruff_command,
            commands={"check": ("--output-format=json",)},
            leave=r"--fix|--fix-only|--diff|--add-noqa.*|--watch|-\w*w|--output-format.*|-o.*|--output-file.*|--show-.*"
            r"|--statistics|-|--stdin-filename.*|--exit-zero|-e|-h|--help",
        ),
        Tool(
            name="mypy",
            programs=("mypy",),
            module="mypy",
            read=_mypy,
            repro=_of_file("mypy", flags=_MYPY_FLAGS),
            added=("--output=json",),
            leave=r"-O.*|--output.*|--junit-.*|--.*-report.*|--install-types|-h|--help|-V|--version|-v+|--verbose",
        ),
        Tool(
            name="pyright",
            programs=("pyright", "basedpyright"),
            module="pyright",
            read=_pyright,
            repro=_of_file("pyright"),
            added=("--outputjson",),
            leave=r"--outputjson|-w|--watch|--verifytypes.*|--createstub.*|-|-h|--help|-v|--version|--writebaseline",
        ),
        Tool(name="eslint", programs=(), read=_eslint, repro=_of_file("npx", "eslint")),
        Tool(name="clang", programs=(), read=_clang, repro=lambda *_: ()),
        Tool(
            name="gcc",
            programs=("gcc", "g++", "cc", "c++"),
            read=_gcc,
            repro=_as_it_ran,
            added=("-fdiagnostics-format=json", "-fsyntax-only"),
            leave=r"-E|-M|-MM|-v|-###|-|--version|--help.*|-dump.*|-print-.*|-fdiagnostics-.*|-save-temps.*|-wrapper"
            r"|-d[a-zA-Z]+|-fdump-.*|-Wp,.*|-Xpreprocessor|@.*",
            drop=r"-M(?:D|MD|P|G)|-M[FTQ].+|-o.+",
            drop_two=r"-M[FTQ]|-o",
            stream=2,
        ),
        Tool(
            name="rustc",
            programs=("rustc",),
            read=_rustc,
            repro=_as_it_ran,
            added=("--error-format=json", "--emit=metadata", "--out-dir={answers}"),
            leave=r"--error-format.*|--json.*|-|-V|-vV|--version|--print.*|--explain.*|-h|--help|-Csave-temps.*|save-temps.*|@.*",
            drop=r"--emit=.*|--out-dir=.*|-o.+",
            drop_two=r"--emit|--out-dir|-o",
            stream=2,
        ),
        Tool(
            name="cargo",
            programs=("cargo",),
            read=_rustc,
            repro=_as_it_ran,
            commands={
                **dict.fromkeys(("check", "c", "build", "b", "clippy"), _BUILD),
                **dict.fromkeys(("test", "t"), (*_BUILD, "--no-run")),
            },
            leave=r"--message-format.*|--no-run|--fix|--list|--build-plan|--unit-graph|-h|--help",
            codes=(101,),
        ),
    )
}
