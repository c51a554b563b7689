"""What does the next run of a work item know? What reviewers demanded and what led nowhere; never the change itself."""

import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.act.agents.base import AgentContext
from trueup.act.process import Processes, quick
from trueup.act.project import find_project, project_state
from trueup.decide.memory import ItemMemory
from trueup.decide.outcome import Status
from trueup.decide.task import AgentSpec, CheckSpec, Limits, ReviewerSpec, Task
from trueup.errors import UsageError
from trueup.remember import workitems
from trueup.remember.database import Database
from trueup.report.events import Notice
from trueup.testing import Driven, Say, ScriptedAgent, Step, drive, environment, python_project, task_for

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIXED = CALC.replace("a - b", "a + b")
TABLE = CALC.replace("return a - b", "return {(2, 3): 5}.get((a, b), 0)")
"""Satisfies the check, and nobody else."""
CHECK = """\
if ! grep -qF -e 'a + b' -e 'get((' calc.py; then echo "error: add(2, 3) is wrong"; exit 1; fi
"""
PLAIN = ("sh", "check.sh")
SECTION = "# Prior attempts"
FEEDBACK = "No tables of answers:\nadd has to work for ALL numbers — ``also`` negative ones."

Project = Callable[..., Path]
Go = Callable[..., Driven]


def plain_task(**changes: object) -> Task:
    return replace(task_for(check=PLAIN, limits=Limits(usd=None, time=3600.0, attempts=4)), **changes)  # type: ignore[arg-type]


@pytest.fixture
def plain(tmp_path: Path) -> Project:
    """`calc.py`, whose `add` is wrong, and a check that says so."""
    return lambda name="calc": python_project(tmp_path / name, files={"calc.py": CALC, "check.sh": CHECK})


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """A reviewer has to approve, who rejects every table of answers; one rejection ends the run."""
    script = tmp_path_factory.mktemp("critic") / "reviewer.py"
    script.write_text(
        "import json, re, sys\n"
        "from pathlib import Path\n"
        "asked = Path(sys.argv[1]).read_text()\n"
        '(nonce,) = set(re.findall(r\'"nonce": "([^"]+)"\', asked))\n'
        "bad = 'get((' in Path('calc.py').read_text()\n"
        f"print(json.dumps({{'nonce': nonce, 'approved': not bad, 'feedback': {FEEDBACK!r} if bad else 'fine',\n"
        "    'points': [{'aspect': 'approach', 'demand': 'compute it', 'subject': 'add'}] if bad else []}))\n"
    )
    command = f"{sys.executable} -S {script} {{prompt_file}}"
    critic = ReviewerSpec(agent=AgentSpec(name="critic", command=command, reports_cost=False))
    return plain_task(reviewer=critic, review_rounds=1)


@pytest.fixture(scope="module")
def first(reviewed: Task, tmp_path_factory: pytest.TempPathFactory) -> Driven:
    """A run whose result was turned down, made once for all."""
    base = tmp_path_factory.mktemp("first")
    project = python_project(base / "calc", files={"calc.py": CALC, "check.sh": CHECK})
    result = drive(project, ScriptedAgent({"calc.py": TABLE}), state=base / "state", task=reviewed)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "review_rounds"), result.screen
    assert result.record.branch == "trueup/work"
    return result


@pytest.fixture
def rejected(first: Driven, tmp_path: Path) -> Path:
    """A copy of that run's project, with a copy of what is kept about it."""
    kept = first.folder.parent.parent
    project = shutil.copytree(kept.parents[2] / "calc", tmp_path / "calc", symlinks=True)
    own = project_state(find_project(project), environment(tmp_path / "state"))
    shutil.copytree(kept, own, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("workspace"))
    return project


def memory_of(project: Path, tmp_path: Path, item: str = "work") -> ItemMemory | None:
    with database(project, tmp_path) as db:
        return workitems.read(db, item)


def database(project: Path, tmp_path: Path) -> Database:
    return Database(project_state(find_project(project), environment(tmp_path / "state")))


def edit_the_file(project: Path, tmp_path: Path, sql: str, *values: object) -> None:
    file = project_state(find_project(project), environment(tmp_path / "state")) / "journal.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        assert connection.execute(sql, values).rowcount == 1


