"""What did the start look like, and what does a check say that gives two answers about the same files?"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.act.agents.base import AgentContext
from trueup.act.process import quick
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import CheckSpec, Goal, GoalKind, Limits, Task
from trueup.errors import UnverifiableError
from trueup.testing import PYTEST, Driven, ScriptedAgent, task_for, write_files

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIXED = CALC.replace("a - b", "a + b")
PLAIN = (sys.executable, "-S", "check.py")

Project = Callable[..., Path]
Go = Callable[..., Driven]
Looks = Callable[[], list[str]]


def plain_task(**changes: object) -> Task:
    return replace(task_for(check=PLAIN), **changes)  # type: ignore[arg-type]


def never_called(context: AgentContext) -> None:
    raise AssertionError("no agent may be paid here")


def useless(times: int) -> ScriptedAgent:
    return ScriptedAgent(*({"calc.py": f"{CALC}# {n}\n"} for n in range(1, times + 1)))


# --- 1: a red start ------------------------------------------------------------------------------------------

NEEDS_HALF = "from calc import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
WRONG_HALF = CALC + "\n\ndef half(a):\n    return a\n"


def test_a_red_start_is_legal_and_the_report_keeps_old_fixed_new_and_remaining_apart(tested: Project, go: Go) -> None:
    where = tested({"tests/test_half.py": NEEDS_HALF})
    check = (*PYTEST, "--continue-on-collection-errors")
    result = go(where, ScriptedAgent({"calc.py": WRONG_HALF}), task_for(check=check))
    assert result.classes[0] is Class.PROGRESS, "one broken import less, although a failing test came to light"
    assert result.outcome.fixed == ("tests tests/test_half.py",)
    assert result.outcome.new == ("tests tests/test_half.py::test_half",)
    assert result.outcome.remaining == ("tests tests/test_calc.py::test_add",)
    assert result.outcome.partial
    lines = [" ".join(line.split()) for line in result.screen.splitlines()]
    assert any("test_add" in line and line.endswith("the same since the start") for line in lines)
    assert any("test_half" in line and line.endswith("since attempt 1") for line in lines)
    folder = where / ".trueup" / "runs" / result.run
    before = json.loads((folder / "baseline_failures.json").read_text())["failures"]
    assert [f["key"] for f in before] == ["tests tests/test_half.py", "tests tests/test_calc.py::test_add"]
    ended = json.loads((folder / "completion_reasons.json").read_text())["outcome"]
    assert (ended["fixed"], ended["new"], ended["remaining"]) == (
        ["tests tests/test_half.py"],
        ["tests tests/test_half.py::test_half"],
        ["tests tests/test_calc.py::test_add"],
    )


LINT = (
    "import sys\n"
    "from pathlib import Path\n\n"
    'bad = [line for line in ("TODO", "XXX") if line in Path("calc.py").read_text()]\n'
    "for number, word in enumerate(bad, 1):\n"
    '    print(f"calc.py:{number}:1: {word}01 {word} is left")\n'
    "sys.exit(bool(bad))\n"
)


def test_what_a_later_stage_could_not_look_at_is_not_fixed(plain: Project, go: Go) -> None:
    lint = CheckSpec(name="lint", run=(sys.executable, "-S", "lint.py"))
    tests = CheckSpec(name="tests", run=PLAIN, after=("lint",))
    where = plain({"lint.py": LINT, "calc.py": CALC + "# TODO\n# XXX\n"})
    result = go(where, ScriptedAgent({"calc.py": CALC + "# XXX\n"}), plain_task(checks=(lint, tests)))
    assert result.classes[0] is Class.PROGRESS
    assert result.outcome.fixed == ("lint calc.py TODO01",)
    assert result.outcome.remaining == ("lint calc.py XXX01", "tests ")


# --- 2: a dirty checkout -------------------------------------------------------------------------------------

EXPECTS = (
    "import sys\n"
    "from pathlib import Path\n"
    "from calc import add\n\n"
    'wanted = Path("expected.txt")\n'
    'sys.exit("wrong" if wanted.exists() and add(2, 3) != int(wanted.read_text()) else 0)\n'
)


def test_uncommitted_files_are_part_of_the_start_and_are_nobody_elses_work(plain: Project, go: Go) -> None:
    """The commit is green; what the user has not committed makes it red."""
    where = plain({"check.py": EXPECTS, "README.md": "calc\n"})
    dirt = {"expected.txt": "5\n", "README.md": "calc, soon with add\n", "notes.txt": "mine\n"}
    write_files(where, dirt)
    result = go(where, ScriptedAgent({"calc.py": FIXED}), plain_task(only=("calc.py",)))
    assert result.outcome.status is Status.PASSED
    assert result.state.baseline is not None
    assert result.state.baseline.tree == result.outcome.start
    assert {path: result.store.read(result.outcome.start, path) for path in dirt} == {
        path: text.encode() for path, text in dirt.items()
    }
    assert result.attempts[0].record.changed == ("calc.py",)
    assert result.attempts[0].record.put_back == (), "out of scope, but not the agent's"
    assert {path: (where / path).read_text() for path in dirt} == dirt
    assert (where / "calc.py").read_text() == CALC
    git = shutil.which("git") or "git"
    command = [git, "diff", "--name-only", "main", result.record.branch]
    assert quick(command, cwd=where, env=dict(os.environ)).decode().split() == ["calc.py"]


# --- 3: a start that cannot be measured ----------------------------------------------------------------------

UNMEASURABLE = {
    "time-out": ("import time\n\ntime.sleep(60)\n", "not finished after"),
    "writes a test": (
        "import os\nfrom pathlib import Path\n\nPath('test_calc.py').write_text(f'# {os.getpid()}\\n')\n",
        "written while tests ran: test_calc.py",
    ),
}


@pytest.mark.parametrize(("check", "reason"), UNMEASURABLE.values(), ids=UNMEASURABLE.keys())
def test_a_baseline_that_cannot_be_captured_stops_the_run_before_anything_is_paid(
    plain: Project, go: Go, check: str, reason: str
) -> None:
    where = plain({"check.py": check, "test_calc.py": "# 0\n"})
    result = go(where, never_called, plain_task(checks=(CheckSpec(name="tests", run=PLAIN, timeout=1.0),)))
    assert result.outcome.status is Status.UNVERIFIABLE
    assert result.outcome.reason == "baseline"
    assert reason in result.outcome.detail
    assert reason in result.screen
    assert result.attempts == ()


HANGS = "def test_hangs():\n    while add(1, 2) != 3:\n        pass\n"


def test_a_test_that_hangs_at_the_start_is_a_failure_like_any_other(tested: Project, go: Go) -> None:
    """The check as a whole never ends; with a limit for each test, those behind the hanging one are seen."""
    tests = f"from calc import add, double\n\n\n{HANGS}\n\ndef test_double():\n    assert double(2) == 4\n"
    task = task_for(check=PYTEST)
    task = replace(task, checks=tuple(replace(check, timeout=16.0) for check in task.checks))
    result = go(tested({"tests/test_calc.py": tests}), ScriptedAgent({"calc.py": FIXED}), task)
    assert result.outcome.status is Status.PASSED, result.screen
    assert result.outcome.fixed == ("tests tests/test_calc.py::test_hangs",)
    assert "a test of tests does not end: once more, with at most 4 s for each test" in result.screen
    assert "2 tests, 1 fails" in result.screen


def test_a_set_up_that_fails_stops_the_run_before_anything_is_paid(plain: Project, go: Go) -> None:
    setup = (sys.executable, "-S", "-c", "raise SystemExit('no network today')")
    with pytest.raises(UnverifiableError, match="set-up command failed") as caught:
        go(plain(), never_called, plain_task(setup=setup))
    assert "no network today" in caught.value.why


# --- 4: measured once ----------------------------------------------------------------------------------------


def test_the_start_is_measured_once_however_many_attempts_follow(plain: Project, go: Go, looks: Looks) -> None:
    result = go(plain(), useless(4), plain_task())
    assert len(result.attempts) == 4
    assert looks().count(CALC) == 2, "once, and a second look at what failed"


def test_another_run_on_the_same_files_uses_the_measured_start(plain: Project, go: Go, looks: Looks) -> None:
    where = plain()
    first = go(where, useless(1), plain_task())
    looked = looks().count(CALC)
    second = go(where, useless(1), plain_task())
    assert looks().count(CALC) == looked + 1, "only the second look at what failed"
    assert first.state.baseline is not None
    assert second.state.baseline is not None
    assert second.state.baseline.report == first.state.baseline.report


def other_files(where: Path) -> tuple[Task, dict[str, str]]:
    write_files(where, {"README.md": "something else\n"})
    return plain_task(), {}


def other_variables(where: Path) -> tuple[Task, dict[str, str]]:
    return plain_task(), {"CASE_MODE": "strict"}


def not_hermetic(where: Path) -> tuple[Task, dict[str, str]]:
    return plain_task(checks=(CheckSpec(name="tests", run=PLAIN, hermetic=False),)), {}


@pytest.mark.parametrize("change", [other_files, other_variables, not_hermetic])
def test_a_measured_start_is_used_for_the_same_files_and_environment_only(
    plain: Project, go: Go, looks: Looks, change: Callable[[Path], tuple[Task, dict[str, str]]]
) -> None:
    where = plain()
    go(where, useless(1), plain_task())
    looked = looks().count(CALC)
    task, environ = change(where)
    go(where, useless(1), task, environ)
    assert looks().count(CALC) == looked + 2


NEEDS_SERVICE = (
    'import os, sys\nfrom pathlib import Path\n\nup = Path(os.environ["CASE_OUTSIDE"], "service").exists()\n'
    'sys.exit(0 if up else "the service is down")\n'
)


def test_a_measured_start_whose_failures_are_gone_is_measured_anew(plain: Project, go: Go, outside: Path) -> None:
    """Otherwise the next agent would be credited with what somebody else repaired outside the project."""
    where = plain({"check.py": NEEDS_SERVICE})
    assert go(where, useless(1), plain_task()).outcome.status is Status.STUCK
    (outside / "service").touch()
    result = go(where, never_called, plain_task())
    assert result.outcome.status is Status.NOTHING_TO_DO


# --- 5: one time in three ------------------------------------------------------------------------------------

COUNT = (
    "import os\n"
    "from pathlib import Path\n\n\n"
    "def unlucky(every, first):\n"
    '    """True for every so many calls, beginning with this one."""\n'
    '    file = Path(os.environ["CASE_OUTSIDE"], "calls")\n'
    "    calls = int(file.read_text()) if file.exists() else 0\n"
    "    file.write_text(str(calls + 1))\n"
    "    return calls % every == first\n"
)
FLAKY_TESTS = (
    "import calc\nfrom luck import unlucky\n\n\n"
    "def test_add():\n    assert calc.add(2, 3) == 5\n\n\n"
    "def test_weather():\n"
    "    assert not unlucky(3, {first})\n"
    "    assert calc.double(4) == 8\n"
)
ADD, WEATHER = "tests tests/test_calc.py::test_add", "tests tests/test_calc.py::test_weather"


def flaky(first: int) -> dict[str, str]:
    """`test_weather` fails at every third look, beginning with the `first`; 0 is the start's own."""
    return {"tests/luck.py": COUNT, "tests/test_calc.py": FLAKY_TESTS.format(first=first)}


