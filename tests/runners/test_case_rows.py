"""One project for each real test tool whose tests fail by design: are its failures told apart, and known again?

`rows/*.rows.toml` holds the projects; the commands are those of `tools/*.tool.toml`. What the failing tests say comes
from the environment: two looks with other words are enough for all questions, and any tool can answer them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.judge import Case, judge, required, signature
from trueup.decide.snapshot import Lens, take
from trueup.decide.state import Class, Judgement
from trueup.decide.task import CheckSpec, Goal, GoalKind
from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import evidence_id, fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, Report, SeenBy
from trueup.evidence.text import GUESSED
from trueup.testing import task_for

HERE = Path(__file__).parent
PACKAGES = HERE.parents[1] / ".tools"
Edits = Mapping[str, Any]
"""Path -> the whole text, one `{replace, by}` or several."""

FIRST = {
    "CASE_NOISE": "/tmp/tmpk3l9x2ab/out.txt after 0.21s at 0x7f3a1c2d4e50, pid 4711",
    "CASE_STATUS": "500",
    "CASE_WORDING": "the sum does not add up, as far as I can see",
    "CASE_THROWN": "1",
    "CASE_PLACE": "1",
    "CASE_EXPECTED": "3",
}
SECOND = {
    "CASE_NOISE": "/tmp/tmpq8r7w1zz/out.txt after 13.4s at 0x55d0aa10b2c8, pid 92",
    "CASE_STATUS": "404",
    "CASE_WORDING": "please look at the total once more: it seems odd to me",
    "CASE_THROWN": "2",
    "CASE_PLACE": "2",
    "CASE_EXPECTED": "4",
}
NAMES = ("noise", "status", "wording", "thrown", "place", "expected")
"""The failing tests; each tool spells them in its own way."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """What `tools/` says about it, and the project of `rows/`."""

    name: str
    command: str
    programs: tuple[str, ...]
    get: str
    inventory: bool = False
    report: str = ""
    packages: str = ""
    modules: tuple[str, ...] = ()
    keep_env: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    files: Edits
    other_tree: Edits
    gone: Edits = field(default_factory=dict)
    """One failing test is skipped and another one deleted."""
    broken: Edits = field(default_factory=dict)
    settings: Edits = field(default_factory=dict)
    """The project's own settings cannot be read by the tool."""
    placeless: bool = False
    """It does not say where a test failed."""
    not_applicable: Mapping[str, str] = field(default_factory=dict)

    @property
    def failing(self) -> tuple[str, ...]:
        return tuple(name for name in NAMES if any(name in text.lower() for text in self.files.values()))

    def project(self, edits: Edits) -> dict[str, str]:
        files = dict(self.files)
        for path, edit in edits.items():
            files[path] = edit if isinstance(edit, str) else _edited(files[path], edit)
        return files

    def path(self) -> tuple[str, ...]:
        """Folders of the programs; the empty tuple when one is missing."""
        found = [self._find(program) for program in self.programs]
        if not all(found) or not all(Path(module).exists() for module in self.modules):
            return ()
        return tuple(dict.fromkeys(str(Path(str(program)).parent) for program in found))

    def _find(self, program: str) -> str | None:
        if program == "{python}":
            return sys.executable
        own = PACKAGES / self.packages / "node_modules" / ".bin" / program
        return str(own) if own.exists() else shutil.which(program)


def _edited(text: str, edit: Any) -> str:
    for one in edit if isinstance(edit, list) else [edit]:
        assert one["replace"] in text, one
        text = text.replace(one["replace"], one["by"])
    return text


KNOWN = frozenset(Tool.__dataclass_fields__)


def _tools() -> Iterator[Tool]:
    for path in sorted((HERE / "rows").glob("*.rows.toml")):
        project = tomllib.loads(path.read_text(encoding="utf-8"))
        said = tomllib.loads((HERE / "tools" / f"{path.name.partition('.')[0]}.tool.toml").read_text(encoding="utf-8"))
        variants = {said["name"]: {}} | {variant["name"]: variant for variant in said.pop("variant", [])}
        silent = project.pop("silent", {})
        for name in project.pop("variants", [said["name"]]):
            told = {key: value for key, value in {**said, **variants[name]}.items() if key in KNOWN}
            left_out = {**project.get("not_applicable", {}), **silent.get(name, {})}
            yield Tool(**{**told, "broken": {}, **project, "not_applicable": left_out})


TOOLS = tuple(_tools())