def notices(result: Driven) -> list[str]:
    return [e.event.text for e in result.events if isinstance(e.event, Notice)]


# --- 1: the second run ---------------------------------------------------------------------------------------


def test_a_second_run_on_a_rejected_item_gets_the_verdict_verbatim_and_not_the_change(
    rejected: Path, first: Driven, go: Go, reviewed: Task
) -> None:
    second_agent = ScriptedAgent({"calc.py": FIXED})
    second = go(rejected, second_agent, reviewed)
    assert second.outcome.status is Status.PASSED, second.screen
    (prompt,) = second_agent.prompts
    told = prompt[prompt.index(SECTION) :]
    assert FEEDBACK in told
    assert "rejected by critic, round 1" in told
    assert "The branch `trueup/work` holds what was tried; you may read it, you need not continue from it." in told
    assert_nothing_of_the_change(first, prompt)
    assert any("work item work: 1 earlier run; the agent is told 1 verdict" in text for text in notices(second))


def assert_nothing_of_the_change(earlier: Driven, prompt: str) -> None:
    """Not one line that the earlier run's result has and its start has not, however it is indented or marked."""
    patch = earlier.store.patch(earlier.outcome.start, earlier.outcome.tree).decode()
    added = [line[1:].strip() for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++")]
    written = [line for line in added if line]
    assert written, "the earlier run changed something"
    assert [line for line in written if line in prompt] == []
    assert "@@" not in prompt
    assert "diff --git" not in prompt


def test_the_second_run_succeeds_because_of_the_verdict_and_without_having_seen_the_change(
    rejected: Path, go: Go, reviewed: Task
) -> None:
    """The agent knows the repair only if it reads the verdict, and falls back to the old idea if it is shown that."""

    def learns(workspace: Path, prompt: str) -> None:
        knows = FEEDBACK in prompt and ".get((a, b), 0)" not in prompt
        (workspace / "calc.py").write_text(FIXED if knows else TABLE)

    again = go(rejected, ScriptedAgent(learns, then="repeat"), reviewed)
    assert again.outcome.status is Status.PASSED, again.screen
    assert again.read("calc.py") == FIXED


def test_without_its_memory_the_second_run_fails_like_the_first(
    rejected: Path, go: Go, reviewed: Task, tmp_path: Path
) -> None:
    """The counter-test of the one above: it is the memory that made the difference."""

    def learns(workspace: Path, prompt: str) -> None:
        (workspace / "calc.py").write_text(FIXED if FEEDBACK in prompt else TABLE)

    with database(rejected, tmp_path) as db:
        assert workitems.forget(db, "work") == 1
    again = ScriptedAgent(learns, then="repeat")
    assert go(rejected, again, reviewed).outcome.status is Status.BLOCKED
    assert SECTION not in again.prompts[0]


def test_the_same_rejection_of_two_runs_is_told_once(rejected: Path, go: Go, reviewed: Task) -> None:
    project, task = rejected, reviewed
    assert go(project, ScriptedAgent({"calc.py": f"{TABLE}# more\n"}), task).outcome.status is Status.BLOCKED
    agent = ScriptedAgent({"calc.py": FIXED})
    assert go(project, agent, task).outcome.status is Status.PASSED
    assert agent.prompts[0].count(FEEDBACK) == 1


def test_a_stalled_item_is_run_again_and_hears_what_failed_and_what_led_nowhere(plain: Project, go: Go) -> None:
    wrong = [
        Step(writes={"calc.py": CALC.replace("a - b", f"b - a - {n}")}, say=f"Idea {n}: the operands are swapped.")
        for n in range(4)
    ]
    project = plain()
    first = go(project, ScriptedAgent(*wrong), plain_task())
    assert first.outcome.status is Status.STUCK
    assert first.record.branch == "", "nothing was better than the start"

    agent = ScriptedAgent({"calc.py": FIXED})
    second = go(project, agent, plain_task())
    assert second.outcome.status is Status.PASSED
    told = agent.prompts[0][agent.prompts[0].index(SECTION) :]
    assert "with 4 attempts; the latest ended as stuck." in told
    assert "What failed at the end" in told
    assert "add(2, 3) is wrong" in told
    for number in range(1, 5):
        assert f"attempt {number}: edited calc.py → the same failures" in told
    assert "its words: Idea 2: the operands are swapped." in told
    assert "b - a" not in agent.prompts[0], "nothing of what was written"


def test_the_branch_of_the_first_run_is_no_obstacle_and_can_be_read_by_the_second_agent(
    rejected: Path, go: Go, reviewed: Task
) -> None:
    project, task = rejected, reviewed
    kept = quick(["git", "rev-parse", "trueup/work"], cwd=project)
    seen: list[bytes] = []

    def reads(context: AgentContext) -> None:
        seen.append(quick(["git", "show", "trueup/work:calc.py"], cwd=context.workspace))
        assert (context.workspace / "calc.py").read_text() == CALC, "the run starts from the checkout"
        (context.workspace / "calc.py").write_text(FIXED)

    second = go(project, reads, task)
    assert second.outcome.status is Status.PASSED
    assert seen == [TABLE.encode()]
    assert second.record.branch == "trueup/work"
    assert quick(["git", "show", "trueup/work:calc.py"], cwd=project) == FIXED.encode()
    quick(["git", "merge-base", "--is-ancestor", kept.decode().strip(), "trueup/work"], cwd=project)


def test_a_run_from_the_branch_goes_on_with_what_was_tried_and_its_verdicts_count(
    rejected: Path, go: Go, reviewed: Task
) -> None:
    project, task = rejected, reviewed
    began: list[str] = []

    def goes_on(context: AgentContext) -> None:
        began.append((context.workspace / "calc.py").read_text())
        assert FEEDBACK in context.prompt
        (context.workspace / "calc.py").write_text(FIXED)

    # The checks hold at this start: the review is why there is something to do.
    second = go(project, goes_on, replace(task, from_rev="trueup/work"))
    assert began == [TABLE]
    assert second.outcome.status is Status.PASSED, second.screen
    assert second.read("calc.py") == FIXED


# --- 2: a fresh item -----------------------------------------------------------------------------------------


def test_the_prompt_of_a_fresh_item_has_no_such_section(plain: Project, go: Go) -> None:
    agent = ScriptedAgent({"calc.py": FIXED})
    result = go(plain(), agent, plain_task(item="fresh"))
    assert result.outcome.status is Status.PASSED
    for words in (SECTION, "work item", "earlier run", "reviewer"):
        assert words not in agent.prompts[0]
    assert not [text for text in notices(result) if "work item" in text]


# --- 3: written on every exit --------------------------------------------------------------------------------


def test_whatever_the_outcome_the_item_remembers_it(plain: Project, go: Go, reviewed: Task, tmp_path: Path) -> None:
    project = plain()
    broken = plain_task(checks=(CheckSpec(name="tests", run="no-such-program-here"),))
    one = Limits(usd=None, attempts=1)
    ends = {
        Status.UNVERIFIABLE: (None, replace(broken, agents=())),
        Status.OUT_OF_BUDGET: (ScriptedAgent({"notes.txt": "x"}), plain_task(limits=one)),
        Status.STUCK: (ScriptedAgent(Say("no")), plain_task()),
        Status.BLOCKED: (ScriptedAgent({"calc.py": TABLE}), reviewed),
        Status.PASSED: (ScriptedAgent({"calc.py": FIXED}), plain_task()),
        Status.NOTHING_TO_DO: (ScriptedAgent(), plain_task(checks=(CheckSpec(name="tests", run="true"),))),
    }
    for number, (status, (agent, task)) in enumerate(ends.items(), 1):
        result = go(project, agent, task)
        assert result.outcome.status is status, result.screen
        memory = memory_of(project, tmp_path)
        assert memory is not None
        assert [run.status for run in memory.runs] == [str(known) for known in list(ends)[:number]]
        latest = memory.runs[-1]
        assert (latest.run, latest.attempts) == (result.run, len(result.attempts))
        assert (latest.branch, latest.best or latest.base) == (result.record.branch, result.outcome.tree)


def test_a_cancelled_run_is_remembered(plain: Project, tmp_path: Path) -> None:
    project, processes = plain(), Processes()

    def cancels(context: AgentContext) -> None:
        (context.workspace / "calc.py").write_text(TABLE)
        threading.Thread(target=processes.cancel).start()

    result = drive(
        project,
        cancels,
        state=tmp_path / "state",
        task=plain_task(),
        processes=processes,
    )
    assert result.outcome.status is Status.CANCELLED
    memory = memory_of(project, tmp_path)
    assert memory is not None
    assert [(run.run, run.status, run.attempts) for run in memory.runs] == [(result.run, "cancelled", 1)]


def test_a_bug_of_our_own_is_an_exit_as_well(plain: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trueup import loop

    def broken(*_: object) -> None:
        raise ZeroDivisionError("ours")

    project = plain()
    monkeypatch.setattr(loop, "_performed", broken)
    with pytest.raises(ZeroDivisionError):
        drive(project, ScriptedAgent(), state=tmp_path / "state", task=plain_task())
    memory = memory_of(project, tmp_path)
    assert memory is not None
    assert [(run.status, run.reason) for run in memory.runs] == [("unverifiable", "problem")]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("{", "it is damaged"),
        ("[]", "it is damaged"),
        ('{"version": 7, "item": "work", "runs": []}', "its version is 7, this trueup knows version 1"),
        ('{"version": 1, "item": "work", "runs": [{"run": 5}]}', "it is damaged"),
    ],
)
def test_a_memory_that_cannot_be_read_is_set_aside_with_a_message_and_the_journal_tells_it_again(
    body: str, why: str, plain: Project, go: Go, tmp_path: Path
) -> None:
    project = plain()
    first = go(project, ScriptedAgent({"calc.py": f"{CALC}# more\n"}), plain_task(limits=Limits(usd=None, attempts=1)))
    edit_the_file(project, tmp_path, "UPDATE items SET body = ?", body)
    agent = ScriptedAgent({"calc.py": FIXED})
    second = go(project, agent, plain_task())
    assert second.outcome.status is Status.PASSED
    (said,) = (text for text in notices(second) if "set aside" in text)
    assert said.startswith(f"what was remembered of work cannot be read and was set aside: {why}")
    assert said in second.screen
    assert "attempt 1: edited calc.py" in agent.prompts[0], "the first run's journal was there still"
    memory = memory_of(project, tmp_path)
    assert memory is not None
    assert [run.run for run in memory.runs] == [first.run, second.run]
    with database(project, tmp_path) as db:
        assert db.query("SELECT body FROM items_aside") == [(body,)], "nothing is thrown away"


