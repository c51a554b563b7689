"""Every real tool in every situation that a check can be in: one project for each tool, in `tools/*.tool.toml`.

A situation that makes no sense for a tool is said so in its file, with the reason; a tool that is not installed is
skipped with the way to get it. `make test-runners` prints the whole table at its end (see conftest.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.task import CheckSpec
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, SeenBy, Strength

HERE = Path(__file__).parent
PACKAGES = HERE.parents[1] / ".tools"
LabOf = Callable[..., Any]
Record = Callable[[str, object], None]
Edits = Mapping[str, Any]
"""Path -> the whole text, `{replace, by}` for a part of it, or False when the file is not there."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """What one file of `tools/` says."""

    name: str
    command: str
    programs: tuple[str, ...]
    """Names to look for on the PATH and in `.tools`; {python} is the one that runs these tests."""
    get: str
    """How to get it."""
    id: str
    """The subject of the one failure."""
    kind: str = "tests"
    """`tests`, or `complaints` for compilers and linters."""
    seen_by: str = "text"
    inventory: bool = False
    selects: bool = False
    passes: str = ""
    """Another test, which always passes."""
    place: str = ""
    """The file that the failure is in."""
    report: str = ""
    packages: str = ""
    """The folder of `.tools` that holds it."""
    modules: tuple[str, ...] = ()
    """Files that have to be there, too."""
    keep_env: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    files: Edits
    fails: Edits
    shift: Mapping[str, str]
    otherwise: Edits
    fixed: Edits
    broken: Edits = field(default_factory=dict)
    broken_names: str = ""
    broken_phases: tuple[str, ...] = ("build", "collect")
    nothing: Edits = field(default_factory=dict)
    nothing_says: str = "no tests were collected"
    late: Edits = field(default_factory=dict)
    late_command: str = ""
    late_says: str = ""
    """Something that the tool had said, or what ran, when its time was over."""
    not_applicable: Mapping[str, str] = field(default_factory=dict)

    def project(self, *layers: Edits) -> dict[str, str]:
        files: dict[str, str] = {}
        for layer in (self.files, *layers):
            for path, edit in layer.items():
                _apply(files, path, edit)
        return files

    def shifted(self) -> Edits:
        added = self.shift["before"]
        return {self.shift["file"]: {"replace": added, "by": self.shift["insert"] + added}}

    def path(self) -> tuple[str, ...]:
        """Folders of the programs; the empty tuple when one is missing."""
        found = [_find(program, self.packages) for program in self.programs]
        if not all(found) or not all(Path(module).exists() for module in self.modules):
            return ()
        return tuple(dict.fromkeys(str(Path(str(program)).parent) for program in found))


def _apply(files: dict[str, str], path: str, edit: str | bool | Mapping[str, str]) -> None:
    if edit is False:
        del files[path]
    elif isinstance(edit, Mapping):
        assert edit["replace"] in files[path], f"{edit['replace']!r} is not in {path}"
        files[path] = files[path].replace(edit["replace"], edit["by"])
    else:
        files[path] = str(edit)


def _find(program: str, packages: str) -> str | None:
    if program == "{python}":
        return sys.executable
    own = PACKAGES / packages / "node_modules"
    inside = own.glob(f"*/bin/{program}") if packages else ()  # a package need not offer all its programs
    places = (own / ".bin" / program, *inside, Path(sys.executable).parent / program)
    return next((str(p) for p in places if p.exists()), None) or shutil.which(program)


def _tools() -> Iterator[Tool]:
    for path in sorted((HERE / "tools").glob("*.tool.toml")):
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        variants = told.pop("variant", [])
        lists = {key: tuple(value) for key, value in told.items() if isinstance(value, list)}
        tool = Tool(**{**told, **lists})
        yield tool
        for variant in variants:
            yield replace(
                tool, **{**variant, "not_applicable": {**tool.not_applicable, **variant.get("not_applicable", {})}}
            )


TOOLS = tuple(_tools())


@dataclass(kw_only=True)
class Stand:
    """One tool on its own bench; each situation is looked at once, however many tests ask."""

    tool: Tool
    lab: Any
    env: dict[str, str]
    cache: Path
    seen: dict[str, tuple[CheckResult, str]] = field(default_factory=dict)

    def see(self, situation: str) -> tuple[CheckResult, str]:
        """What the check amounted to, and what it printed."""
        if situation not in self.seen:
            self.seen[situation] = self._look(situation)
        return self.seen[situation]

    def _look(self, situation: str) -> tuple[CheckResult, str]:
        tool = self.tool
        layers: dict[str, tuple[Edits, ...]] = {
            "fails": (tool.fails,),
            "shifted": (tool.fails, tool.shifted()),
            "otherwise": (tool.fails, tool.otherwise),
            "fixed": (tool.fixed,),
            "broken": (tool.fixed, tool.broken),
            "nothing": (tool.fixed, tool.nothing),
            "late": (tool.fixed, tool.late) if tool.late else (tool.fails,),
        }
        command = tool.late_command or tool.command if situation == "late" else tool.command
        limit = 300.0
        if situation == "late":  # as slow as this machine is just now: the tool has to come to its waiting
            limit = 4 + 3 * self.see("otherwise")[0].duration
        return self.check(tool.project(*layers[situation]), command, limit)

    def check(self, files: Mapping[str, str], command: str, limit: float = 300.0) -> tuple[CheckResult, str]:
        run = self._filled(command)
        check = CheckSpec(name="tests", run=run, report=self.tool.report or None)
        result = self.lab.check(files, run, checks=(check,), env=self.env, timeouts={"tests": limit})
        return result, self.lab.output()

    def _filled(self, text: str) -> str:
        return text.replace("{python}", sys.executable).replace("{cache}", str(self.cache))

    def failure(self, situation: str) -> Failure:
        result, said = self.see(situation)
        assert [f.subject for f in result.failures] == [self.tool.id], (
            result.status,
            result.reason,
            result.failures,
            said,
        )
        return result.failures[0]


@pytest.fixture(scope="module")
def stands(module_lab: LabOf, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Tool], Stand]:
    made: dict[str, Stand] = {}

    def of(tool: Tool) -> Stand:
        if tool.name not in made:
            lab = module_lab(*tool.path(), packages=PACKAGES / tool.packages if tool.packages else None)
            cache = tmp_path_factory.mktemp("cache")
            env = {
                "PATH": os.pathsep.join((*tool.path(), "/usr/bin", "/bin")),
                "HOME": str(lab.base),
                "LANG": "C.UTF-8",
                **{name: os.environ[name] for name in tool.keep_env if name in os.environ},
                **{name: value.replace("{cache}", str(cache)) for name, value in tool.env.items()},
            }
            made[tool.name] = Stand(tool=tool, lab=lab, env=env, cache=cache)
        return made[tool.name]

    return of


def fails(stand: Stand) -> str:
    tool = stand.tool
    result, said = stand.see("fails")
    failure = stand.failure("fails")
    assert result.status is CheckStatus.FAILED
    assert result.seen_by == SeenBy(tool.seen_by), said
    assert (result.inventory is not None) == tool.inventory
    assert failure.phase is Phase.RUN or tool.kind == "complaints", failure
    assert failure.file == (tool.place or None)
    if tool.inventory:
        assert failure.test
        assert {tool.id, tool.passes} <= set(result.inventory or ()), result.inventory
        assert tool.passes in result.passed
        assert tool.id not in result.passed
    return f"by {result.seen_by}{', every test' if tool.inventory else ''}"


def shifted(stand: Stand) -> str:
    first, moved = stand.failure("fails"), stand.failure("shifted")
    if first.line is not None:
        assert moved.line == first.line + stand.tool.shift["insert"].count("\n")
    assert (moved.key, fingerprint(moved)) == (first.key, fingerprint(first)), (first, moved)
    return "same"


def otherwise(stand: Stand) -> str:
    first, other = stand.failure("fails"), stand.failure("otherwise")
    assert other.key == first.key
    assert fingerprint(other) != fingerprint(first), (first, other)
    return "another"


def fixed(stand: Stand) -> str:
    tool = stand.tool
    result, said = stand.see("fixed")
    assert result.status is CheckStatus.PASSED, (result, said)
    if not tool.inventory:
        assert result.strength is Strength.EXIT_CODE
        return "exit code"
    assert {tool.id, tool.passes} <= set(result.passed), result.passed
    assert result.strength is Strength.INVENTORY
    return "seen passing"


def broken(stand: Stand) -> str:
    tool = stand.tool
    result, said = stand.see("broken")
    assert result.status is CheckStatus.FAILED, (result, said)
    assert not result.passed
    named = [
        f for f in result.failures if tool.broken_names in " ".join((f.subject, f.file or "", f.message, f.excerpt))
    ]
    assert named, (result.failures, said)
    phases = {str(f.phase) for f in named}
    assert phases <= set(tool.broken_phases), (result.failures, said)
    return f"failed: {'/'.join(sorted(phases))}"


def nothing(stand: Stand) -> str:
    result, said = stand.see("nothing")
    assert result.status in {CheckStatus.ERROR, CheckStatus.FAILED}, (result, said)
    told = result.reason or " ".join(f.message + f.excerpt for f in result.failures)
    assert stand.tool.nothing_says in told, (result, said)
    return str(result.status)


def missing(stand: Stand) -> str:
    files = stand.tool.project(stand.tool.fixed)
    rest = " ".join(stand.tool.command.split()[1:]) if "'" not in stand.tool.command else ""
    for command in (f"no-such-program {rest}", f"sh -c 'no-such-program {rest}'"):
        result, said = stand.check(files, command.replace('"', ""))
        assert result.status is CheckStatus.ERROR, (command, result, said)
        assert "no-such-program" in result.reason
        assert not result.failures
    return "error"


def late(stand: Stand) -> str:
    tool = stand.tool
    result, said = stand.see("late")
    assert result.status is CheckStatus.TIMEOUT, (result, said)
    assert result.reason.startswith("not finished after")
    assert result.failures[-1].kind == "timeout"
    assert tool.id not in result.passed
    assert tool.late_says in said + result.reason, (result, said)
    running = "while" in result.reason
    return "timeout, test named" if running else "timeout"


SITUATIONS: Mapping[str, Callable[[Stand], str]] = {
    "fails": fails,
    "shifted": shifted,
    "otherwise": otherwise,
    "fixed": fixed,
    "broken": broken,
    "nothing": nothing,
    "missing": missing,
    "late": late,
}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_in_every_situation(
    tool: Tool, situation: str, stands: Callable[[Tool], Stand], record_property: Record
) -> None:
    def cell(text: str) -> None:
        record_property("matrix", (tool.name, situation, text))

    if not tool.path():
        cell("not installed")
        pytest.skip(f"{tool.name} is not installed: {tool.get}")
    if situation in tool.not_applicable:
        cell("n/a")
        pytest.skip(f"{tool.name}, {situation}: {tool.not_applicable[situation]}")
    cell("WRONG")
    said = SITUATIONS[situation](stands(tool))
    cell(said)


RECORDED = {
    "dotnet test": (
        "dotnet",
        "its test hosts come from NuGet; tests/evidence/test_dotnet_test.py holds what it prints",
    ),
}
"""Tools that need what the tests' package registries do not offer: program, and where to get it."""


