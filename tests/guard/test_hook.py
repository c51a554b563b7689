"""A guarded session, hook by hook: real checks, real files, answers as the agents' programs read them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trueup.guard.hook import respond
from trueup.guard.sessions import Sessions

CHECK = """
import os
open(os.environ["HOME"] + "-ran", "a").write("x")
from calc import add
assert add(2, 3) == 5, f"add gives {add(2, 3)}"
"""
TRUEUP = Path(sys.executable).parent / "trueup"


@dataclass
class Told:
    """One session of one agent."""

    project: Path
    environ: dict[str, str]
    agent: str = "claude"
    session: str = "s-1"

    def hook(self, event: str, **said: object) -> dict[str, Any]:
        content = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": event, **said}
        answer = respond(self.agent, event, content, self.environ)
        return json.loads(answer) if answer else {}

    def checks(self, *, failing: bool = True) -> dict[str, Any]:
        if failing:
            error = 'Exit code 1\nTraceback (most recent call last):\n  File "x", line 1\nAssertionError: add gives -1'
            return self.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": self.command}, error=error)
        response = {"stdout": "", "stderr": "", "interrupted": False}
        return self.hook("PostToolUse", tool_name="Bash", tool_input={"command": self.command}, tool_response=response)

    def edits(self, text: str) -> dict[str, Any]:
        (self.project / "calc.py").write_text(text)
        given = {"file_path": str(self.project / "calc.py"), "new_string": text}
        return self.hook("PostToolUse", tool_name="Edit", tool_input=given, tool_response={"filePath": "calc.py"})

    def stops(self) -> dict[str, Any]:
        return self.hook("Stop", stop_hook_active=False, last_assistant_message="All tests pass. Done.")

    @property
    def runs(self) -> int:
        """How often the guard ran the check itself."""
        counted = Path(self.environ["HOME"] + "-ran")
        return len(counted.read_text()) if counted.exists() else 0

    @property
    def command(self) -> str:
        return "python3 -S check.py"


WRONG, RIGHT = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"


@pytest.fixture
def told(tmp_path: Path) -> Told:
    project = tmp_path / "project"
    project.mkdir()
    (project / "calc.py").write_text(WRONG)
    (project / "check.py").write_text(CHECK)
    (project / "trueup.toml").write_text('[[check]]\nname = "tests"\nrun = "python3 -S check.py"\n')
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    made = Told(project, environ)
    made.hook("SessionStart", source="startup")
    return made


def test_a_false_done_is_answered_by_the_checks_own_result_until_it_passes(told: Told) -> None:
    told.checks()
    told.edits(WRONG + "# tried\n")
    answer = told.stops()
    assert answer["decision"] == "block"
    assert "trueup ran the checks, and they fail" in answer["reason"]
    assert "add gives -1" in answer["reason"]
    told.edits(RIGHT)
    assert told.stops() == {}
    assert told.runs == 2


def test_an_edit_that_no_check_has_seen_is_checked_although_nothing_was_known_to_fail(told: Told) -> None:
    told.edits(WRONG + "# tidied\n")
    assert told.stops()["decision"] == "block"


def test_a_green_check_after_the_last_edit_is_enough(told: Told) -> None:
    told.checks()
    told.edits(RIGHT)
    told.checks(failing=False)
    assert told.stops() == {}
    assert told.runs == 0


def commits(told: Told, *, first: str = "true") -> None:
    """By a shell, as agents do."""
    who = "git -c user.name=t -c user.email=t@example.com"
    command = f"{first}; git add -A && {who} commit -qm work"
    subprocess.run(command, shell=True, cwd=told.project, check=True)
    response = {"stdout": "", "interrupted": False}
    told.hook("PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_response=response)


@pytest.mark.parametrize("earlier", [False, True], ids=["the first commit", "a later one"])
def test_a_commit_of_what_a_check_has_passed_is_no_change(told: Told, earlier: bool) -> None:
    if earlier:
        commits(told)
        told = Told(told.project, told.environ, session="s-2")
        told.hook("SessionStart")
    told.edits(RIGHT)
    told.checks(failing=False)
    commits(told)
    assert told.stops() == {}
    assert told.runs == 0


def test_a_change_that_is_committed_at_once_is_one(told: Told) -> None:
    told.edits(RIGHT)
    told.checks(failing=False)
    commits(told, first="echo 'raise SystemExit(1)' >> calc.py")
    assert told.stops()["decision"] == "block"
    assert told.runs == 1


def test_what_a_shell_command_wrote_is_seen_in_the_files(told: Told) -> None:
    told.checks(failing=False)
    (told.project / "calc.py").write_text(WRONG + "# by sed\n")
    command = {"command": "sed -i s/x/y/ calc.py"}
    told.hook("PostToolUse", tool_name="Bash", tool_input=command, tool_response={"stdout": "", "interrupted": False})
    assert told.stops()["decision"] == "block"


def test_a_session_without_a_beginning_begins_with_its_first_prompt(told: Told) -> None:
    unannounced = Told(told.project, told.environ, agent="qwen", session="s-3")
    assert unannounced.hook("UserPromptSubmit", prompt="fix it") == {}
    (told.project / "calc.py").write_text(WRONG + "# by sed\n")
    assert unannounced.hook("UserPromptSubmit", prompt="") == {}
    assert unannounced.stops()["decision"] == "block"


def test_a_session_that_changed_nothing_may_end(told: Told) -> None:
    assert told.stops() == {}


def test_a_known_failure_is_quoted_without_running_anything(told: Told) -> None:
    told.checks()
    told.hook("SessionStart")
    answer = told.stops()
    assert "the last result of the checks stands" in answer["reason"]
    assert told.runs == 0


def test_it_lets_go_after_three_refusals_and_says_so_loudly_once(told: Told) -> None:
    told.checks()
    refused = [told.edits(f"{WRONG}# {number}\n") or told.stops() for number in range(3)]
    assert [answer["decision"] for answer in refused] == ["block"] * 3
    told.edits(f"{WRONG}# 4\n")
    assert "UNVERIFIED" in told.stops()["systemMessage"]
    assert told.stops() == {}


def test_how_often_is_up_to_the_project(told: Told) -> None:
    with (told.project / "trueup.toml").open("r+") as file:
        text = file.read()
        file.seek(0)
        file.write("max_verify_attempts = 1\n" + text)
    other = Told(told.project, told.environ, session="s-2")
    other.hook("SessionStart")
    answers = [other.edits(f"{WRONG}# {number}\n") or other.stops() for number in range(2)]
    assert [answer.get("decision") for answer in answers] == ["block", None]
    assert "UNVERIFIED" in answers[1]["systemMessage"]


def test_progress_begins_a_new_count(told: Told) -> None:
    told.checks()
    for number in range(3):
        told.edits(f"{WRONG}# {number}\n")
        told.stops()
    told.edits(RIGHT)
    told.checks(failing=False)
    told.edits(WRONG)
    assert told.stops()["decision"] == "block"


def test_the_same_failure_three_times_is_a_nudge_once_with_the_evidence(told: Told) -> None:
    said = []
    for number in range(5):
        said.append(told.checks())
        told.edits(f"{WRONG}# {number}\n")
    spoken = [one["hookSpecificOutput"]["additionalContext"] for one in said if one]
    assert len(spoken) == 1
    assert said[2]
    assert "failed 3 times in the same way" in spoken[0]
    assert "add gives -1" in spoken[0]
    assert "calc.py" in spoken[0]


def test_a_check_that_cannot_be_run_lets_go_and_says_so(told: Told) -> None:
    (told.project / "trueup.toml").write_text('[[check]]\nname = "tests"\nrun = "no-such-program-here"\n')
    other = Told(told.project, told.environ, session="s-2")
    other.edits(WRONG + "#\n")
    answer = other.stops()
    assert "decision" not in answer
    assert "UNVERIFIED. The checks could not be run: tests: " in answer["systemMessage"]


def test_the_checks_of_the_beginning_count_whatever_the_agent_writes_into_the_configuration(told: Told) -> None:
    told.edits(WRONG + "# tried\n")
    (told.project / "trueup.toml").write_text('[[check]]\nname = "tests"\nrun = "true"\n')
    assert told.stops()["decision"] == "block"


def test_sessions_do_not_know_each_other(told: Told) -> None:
    told.checks()
    other = Told(told.project, told.environ, session="s-2")
    assert other.stops() == {}
    assert Told(told.project, told.environ, agent="qwen").stops() == {}


def test_without_a_session_id_everything_is_allowed(told: Told) -> None:
    told.checks()
    assert respond("claude", "Stop", {"cwd": str(told.project)}, told.environ) == ""


def test_what_a_dead_session_left_goes_away(told: Told) -> None:
    told.checks()
    sessions = Sessions(told.environ)
    (file,) = sessions.folder.glob("*.json")
    old = time.time() - 30 * 86_400
    os.utime(file, (old, old))
    Told(told.project, told.environ, session="s-2").stops()
    Told(told.project, told.environ, session="s-2").hook("SessionStart")
    assert file not in list(sessions.folder.glob("*.json"))


def test_a_state_that_cannot_be_read_counts_as_none(told: Told) -> None:
    told.checks()
    (file,) = Sessions(told.environ).folder.glob("*.json")
    for text in ("{", "[]", '{"version": 99}', '{"version": 1}', "null"):
        file.write_text(text)
        assert told.stops() == {}


@pytest.mark.parametrize(
    ("agent", "event", "said", "blocked"),
    [
        (
            "codex",
            "PostToolUse",
            {
                "tool_name": "Bash",
                "tool_input": {"command": "python3 -S check.py"},
                "tool_response": 'Traceback (most recent call last):\n  File "check.py", line 5, in <module>\n'
                "AssertionError: add gives -1\n",
            },
            {"decision": "block"},
        ),
        (
            "gemini",
            "AfterTool",
            {
                "tool_name": "run_shell_command",
                "tool_input": {"command": "python3 -S check.py"},
                "tool_response": {"llmContent": "Output: AssertionError: add gives -1\nExit Code: 1"},
            },
            {"decision": "deny"},
        ),
        (
            "copilot",
            "postToolUse",
            {
                "toolName": "bash",
                "toolArgs": {"command": "python3 -S check.py", "description": "the check"},
                "toolResult": {
                    "resultType": "success",  # the tool's, not the command's
                    "textResultForLlm": "AssertionError: add gives -1\n<shellId: 0 completed with exit code 1>",
                },
            },
            {"decision": "block"},
        ),
    ],
)
def test_each_program_tells_a_failed_check_in_its_own_way(
    told: Told, agent: str, event: str, said: dict[str, Any], blocked: dict[str, str]
) -> None:
    stop = {"codex": "Stop", "gemini": "AfterAgent", "copilot": "agentStop"}[agent]
    mine = Told(told.project, told.environ, agent=agent)
    mine.hook(event, **said)
    assert mine.hook(stop)["decision"] == blocked["decision"]


# --- as a process ------------------------------------------------------------------------------------------------


@pytest.fixture
def call(told: Told) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    def call(*words: str, stdin: bytes = b"", **environ: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([TRUEUP, "hook", *words], input=stdin, env=told.environ | environ, capture_output=True)

    return call


def stop_of(told: Told) -> bytes:
    return json.dumps({"session_id": told.session, "cwd": str(told.project)}).encode()


def test_off_is_silent_and_leaves_nothing(told: Told, call: Any, tmp_path: Path) -> None:
    told.checks()
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file())
    for environ in ({}, {"TRUEUP_GUARD": "0"}, {"TRUEUP_GUARD": "1", "TRUEUP_RUN": "a run of its own"}):
        done = call("claude", "Stop", stdin=stop_of(told), **environ)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert call("claude", "Stop", "--always", stdin=stop_of(told), TRUEUP_GUARD="0").stdout == b""
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()) == before


def test_on_answers_as_one_json_object(told: Told, call: Any) -> None:
    told.checks()
    done = call("claude", "Stop", stdin=stop_of(told), TRUEUP_GUARD="1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["decision"] == "block"
    assert json.loads(call("claude", "Stop", "--always", stdin=stop_of(told)).stdout)["decision"] == "block"


def test_a_guard_that_breaks_never_breaks_the_session(told: Told, call: Any) -> None:
    for stdin in (b"", b"{", b"\xff\xfe", b"[]", b'{"session_id": 3}', b'{"session_id": "x", "cwd": 3}'):
        done = call("claude", "Stop", stdin=stdin, TRUEUP_GUARD="1")
        assert (done.returncode, done.stdout) == (0, b"")
    done = call("claude", "Stop", stdin=stop_of(told), TRUEUP_GUARD="1", XDG_STATE_HOME="/proc/nowhere")
    assert (done.returncode, done.stdout) == (0, b"")
    log = Sessions(told.environ).folder / "guard.log"
    assert "claude Stop: " in log.read_text()


def test_a_hook_of_an_event_without_a_check_imports_nothing_heavy(told: Told) -> None:
    told.checks()
    code = (
        "import io, json, sys; sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps("
        f"{{'session_id': 's-1', 'cwd': {str(told.project)!r}, 'tool_name': 'Read', 'tool_input': {{}}, 'tool_response': 'x'}}"
        ").encode())); sys.argv = ['trueup', 'hook', 'claude', 'PostToolUse']; from trueup.cli import main\ntry: main()\n"
        "finally: print(sorted({'typer', 'rich', 'msgspec', 'sqlite3', 'pydantic', 'tomllib', 'trueup.act.process'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=told.environ | {"TRUEUP_GUARD": "1"}, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


# --- what would be a false answer --------------------------------------------------------------------------------


def test_a_check_that_still_runs_in_the_background_has_no_result(told: Told) -> None:
    told.edits(WRONG + "# tried\n")
    response = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b1"}
    told.hook("PostToolUse", tool_name="Bash", tool_input={"command": told.command}, tool_response=response)
    assert told.stops()["decision"] == "block"
    assert told.runs == 1


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("<command started in background with shellId: b1>", 1),
        ("ok\n<shellId: 3 completed with exit code 0>", 0),
    ],
)
def test_copilot_calls_each_command_a_success_and_its_last_line_tells(told: Told, text: str, runs: int) -> None:
    copilot = Told(told.project, told.environ, agent="copilot")
    copilot.edits(RIGHT)
    result = {"resultType": "success", "textResultForLlm": text}
    copilot.hook("postToolUse", toolName="bash", toolArgs={"command": told.command}, toolResult=result)
    assert copilot.hook("agentStop", stopReason="end_turn") == {}
    assert copilot.runs == runs


def test_an_edit_that_copilot_rejects_again_is_spoken_of(told: Told) -> None:
    copilot = Told(told.project, told.environ, agent="copilot")
    given = {"path": str(told.project / "calc.py"), "old_str": "not there", "new_str": "x"}
    assert copilot.hook("postToolUseFailure", toolName="edit", toolArgs=given, error="No match found") == {}
    spoken = copilot.hook("postToolUseFailure", toolName="edit", toolArgs=given, error="No match found")
    assert "rejected" in spoken["additionalContext"]


def test_an_exit_code_in_the_middle_of_a_log_is_somebody_elses(told: Told) -> None:
    codex = Told(told.project, told.environ, agent="codex")
    codex.edits(WRONG + "# tried\n")
    red = 'Traceback (most recent call last):\n  File "check.py", line 5\nAssertionError\nINFO worker exited with code 0\n'
    codex.hook("PostToolUse", tool_name="Bash", tool_input={"command": told.command}, tool_response=red)
    assert codex.stops()["decision"] == "block"
    told.edits(RIGHT)
    green = {"stdout": "INFO worker exited with code 1\n", "stderr": "", "interrupted": False}
    told.hook("PostToolUse", tool_name="Bash", tool_input={"command": told.command}, tool_response=green)
    assert told.stops() == {}
    assert told.runs == 0


def test_a_check_in_another_folder_is_not_the_declared_one(told: Told) -> None:
    (told.project / "sub").mkdir()
    told.edits(WRONG + "# tried\n")
    green = {"stdout": "", "stderr": "", "interrupted": False}
    elsewhere = str(told.project / "sub")
    told.hook("PostToolUse", tool_name="Bash", tool_input={"command": told.command}, tool_response=green, cwd=elsewhere)
    assert told.stops()["decision"] == "block"


def test_a_new_wish_of_the_person_is_guarded_again(told: Told) -> None:
    def failing(number: int, prompt: str) -> dict[str, Any]:
        told.edits(f"{WRONG}# {number}\n")
        return told.hook("Stop", prompt_id=prompt)

    assert [failing(number, "p1").get("decision") for number in range(4)] == ["block"] * 3 + [None]
    assert "UNVERIFIED" in failing(9, "p1")["systemMessage"]
    assert failing(5, "p2")["decision"] == "block"


def test_a_check_that_cannot_be_run_is_tried_once_for_the_same_files(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    (told.project / "trueup.toml").write_text('[[check]]\nname = "tests"\nrun = "no-such-program-here"\n')
    other = Told(told.project, told.environ, session="s-2")
    other.hook("SessionStart")
    (told.project / "calc.py").write_text(RIGHT)
    assert "UNVERIFIED" in other.stops()["systemMessage"]
    assert other.stops() == {}


def test_hooks_of_other_tools_do_not_wait_for_a_check(told: Told) -> None:
    inner = json.dumps({"session_id": "s-1", "cwd": str(told.project), "tool_name": "Read", "tool_input": {}})
    code = f"import subprocess\nsubprocess.run([{str(TRUEUP)!r}, 'hook', 'claude', 'PostToolUse', '--always'], input={inner!r}, text=True, timeout=120, check=True)\n"
    (told.project / "check.py").write_text(code)
    assert told.stops() == {}
    (session,) = Sessions(told.environ).all()
    assert session.live.turns == 1


def test_secrets_in_what_a_tool_printed_are_not_kept(told: Told) -> None:
    error = "Exit code 1\nAssertionError: token ghp_0123456789abcdefghijklmnopqrstuvwxyz was refused"
    told.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": told.command}, error=error)
    (file,) = Sessions(told.environ).folder.glob("*.json")
    assert "was refused" in file.read_text()
    assert "ghp_0123456789" not in file.read_text()


def test_a_configuration_that_cannot_be_read_is_said_at_the_end_and_never_read_later(told: Told) -> None:
    (told.project / "trueup.toml").write_text("check = 3\n")
    other = Told(told.project, told.environ, session="s-2")
    other.hook("SessionStart")
    (told.project / "trueup.toml").write_text('[[check]]\nname = "tests"\nrun = "true"\n')
    other.edits(WRONG + "# tried\n")
    assert "could not be run" in other.stops()["systemMessage"]


@pytest.mark.parametrize("spoil", ['"level":"x"', '"turns":null', '"counts":[]'])
def test_a_state_of_the_wrong_types_counts_as_none(told: Told, spoil: str) -> None:
    import re

    told.checks()
    (file,) = Sessions(told.environ).folder.glob("*.json")
    name = spoil.partition(":")[0]
    file.write_text(re.sub(rf"{name}:(?:\[[^]]*\]|\d+)", spoil, file.read_text(), count=1))
    assert told.stops() == {}
    assert Sessions(told.environ).all() != []


def test_a_file_in_a_folder_with_a_products_name_counts_when_it_lies_deep_or_is_followed(told: Told) -> None:
    deep = told.project / "src" / "target"
    deep.mkdir(parents=True)
    (deep / "a.py").write_text("1\n")
    assert told.stops()["decision"] == "block"