def test_a_memory_that_cannot_be_written_is_said_and_the_outcome_stands(plain: Project, go: Go, tmp_path: Path) -> None:
    project = plain()

    def takes_the_table_away(context: AgentContext) -> None:
        (context.workspace / "calc.py").write_text(FIXED)
        with database(project, tmp_path) as db, db.write():
            db.execute("ALTER TABLE items RENAME TO gone")

    result = go(project, takes_the_table_away, plain_task())
    assert result.outcome.status is Status.PASSED
    assert any("what this run leaves for the next one is not written yet" in text for text in notices(result))
    with database(project, tmp_path) as db:
        with db.write():
            db.execute("ALTER TABLE gone RENAME TO items")
        workitems.absorb(db, "work")
        memory = workitems.read(db, "work")
    assert memory is not None
    assert [run.status for run in memory.runs] == ["passed"], "the journal has it all"


# --- 4: keyed by project and item, and it grows old ---------------------------------------------------------


def test_another_project_knows_nothing_of_it(rejected: Path, plain: Project, go: Go, reviewed: Task) -> None:
    assert rejected.name == "calc"
    elsewhere = ScriptedAgent({"calc.py": FIXED})
    go(plain(name="other"), elsewhere, reviewed)
    assert SECTION not in elsewhere.prompts[0]
    assert FEEDBACK not in elsewhere.prompts[0]