@dataclass(kw_only=True)
class Stand:
    """One tool on its own bench; each situation is looked at once, however many tests ask."""

    tool: Tool
    lab: Any
    env: dict[str, str]
    cache: Path
    seen: dict[str, CheckResult] = field(default_factory=dict)

    def see(self, situation: str) -> CheckResult:
        if situation not in self.seen:
            self.seen[situation] = self._look(situation)
        return self.seen[situation]

    def _look(self, situation: str) -> CheckResult:
        tool = self.tool
        edits: Edits = {
            "first": {},
            "second": tool.other_tree,
            "gone": tool.gone,
            "broken": tool.broken,
            "settings": tool.settings,
        }[situation]
        return self.check(tool.project(edits), self.run, SECOND if situation == "second" else FIRST, tool.report)

    @property
    def run(self) -> str:
        return self.tool.command.replace("{python}", sys.executable).replace("{cache}", str(self.cache))

    def check(self, files: Mapping[str, str], run: str, told: Mapping[str, str], report: str = "") -> CheckResult:
        check = CheckSpec(name="tests", run=run, report=report or None)
        result: CheckResult = self.lab.check(files, run, checks=(check,), env={**self.env, **told}, keep_going=True)
        return result

    def failure(self, situation: str, name: str) -> Failure:
        found = [f for f in self.see(situation).failures if name in f.subject.lower()]
        assert len(found) == 1, (name, [f.subject for f in self.see(situation).failures], self.lab.output())
        return found[0]

    def alone(self, name: str) -> tuple[CheckResult, CheckResult]:
        """Both looks, as if just this test failed."""
        looks = (self.see("first"), self.see("second"))
        one, two = (
            replace(look, failures=(self.failure(situation, name),))
            for situation, look in zip(("first", "second"), looks, strict=True)
        )
        return one, two


def judgement(start: CheckResult, now: CheckResult) -> Judgement:
    """As `decide` does it for the first attempt of a run whose goal is that everything passes."""
    task = task_for(check=("true",))
    universe = start.keys(start.inventory or ())
    lens = Lens(looks={}, universe=universe)
    first = take(Report(tree="start", results=(start,)), task, lens)
    second = take(Report(tree="now", results=(now,)), task, lens)
    goal = Goal(kind=GoalKind.GREEN)
    return judge(
        Case(
            goal=goal,
            start=first,
            best=first,
            best_required=required(goal, first, first),
            best_prints=first.prints,
            origin_signature=signature(first.prints),
            now=second,
            tests=universe | first.tests | second.tests,
            universe=universe,
            may_vanish=False,
            earlier=(),
            free_moves=0,
        )
    )


@pytest.fixture(scope="module")
def stands(module_lab: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[Tool], Stand]:
    made: dict[str, Stand] = {}

    def of(tool: Tool) -> Stand:
        if not tool.path():
            pytest.skip(f"{tool.name} is not installed: {tool.get}")
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


Stands = Callable[[Tool], Stand]
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def makes_sense(tool: Tool, row: str) -> None:
    if row in tool.not_applicable:
        pytest.skip(f"{tool.name}, {row}: {tool.not_applicable[row]}")


@every_tool
def test_each_failing_test_is_seen_once(tool: Tool, stands: Stands) -> None:
    for situation in ("first", "second"):
        result = stands(tool).see(situation)
        assert result.status is CheckStatus.FAILED
        assert len(result.failures) == len(tool.failing), (
            [f.subject for f in result.failures],
            stands(tool).lab.output(),
        )
        assert all(stands(tool).failure(situation, name) for name in tool.failing)


@every_tool
def test_a_folder_a_duration_an_address_and_a_process_make_no_other_failure(tool: Tool, stands: Stands) -> None:
    stand = stands(tool)
    makes_sense(tool, "noise")
    first, second = stand.failure("first", "noise"), stand.failure("second", "noise")
    assert first.message + first.excerpt != second.message + second.excerpt, "nothing varied"
    assert (fingerprint(first), evidence_id(first)) == (fingerprint(second), evidence_id(second)), (first, second)
    found = judgement(*stand.alone("noise"))
    assert (found.kind, found.fixed, found.regressed) == (Class.STUCK, (), ()), "another tree, the same failure"


@every_tool
@pytest.mark.parametrize("value", ["status", "expected"])
def test_another_status_or_expected_value_is_other_evidence(tool: Tool, value: str, stands: Stands) -> None:
    stand = stands(tool)
    makes_sense(tool, value)
    first, second = stand.failure("first", value), stand.failure("second", value)
    assert evidence_id(first) != evidence_id(second), (first, second)
    assert judgement(*stand.alone(value)).kind in {Class.STUCK, Class.MOVED}