@pytest.mark.parametrize("name", RECORDED)
def test_what_cannot_be_had_is_named(name: str, record_property: Record) -> None:
    program, where = RECORDED[name]
    samples = (HERE.parent / "evidence" / "test_parsers.py").read_text(encoding="utf-8").lower()
    assert name.split(maxsplit=1)[0].removesuffix("c") in samples, "then there should be recorded output at least"
    record_property("recorded", (name, "installed, but not driven" if shutil.which(program) else where))


def test_each_tool_says_why_a_situation_is_left_out() -> None:
    for tool in TOOLS:
        assert set(tool.not_applicable) <= set(SITUATIONS), tool.name
        assert all(len(reason) > 10 for reason in tool.not_applicable.values()), tool.name
        for situation in ("broken", "nothing"):
            assert getattr(tool, situation) or situation in tool.not_applicable, (tool.name, situation)
        assert tool.late or tool.late_command or "late" in tool.not_applicable, tool.name


NOT_SHOWN_ALONE = {
    "JUnit 4 (JUnitCore)": "it runs whole classes",
    "JUnit 5 (console), report file": "its command names a folder of classes, not a test",
    "prove (TAP)": "it runs whole files",
    "cargo nextest": "its text does not say which program a test is in",
}
"""Tools whose failures have no command that shows just this one, and why."""


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_command_that_shows_one_failure_shows_it(tool: Tool, stands: Callable[[Tool], Stand]) -> None:
    if not tool.path():
        pytest.skip(f"{tool.name} is not installed: {tool.get}")
    stand = stands(tool)
    stand.seen.pop("fails", None)  # once more: the bench has to hold it now
    failure = stand.failure("fails")
    if tool.name in NOT_SHOWN_ALONE:
        assert failure.repro is None
        return
    assert failure.repro
    folder = stand.lab.bench.folder
    done = subprocess.run(
        failure.repro, shell=True, cwd=folder, env=stand.env, capture_output=True, text=True, timeout=300
    )
    said = done.stdout + done.stderr
    name = failure.subject.rpartition("::")[2].rpartition(" ")[2].removesuffix("()")
    assert done.returncode != 0, (failure.repro, said)
    quietly = "1 test completed, 1 failed"  # Gradle with `-q` names nobody
    assert any(words in said for words in (name, tool.place, quietly)), (failure.repro, said)