@pytest.mark.parametrize("first", [1, 2], ids=["at the verification", "at the proof"])
def test_a_test_that_fails_one_time_in_three_is_run_again_excused_and_listed(
    tested: Project, go: Go, first: int
) -> None:
    result = go(tested(flaky(first)), ScriptedAgent({"calc.py": FIXED}), task_for())
    assert result.classes == [Class.GREEN]
    assert result.outcome.status is Status.PASSED
    assert result.outcome.fixed == (ADD,)
    assert result.outcome.new == ()
    assert result.outcome.flaky == (WEATHER,)
    assert result.state.quarantined == {WEATHER}
    assert "test_weather" in result.screen


def test_a_test_that_fails_one_time_in_three_and_failed_at_the_start_makes_nothing_green_by_luck(
    tested: Project, go: Go
) -> None:
    task = task_for(limits=Limits(usd=None, time=None, attempts=2))
    edits = [{"calc.py": FIXED}, {"calc.py": FIXED + "# again\n"}]
    result = go(tested(flaky(0)), ScriptedAgent(*edits), task)
    assert result.classes == [Class.PROGRESS, Class.STUCK]
    assert result.outcome.fixed == (ADD,)
    assert result.outcome.remaining == (WEATHER,)
    assert result.outcome.new == ()
    assert result.outcome.flaky == (WEATHER,)


