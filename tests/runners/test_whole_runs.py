"""Whole runs whose check is a real tool other than pytest: what failed comes first, flaky tests, proof."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from trueup.decide.moves import FocusTree, VerifyTree
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import Goal, GoalKind, Limits, Task
from trueup.evidence.failure import subject_of
from trueup.evidence.report import SeenBy
from trueup.testing import Driven, ScriptedAgent, drive, python_project, task_for

PACKAGES = Path(__file__).parents[2] / ".tools"
Files = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Story:
    """`add` is wrong; `weather` fails at some looks, which are counted outside of the tree."""

    name: str
    program: str
    command: tuple[str, ...]
    product: str
    """The file with the fault, `a - b`."""
    files: Files
    add: str
    weather: str
    remark: str
    selects: bool = True
    env: Mapping[str, str] = field(default_factory=dict)
    packages: str = ""

    def fault(self, text: str = "a - b") -> str:
        return self.files[self.product].replace("a - b", text)


UNITTEST = Story(
    name="unittest",
    program=sys.executable,
    command=(sys.executable, "-m", "unittest"),
    product="calc.py",
    files={
        "calc.py": "def add(a, b):\n    return a - b\n",
        "test_calc.py": (
            "import os, pathlib, unittest\nfrom calc import add\n\n\n"
            "def look():\n"
            "    file = pathlib.Path(os.environ['CASE_OUTSIDE'], 'looks')\n"
            "    with file.open('a') as looks:\n        looks.write('x')\n"
            "    return len(file.read_text())\n\n\n"
            "class T(unittest.TestCase):\n"
            "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n"
            "    def test_weather(self):\n        self.assertNotEqual(look() % 3, 2)\n"
        ),
    },
    add="tests test_calc.py::T::test_add",
    weather="tests test_calc.py::T::test_weather",
    remark="# a remark\n",
)
GO = Story(
    name="go",
    program="go",
    command=("go", "test", "./..."),
    product="calc.go",
    files={
        "go.mod": "module example.com/calc\n\ngo 1.19\n",
        "calc.go": "package calc\n\nfunc Add(a, b int) int {\n\treturn a - b\n}\n",
        "calc_test.go": (
            'package calc\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
            "func look(t *testing.T) int {\n"
            '\tname := os.Getenv("CASE_OUTSIDE") + "/looks"\n'
            "\tfile, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)\n"
            "\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n"
            '\tfile.WriteString("x")\n\tfile.Close()\n'
            "\ttext, _ := os.ReadFile(name)\n\treturn len(text)\n}\n\n"
            "func TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal(Add(2, 3))\n\t}\n}\n\n"
            'func TestWeather(t *testing.T) {\n\tif look(t)%3 == 2 {\n\t\tt.Fatal("rain")\n\t}\n}\n'
        ),
    },
    add="tests example.com/calc.TestAdd",
    weather="tests example.com/calc.TestWeather",
    remark="// a remark\n",
    env={"GOTOOLCHAIN": "local", "GOFLAGS": "-count=1"},
)
JEST = Story(
    name="jest",
    program="jest",
    command=("jest", "--ci"),
    packages="node",
    product="calc.js",
    files={
        "jest.config.js": "module.exports = { watchman: false };\n",
        "calc.js": "exports.add = (a, b) => a - b;\n",
        "calc.test.js": (
            "const { add } = require('./calc');\nconst fs = require('fs');\n"
            "const look = () => {\n"
            "  const name = `${process.env.CASE_OUTSIDE}/looks`;\n"
            "  fs.appendFileSync(name, 'x');\n  return fs.readFileSync(name, 'utf8').length;\n};\n"
            "test('adds', () => {\n  expect(add(2, 3)).toBe(5);\n});\n"
            "test('weather', () => {\n  expect(look() % 3).not.toBe(2);\n});\n"
        ),
    },
    add="tests calc.test.js::adds",
    weather="tests calc.test.js::weather",
    remark="// a remark\n",
)
each = pytest.mark.parametrize("story", [UNITTEST, GO, JEST], ids=lambda s: s.name)
Go = Callable[[Story, ScriptedAgent, Task], Driven]


@pytest.fixture
def go(tmp_path: Path) -> Go:
    outside = tmp_path / "outside"
    outside.mkdir()

    def run(story: Story, agent: ScriptedAgent, task: Task) -> Driven:
        own = PACKAGES / story.packages / "node_modules" / ".bin" if story.packages else None
        program = shutil.which(story.program, path=os.fspath(own) if own else None)
        if program is None:
            pytest.skip(f"{story.name} is not installed")
        path = os.pathsep.join((str(Path(program).parent), os.environ["PATH"]))
        cache = tmp_path / "gocache"
        environ = {"PATH": path, "CASE_OUTSIDE": str(outside), "GOCACHE": str(cache), **story.env}
        where = python_project(tmp_path / "project", files=dict(story.files))
        return drive(where, agent, state=tmp_path / "state", task=task, environ=environ)

    return run


def task(story: Story, **changes: object) -> Task:
    return replace(task_for(check=story.command), **changes)  # type: ignore[arg-type]


def calm(story: Story) -> Story:
    """Without the weather."""
    return replace(
        story, files={path: text.replace("% 3", "% 1").replace("%3", "%1") for path, text in story.files.items()}
    )


@each
def test_what_failed_runs_first_and_what_passes_is_proven(story: Story, go: Go) -> None:
    """Focused looks, selection by name, a whole verification, the proof: all with this tool."""
    story = calm(story)
    agent = ScriptedAgent(
        {story.product: story.remark + story.fault()}, {story.product: story.remark + story.fault("a + b")}
    )
    result = go(story, agent, task(story, focus_above=0.0))
    assert result.outcome.status is Status.PASSED, result.screen
    assert result.classes == [Class.STUCK, Class.GREEN]
    asked = [type(move) for move, _ in result.history if isinstance(move, FocusTree | VerifyTree)]
    assert asked == [FocusTree, FocusTree, VerifyTree]
    assert result.attempts[0].focus is not None
    assert result.attempts[0].focus.results[0].passed == (), "the other test was not run"
    assert result.attempts[1].report is not None
    assert result.attempts[1].report.results[0].seen_by is SeenBy.STRUCTURE
    assert result.outcome.fixed == (story.add,)


@each
def test_a_test_that_fails_one_time_in_three_is_excused_and_listed(story: Story, go: Go) -> None:
    """It passed at the start and fails at the verification."""
    result = go(story, ScriptedAgent({story.product: story.fault("a + b")}), task(story))
    assert result.outcome.status is Status.PASSED, result.screen
    assert result.outcome.new == ()
    assert result.outcome.flaky == (story.weather,)
    assert result.state.quarantined == {story.weather}


@each
def test_a_target_that_passes_only_now_and_then_is_never_green(story: Story, go: Go) -> None:
    sometimes = {
        "unittest": "__import__('test_calc').look() % 2 and 5",
        "go": "look2()",
        "jest": "(require('fs').appendFileSync(`${process.env.CASE_OUTSIDE}/luck`, 'x'), "
        "require('fs').readFileSync(`${process.env.CASE_OUTSIDE}/luck`).length % 2 ? 5 : 4)",
    }[story.name]
    text = calm(story).fault(sometimes)
    if story.name == "go":
        text = text.replace("package calc\n", 'package calc\n\nimport "os"\n') + (
            "\nfunc look2() int {\n"
            '\tname := os.Getenv("CASE_OUTSIDE") + "/luck"\n'
            "\tfile, _ := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)\n"
            '\tfile.WriteString("x")\n\tfile.Close()\n'
            "\ttext, _ := os.ReadFile(name)\n\treturn 4 + len(text)%2\n}\n"
        )
    limits = Limits(usd=None, time=None, attempts=1)
    result = go(calm(story), ScriptedAgent({story.product: text}), task(story, limits=limits))
    assert result.outcome.status is not Status.PASSED, result.screen
    assert result.outcome.remaining == (story.add,)


def with_weather(story: Story, always: str, *, calm: str) -> Story:
    """Its test of the weather asks something else."""
    texts = {path: text.replace(calm, always) for path, text in story.files.items()}
    assert texts != story.files
    return replace(story, files=texts)


WEATHERS = {
    "unittest": "self.assertNotEqual(look() % 3, 2)",
    "go": "if look(t)%3 == 2 {",
    "jest": "expect(look() % 3).not.toBe(2)",
}
RAINS = {
    "unittest": "self.assertEqual(look(), 0)",
    "go": "if look(t) > 0 {",
    "jest": "expect(look()).toBe(0)",
}


@each
def test_a_red_start_keeps_fixed_new_and_remaining_apart(story: Story, go: Go) -> None:
    story = with_weather(story, RAINS[story.name], calm=WEATHERS[story.name])
    limits = Limits(usd=None, time=None, attempts=1)
    result = go(story, ScriptedAgent({story.product: story.fault("a + b")}), task(story, limits=limits))
    assert result.classes == [Class.PROGRESS], result.screen
    assert result.outcome.status is not Status.PASSED
    assert (result.outcome.fixed, result.outcome.new) == ((story.add,), ())
    assert result.outcome.remaining == (story.weather,)


SHOWERS = {
    "unittest": "self.assertTrue(look() % 3 != 1 and add(0, 0) == 0)",
    "go": "if look(t)%3 == 1 || Add(0, 0) != 0 {",
    "jest": "expect(look() % 3 !== 1 && add(0, 0) === 0).toBe(true)",
}
BREAKS_ZERO = {
    "unittest": "a + b if a else 1",
    "go": "a + b + map[bool]int{true: 1}[a == 0]",
    "jest": "(a ? a + b : 1)",
}


@each
def test_a_test_that_was_flaky_at_the_start_and_is_broken_for_good_is_a_new_failure(story: Story, go: Go) -> None:
    """It failed at the start, so a goal that tolerates old failures is tempted to tolerate this one."""
    story = with_weather(story, SHOWERS[story.name], calm=WEATHERS[story.name])
    agent = ScriptedAgent({story.product: story.fault(BREAKS_ZERO[story.name])}, {story.product: story.fault("a + b")})
    goal = Goal(kind=GoalKind.TARGETS, targets=(subject_of(story.add),))
    result = go(story, agent, task(story, goal=goal))
    assert result.classes == [Class.MIXED, Class.GREEN], result.screen
    assert result.attempts[0].judgement is not None
    assert result.attempts[0].judgement.new == (story.weather,)
    assert result.outcome.status is Status.PASSED