@every_tool
@pytest.mark.parametrize("change", ["thrown", "place"])
def test_another_exception_or_place_is_another_failure_and_has_moved(tool: Tool, change: str, stands: Stands) -> None:
    stand = stands(tool)
    makes_sense(tool, change)
    first, second = stand.failure("first", change), stand.failure("second", change)
    assert first.key == second.key
    assert fingerprint(first) != fingerprint(second), (first, second)
    assert judgement(*stand.alone(change)).kind is Class.MOVED


@every_tool
def test_other_words_for_the_same_failing_test_are_no_progress(tool: Tool, stands: Stands) -> None:
    """It is the same failure wherever its place is known; without one the words are all that tells it."""
    stand = stands(tool)
    makes_sense(tool, "wording")
    first, second = stand.failure("first", "wording"), stand.failure("second", "wording")
    assert FIRST["CASE_WORDING"] in first.message + first.excerpt
    assert SECOND["CASE_WORDING"] in second.message + second.excerpt
    found = judgement(*stand.alone("wording"))
    assert (found.fixed, found.new) == ((), ())
    assert found.kind is (Class.MOVED if first.source_line is None else Class.STUCK), (first, second)
    assert (first.source_line is None) == tool.placeless


@every_tool
def test_a_failing_test_that_is_skipped_or_deleted_is_not_fixed(tool: Tool, stands: Stands) -> None:
    stand = stands(tool)
    makes_sense(tool, "gone")
    if not tool.inventory:
        pytest.skip(f"{tool.name} names only what fails")
    found = judgement(stand.see("first"), stand.see("gone"))
    assert len(stand.see("gone").failures) == len(tool.failing) - 2
    assert found.kind not in {Class.GREEN, Class.PROGRESS}
    assert not found.fixed
    assert len(found.required) == len(tool.failing), "they still count"


@every_tool
def test_a_broken_build_hides_red_tests_and_unveils_them_when_it_is_mended(tool: Tool, stands: Stands) -> None:
    stand = stands(tool)
    makes_sense(tool, "broken")
    forth = judgement(stand.see("first"), stand.see("broken"))
    assert (forth.kind, forth.fixed) == (Class.WORSE, ()), stand.see("broken").failures
    back = judgement(stand.see("broken"), stand.see("first"))
    assert back.kind is Class.PROGRESS
    if tool.inventory:
        assert len(back.unveiled) == len(tool.failing)


@every_tool
def test_a_failed_check_that_nobody_can_read_is_one_failure(tool: Tool, stands: Stands) -> None:
    """Neither what it prints nor what we ask it is understood: its surroundings are wiped, its words are replaced."""
    stand = stands(tool)
    kept = " ".join(f"{name}={shlex.quote(value)}" for name, value in {**stand.env, **FIRST}.items())
    script = f"env -i {kept} {stand.run} >/dev/null 2>&1 || {{ echo 'the moon is in another house'; exit 3; }}\n"
    files = {**tool.project({}), "odd.sh": script}
    result = stand.check(files, "sh odd.sh", FIRST)
    assert (result.status, result.exit_code) == (CheckStatus.FAILED, 3), (result, stand.lab.output())
    assert [(f.subject, f.test) for f in result.failures] == [("", False)], result.failures
    assert result.failures[0].kind in GUESSED
    assert "the moon is in another house" in result.failures[0].excerpt
    assert (result.passed, result.seen_by) == ((), SeenBy.TEXT)


@every_tool
def test_settings_that_the_tool_cannot_read_are_a_failure_to_repair(tool: Tool, stands: Stands) -> None:
    stand = stands(tool)
    makes_sense(tool, "settings")
    result = stand.see("settings")
    assert result.status is CheckStatus.FAILED, (result, stand.lab.output())
    assert not result.passed
    mended = judgement(stand.see("settings"), stand.see("first")).kind
    wanted = {Class.PROGRESS} if tool.inventory else {Class.PROGRESS, Class.MIXED}
    assert mended in wanted, (result, stand.lab.output())


def test_each_tool_says_why_a_row_is_left_out() -> None:
    for tool in TOOLS:
        assert set(tool.not_applicable) <= {*NAMES, "gone", "broken", "settings"}, tool.name
        assert all(len(reason) > 10 for reason in tool.not_applicable.values()), tool.name
        for row in ("gone", "broken", "settings") if tool.inventory else ("broken", "settings"):
            assert getattr(tool, row) or row in tool.not_applicable, (tool.name, row)