def with_weather(check: str) -> Task:
    """A second check, of which nothing but its exit code is known."""
    weather = CheckSpec(name="weather", run=(sys.executable, "-S", check))
    return plain_task(checks=(CheckSpec(name="tests", run=PLAIN), weather))


WEATHER_CHECK = 'import sys\nfrom luck import unlucky\n\nsys.exit("rain" if unlucky(3, {first}) else 0)\n'


@pytest.mark.parametrize("first", [1, 2], ids=["at the verification", "at the proof"])
def test_a_whole_check_that_fails_one_time_in_three_is_run_again_excused_and_listed(
    plain: Project, go: Go, first: int
) -> None:
    where = plain({"luck.py": COUNT, "weather.py": WEATHER_CHECK.format(first=first)})
    result = go(where, ScriptedAgent({"calc.py": FIXED}), with_weather("weather.py"))
    assert result.classes == [Class.GREEN]
    assert result.outcome.status is Status.PASSED
    assert result.outcome.new == ()
    assert result.outcome.flaky == ("weather ",)


def test_a_check_that_became_flaky_by_the_change_is_the_changes_failure(plain: Project, go: Go) -> None:
    check = (
        "import sys\nfrom pathlib import Path\nfrom luck import unlucky\n\n"
        'racy = "race" in Path("calc.py").read_text()\n'
        'sys.exit("rain" if racy and unlucky(3, 0) else 0)\n'
    )
    where = plain({"luck.py": COUNT, "weather.py": check})
    agent = ScriptedAgent({"calc.py": FIXED + "# race\n"}, {"calc.py": FIXED})
    result = go(where, agent, with_weather("weather.py"))
    assert result.classes == [Class.MIXED, Class.GREEN]
    assert result.attempts[0].judgement is not None
    assert result.attempts[0].judgement.new == ("weather ",)
    assert result.state.quarantined == frozenset()
    assert result.outcome.flaky == ("weather ",)


