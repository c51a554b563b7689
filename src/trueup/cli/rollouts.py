"""What did Codex do, by what it keeps of a session (`sessions/…/rollout-*.jsonl`)?

A call and its answer are two records with the same id. The answer of a command is text that begins with what became of
the process, or JSON that holds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from trueup.act.agents.untrusted import part, parts, record, text, whole
from trueup.decide.session import Doing, Turn
from trueup.decide.verification import told_exit_code

_SHELLS = frozenset({"shell", "exec_command", "shell_command", "local_shell", "container.exec", "unified_exec"})
_EDITS = frozenset({"apply_patch"})
_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Exit code|Total output lines|Original token count|Process )[^\n]*\n)*"
)
_OUTPUT = "Output:\n"
_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SHELL_WORDS = 3
_ASKED = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_ANSWERED = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})


def rollout_turns(lines: Iterable[str]) -> Iterator[Turn]:
    asked: dict[str, Turn] = {}
    for line in lines:
        found = record(line)
        if text(found, "type") == "response_item":
            yield from _item(part(found, "payload"), asked)
        elif text(found, "type") == "compacted":
            yield Turn(doing=Doing.OTHER, tool="compaction", forgot=True)
    yield from asked.values()


def _item(item: Mapping[str, Any], asked: dict[str, Turn]) -> Iterator[Turn]:
    kind = text(item, "type")
    if kind == "message" and text(item, "role") == "assistant":
        said = "\n".join(text(block, "text") for block in parts(item, "content")).strip()
        if said:
            yield Turn(doing=Doing.SAY, args=said)
    elif kind in _ASKED:
        asked[text(item, "call_id")] = _call(item)
    elif kind in _ANSWERED and text(item, "call_id") in asked:
        yield _with_answer(asked.pop(text(item, "call_id")), item.get("output"))


def _call(item: Mapping[str, Any]) -> Turn:
    name = text(item, "name") or "shell"
    given = text(item, "arguments") or text(item, "input")
    arguments = record(given) or part(item, "action")
    command = _command(arguments)
    if name in _EDITS or command.lstrip().startswith("apply_patch"):
        patch = command or text(arguments, "input") or given
        return Turn(doing=Doing.EDIT, tool="apply_patch", args=patch, paths=tuple(_FILE.findall(patch)))
    if name in _SHELLS:
        return Turn(doing=Doing.RUN, tool="shell", args=command or given)
    return Turn(doing=Doing.OTHER, tool=name, args=given)


def _command(arguments: Mapping[str, Any]) -> str:
    """The command as the model wrote it: without the shell that it is wrapped in."""
    for name in ("cmd", "command"):
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            wrapped = len(value) == _SHELL_WORDS and value[1] in {"-lc", "-c"}
            return value[2] if wrapped else " ".join(value)
    return ""


def _with_answer(turn: Turn, answer: object) -> Turn:
    said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    inner = record(said)
    code = whole(inner, "metadata", "exit_code")
    if code is None:
        header = _HEADER.match(said)
        code = told_exit_code(header[0] if header else "")
    output = text(inner, "output") or (said if not inner else "")
    return replace(
        turn,
        output=output.partition(_OUTPUT)[2] if code is not None and _OUTPUT in output else output,
        exit_code=code if turn.doing is Doing.RUN else None,
        failed=None if code is None else code != 0,
    )
