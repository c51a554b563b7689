"""A program that is to judge files is told by its own means to change none; one that has no such means says so."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from trueup.act.agents import BUILTIN, CONFIGURED, make_agent
from trueup.act.agents.base import AgentCall, AgentContext, AgentReport
from trueup.act.agents.program import Invocation, Options, ProgramAgent
from trueup.act.agents.python import PythonAgent
from trueup.act.process import Processes
from trueup.decide.task import AgentSpec

PROGRAMS = sorted(BUILTIN.keys() - CONFIGURED - {"search"})


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    return AgentCall(
        prompt="judge it",
        prompt_file=tmp_path / "prompt.md",
        workspace=tmp_path,
        attempt=1,
        seconds=60,
        usd=1.5,
        env={"HOME": str(tmp_path)},
        scratch=tmp_path,
        read_only=True,
    )


def program(name: str) -> ProgramAgent:
    agent = make_agent(AgentSpec(name=name, kind=name))
    assert isinstance(agent, ProgramAgent)
    return agent


def asked(name: str, call: AgentCall) -> Invocation:
    return program(name).dialect.invocation(name, call, Options())


def words(name: str, call: AgentCall) -> str:
    """Everything that the program is told, names that are made up each time left out."""
    made = asked(name, call)
    files = [file.read_text() for file in sorted(call.scratch.glob("*.toml"))]
    argv = [word for word in made.argv if len(word) != len("00000000-0000-0000-0000-000000000000")]
    return "\n".join([*argv, *map(repr, made.env.items()), *files])


@pytest.mark.parametrize("name", PROGRAMS)
def test_who_says_that_it_can_be_told_is_told_and_only_then(name: str, call: AgentCall) -> None:
    told = words(name, call) != words(name, replace(call, read_only=False))
    assert told == bool(program(name).describe().read_only)


def test_a_program_that_knows_commands_only_cannot_be_told() -> None:
    assert [name for name in PROGRAMS if not program(name).describe().read_only] == ["mini"]
    command = make_agent(AgentSpec(name="own", command="true"))
    assert command.describe().read_only == ""


def test_claude_has_no_tool_left_that_writes(call: AgentCall) -> None:
    argv = asked("claude", call).argv
    allowed, denied = (argv[argv.index(flag) + 1].split(",") for flag in ("--allowedTools", "--disallowedTools"))
    assert {"Bash", "Edit", "MultiEdit", "Write", "NotebookEdit"} <= set(denied)
    assert not set(allowed) & set(denied)
    assert "acceptEdits" not in argv


@pytest.mark.parametrize(("sandboxed", "mode"), [(False, "read-only"), (True, "danger-full-access")])
def test_codex_reads_only_in_its_own_sandbox_unless_ours_sees_to_it(
    call: AgentCall, sandboxed: bool, mode: str
) -> None:
    assert f'sandbox_mode="{mode}"' in asked("codex", replace(call, sandboxed=sandboxed)).argv


def test_geminis_policy_denies_what_writes(call: AgentCall) -> None:
    argv = asked("gemini", call).argv
    policy = tomllib.loads(Path(argv[argv.index("--policy") + 1]).read_text())
    (rule,) = policy["rule"]
    assert {"run_shell_command", "replace", "write_file", "web_fetch"} <= set(rule["toolName"])
    assert rule["decision"] == "deny"


def test_qwen_has_no_tool_left_that_writes(call: AgentCall) -> None:
    argv = asked("qwen", call).argv
    excluded = {after for before, after in pairwise(argv) if before == "--exclude-tools"}
    assert {"run_shell_command", "edit", "write_file"} <= excluded
    assert "--allowed-tools" not in argv


def test_opencode_is_denied_to_edit_and_to_run(call: AgentCall) -> None:
    permission = json.loads(asked("opencode", call).env["OPENCODE_PERMISSION"])
    assert permission == {"edit": "deny", "bash": "deny", "task": "deny"}


def test_aider_only_answers(call: AgentCall) -> None:
    argv = asked("aider", call).argv
    assert argv[argv.index("--chat-mode") + 1] == "ask"
    assert "--dry-run" in argv


def test_copilot_is_denied_to_write_and_to_run(call: AgentCall) -> None:
    argv = asked("copilot", call).argv
    assert [after for before, after in pairwise(argv) if before == "--deny-tool"] == [
        "write",
        "shell",
    ]


def test_what_a_function_reports_as_its_note_is_its_last_message(call: AgentCall) -> None:
    def judge(context: AgentContext) -> AgentReport:
        return AgentReport(note=f"I read:\n{context.prompt}")

    with Processes() as processes:
        result = PythonAgent(name="judge", function=judge).run(call, processes, lambda _: None)
    assert result.said == "I read:\njudge it"
