"""How is Gemini CLI driven?

Cost: it tells the tokens of each invocation in its last event; thoughts are in the total only. Interrupted it tells
none, and what it tells lacks the commands' exit codes: both are read from what it keeps of the conversation.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from trueup.act.agents.base import AgentCall, AgentFunction
from trueup.act.agents.chat import Chat, settings
from trueup.act.agents.program import Dialect, Invocation, Options, ProgramAgent
from trueup.act.agents.reasons import reason, reason_of_http
from trueup.act.agents.tokens import Spending, Used
from trueup.act.agents.told import JsonReader, call_text
from trueup.act.agents.untrusted import part, record, text
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn
from trueup.decide.task import AgentSpec

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
_SHELL = "run_shell_command"
_DOINGS = {
    _SHELL: Doing.RUN,
    "replace": Doing.EDIT,
    "write_file": Doing.EDIT,
    "read_file": Doing.READ,
    "read_many_files": Doing.READ,
    "list_directory": Doing.READ,
    "glob": Doing.READ,
    "grep_search": Doing.READ,
}
_OWN_WORDS = (
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
_CHAT = "tmp/*/chats/session-*-{short}.jsonl"


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    policy = call.scratch / "gemini-policy.toml"
    denied = (*_NOT_THESE, *(_WRITING if call.read_only else ()))
    policy.write_text(_POLICY.format(tools=json.dumps(denied)), encoding="utf-8")
    # With auto_edit it would refuse to delete a file, whatever the policy allows.
    argv = [program, "--output-format", "stream-json", "--approval-mode", "yolo", "--policy", str(policy)]
    argv += ["--skip-trust"]
    argv += ["--model", options.model] if options.model else []
    argv += ["--resume", call.session] if call.session else ["--session-id", str(uuid.uuid4())]
    return Invocation(
        argv=(*argv, *options.args), stdin=call.prompt.encode("utf-8", "replace"), env=settings(call, *_SETTINGS)
    )


class GeminiReader(JsonReader):
    """Lines of `--output-format stream-json`."""

    def __init__(self, call: AgentCall, options: Options) -> None:
        super().__init__()
        self._spending = Spending(self.told, options)
        self._chat = Chat(Path(call.env.get("GEMINI_CLI_HOME") or call.env.get("HOME", "/")) / ".gemini", _CHAT)
        self._before = self._steps(call.session).keys()
        self._words = ""
        self._ran: dict[str, Turn] = {}
        """Commands that are over, until their exit code can be known."""

    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        said = text(event, "type") == "message" and text(event, "role") == "assistant"
        if said:
            self.told.answered()
            self._words = (self._words + text(event, "content"))[:_LONGEST_WORDS]
            return
        yield from self._known_now()
        match text(event, "type"):
            case "init":
                self.told.name_session(event.get("session_id"))
            case "tool_use":
                self.told.answered()
                self.asked[text(event, "tool_id")] = _asked(text(event, "tool_name"), part(event, "parameters"))
            case "tool_result":
                yield from self._answer(text(event, "tool_id"), event)
            case "error":
                self._error(text(event, "message"), None)
            case "result":
                self._result(event)

    def finish(self) -> Iterator[Turn]:
        yield from self._known_now()
        if self.told.ends == 0:
            for name, (model, used) in self._steps(self.told.session).items():
                if name not in self._before:
                    self._spending.step(model, used)
            self._spending.cut_short()
        yield from super().finish()

    def _steps(self, session: str) -> dict[str, tuple[str, Used | None]]:
        """The model's answers that are written down: which model, and what it used."""
        told = (record(line) for line in self._chat.lines(session) if '"tokens"' in line)
        return {text(one, "id"): (text(one, "model"), _kept(one["tokens"])) for one in told if part(one, "tokens")}

    def _answer(self, name: str, event: Mapping[str, Any]) -> Iterator[Turn]:
        asked = self.asked.pop(name, None)
        if asked is None:
            return
        failed = text(event, "status") != "success"
        output = text(event, "error", "message") or text(event, "output")
        turn = replace(asked, output=output, failed=failed)
        if turn.doing is Doing.RUN and not failed:
            self._ran[name] = turn
        else:
            yield turn

    def _known_now(self) -> Iterator[Turn]:
        """What was said is over, and a command's exit code, which only the model is told, is written down by now."""
        for name, turn in self._ran.items():
            code = self._chat.exit_code(self.told.session, name, turn.output)
            yield replace(turn, exit_code=code, failed=None if code is None else bool(code))
        if self._words.strip():
            yield Turn(doing=Doing.SAY, args=self._words)
        self._ran, self._words = {}, ""

    def _error(self, message: str, otherwise: AgentStatus | None) -> None:
        self.told.complain(message)
        if _TURN_LIMIT.search(message):
            self.told.status, self.told.last_words = AgentStatus.DONE, "it stopped at its own limit"
        elif _LOOP in message:
            self.told.status = AgentStatus.HALTED
        else:
            known = next((status for words, status in _OWN_WORDS if words in message), None)
            by_code = next(filter(None, (reason_of_http(int(code)) for code in _HTTP.findall(message))), None)
            self.told.status = known or by_code or reason(message) or otherwise

    def _result(self, event: Mapping[str, Any]) -> None:
        self._spending.bill({name: _used(usage) for name, usage in part(event, "stats", "models").items()})
        if text(event, "status") != "success":
            self._error(text(event, "error", "message"), AgentStatus.FAILED)


def _used(usage: object) -> Used | None:
    return Used.told(part(usage), "input_tokens", "cached", "output_tokens", "total_tokens")


def _kept(tokens: Mapping[str, Any]) -> Used | None:
    return Used.told(tokens, "input", "cached", "output", "total")


def _asked(tool: str, given: Mapping[str, Any]) -> Turn:
    path = text(given, "file_path") or text(given, "dir_path") or text(given, "path")
    args = text(given, "command") if tool == _SHELL else call_text(dict(given))
    return Turn(doing=_DOINGS.get(tool, Doing.OTHER), tool=tool, args=args, paths=(path,) if path else ())


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


def make(spec: AgentSpec, callables: Mapping[str, AgentFunction]) -> ProgramAgent:  # noqa: ARG001 - the factories' shape
    return ProgramAgent(name=spec.name, dialect=GEMINI, options=Options.of(spec))


make.counts_tokens = True  # type: ignore[attr-defined]  # read by the table of agents
