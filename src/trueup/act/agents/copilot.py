"""How is GitHub Copilot CLI driven?

Cost: what it prints tells none. With its session it keeps a receipt for each answer of a model, with tokens, and with
AI credits where GitHub is paid in these: it is read while the program works. An answer without a receipt was cut short.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from trueup.act.agents.base import AgentCall
from trueup.act.agents.own_file import TOO_LARGE, OwnFile, own_folder
from trueup.act.agents.program import Dialect, Invocation, Maker, Options
from trueup.act.agents.reasons import reason, reason_of_http
from trueup.act.agents.tokens import Spending, Used
from trueup.act.agents.told import JsonReader, tool_call
from trueup.act.agents.untrusted import number, part, record, text, whole
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_DOINGS = {
    "bash": Doing.RUN,
    **dict.fromkeys(("edit", "create", "apply_patch"), Doing.EDIT),
    **dict.fromkeys(("view", "glob", "grep"), Doing.READ),
}
_ERRORS = {
    **dict.fromkeys(("authentication", "authorization", "policy", "quota"), AgentStatus.CREDENTIALS),
    "rate_limit": AgentStatus.RATE_LIMITED,
    "context_limit": AgentStatus.CONTEXT_FULL,
}
_RECEIPT = "session.usage_record"
_NANO_CREDITS = 1e11
"""For a dollar: an AI credit is a cent."""


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    argv = [program, "--output-format", "json", "--session-id", _session(call)]
    argv += ["--no-ask-user", "--allow-all-tools", "--allow-all-paths"]
    argv += ["--disable-builtin-mcps", "--excluded-tools", "web_fetch"]
    argv += ["--deny-tool", "write", "--deny-tool", "shell"] if call.read_only else []
    return Invocation(argv=(*argv, *options.words), env={"COPILOT_AUTO_UPDATE": "false"})


def _session(call: AgentCall) -> str:
    """One that does not exist yet is begun under this name."""
    return call.session or str(uuid.uuid5(uuid.NAMESPACE_URL, call.scratch.as_uri()))


class CopilotReader(JsonReader):
    """Lines of `--output-format json`, and the receipts among the events of its session."""

    def __init__(self, call: AgentCall, options: Options) -> None:
        super().__init__()
        self.told.name_session(_session(call))
        self._spending = Spending(self.told, options)
        home = own_folder(call, "COPILOT_HOME", ".copilot")
        self._kept = OwnFile(home / "session-state" / _session(call) / "events.jsonl")
        self._paid = {text(receipt, "id") for receipt in self._receipts()}
        self._owed = 0
        """Answers that were asked for, until their receipt is there."""

    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        about, inner = part(event, "data"), bool(text(event, "agentId"))
        match text(event, "type"):
            case "model.call_start":
                self._owed += 1
            case "model.call_finished" if text(about, "outcome") == "success":
                self.told.answered()
            case "model.call_failure" | "session.error" as kind:
                self._owed -= kind == "model.call_failure"
                self._error(about)
            case "assistant.message" if text(about, "content").strip():
                yield Turn(doing=Doing.SAY, args=text(about, "content"), inner=inner)
            case "tool.execution_start":
                call = tool_call(_DOINGS, text(about, "toolName"), about.get("arguments"), "path", inner=inner)
                self.asked[text(about, "toolCallId")] = call
            case "tool.execution_complete":
                if (name := text(about, "toolCallId")) in self.asked:
                    yield _answered(self.asked.pop(name), about)
            case "session.compaction_complete":
                yield Turn(doing=Doing.OTHER, tool="compaction", forgot=True)
            case "assistant.turn_end":
                self._pay()

    def finish(self) -> Iterator[Turn]:
        self._pay()
        for _ in range(self._owed):
            self._spending.cut_short()
        if self._kept.too_large:
            self.told.doubt(TOO_LARGE)
        elif not self.told.worked and self._owed <= 0:
            self.told.close()
        yield from super().finish()

    def _receipts(self) -> list[Mapping[str, Any]]:
        lines = (record(line) for line in self._kept.news().splitlines() if _RECEIPT in line)
        return [line for line in lines if text(line, "type") == _RECEIPT]

    def _pay(self) -> None:
        for receipt in self._receipts():
            if text(receipt, "id") not in self._paid:
                self._paid.add(text(receipt, "id"))
                usage = part(receipt, "data", "usage")
                # May be there before the question was printed. What is no part of the conversation is paid besides.
                self._owed -= text(usage, "interactionType").startswith("conversation")
                used = Used.told(usage, "inputTokens", "cacheReadTokens", "outputTokens")
                nano = number(usage, "copilotUsage", "totalNanoAiu")
                self._spending.step(text(usage, "model"), used, None if nano is None else nano / _NANO_CREDITS)
                if usage.get("contentFilterTriggered") is True:
                    self.told.status = AgentStatus.REFUSED

    def _error(self, about: Mapping[str, Any]) -> None:
        """Of a request, which it repeats, or of all of them in the end; then what it says is less than what it was."""
        code = whole(about, "statusCode") or 0
        message = text(about, "message") or f"HTTP {code}"
        self.told.complain(message)
        unreachable = AgentStatus.OVERLOADED if text(about, "failureKind") == "transport" else None
        known = _ERRORS.get(text(about, "errorType")) or reason_of_http(code) or reason(message)
        self.told.status = known or unreachable or self.told.status or AgentStatus.FAILED


def _answered(asked: Turn, about: Mapping[str, Any]) -> Turn:
    """A command that failed is a success like any other; one that still runs has no exit code."""
    code = whole(about, "shellExecution", "exitCode")
    failed = about.get("success") is not True or bool(code)
    unknown = asked.doing is Doing.RUN and code is None and not failed
    output = text(about, "error", "message") or text(about, "result", "content")
    return replace(asked, output=output, failed=None if unknown else failed, exit_code=code)


COPILOT = Dialect(
    program="copilot",
    get="npm install -g @github/copilot",
    checked="1.0.102",
    permissions="edits files and runs any command without asking; no web tools",
    read_only="it is denied to write and to run commands",
    invocation=invocation,
    reader=CopilotReader,
)
make = Maker(dialect=COPILOT, counts_tokens=True)
