"""How is Gemini CLI driven?

Cost: it tells the tokens of each invocation in its last event; thoughts are in the total only. Interrupted it tells
none, and what it tells lacks the commands' exit codes: both are read from what it keeps of the conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from trueup.act.agents.base import AgentCall
from trueup.act.agents.chat import Chat, Ran, settings
from trueup.act.agents.program import Dialect, Invocation, Maker, Options, session_words
from trueup.act.agents.reasons import reason, reason_of_http
from trueup.act.agents.tokens import Spending, Used
from trueup.act.agents.told import JsonReader, tool_call
from trueup.act.agents.untrusted import part, record, text
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_NOT_THESE = ("google_web_search", "web_fetch")
_WRITING = ("run_shell_command", "replace", "write_file")
_POLICY = """\
[[rule]]
toolName = {tools}
decision = "deny"
priority = 900
"""
_SETTINGS = (
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "/etc/gemini-cli/system-defaults.json",
    {"general": {"maxAttempts": 4, "enableAutoUpdate": False}},  # else a refused request is repeated for minutes
)
_DOINGS = {
    "run_shell_command": Doing.RUN,
    **dict.fromkeys(("replace", "write_file"), Doing.EDIT),
    **dict.fromkeys(("read_file", "read_many_files", "list_directory", "glob", "grep_search"), Doing.READ),
}
_OWN_WORDS = (
    ("response was blocked due to", AgentStatus.REFUSED),
    ("exceeds the maximum number of tokens", AgentStatus.CONTEXT_FULL),
    ("API key not valid", AgentStatus.CREDENTIALS),
    ("API key expired", AgentStatus.CREDENTIALS),
    ("fetch failed", AgentStatus.OVERLOADED),
)
_EXITS = {41: AgentStatus.CREDENTIALS, 53: AgentStatus.DONE} | {
    # Its exit code is an HTTP status, of which eight bits are left.
    status % 256: why
    for status in (401, 403, 429, 500, 502, 503, 504)
    if (why := reason_of_http(status)) is not None
}
_HTTP = re.compile(r'"code":\s?(\d{3})\b')
_TURN_LIMIT = re.compile(r"[Mm]ax(?:imum)? session turns")
_LOOP = "Loop detected"
_LONGEST_WORDS = 1_000_000
_PATHS = ("file_path", "dir_path", "path")
_CHAT = "tmp/*/chats/session-*-{short}.jsonl"


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    policy = call.scratch / "gemini-policy.toml"
    denied = (*_NOT_THESE, *(_WRITING if call.read_only else ()))
    policy.write_text(_POLICY.format(tools=json.dumps(denied)), encoding="utf-8")
    # With auto_edit it would refuse to delete a file, whatever the policy allows.
    argv = [program, "--output-format", "stream-json", "--approval-mode", "yolo", "--policy", str(policy)]
    words = ("--skip-trust", *session_words(call), *options.words)
    return Invocation(argv=(*argv, *words), env=settings(call, *_SETTINGS))


class GeminiReader(JsonReader):
    """Lines of `--output-format stream-json`."""

    def __init__(self, call: AgentCall, options: Options) -> None:
        super().__init__()
        self._spending = Spending(self.told, options)
        self._chat = Chat(Path(call.env.get("GEMINI_CLI_HOME") or call.env.get("HOME", "/")) / ".gemini", _CHAT)
        self._ran = Ran(self._chat)
        self._session = call.session
        self._before = self._steps().keys()
        self._words = ""

    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        said = text(event, "type") == "message" and text(event, "role") == "assistant"
        if said:
            self._answered()
            self._words = (self._words + text(event, "content"))[:_LONGEST_WORDS]
            return
        yield from self._known_now()
        match text(event, "type"):
            case "init":
                self._session = text(event, "session_id")
            case "tool_use":
                self._answered()
                asked = tool_call(_DOINGS, text(event, "tool_name"), part(event, "parameters"), *_PATHS)
                self.asked[text(event, "tool_id")] = asked
            case "tool_result" if (name := text(event, "tool_id")) in self.asked:
                output = text(event, "error", "message") or text(event, "output")
                turn = replace(self.asked.pop(name), output=output, failed=text(event, "status") != "success")
                yield from self._ran.take(name, turn)
            case "error":
                self._error(text(event, "message"), None)
            case "result":
                self._result(event)

    def finish(self) -> Iterator[Turn]:
        yield from self._known_now()
        if self.told.ends == 0:
            for name, (model, used) in self._steps().items():
                if name not in self._before:
                    self._spending.step(model, used)
            self._spending.cut_short()
        yield from super().finish()

    def _answered(self) -> None:
        """Only now it is a session that can be gone on with."""
        self.told.answered()
        self.told.name_session(self._session)

    def _steps(self) -> dict[str, tuple[str, Used | None]]:
        """The model's answers that are written down: which model, and what it used."""
        told = (record(line) for line in self._chat.lines(self._session) if '"tokens"' in line)
        return {text(one, "id"): (text(one, "model"), _kept(one["tokens"])) for one in told if part(one, "tokens")}

    def _known_now(self) -> Iterator[Turn]:
        """What was said is over, and a command's exit code, which only the model is told, is written down by now."""
        yield from self._ran.known_now(self._session)
        if self._words.strip():
            yield Turn(doing=Doing.SAY, args=self._words)
        self._words = ""

    def _error(self, message: str, otherwise: AgentStatus | None) -> None:
        if message:
            self.told.complain(message)
        if _TURN_LIMIT.search(message):
            self.told.status, self.told.last_words = AgentStatus.DONE, "it stopped at its own limit"
        elif _LOOP in message:
            self.told.status = AgentStatus.HALTED
        else:
            by_code = next(filter(None, (reason_of_http(int(code)) for code in _HTTP.findall(message))), None)
            self.told.status = by_code or reason(message, _OWN_WORDS) or otherwise

    def _result(self, event: Mapping[str, Any]) -> None:
        self._spending.bill({name: _used(usage) for name, usage in part(event, "stats", "models").items()})
        if text(event, "status") != "success":
            self._error(text(event, "error", "message"), self.told.status or AgentStatus.FAILED)


def _used(usage: object) -> Used | None:
    return Used.told(part(usage), "input_tokens", "cached", "output_tokens", "total_tokens")


def _kept(tokens: Mapping[str, Any]) -> Used | None:
    return Used.told(tokens, "input", "cached", "output", "total")


GEMINI = Dialect(
    program="gemini",
    get="npm install -g @google/gemini-cli",
    checked="0.61.0",
    permissions="edits files and runs any command without asking; no web tools",
    read_only="its own policy denies it to write and to run commands",
    invocation=invocation,
    reader=GeminiReader,
    exits=_EXITS,
)
make = Maker(dialect=GEMINI, counts_tokens=True)