# --- 6: flaky is no licence to break -------------------------------------------------------------------------

BREAKS_DOUBLE = FIXED.replace("a * 2", "a * 3")


def test_a_test_that_was_flaky_at_the_start_and_is_broken_for_good_is_a_new_failure(tested: Project, go: Go) -> None:
    """It failed at the start, so a goal that tolerates old failures is tempted to tolerate this one."""
    goal = Goal(kind=GoalKind.TARGETS, targets=("tests/test_calc.py::test_add",))
    agent = ScriptedAgent({"calc.py": BREAKS_DOUBLE}, {"calc.py": FIXED})
    result = go(tested(flaky(0)), agent, task_for(goal=goal))
    assert result.classes == [Class.MIXED, Class.GREEN]
    assert result.attempts[0].judgement is not None
    assert result.attempts[0].judgement.new == (WEATHER,)
    assert result.outcome.status is Status.PASSED
    assert result.read("calc.py") == FIXED


def test_a_check_that_was_excused_and_is_broken_for_good_is_a_new_failure(plain: Project, go: Go) -> None:
    check = (
        "import sys\nfrom calc import double\nfrom luck import unlucky\n\n"
        'sys.exit("rain" if unlucky(3, 1) or double(4) != 8 else 0)\n'
    )
    where = plain({"luck.py": COUNT, "weather.py": check})
    agent = ScriptedAgent({"calc.py": CALC + "# rain?\n"}, {"calc.py": BREAKS_DOUBLE}, {"calc.py": FIXED})
    result = go(where, agent, with_weather("weather.py"))
    assert result.state.quarantined == {"weather "}
    assert result.classes == [Class.STUCK, Class.MIXED, Class.GREEN], "excused, then broken, then repaired"
    assert result.attempts[1].judgement is not None
    assert result.attempts[1].judgement.new == ("weather ",)
    assert result.outcome.status is Status.PASSED


# --- 7: the same question ------------------------------------------------------------------------------------

CHOOSES = (
    "import sys\nimport calc\n\n"
    'ok = {"add": calc.add(2, 3) == 5, "double": calc.double(4) == 8}\n'
    'sys.exit(0 if all(ok[name] for name in sys.argv[1:] or ok) else "wrong")\n'
)


NARROWER = {
    "fewer tests": (CheckSpec(name="tests", run=(*PLAIN, "double")),),
    "another folder": (CheckSpec(name="tests", run=("sh", "-c", f"cd old && exec {shlex.join(PLAIN)}")),),
    "fewer checks": (CheckSpec(name="other", run=(*PLAIN, "double")),),
}


@pytest.mark.parametrize("checks", NARROWER.values(), ids=NARROWER.keys())
def test_a_start_that_was_measured_with_a_narrower_scope_is_not_used(
    plain: Project, go: Go, checks: tuple[CheckSpec, ...]
) -> None:
    where = plain({"check.py": CHOOSES, "old/calc.py": FIXED, "old/check.py": CHOOSES})
    narrow = go(where, never_called, plain_task(checks=checks))
    assert narrow.outcome.status is Status.NOTHING_TO_DO
    whole = tuple(c for c in checks if c.name != "tests") + plain_task().checks
    wide = go(where, ScriptedAgent({"calc.py": FIXED}), plain_task(checks=whole))
    assert wide.outcome.status is Status.PASSED
    assert wide.outcome.fixed == ("tests ",)


