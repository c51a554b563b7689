"""When is work done? Only when our own checks say so, about exactly the files that are handed back."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.act.agents.base import AgentContext
from trueup.act.process import quick
from trueup.decide.moves import Attempted, TreeProved, TreeVerified
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.decide.task import AgentSpec, CheckSpec, Limits, OnGreen, Task
from trueup.errors import UnverifiableError
from trueup.evidence.report import CheckStatus, Strength
from trueup.testing import Driven, Say, ScriptedAgent, Step, python_project, task_for

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIXED = CALC.replace("a - b", "a + b")
PLAIN = (sys.executable, "-S", "check.py")
HANG_GUARD = 60.0

Project = Callable[..., Path]
Go = Callable[..., Driven]


def plain_task(**changes: object) -> Task:
    return replace(task_for(check=PLAIN), **changes)  # type: ignore[arg-type]


def never_called(context: AgentContext) -> None:
    raise AssertionError("no agent may be paid here")


def assert_nothing_was_claimed(result: Driven) -> None:
    assert result.outcome.proof is None
    assert result.outcome.tree == result.outcome.start
    assert result.record.branch == ""


# --- 1: what an agent says -----------------------------------------------------------------------------------


def test_an_agent_that_claims_success_and_exits_with_zero_has_not_passed(
    plain: Project, go: Go, tmp_path: Path
) -> None:
    claims = [Step(writes={"notes.txt": f"{n}\n"}, say="All tests pass. Done!") for n in range(4)]
    command = ScriptedAgent(*claims, usd=0.1).as_command(tmp_path / "agent")
    agent = AgentSpec(name="liar", command=command, reports_cost=True)
    result = go(plain(), None, plain_task(agents=(agent,)))
    assert [v.record.exit_code for v in result.attempts] == [0, 0, 0, 0]
    assert "All tests pass" in result.attempts[0].record.note
    assert result.outcome.status is Status.STUCK
    assert result.outcome.exit_code == 1
    assert result.outcome.remaining == ("tests ",)
    assert_nothing_was_claimed(result)


# --- 2: evidence is about one tree ---------------------------------------------------------------------------


def passes_then_breaks(context: AgentContext) -> None:
    """The first attempt sees a green check of its own and goes on editing; the second one stops in time."""
    (context.workspace / "calc.py").write_text(FIXED)
    quick(PLAIN, cwd=context.workspace, env=dict(context.env))
    if context.attempt == 1:
        (context.workspace / "calc.py").write_text(CALC + "# tidied up\n")


def test_a_green_check_before_the_last_edit_is_void_and_the_final_files_are_verified(
    plain: Project, go: Go, looks: Callable[[], list[str]]
) -> None:
    result = go(plain(), passes_then_breaks, plain_task())
    assert FIXED in looks()[: looks().index(CALC + "# tidied up\n")], "the agent's own check was green"
    assert result.classes == [Class.STUCK, Class.GREEN]
    records = [record for _, record in result.history]
    last_edit = max(n for n, r in enumerate(records) if isinstance(r, Attempted))
    after = records[last_edit + 1 :]
    assert [r.tree for r in after if isinstance(r, TreeVerified | TreeProved)] == [result.outcome.tree] * 2
    assert result.outcome.proof is not None
    assert result.outcome.proof.tree == result.outcome.tree
    assert result.read("calc.py") == FIXED


WAITS = (
    "import os, sys, time\n"
    "from pathlib import Path\n"
    "from calc import add\n\n"
    "if add(2, 3) != 5:\n"
    '    sys.exit("add(2, 3) is wrong")\n'
    'outside = Path(os.environ["CASE_OUTSIDE"])\n'
    '(outside / "verifying").touch()\n'
    "end = time.monotonic() + 60\n"
    'while not (outside / "edited").exists() and time.monotonic() < end:\n'
    "    time.sleep(0.01)\n"
)


def test_an_edit_while_the_check_runs_is_not_in_what_is_handed_back(plain: Project, go: Go, outside: Path) -> None:
    late: list[threading.Thread] = []

    def agent(context: AgentContext) -> None:
        (context.workspace / "calc.py").write_text(FIXED)

        def edit_late() -> None:
            end = time.monotonic() + HANG_GUARD
            while not (outside / "verifying").exists() and time.monotonic() < end:
                time.sleep(0.01)
            (context.workspace / "calc.py").write_text("raise SystemExit(0)\n")
            (outside / "edited").touch()

        late.append(threading.Thread(target=edit_late))
        late[0].start()

    where = plain({"check.py": WAITS})
    result = go(where, agent, plain_task())
    late[0].join(HANG_GUARD)
    assert (outside / "edited").exists()
    assert result.outcome.status is Status.PASSED
    assert result.read("calc.py") == FIXED
    git = shutil.which("git") or "git"
    branch = quick([git, "show", f"{result.record.branch}:calc.py"], cwd=where, env=dict(os.environ))
    assert branch.decode() == FIXED


# --- 3 and 4: no check, no verdict ---------------------------------------------------------------------------


def test_without_a_check_a_run_is_unverifiable_and_no_agent_is_called(plain: Project, go: Go) -> None:
    result = go(plain(), never_called, plain_task(checks=()))
    assert result.outcome.status is Status.UNVERIFIABLE
    assert result.outcome.exit_code == 4
    assert "no check" in result.outcome.detail
    assert result.attempts == ()
    assert_nothing_was_claimed(result)


FIND_REPORT = (
    "import os, tempfile\n"
    "from pathlib import Path\n\n"
    'for report in Path(os.environ["TMPDIR"]).glob("*/records/events/*"):\n'
    "    {what}\n\n\n"
    "def test_add():\n    pass\n"
)
NO_VERDICT = {
    "no test at all": ({"tests/test_calc.py": "def helper():\n    pass\n"}, "no tests were collected"),
    "every test skipped": (
        {"tests/test_calc.py": "import pytest\n\n\n@pytest.mark.skip\ndef test_add():\n    pass\n"},
        "no test ran: 1 of 1 were skipped",
    ),
    "no report file": ({"pytest.py": "print('1 passed')\n"}, "left no report"),
    "report emptied": ({"tests/test_calc.py": FIND_REPORT.format(what="os.truncate(report, 0)")}, "left no report"),
    "report unreadable": (
        {"tests/test_calc.py": FIND_REPORT.format(what="report.write_bytes(b'\\0' * 64)")},
        "left no report",
    ),
}


@pytest.mark.parametrize(("files", "reason"), NO_VERDICT.values(), ids=NO_VERDICT.keys())
def test_exit_code_zero_without_a_test_that_was_seen_passing_is_no_pass(
    tested: Project, go: Go, files: dict[str, str], reason: str
) -> None:
    result = go(tested(files), never_called, task_for())
    assert result.outcome.status is Status.UNVERIFIABLE
    assert reason in result.outcome.detail
    assert reason in result.screen
    assert result.attempts == ()


def test_code_that_keeps_the_tests_from_running_has_not_passed_them(tested: Project, go: Go) -> None:
    ends = {"calc.py": "import os\n\nos._exit(0)\n"}
    skips = {"calc.py": "import pytest\n\npytest.skip('later', allow_module_level=True)\n"}
    result = go(tested(), ScriptedAgent(ends, skips), task_for(limits=Limits(usd=None, time=None, attempts=2)))
    ended, skipped = (v.report.results[0] for v in result.attempts if v.report)
    assert ended.exit_code == 0
    assert ended.status is CheckStatus.FAILED
    assert skipped.reason == "no tests were collected"
    assert "no tests were collected" in result.screen
    assert result.classes == [Class.WORSE, Class.WORSE]
    assert_nothing_was_claimed(result)


def test_a_check_that_passes_does_not_make_up_for_one_that_cannot_run(go: Go, plain: Project) -> None:
    checks = (CheckSpec(name="always", run=("true",)), CheckSpec(name="tests", run=("no-such-tool-here",)))
    result = go(plain(), never_called, plain_task(checks=checks))
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "no-such-tool-here" in result.outcome.detail


# --- 5: output that nobody understands -----------------------------------------------------------------------

SAYS = {
    "nothing": "pass",
    "gibberish": "sys.stdout.buffer.write(bytes(range(256)))",
    "a poem": "print('roses are red')",
}


@pytest.mark.parametrize("says", SAYS.values(), ids=SAYS.keys())
def test_a_failed_check_that_no_parser_understands_is_one_failure(plain: Project, go: Go, says: str) -> None:
    check = f"import sys\nfrom calc import add\nif add(2, 3) != 5:\n    {says}\n    sys.exit(3)\n"
    result = go(plain({"check.py": check}), ScriptedAgent(Say("fine"), {"calc.py": FIXED}), plain_task())
    assert result.state.baseline is not None
    assert result.state.baseline.report is not None
    [failure] = result.state.baseline.report.failures
    assert failure.key == "tests "
    assert failure.message
    assert result.classes == [Class.NO_OP, Class.GREEN], "it is repaired like any other"
    assert result.outcome.proof is not None
    assert result.outcome.proof.strength is Strength.EXIT_CODE


def test_a_failure_that_only_a_text_names_is_fixed_when_its_check_passes(plain: Project, go: Go) -> None:
    """`unittest` that cannot be looked into (`-S`) names what failed and says nothing about what passed."""
    files = {
        "test_calc.py": (
            "import unittest\nimport calc\n\n\n"
            "class TestCalc(unittest.TestCase):\n"
            "    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n\n"
            "    def test_double(self):\n        self.assertEqual(calc.double(4), 8)\n"
        )
    }
    check = (sys.executable, "-S", "-m", "unittest", "-q", "test_calc")
    result = go(plain(files), ScriptedAgent({"calc.py": FIXED}), task_for(check=check))
    assert result.outcome.status is Status.PASSED
    assert result.outcome.fixed == ("tests test_calc.py::TestCalc::test_add",)


# --- 8: exit codes above one ---------------------------------------------------------------------------------


def test_a_collection_error_of_the_start_is_repaired_like_any_failure(tested: Project, go: Go) -> None:
    result = go(tested({"calc.py": "def add(a, b:\n"}), ScriptedAgent(Say("hm"), {"calc.py": FIXED}), task_for())
    assert result.state.baseline is not None
    assert result.state.baseline.report is not None
    assert result.state.baseline.report.results[0].exit_code == 2
    assert result.classes == [Class.NO_OP, Class.GREEN]
    assert result.outcome.status is Status.PASSED


def test_a_collection_error_that_the_agent_causes_is_its_own_failure_and_the_run_goes_on(
    tested: Project, go: Go
) -> None:
    result = go(tested(), ScriptedAgent({"calc.py": "def add(a, b:\n"}, {"calc.py": FIXED}), task_for())
    assert result.attempts[0].report is not None
    assert result.attempts[0].report.results[0].exit_code == 2
    assert result.classes == [Class.WORSE, Class.GREEN]
    assert result.outcome.status is Status.PASSED


MISSING = {
    "program": ("no-such-tool-here", "--all"),
    "in a shell": ("sh", "-c", "no-such-tool-here --all"),
    "module": (sys.executable, "-m", "no_such_tool_here"),
}


@pytest.mark.parametrize("command", MISSING.values(), ids=MISSING.keys())
def test_a_missing_tool_is_unverifiable_and_named(plain: Project, go: Go, command: tuple[str, ...]) -> None:
    result = go(plain(), never_called, task_for(check=command))
    assert result.outcome.status is Status.UNVERIFIABLE
    assert result.outcome.exit_code == 4
    name = command[-1].split()[0] if command[0] != "no-such-tool-here" else command[0]
    assert name in result.outcome.detail
    assert name in result.screen
    assert result.attempts == ()


TOOL = "#!/bin/sh\ngrep -q 'a + b' calc.py\n"
RUNS_TOOL = 'import os\nfrom pathlib import Path\n\nos.execvp("sh", ["sh", "-c", Path("command.txt").read_text()])\n'


def test_a_tool_of_the_tree_that_the_agent_removes_is_its_failure_not_the_environments(plain: Project, go: Go) -> None:
    where = plain({"check.py": RUNS_TOOL, "command.txt": "./tool", "tool": TOOL})
    (where / "tool").chmod(0o755)
    removed = {"calc.py": FIXED, "tool": None}
    result = go(where, ScriptedAgent(removed, {"calc.py": FIXED}), plain_task())
    report = result.attempts[0].report
    assert report is not None
    assert report.results[0].exit_code == 127
    assert result.attempts[0].control is not None, "the best files were checked, too"
    assert result.classes == [Class.WORSE, Class.GREEN]
    assert result.outcome.status is Status.PASSED


def test_a_tool_that_vanishes_from_the_machine_is_never_the_agents_failure(
    plain: Project, go: Go, outside: Path
) -> None:
    tool = outside / "tool"
    tool.write_text(TOOL)
    tool.chmod(0o755)

    def agent(context: AgentContext) -> None:
        (context.workspace / "calc.py").write_text(FIXED)
        tool.unlink(missing_ok=True)

    where = plain({"check.py": RUNS_TOOL, "command.txt": '"$CASE_OUTSIDE/tool"'})
    result = go(where, agent, plain_task())
    assert result.classes == [Class.INVALID]
    assert result.outcome.status is Status.UNVERIFIABLE
    assert str(tool) in result.outcome.detail
    assert "127" in result.outcome.detail
    assert_nothing_was_claimed(result)


# --- 9: the goal holds already -------------------------------------------------------------------------------


def test_a_goal_that_holds_at_the_start_costs_nothing_and_proves_nothing(plain: Project, go: Go) -> None:
    result = go(plain({"calc.py": FIXED}), never_called, plain_task())
    assert result.outcome.status is Status.NOTHING_TO_DO
    assert result.outcome.exit_code == 0
    assert result.attempts == ()
    assert "the checks cannot show the task" in result.screen
    assert_nothing_was_claimed(result)


def test_an_agent_that_changes_nothing_where_all_is_green_is_stuck_for_want_of_a_change(plain: Project, go: Go) -> None:
    agent = ScriptedAgent(Say("The feature is done and all tests pass."), then="repeat")
    result = go(plain({"calc.py": FIXED}), agent, plain_task(on_green=OnGreen.WORK))
    assert result.outcome.status is Status.STUCK
    assert result.outcome.reason == "no_change"
    assert result.classes == [Class.NO_OP, Class.NO_OP]
    assert_nothing_was_claimed(result)


def test_an_agent_that_works_where_all_is_green_passes_only_on_green_files(plain: Project, go: Go) -> None:
    feature = FIXED + "\n\ndef half(a):\n    return a / 2\n"
    result = go(
        plain({"calc.py": FIXED}),
        ScriptedAgent({"calc.py": CALC}, {"calc.py": feature}),
        plain_task(on_green=OnGreen.WORK),
    )
    assert result.classes == [Class.WORSE, Class.GREEN]
    assert result.outcome.status is Status.PASSED
    assert result.read("calc.py") == feature


# --- 10: nothing is there ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["folder", "repository", "only ignored files"])
def test_a_run_on_an_empty_folder_is_unverifiable(go: Go, tmp_path: Path, kind: str) -> None:
    where = tmp_path / "empty"
    where.mkdir()
    if kind != "folder":
        python_project(where, files={}, commit=False)
    if kind == "only ignored files":
        (where / ".git/info/exclude").write_text("*.log\n")
        (where / "old.log").write_text("1 passed\n")
    with pytest.raises(UnverifiableError, match="nothing here to work on") as caught:
        go(where, never_called, task_for(check=("true",)))
    assert caught.value.exit_code == 4
