"""What does an agent's hook say happened? Every program has its own words, and none of them has to be there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trueup.decide.session import Doing, Turn

AGENTS = ("claude", "codex", "gemini", "qwen", "copilot")
_LONGEST = 200_000


class Kind(StrEnum):
    START = "start"
    TURN = "turn"
    STOP = "stop"
    END = "end"
    OTHER = "other"


_KINDS = {
    "SessionStart": Kind.START,
    "sessionStart": Kind.START,
    "UserPromptSubmit": Kind.START,
    "PostToolUse": Kind.TURN,
    "PostToolUseFailure": Kind.TURN,
    "AfterTool": Kind.TURN,
    "postToolUse": Kind.TURN,
    "postToolUseFailure": Kind.TURN,
    "Stop": Kind.STOP,
    "AfterAgent": Kind.STOP,
    "agentStop": Kind.STOP,
    "SessionEnd": Kind.END,
    "sessionEnd": Kind.END,
}
_DOINGS = {
    Doing.RUN: frozenset({"Bash", "bash", "shell", "run_shell_command", "exec_command", "local_shell"}),
    Doing.EDIT: frozenset(
        {"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch", "replace", "write_file", "edit", "create"}
        | {"str_replace_editor", "str_replace_based_edit_tool"}
    ),
    Doing.READ: frozenset(
        {"Read", "Glob", "Grep", "read_file", "read_many_files", "glob", "search_file_content", "grep_search", "view"}
        | {"list_directory", "grep", "ls"}
    ),
}
_PATHS = ("file_path", "path", "absolute_path", "notebook_path")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    kind: Kind
    session: str = ""
    folder: str = ""
    turn: Turn | None = None
    prompt: str = ""
    """Which of the person's prompts it belongs to, where the program tells."""


def heard(event: str, said: Mapping[str, Any]) -> Heard:
    """`event` is the hook's name, as it was installed: not every program repeats it in what it says."""
    kind = _KINDS.get(event, Kind.OTHER)
    return Heard(
        kind=kind,
        session=_text(said.get("session_id") or said.get("sessionId")),
        folder=_text(said.get("cwd")),
        turn=_turn(event, said) if kind is Kind.TURN else None,
        prompt=_text(said.get("prompt_id") or said.get("turn_id")),
    )


def _turn(event: str, said: Mapping[str, Any]) -> Turn:
    tool = _text(said.get("tool_name") or said.get("toolName"))
    given = _object(said.get("tool_input", said.get("toolArgs")))
    doing = next((doing for doing, names in _DOINGS.items() if tool in names), Doing.OTHER)
    output = _output(said)
    failed = _failed(event, said)
    return Turn(
        doing=doing,
        tool=tool,
        args=_command(given) if doing is Doing.RUN else json.dumps(given, sort_keys=True, default=str)[:_LONGEST],
        paths=tuple(_text(given[name]) for name in _PATHS if _text(given.get(name)))[:1],
        output=output,
        failed=failed,
        exit_code=_exit_code(output, failed) if doing is Doing.RUN else None,
    )


def _command(given: Mapping[str, Any]) -> str:
    command = given.get("command", given.get("cmd", ""))
    words = command if isinstance(command, list) else [command]
    return " ".join(_text(word) for word in words)[:_LONGEST]


def _output(said: Mapping[str, Any]) -> str:
    """Under one of many names; a failure's text is in `error`."""
    answer = said.get("error") or said.get("tool_response", said.get("toolResult", said.get("tool_result")))
    if isinstance(answer, dict):
        parts = [answer.get(name) for name in ("stdout", "stderr", "llmContent", "textResultForLlm", "output", "error")]
        answer = "\n".join(part for part in parts if isinstance(part, str) and part) or json.dumps(answer, default=str)
    return (answer if isinstance(answer, str) else json.dumps(answer, default=str) if answer else "")[:_LONGEST]


def _failed(event: str, said: Mapping[str, Any]) -> bool | None:
    answer = said.get("tool_response", said.get("toolResult"))
    if event in {"PostToolUseFailure", "postToolUseFailure"}:
        return True
    if isinstance(answer, dict):
        if answer.get("backgroundTaskId"):  # it still runs
            return None
        if answer.get("error") or answer.get("resultType") in {"failure", "error", "rejected", "denied"}:
            return True
        # Not a `resultType` of "success" (Copilot): a command that failed, or that still runs, has it too.
        if "interrupted" in answer or "filePath" in answer:
            return False
    return None


def _exit_code(output: str, failed: bool | None) -> int | None:  # noqa: FBT001 - three answers, not two
    """Where the program tells: some only in the text, some not at all."""
    if failed is False:
        return 0
    from trueup.decide.verification import told_exit_code

    return told_exit_code(output)


def _object(value: object) -> Mapping[str, Any]:
    """Some give the arguments as text that holds JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"input": value}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