# --- 8: now and then is not fixed ----------------------------------------------------------------------------

COIN = (
    "from luck import unlucky\n\n\n"
    "def add(a, b):\n    return a + b - unlucky({every}, {first})\n\n\n"
    "def double(a):\n    return a * 2\n"
)


@pytest.mark.parametrize(("every", "first"), [(2, 0), (3, 2)], ids=["one time in two", "two times in three"])
def test_a_target_that_passes_only_now_and_then_is_neither_excused_nor_green(
    tested: Project, go: Go, every: int, first: int
) -> None:
    goal = Goal(kind=GoalKind.TARGETS, targets=("tests/test_calc.py::test_add",))
    task = task_for(goal=goal, limits=Limits(usd=None, time=None, attempts=2))
    coin = COIN.format(every=every, first=first)
    edits = [{"calc.py": coin}, {"calc.py": coin + "# again\n"}]
    result = go(tested({"luck.py": COUNT}), ScriptedAgent(*edits), task)
    assert Class.GREEN not in result.classes
    assert result.outcome.status is Status.OUT_OF_BUDGET
    assert result.outcome.remaining == (ADD,)
    assert result.outcome.flaky == (ADD,)
    assert result.state.quarantined == frozenset()
    assert "another result on unchanged files" in result.screen
    assert result.outcome.tree == result.outcome.start


WHOLE = {
    "fails first": ("add is wrong", 2, 0),
    "passes first": ("add is wrong", 2, 1),
    "passes twice": ("add is wrong", 3, 2),
    "shows one failure of the start": ("calc.py:1:1: E01 add", 2, 1),
    "shows another failure": ("calc.py:9:1: E99 add", 2, 1),
}


@pytest.mark.parametrize(("says", "every", "first"), WHOLE.values(), ids=WHOLE.keys())
def test_a_whole_check_that_passes_only_now_and_then_is_never_green(
    plain: Project, go: Go, says: str, every: int, first: int
) -> None:
    check = (
        "import sys\nfrom pathlib import Path\nfrom luck import unlucky\n\n"
        'if "a - b" in Path("calc.py").read_text():\n'
        '    sys.exit("calc.py:1:1: E01 add\\ncalc.py:2:1: E02 add")\n'
        f'sys.exit("{says}" if unlucky({every}, {first}) else 0)\n'
    )
    edits = [{"calc.py": f"{FIXED}# {n}\n"} for n in range(3)]
    result = go(plain({"check.py": check, "luck.py": COUNT}), ScriptedAgent(*edits), plain_task())
    assert Class.GREEN not in result.classes
    assert result.outcome.status is Status.STUCK
    assert result.outcome.flaky


# --- 9: somebody repaired the world --------------------------------------------------------------------------


def repairs_the_world(outside: Path, edits: dict[str, str]) -> Callable[[AgentContext], None]:
    def agent(context: AgentContext) -> None:
        (outside / "service").touch()
        write_files(context.workspace, edits)

    return agent


def test_failures_that_vanish_on_the_start_too_were_not_repaired_by_the_change(
    plain: Project, go: Go, outside: Path
) -> None:
    agent = repairs_the_world(outside, {"calc.py": CALC + "# fixed it\n"})
    result = go(plain({"check.py": NEEDS_SERVICE}), agent, plain_task())
    assert result.outcome.status is Status.UNVERIFIABLE
    assert result.outcome.exit_code == 4
    assert "what failed at the start now passes there too" in result.outcome.detail
    assert "now passes there too" in result.screen
    assert result.record.branch == ""
    assert result.outcome.proof is None


def test_one_failure_that_the_world_repaired_spoils_the_proof_of_the_others(
    tested: Project, go: Go, outside: Path
) -> None:
    service = (
        "import os\nfrom pathlib import Path\n\n\n"
        'def test_service():\n    assert Path(os.environ["CASE_OUTSIDE"], "service").exists()\n'
    )
    agent = repairs_the_world(outside, {"calc.py": FIXED})
    result = go(tested({"tests/test_service.py": service}), agent, task_for())
    assert result.outcome.status is Status.UNVERIFIABLE
    assert result.outcome.proof is None


def test_an_agent_that_repairs_only_the_world_has_changed_nothing(plain: Project, go: Go, outside: Path) -> None:
    result = go(plain({"check.py": NEEDS_SERVICE}), repairs_the_world(outside, {}), plain_task())
    assert result.outcome.status is Status.STUCK
    assert result.outcome.reason == "no_change"