@pytest.mark.parametrize("what", ["files", "checks", "goal"])
def test_verdicts_expire_visibly_when_the_base_or_the_checks_changed(
    what: str, rejected: Path, go: Go, reviewed: Task
) -> None:
    project, task = rejected, reviewed
    if what == "files":
        (project / "calc.py").write_text(f"{CALC}\n\ndef other():\n    return 1\n")
    later = {
        "checks": replace(task, checks=(CheckSpec(name="tests", run=(*PLAIN, "again")),)),
        "goal": replace(task, goal=replace(task.goal, targets=("",))),
    }.get(what, task)
    agent = ScriptedAgent({"calc.py": FIXED})
    second = go(project, agent, later)
    why = "it began with other files" if what == "files" else "the checks or the goal have changed since"
    assert f"1 earlier verdict no longer counts and is left out: {why}" in agent.prompts[0]
    assert FEEDBACK not in agent.prompts[0]
    assert any(f"no longer counts and is left out: {why}" in text for text in notices(second))


def test_a_longer_time_limit_is_the_same_check(rejected: Path, go: Go, reviewed: Task) -> None:
    project, task = rejected, reviewed
    agent = ScriptedAgent({"calc.py": FIXED})
    go(project, agent, replace(task, checks=(replace(task.checks[0], timeout=77.0),)))
    assert FEEDBACK in agent.prompts[0]


# --- across items --------------------------------------------------------------------------------------------


def test_the_same_failure_in_another_item_is_told_with_why_its_result_was_rejected(
    rejected: Path, first: Driven, go: Go, reviewed: Task
) -> None:
    agent = ScriptedAgent({"calc.py": FIXED})
    go(rejected, agent, replace(reviewed, item="another"))
    (prompt,) = agent.prompts
    assert SECTION not in prompt
    told = prompt[prompt.index("# Failures that were met before") :]
    assert f"this failure was met in item work (run {first.run}, blocked" in told
    assert "rejected because: No tables of answers: add has to work for ALL numbers" in told
    assert_nothing_of_the_change(first, prompt)


def test_another_failure_in_another_item_is_not_told(plain: Project, go: Go) -> None:
    project = plain()
    go(project, ScriptedAgent({"notes.txt": "x"}), plain_task(limits=Limits(usd=None, attempts=1)))
    (project / "check.sh").write_text("echo 'error: something else is wrong'; exit 1\n")
    agent = ScriptedAgent({"notes.txt": "y"})
    go(project, agent, plain_task(item="another", limits=Limits(usd=None, attempts=1)))
    assert "met before" not in agent.prompts[0]


# --- a plan and a refused name -------------------------------------------------------------------------------


def test_a_run_that_is_resumed_tells_its_agent_the_same_as_before(
    rejected: Path, go: Go, reviewed: Task, tmp_path: Path
) -> None:
    """Read once, at the start: what is forgotten meanwhile does not change a run that goes on."""
    from trueup.testing import drive_on

    project, task = rejected, reviewed
    one = replace(task, limits=Limits(usd=None, attempts=1))
    go(project, ScriptedAgent({"notes.txt": "x"}), one)
    with database(project, tmp_path) as db:
        workitems.forget(db, "work")
    agent = ScriptedAgent(Say(""), {"calc.py": FIXED})
    resumed = drive_on(project, agent, state=tmp_path / "state", limits=lambda old: replace(old, attempts=2))
    assert resumed.outcome.status is Status.PASSED
    assert FEEDBACK in agent.prompts[-1]


def test_two_runs_at_once_on_one_item_are_refused_and_the_first_ones_memory_is_whole(
    plain: Project, go: Go, tmp_path: Path
) -> None:
    from trueup.errors import BlockedError

    project = plain()

    def meanwhile(context: AgentContext) -> None:
        with pytest.raises(BlockedError):
            go(project, ScriptedAgent({"calc.py": FIXED}), plain_task())
        with database(project, tmp_path) as db, pytest.raises(BlockedError, match="works on 'work'"):
            workitems.forget(db, "work")
        (context.workspace / "calc.py").write_text(FIXED)

    assert go(project, meanwhile, plain_task()).outcome.status is Status.PASSED
    memory = memory_of(project, tmp_path)
    assert memory is not None
    assert [run.status for run in memory.runs] == ["passed"]


def test_what_nobody_knows_cannot_be_forgotten(plain: Project, go: Go, tmp_path: Path) -> None:
    project = plain()
    go(project, ScriptedAgent({"calc.py": FIXED}), plain_task())
    with database(project, tmp_path) as db, pytest.raises(UsageError, match="nothing is remembered of 'wrk'"):
        workitems.forget(db, "wrk")
